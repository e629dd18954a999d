"""Looks the rows up with index_select."""

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
        position = torch.arange(length, device=self.pe.device)  # (T,)
        return x + self.pe.index_select(0, position)


def count_parameters(model: nn.Module) -> int:
    """Return the number of parameters, counting each object once."""
    seen = {id(parameter): parameter.numel() for parameter in model.parameters()}
    return sum(seen.values())
