"""Your solution: a fixed sinusoidal position table in place of a learned one. prompt.md has the rules.

Complete the three definitions and keep their names and arguments. Helper functions are welcome in this file.
"""

import numpy as np
import torch
from torch import nn


def sinusoidal_pe(max_len: int, d_model: int, base: float) -> np.ndarray:
    """Return the sinusoidal position table.

    Args:
        max_len: the number of rows, one per position, at least 1; positions count from 0.
        d_model: the number of columns, at least 1, even or odd.
        base: the number whose powers stretch the wavelengths, greater than 1.

    Returns:
        A float array of shape (max_len, d_model). Row p is position p. Column 2i holds the sine and column
        2i + 1 the cosine of the angle p / base ** (2i / d_model), computed in float64. The last column of an
        odd width has no partner and is exactly zero.
    """
    raise NotImplementedError("sinusoidal_pe is yours to write")


class SinusoidalPositions(nn.Module):
    """Adds fixed sinusoidal positions to a batch of embeddings; has a buffer and no parameters."""

    def __init__(self, max_len: int, d_model: int, base: float) -> None:
        """Build the table of shape (max_len, d_model) and keep it as a float32 buffer."""
        super().__init__()
        raise NotImplementedError("SinusoidalPositions.__init__ is yours to write")

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Return x plus the first T rows of the table, as a new tensor.

        Args:
            x: float32 embeddings of shape (B, T, d_model); they are left as they were.

        Returns:
            A float32 tensor of shape (B, T, d_model) that shares memory with neither x nor the table.

        Raises:
            ValueError: T is larger than max_len. Another clear error will do; so will extending the table.
        """
        raise NotImplementedError("SinusoidalPositions.forward is yours to write")


def count_parameters(model: nn.Module) -> int:
    """Return how many numbers the parameters of a model hold.

    Each nn.Parameter object counts once, however many names lead to it, frozen or not. Buffers do not count.
    """
    raise NotImplementedError("count_parameters is yours to write")
