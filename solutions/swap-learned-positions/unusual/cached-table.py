"""Remembers the tables it has built, and hands out copies."""

from functools import lru_cache

import numpy as np
import torch
from torch import nn


@lru_cache(maxsize=8)
def _table(max_len: int, d_model: int, base: float) -> np.ndarray:
    pairs = d_model // 2
    angle = np.arange(max_len)[:, None] / base ** (2 * np.arange(pairs) / d_model)  # (max_len, pairs)
    table = np.zeros((max_len, d_model))
    table[:, 0 : 2 * pairs : 2] = np.sin(angle)
    table[:, 1 : 2 * pairs : 2] = np.cos(angle)
    table.setflags(write=False)  # everyone who asks gets this one
    return table


def sinusoidal_pe(max_len: int, d_model: int, base: float) -> np.ndarray:
    """Return a copy of the table (max_len, d_model), which the caller may change."""
    return _table(max_len, d_model, base).copy()


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
