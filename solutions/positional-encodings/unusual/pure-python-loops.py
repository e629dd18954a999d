"""Goes through positions and pairs one by one, with math."""

import math

import numpy as np
import torch
from torch import nn


def sinusoidal_freqs(d, base=10000.0):
    if d % 2 == 1:
        raise ValueError("odd")
    if base <= 1:
        raise ValueError("base")
    step = base ** (-2 / d)
    freqs = [1.0]
    while len(freqs) < d // 2:
        freqs.append(freqs[-1] * step)
    return np.array(freqs)


def sinusoidal_pe(T, d, base=10000.0, offset=0):
    freqs = sinusoidal_freqs(d, base).tolist()
    table = []
    for p in range(offset, offset + T):
        row = []
        for w in freqs:
            row += (math.sin(p * w), math.cos(p * w))
        table.append(row)
    return np.array(table, dtype=np.float32).reshape(T, d)


def shift_pe(pe, k, d, base=10000.0):
    freqs = sinusoidal_freqs(d, base)
    flat = np.array(pe, dtype=np.float64).reshape(-1, d)
    for row in flat:
        for i, w in enumerate(freqs):
            s, c = row[2 * i], row[2 * i + 1]
            row[2 * i] = s * math.cos(k * w) + c * math.sin(k * w)
            row[2 * i + 1] = c * math.cos(k * w) - s * math.sin(k * w)
    return flat.reshape(np.shape(pe))


class SinusoidalPE(nn.Module):
    def __init__(self, d, base=10000.0):
        super().__init__()
        self.rows = {}
        self.freqs = sinusoidal_freqs(d, base)
        self.make = lambda p: sinusoidal_pe(1, d, base, p)[0]

    def forward(self, x, offset=0):
        wanted = range(offset, offset + x.shape[1])
        for p in wanted:
            if p not in self.rows:
                self.rows[p] = self.make(p)
        rows = torch.tensor(np.array([self.rows[p] for p in wanted]), device=x.device)
        return x + rows


class LearnedPE(nn.Module):
    def __init__(self, max_len, d, std=0.02):
        super().__init__()
        self.weight = nn.Parameter(std * torch.randn(max_len, d))

    def positions(self, T, offset):
        rows = list(self.weight.unbind())
        if offset < 0:
            raise IndexError(offset)
        return torch.stack([rows[p] for p in range(offset, offset + T)])

    def forward(self, x, offset=0):
        return torch.stack([sequence + self.positions(x.shape[1], offset) for sequence in x])
