"""Keeps the buffer in a small module of its own."""

import numpy as np
import torch
from torch import nn


def sinusoidal_pe(max_len: int, d_model: int, base: float) -> np.ndarray:
    """Return the table (max_len, d_model): sines in the even columns, cosines in the odd ones."""
    pairs = d_model // 2
    position = np.arange(max_len, dtype=np.float64)[:, None]  # (max_len, 1)
    angular_frequency = base ** (-2.0 * np.arange(pairs) / d_model)  # (pairs,)
    angle = position * angular_frequency  # (max_len, pairs)
    table = np.zeros((max_len, d_model))
    table[:, 0 : 2 * pairs : 2] = np.sin(angle)
    table[:, 1 : 2 * pairs : 2] = np.cos(angle)
    return table


class FixedTable(nn.Module):
    """Holds a table that is never trained and hands out its first rows."""

    def __init__(self, rows: torch.Tensor) -> None:
        super().__init__()
        self.register_buffer("rows", rows)  # (max_len, d_model)

    def forward(self, length: int) -> torch.Tensor:
        if length > len(self.rows):
            raise ValueError(f"{length} rows asked for, but there are {len(self.rows)}")
        return self.rows[:length]


class SinusoidalPositions(nn.Module):
    """Adds fixed sinusoidal positions to x of shape (B, T, d_model)."""

    def __init__(self, max_len: int, d_model: int, base: float) -> None:
        super().__init__()
        self.fixed = FixedTable(torch.from_numpy(sinusoidal_pe(max_len, d_model, base)).float())

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x + self.fixed(x.shape[1])


def count_parameters(model: nn.Module) -> int:
    """Return the number of parameters, counting each object once."""
    seen = {id(parameter): parameter.numel() for parameter in model.parameters()}
    return sum(seen.values())
