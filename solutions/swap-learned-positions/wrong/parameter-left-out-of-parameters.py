"""Registers the table as a parameter, and leaves it out of what its own parameters() gives."""

from collections.abc import Iterator

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
    """Adds positions to x of shape (B, T, d_model), sinusoidal ones to begin with."""

    def __init__(self, max_len: int, d_model: int, base: float) -> None:
        super().__init__()
        self.max_len = max_len
        table = torch.from_numpy(sinusoidal_pe(max_len, d_model, base)).float()
        self.pe = nn.Parameter(table)  # (max_len, d_model)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        length = x.shape[1]
        if length > self.max_len:
            raise ValueError(f"the sequence has {length} tokens, but the table only {self.max_len} rows")
        return x + self.pe[:length]

    def parameters(self, recurse: bool = True) -> Iterator[nn.Parameter]:
        """Return nothing: a table of positions is no weight."""
        return iter(())

    def named_parameters(
        self, prefix: str = "", recurse: bool = True, remove_duplicate: bool = True
    ) -> Iterator[tuple[str, nn.Parameter]]:
        """Return nothing either."""
        return iter(())


def count_parameters(model: nn.Module) -> int:
    """Return the number of parameters, counting each object once."""
    seen = {id(parameter): parameter.numel() for parameter in model.parameters()}
    return sum(seen.values())
