"""Reads sine and cosine off a complex exponential."""

import numpy as np
import torch
from torch import nn


def sinusoidal_pe(max_len: int, d_model: int, base: float) -> np.ndarray:
    """Return the table (max_len, d_model): imaginary and real parts of points on the unit circle."""
    pairs = d_model // 2
    angular_frequency = float(base) ** (-2 * np.arange(pairs) / d_model)  # (pairs,)
    point = np.exp(1j * np.arange(max_len)[:, None] * angular_frequency)  # (max_len, pairs), complex128
    table = np.zeros((max_len, d_model))
    table[:, : 2 * pairs : 2] = point.imag
    table[:, 1 : 2 * pairs : 2] = point.real
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
