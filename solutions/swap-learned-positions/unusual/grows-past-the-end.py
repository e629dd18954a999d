"""Computes a longer table when a sequence outgrows the one it was built with."""

import numpy as np
import torch
from torch import nn


def sinusoidal_pe(max_len: int, d_model: int, base: float) -> np.ndarray:
    """Return the sinusoidal table of shape (max_len, d_model)."""
    table = np.zeros((max_len, d_model))
    position = np.arange(max_len)
    for column in range(0, d_model - 1, 2):
        angle = position / base ** (column / d_model)  # (max_len,)
        table[:, column] = np.sin(angle)
        table[:, column + 1] = np.cos(angle)
    return table


class SinusoidalPositions(nn.Module):
    """Adds fixed sinusoidal positions to x of shape (B, T, d_model), for any T."""

    def __init__(self, max_len: int, d_model: int, base: float) -> None:
        super().__init__()
        self.d_model = d_model
        self.base = base
        self.register_buffer("pe", self._build(max_len), persistent=False)  # (max_len, d_model)

    def _build(self, rows: int) -> torch.Tensor:
        return torch.from_numpy(sinusoidal_pe(rows, self.d_model, self.base)).float()

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        length = x.shape[1]
        if length > len(self.pe):
            self.pe = self._build(length).to(self.pe.device)
        return x + self.pe[:length]


def count_parameters(model: nn.Module) -> int:
    """Return the number of parameters, counting each object once."""
    seen = {id(parameter): parameter.numel() for parameter in model.parameters()}
    return sum(seen.values())
