"""Can start at a later position, as decoding with a cache needs; zero by default."""

import numpy as np
import torch
from torch import nn


def sinusoidal_pe(max_len: int, d_model: int, base: float) -> np.ndarray:
    """Return positions 0 to max_len - 1 as sinusoids, an array (max_len, d_model)."""
    even = np.arange(0, d_model - d_model % 2, 2)  # the columns that hold a sine
    angle = np.outer(np.arange(max_len), np.exp(-np.log(base) * even / d_model))  # (max_len, pairs)
    table = np.zeros((max_len, d_model))
    table[:, even] = np.sin(angle)
    table[:, even + 1] = np.cos(angle)
    return table


class SinusoidalPositions(nn.Module):
    """Adds fixed sinusoidal positions to x of shape (B, T, d_model)."""

    def __init__(self, max_len: int, d_model: int, base: float) -> None:
        super().__init__()
        table = torch.from_numpy(sinusoidal_pe(max_len, d_model, base)).float()
        self.register_buffer("pe", table)  # (max_len, d_model)

    def forward(self, x: torch.Tensor, offset: int = 0) -> torch.Tensor:
        """Add rows offset to offset + T - 1."""
        end = offset + x.shape[1]
        if offset < 0 or end > len(self.pe):
            raise IndexError(f"positions {offset} to {end - 1} asked for, but there are {len(self.pe)} rows")
        return x + self.pe[offset:end]


def count_parameters(model: nn.Module) -> int:
    """Count the parameters of model, a shared one once."""
    return sum(parameter.numel() for parameter in model.parameters())
