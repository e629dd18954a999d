"""Rotates every pair from one position to the next instead of computing each angle."""

import numpy as np
import torch
from torch import nn


def sinusoidal_pe(max_len: int, d_model: int, base: float) -> np.ndarray:
    """Return the table (max_len, d_model); each row turns the pairs of the row above by their frequency."""
    pairs = d_model // 2
    angular_frequency = base ** (-2.0 * np.arange(pairs) / d_model)  # (pairs,)
    cos_step, sin_step = np.cos(angular_frequency), np.sin(angular_frequency)
    sine, cosine = np.zeros(pairs), np.ones(pairs)
    table = np.zeros((max_len, d_model))
    for row in table:
        row[: 2 * pairs : 2], row[1 : 2 * pairs : 2] = sine, cosine
        sine, cosine = sine * cos_step + cosine * sin_step, cosine * cos_step - sine * sin_step
        length = np.hypot(sine, cosine)  # back onto the unit circle, so that rounding does not pile up
        sine, cosine = sine / length, cosine / length
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
