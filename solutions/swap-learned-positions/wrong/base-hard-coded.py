"""Takes a base but computes with 10000 whatever it is."""

import numpy as np
import torch
from torch import nn


def sinusoidal_pe(max_len: int, d_model: int, base: float) -> np.ndarray:
    """Return the sinusoidal table of shape (max_len, d_model)."""
    even = np.arange(0, d_model - d_model % 2, 2)  # the columns that hold a sine
    angular_frequency = np.exp(-np.log(10000.0) * even / d_model)  # (pairs,)
    angle = np.arange(max_len)[:, None] * angular_frequency  # (max_len, pairs)
    table = np.zeros((max_len, d_model))
    table[:, even] = np.sin(angle)
    table[:, even + 1] = np.cos(angle)
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
    """Return the number of parameters, counting each object once."""
    seen = {id(parameter): parameter.numel() for parameter in model.parameters()}
    return sum(seen.values())
