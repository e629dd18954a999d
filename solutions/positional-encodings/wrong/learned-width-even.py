"""Refuses an odd width for the learned table as well."""

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

FIRST_ROWS = 512


def sinusoidal_freqs(d: int, base: float = 10000.0) -> NDArray[np.float64]:
    """Return the angular frequencies base ** (-2i / d), in radians per position, float64 [d/2].

    Raises:
        ValueError: d is odd, or base is not above 1.
    """
    if d % 2:
        raise ValueError(f"d is {d}, expected an even width: each sine needs a cosine beside it")
    if not base > 1:
        raise ValueError(f"base is {base}, expected a number above 1: the pairs have to get slower")
    return base ** (-np.arange(0, d, 2) / d)


def sinusoidal_pe(T: int, d: int, base: float = 10000.0, offset: int = 0) -> NDArray[np.float32]:
    """Return the encodings of the positions offset .. offset + T - 1, float32 [T, d].

    Columns 2i and 2i + 1 hold the sine and the cosine of position times frequency i.
    """
    position = np.arange(offset, offset + T)  # [T]
    # In float64, and rounded only when it is stored: a float32 angle near 65,000 is off by thousandths of a radian.
    angle = np.outer(position, sinusoidal_freqs(d, base))  # [T, d/2]
    table = np.empty((T, d), dtype=np.float32)
    table[:, 0::2] = np.sin(angle)
    table[:, 1::2] = np.cos(angle)
    return table


def shift_pe(pe: NDArray[np.floating], k: float, d: int, base: float = 10000.0) -> NDArray[np.float64]:
    """Return encodings pe [..., d] moved on by k positions, float64 [..., d].

    By the addition formulas for sine and cosine, each pair (sin, cos) is rotated by -k times its frequency.
    """
    angle = k * sinusoidal_freqs(d, base)  # [d/2]
    sine, cosine = pe[..., 0::2], pe[..., 1::2]  # [..., d/2] each
    shifted = np.empty(pe.shape)
    shifted[..., 0::2] = sine * np.cos(angle) + cosine * np.sin(angle)
    shifted[..., 1::2] = cosine * np.cos(angle) - sine * np.sin(angle)
    return shifted


class SinusoidalPE(nn.Module):
    """Adds sinusoidal positions; its table is a cache that grows when a position past its end is asked for."""

    table: torch.Tensor  # [rows so far, d], float32

    def __init__(self, d: int, base: float = 10000.0) -> None:
        super().__init__()
        self.d, self.base = d, base
        # A buffer moves with the model. Not persistent: a checkpoint has no use for what a formula gives.
        self.register_buffer("table", self._rows(FIRST_ROWS), persistent=False)

    def forward(self, x: torch.Tensor, offset: int = 0) -> torch.Tensor:
        """Return x [B, T, d] plus the encodings of offset .. offset + T - 1."""
        end, rows = offset + x.shape[1], self.table.shape[0]
        if end > rows:
            # At least twice as long, so that a decoder that asks for one more each time does not rebuild each time.
            self.table = self._rows(max(end, 2 * rows)).to(self.table)
        return x + self.table[offset:end]  # [B, T, d] + [T, d]

    def _rows(self, rows: int) -> torch.Tensor:
        return torch.from_numpy(sinusoidal_pe(rows, self.d, self.base))


class LearnedPE(nn.Module):
    """Adds learned positions: one row of `weight` [max_len, d] for each."""

    def __init__(self, max_len: int, d: int, std: float = 0.02) -> None:
        super().__init__()
        if d % 2:
            raise ValueError(f"d is {d}, expected an even width")
        self.weight = nn.Parameter(torch.empty(max_len, d))
        nn.init.normal_(self.weight, std=std)

    def positions(self, T: int, offset: int) -> torch.Tensor:
        """Return rows offset .. offset + T - 1, [T, d]. IndexError if the table lacks one of them."""
        max_len = self.weight.shape[0]
        # A slice would come back shorter instead, and a single row that is left would broadcast over all of x.
        if offset < 0 or offset + T > max_len:
            raise IndexError(f"positions {offset} to {offset + T - 1} are not all among the table's 0 to {max_len - 1}")
        return self.weight[offset : offset + T]

    def forward(self, x: torch.Tensor, offset: int = 0) -> torch.Tensor:
        """Return x [B, T, d] plus the rows of offset .. offset + T - 1."""
        return x + self.positions(x.shape[1], offset)  # [B, T, d] + [T, d]
