"""Builds the shift as one block-diagonal matrix, and each cosine as a sine a quarter turn on."""

import numpy as np
import torch
from torch import nn


def sinusoidal_freqs(d: int, base: float = 10000.0) -> np.ndarray:
    check(d, base)
    return np.power(base, np.divide(np.arange(d // 2), -d / 2))


def check(d: int, base: float) -> None:
    """Raise a ValueError for what has no encoding."""
    if d % 2:
        raise OddWidth(d)
    if base <= 1:
        raise SmallBase(base)


class OddWidth(ValueError):
    """The width is odd."""


class SmallBase(ValueError):
    """The base is not above 1."""


class NoSuchPosition(Exception):
    """The learned table has no such row."""


def sinusoidal_pe(T: int, d: int, base: float = 10000.0, offset: int = 0) -> np.ndarray:
    freqs = np.repeat(sinusoidal_freqs(d, base), 2)  # [d]
    phase = np.tile([0.0, np.pi / 2], d // 2)  # [d]
    return np.sin(np.arange(offset, offset + T)[:, None] * freqs + phase).astype(np.float32)


def shift_matrix(k: float, d: int, base: float) -> np.ndarray:
    """The matrix [d, d] that moves a row on by k when it is multiplied from the right."""
    matrix = np.zeros((d, d))
    for i, angle in enumerate(k * sinusoidal_freqs(d, base)):
        block = slice(2 * i, 2 * i + 2)
        matrix[block, block] = [[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]]
    return matrix


def shift_pe(pe: np.ndarray, k: float, d: int, base: float = 10000.0) -> np.ndarray:
    return pe @ shift_matrix(k, d, base)


class SinusoidalPE(nn.Module):
    """Keeps the rows of the last call only."""

    def __init__(self, d: int, base: float = 10000.0, *, cache: bool = True) -> None:
        super().__init__()
        check(d, base)
        self.d, self.base, self.cache = d, base, cache
        self.last: tuple[tuple[int, int], np.ndarray] | None = None

    def forward(self, x: torch.Tensor, offset: int = 0) -> torch.Tensor:
        key = (offset, x.shape[1])
        if self.last is None or self.last[0] != key or not self.cache:
            self.last = (key, sinusoidal_pe(x.shape[1], self.d, self.base, offset))
        return x + x.new_tensor(self.last[1])


class LearnedPE(nn.Module):
    """Multiplies the table by a matrix of ones and zeros that picks the rows."""

    def __init__(self, max_len: int, d: int, std: float = 0.02) -> None:
        super().__init__()
        self.max_len = max_len
        self.register_parameter("weight", nn.Parameter(torch.zeros(max_len, d)))
        with torch.no_grad():
            self.weight.normal_(0, std)

    def positions(self, T: int, offset: int) -> torch.Tensor:
        wanted = range(offset, offset + T)
        if any(p not in range(self.max_len) for p in wanted):
            raise NoSuchPosition(wanted)
        picks = torch.eye(self.max_len, device=self.weight.device)[offset : offset + T]
        return picks @ self.weight

    def forward(self, x: torch.Tensor, offset: int = 0) -> torch.Tensor:
        length = x.shape[1]
        same = torch.eye(length, device=x.device).expand(len(x), -1, -1)
        return torch.baddbmm(x, same, self.positions(length, offset).expand(len(x), -1, -1))
