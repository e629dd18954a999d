"""Keeps the learned table in an nn.Embedding of its own, behind a property; the sinusoidal rows behind a cache."""

from functools import lru_cache

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn


def sinusoidal_freqs(d, base=10000.0):
    if d % 2 or not base > 1:
        raise ValueError(f"no frequencies for d={d}, base={base}")
    return 1.0 / base ** (np.arange(d)[::2] / d)


def sinusoidal_pe(T, d, base=10000.0, offset=0):
    return np.array(table(offset + T, d, base)[offset:], dtype=np.float32)


@lru_cache(maxsize=8)
def table(rows, d, base):
    """The whole table from position 0 on, float64."""
    angle = np.multiply.outer(np.arange(rows), sinusoidal_freqs(d, base))
    out = np.empty((rows, d))
    np.sin(angle, out=out[:, ::2])
    np.cos(angle, out=out[:, 1::2])
    return out


def shift_pe(pe, k, d, base=10000.0):
    angle = np.repeat(k * sinusoidal_freqs(d, base), 2)  # [d]
    partner = np.stack([pe[..., 1::2], -pe[..., ::2]], axis=-1).reshape(pe.shape)
    return pe * np.cos(angle) + partner * np.sin(angle)


class SinusoidalPE(nn.Module):
    def __init__(self, d, base=10000.0):
        super().__init__()
        self.d, self.base = d, base
        self.register_buffer("freqs", torch.from_numpy(sinusoidal_freqs(d, base)), persistent=False)

    def forward(self, x, offset=0):
        p = torch.arange(offset, offset + x.size(1), device=x.device, dtype=self.freqs.dtype)
        angle = torch.outer(p, self.freqs)
        rows = torch.stack([angle.sin(), angle.cos()], -1).view(x.size(1), self.d)
        return x + rows.type_as(x)


class LearnedPE(nn.Module):
    def __init__(self, max_len, d, std=0.02):
        super().__init__()
        self.wpe = nn.Embedding(max_len, d)
        nn.init.normal_(self.wpe.weight, std=std)

    @property
    def weight(self):
        return self.wpe.weight

    def positions(self, T, offset):
        index = torch.arange(T, device=self.weight.device) + offset
        if T and (index[0] < 0 or index[-1] >= self.wpe.num_embeddings):
            raise IndexError("outside the table")
        return F.embedding(index, self.weight)

    def forward(self, x, offset=0):
        rows = self.positions(x.size(1), offset)
        return rows.unsqueeze(0).expand_as(x) + x
