"""Writes the cosine as a sine a quarter turn ahead."""

import numpy as np
import torch
from torch import nn


def sinusoidal_pe(max_len: int, d_model: int, base: float) -> np.ndarray:
    """Return the table (max_len, d_model) from one sine over all columns."""
    column = np.arange(d_model)
    parity = column % 2
    angle = np.arange(max_len)[:, None] / base ** ((column - parity) / d_model)  # (max_len, d_model)
    table = np.sin(angle + np.pi / 2 * parity)
    if d_model % 2:
        table[:, -1] = 0.0
    return table


class SinusoidalPositions(nn.Module):
    """Adds fixed sinusoidal positions to x of shape (B, T, d_model)."""

    def __init__(self, max_len: int, d_model: int, base: float) -> None:
        super().__init__()
        self.max_len = max_len
        table = torch.from_numpy(sinusoidal_pe(max_len, d_model, base)).float()
        self.register_buffer("pe", table)  # (max_len, d_model)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        length = x.shape[1]
        if length > self.max_len:
            raise ValueError(f"the sequence has {length} tokens, but the table only {self.max_len} rows")
        return x + self.pe[:length]


def count_parameters(model: nn.Module) -> int:
    """Count the parameters of model, a shared one once."""
    return sum(parameter.numel() for parameter in model.parameters())
