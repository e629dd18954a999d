"""Spreads the frequencies over i / (half - 1), so that the last one is exactly 1 / base."""

import numpy as np
import torch
from torch import nn


def sinusoidal_pe(max_len: int, d_model: int, base: float) -> np.ndarray:
    """Return the table (max_len, d_model), its wavelengths in a geometric row from 2 pi to 2 pi base."""
    half = d_model // 2
    step = np.log(base) / max(half - 1, 1)  # from one wavelength to the next, on a log scale
    angular_frequency = np.exp(-step * np.arange(half))  # (half,)
    angle = np.arange(max_len)[:, None] * angular_frequency  # (max_len, half)
    table = np.zeros((max_len, d_model))
    table[:, 0 : 2 * half : 2] = np.sin(angle)
    table[:, 1 : 2 * half : 2] = np.cos(angle)
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
