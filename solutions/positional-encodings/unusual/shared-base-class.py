"""Puts what both modules have in common into a base class, and settings into a frozen dataclass."""

import math
from dataclasses import dataclass

import numpy as np
import torch
from torch import nn


@dataclass(frozen=True)
class Sinusoids:
    """The settings of a sinusoidal table, checked."""

    d: int
    base: float = 10000.0

    def __post_init__(self):
        if self.d % 2:
            raise ValueError("d must be even")
        if self.base <= 1:
            raise ValueError("base must be above 1")

    @property
    def freqs(self):
        return np.exp(-math.log(self.base) * np.arange(0, self.d, 2) / self.d)

    def angles(self, positions):
        return np.outer(positions, self.freqs)

    def rows(self, positions):
        angles = self.angles(positions)
        return np.where(np.arange(self.d) % 2, np.cos(np.repeat(angles, 2, 1)), np.sin(np.repeat(angles, 2, 1)))


def sinusoidal_freqs(d, base=10000.0):
    return Sinusoids(d, base).freqs


def sinusoidal_pe(T, d, base=10000.0, offset=0):
    return Sinusoids(d, base).rows(np.r_[offset : offset + T]).astype(np.float32)


def shift_pe(pe, k, d, base=10000.0):
    angle = Sinusoids(d, base).angles([k])[0]
    rotation = np.array([[np.cos(angle), np.sin(angle)], [-np.sin(angle), np.cos(angle)]])  # [2, 2, d/2]
    pairs = pe.reshape(*pe.shape[:-1], d // 2, 2)
    return np.einsum("abi,...ib->...ia", rotation, pairs).reshape(pe.shape)


class Positions(nn.Module):
    """Adds whatever `rows` says."""

    def forward(self, x, offset=0):
        return x.clone().add_(self.rows(x.shape[1], offset, x))


class SinusoidalPE(Positions):
    def __init__(self, d, base=10000.0):
        super().__init__()
        self.sinusoids = Sinusoids(d, base)

    def rows(self, T, offset, x):
        return torch.tensor(self.sinusoids.rows(range(offset, offset + T)), dtype=x.dtype, device=x.device)


class LearnedPE(Positions):
    def __init__(self, max_len, d, std=0.02):
        super().__init__()
        noise = torch.randn(max_len, d)
        self.weight = nn.Parameter(noise.mul_(std))

    def rows(self, T, offset, x):
        return self.positions(T, offset)

    def positions(self, T, offset=0):
        before, rows, after = offset, T, len(self.weight) - offset - T
        # split raises by itself where the parts do not add up, or one of them is negative
        return self.weight.split([before, rows, after])[1]
