"""Keeps the table as a plain attribute and adds it to the state_dict by hand, where no fresh module expects it."""

from typing import Any

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
        self.pe = torch.from_numpy(sinusoidal_pe(max_len, d_model, base)).float()  # (max_len, d_model)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        length = x.shape[1]
        if length > self.max_len:
            raise ValueError(f"the sequence has {length} tokens, but the table only {self.max_len} rows")
        return x + self.pe[:length]

    def state_dict(self, *args: Any, prefix: str = "", **kwargs: Any) -> dict[str, Any]:
        """Save the table with the model, as a buffer would be."""
        state = super().state_dict(*args, prefix=prefix, **kwargs)
        state[f"{prefix}pe"] = self.pe
        return state


def count_parameters(model: nn.Module) -> int:
    """Count the parameters of model, a shared one once."""
    return sum(parameter.numel() for parameter in model.parameters())
