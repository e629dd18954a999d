"""Describes the sinusoids in a dataclass and reads the table off it."""

from dataclasses import dataclass

import numpy as np
import torch
from torch import nn


@dataclass(frozen=True)
class Sinusoids:
    """The waves of one table: a width and a base."""

    d_model: int
    base: float

    @property
    def pairs(self) -> int:
        return self.d_model // 2

    def angles(self, position: int) -> np.ndarray:
        """Return the angle of each pair at one position, shape (pairs,)."""
        return position / self.base ** (2 * np.arange(self.pairs) / self.d_model)

    def row(self, position: int) -> np.ndarray:
        """Return the features of one position, shape (d_model,)."""
        angles = self.angles(position)
        features = np.zeros(self.d_model)
        features[: 2 * self.pairs] = np.column_stack([np.sin(angles), np.cos(angles)]).ravel()
        return features


def sinusoidal_pe(max_len: int, d_model: int, base: float) -> np.ndarray:
    """Return the table (max_len, d_model), row by row."""
    sinusoids = Sinusoids(d_model, base)
    return np.array([sinusoids.row(position) for position in range(max_len)])


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
