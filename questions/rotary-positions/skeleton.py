"""Your solution: rotary positions inside attention, and checkpoints in their two layouts. prompt.md has the rules.

Complete the four definitions and keep their names and arguments. Helper functions are welcome in this file.
"""

from typing import Any

import torch
from torch import nn


def rotate(
    x: torch.Tensor, positions: torch.Tensor, base: float = 10000.0, layout: str = "interleaved"
) -> torch.Tensor:
    """Return x with each pair of features turned by an angle that grows with the position.

    Args:
        x: queries or keys of shape (..., T, W), floating point; they are left as they were.
        positions: the T positions, an integer tensor of shape (T,); any integers from 0 on, in any order.
        base: the number whose powers slow the pairs down, greater than 1.
        layout: "interleaved" pairs the features 2i and 2i + 1, "half" pairs i and i + W / 2.

    Returns:
        A tensor of the shape and dtype of x.

    Raises:
        ValueError: W is odd. Another clear error will do.
    """
    raise NotImplementedError("rotate is yours to write")


class RotaryAttention(nn.Module):
    """Causal attention whose queries and keys are rotated; has the projections query, key, value and output."""

    def __init__(self, d_model: int, n_head: int, base: float = 10000.0, bias: bool = True) -> None:
        """Make the four nn.Linear(d_model, d_model) projections; ValueError for heads of odd width."""
        super().__init__()
        raise NotImplementedError("RotaryAttention.__init__ is yours to write")

    def forward(self, x: torch.Tensor, cache: Any = None) -> tuple[torch.Tensor, Any]:
        """Return the result of shape (B, T, d_model) for x of the same shape, and the cache for the next call.

        Args:
            x: the next T tokens of each sequence, float32.
            cache: None where the sequences begin; after that, what the call before returned.
        """
        raise NotImplementedError("RotaryAttention.forward is yours to write")


def to_interleaved(weight: torch.Tensor, n_head: int) -> torch.Tensor:
    """Return a projection's weight (n_head * W, d_in) or bias (n_head * W,) from the half to the interleaved layout.

    Raises:
        ValueError: the rows do not divide into n_head heads of an even width. Another clear error will do.
    """
    raise NotImplementedError("to_interleaved is yours to write")


def to_half(weight: torch.Tensor, n_head: int) -> torch.Tensor:
    """Undo to_interleaved: from the interleaved to the half layout, with the same arguments and errors."""
    raise NotImplementedError("to_half is yours to write")
