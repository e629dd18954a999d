"""Your solution: positions for a transformer, sinusoidal and learned. prompt.md has the rules.

Complete the three functions and the two classes and keep their names and arguments. Helper functions are welcome in
this file. Your tests of it go into test_solution.py.
"""

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn


def sinusoidal_freqs(d: int, base: float = 10000.0) -> NDArray[np.float64]:
    """Return the angular frequency of each pair, in radians per position.

    Args:
        d: the width, even.
        base: the number whose powers slow the pairs down, greater than 1.

    Returns:
        float64 [d / 2]; element i is base ** (-2i / d).

    Raises:
        ValueError: d is odd, or base is not above 1.
    """
    raise NotImplementedError("sinusoidal_freqs is yours to write")


def sinusoidal_pe(T: int, d: int, base: float = 10000.0, offset: int = 0) -> NDArray[np.float32]:
    """Return the encodings of the positions offset .. offset + T - 1.

    Returns:
        float32 [T, d]. In the row of position p, columns 2i and 2i + 1 hold the sine and the cosine of p times
        frequency i, an angle that was computed in float64.

    Raises:
        ValueError: d is odd, or base is not above 1.
    """
    raise NotImplementedError("sinusoidal_pe is yours to write")


def shift_pe(pe: NDArray[np.floating], k: float, d: int, base: float = 10000.0) -> NDArray[np.floating]:
    """Return encodings moved on by k positions: PE(p) becomes PE(p + k), without knowing p.

    Args:
        pe: float32 or float64 [..., d]; it is left as it was.
        k: by how many positions; it may be negative, and need not be whole.

    Returns:
        A new float32 or float64 array of the shape of pe, in which each pair was rotated.

    Raises:
        ValueError: d is odd, or base is not above 1.
    """
    raise NotImplementedError("shift_pe is yours to write")


class SinusoidalPE(nn.Module):
    """Adds sinusoidal positions. It has no parameters, saves nothing, and knows every position there is."""

    def __init__(self, d: int, base: float = 10000.0) -> None:
        """Prepare for inputs of width d. ValueError if d is odd, or base is not above 1."""
        super().__init__()
        raise NotImplementedError("SinusoidalPE.__init__ is yours to write")

    def forward(self, x: torch.Tensor, offset: int = 0) -> torch.Tensor:
        """Return x [B, T, d] plus the encodings of offset .. offset + T - 1, as a new float32 tensor."""
        raise NotImplementedError("SinusoidalPE.forward is yours to write")


class LearnedPE(nn.Module):
    """Adds learned positions: `weight` [max_len, d] is an nn.Parameter with a row for each position."""

    def __init__(self, max_len: int, d: int, std: float = 0.02) -> None:
        """Draw the weight from a normal distribution with mean 0 and standard deviation std."""
        super().__init__()
        raise NotImplementedError("LearnedPE.__init__ is yours to write")

    def positions(self, T: int, offset: int) -> torch.Tensor:
        """Return the rows [T, d] of offset .. offset + T - 1. An error if any of them is not in the table."""
        raise NotImplementedError("LearnedPE.positions is yours to write")

    def forward(self, x: torch.Tensor, offset: int = 0) -> torch.Tensor:
        """Return x [B, T, d] plus positions(T, offset), as a new float32 tensor."""
        raise NotImplementedError("LearnedPE.forward is yours to write")
