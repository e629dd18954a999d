"""Takes each pair for a complex number, and the shift for a product."""

import cmath

import numpy as np
import torch
from torch import nn


def sinusoidal_freqs(d, base=10000.0):
    if d & 1:
        raise ValueError(f"odd width {d}")
    if base <= 1.0:
        raise ValueError(f"base {base}")
    return np.exp(np.linspace(0, -np.log(base), d // 2, endpoint=False))


def as_columns(points):
    """Columns imaginary, real, imaginary, real … of complex points [..., d/2]: sine before cosine."""
    return np.stack([points.imag, points.real], -1).reshape(*points.shape[:-1], -1)


def sinusoidal_pe(T, d, base=10000.0, offset=0):
    positions = np.arange(T, dtype=float) + offset
    return as_columns(np.exp(1j * positions[:, None] * sinusoidal_freqs(d, base))).astype("f4")


def shift_pe(pe, k, d, base=10000.0):
    points = np.asarray(pe)[..., 1::2] + 1j * np.asarray(pe)[..., ::2].astype(complex)
    turns = np.array([cmath.rect(1, k * w) for w in sinusoidal_freqs(d, base)])
    return as_columns(points * turns).astype(np.result_type(pe))


class SinusoidalPE(nn.Module):
    """Holds all 65,536 rows from the start, in a buffer that is not saved."""

    def __init__(self, d, base=10000.0):
        super().__init__()
        self.rows = nn.Buffer(torch.as_tensor(sinusoidal_pe(1 << 16, d, base)), persistent=False)

    def forward(self, x, offset=0):
        return x + self.rows.narrow(0, offset, x.shape[1])[None]


class LearnedPE(nn.Embedding):
    """An embedding that is indexed by position."""

    def __init__(self, max_len, d, std=0.02):
        self.spread = std
        super().__init__(max_len, d)

    def reset_parameters(self):
        nn.init.normal_(self.weight, 0.0, self.spread)

    def positions(self, T, offset):
        return super().forward(torch.arange(offset, offset + T, device=self.weight.device))

    def forward(self, x, offset=0):
        return x + self.positions(x.shape[1], offset)
