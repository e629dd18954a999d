"""Cuts off the tokens that come after the last row."""

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
    """Adds fixed sinusoidal positions to x of shape (B, T, d_model)."""

    def __init__(self, max_len: int, d_model: int, base: float) -> None:
        super().__init__()
        self.max_len = max_len
        table = torch.from_numpy(sinusoidal_pe(max_len, d_model, base)).float()
        self.register_buffer("pe", table)  # (max_len, d_model)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x[:, : self.max_len] + self.pe[: x.shape[1]]


def count_parameters(model: nn.Module) -> int:
    """Count the parameters of model, a shared one once."""
    return sum(parameter.numel() for parameter in model.parameters())
