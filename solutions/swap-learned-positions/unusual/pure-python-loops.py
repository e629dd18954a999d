"""Computes the table number by number with the math module."""

import math

import numpy as np
import torch
from torch import nn


def sinusoidal_pe(max_len: int, d_model: int, base: float) -> np.ndarray:
    """Return the table (max_len, d_model), one sine and one cosine at a time."""
    table = [[0.0] * d_model for _ in range(max_len)]
    for position, row in enumerate(table):
        for pair in range(d_model // 2):
            angle = position / math.pow(base, 2 * pair / d_model)
            row[2 * pair] = math.sin(angle)
            row[2 * pair + 1] = math.cos(angle)
    return np.array(table)


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
    """Return the number of parameters, counting each object once."""
    seen = {id(parameter): parameter.numel() for parameter in model.parameters()}
    return sum(seen.values())
