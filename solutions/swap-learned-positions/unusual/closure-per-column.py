"""Builds a function for each column and calls them all."""

from collections.abc import Callable

import numpy as np
import torch
from torch import nn


def _column(index: int, d_model: int, base: float) -> Callable[[np.ndarray], np.ndarray]:
    """Return the function that maps positions to the values of one column."""
    if index == d_model - 1 and d_model % 2:
        return np.zeros_like
    wave = np.cos if index % 2 else np.sin
    angular_frequency = base ** -((index - index % 2) / d_model)
    return lambda position: wave(position * angular_frequency)


def sinusoidal_pe(max_len: int, d_model: int, base: float) -> np.ndarray:
    """Return the table (max_len, d_model), column by column."""
    position = np.arange(max_len, dtype=np.float64)  # (max_len,)
    return np.column_stack([_column(index, d_model, base)(position) for index in range(d_model)])


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
