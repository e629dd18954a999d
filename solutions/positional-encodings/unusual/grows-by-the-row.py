"""Appends rows to its table whenever a later position comes, and refuses what it cannot do with its own messages."""

import numpy as np
import torch
from torch import nn

BASE = 10000.0


def _require(condition, *words):
    if not condition:
        raise ValueError(" ".join(map(str, words)))


def sinusoidal_freqs(d, base=BASE):
    _require(d % 2 == 0, "width", d, "is odd")
    _require(base > 1, "base", base, "is too small")
    return np.geomspace(1, base, d // 2 + 1)[:-1] ** -1


def sinusoidal_pe(T, d, base=BASE, offset=0):
    w = np.longdouble(1) * sinusoidal_freqs(d, base)
    p = np.arange(offset, offset + T, dtype=np.longdouble).reshape(-1, 1)
    return np.dstack([np.sin(p * w), np.cos(p * w)]).reshape(T, d).astype(np.float32)


def shift_pe(pe, k, d, base=BASE):
    w = sinusoidal_freqs(d, base)
    moved = pe.astype(np.float64)  # a copy
    pairs = moved.reshape(*pe.shape[:-1], -1, 2)
    pairs[...] = np.stack(
        [
            pairs[..., 0] * np.cos(k * w) + pairs[..., 1] * np.sin(k * w),
            pairs[..., 1] * np.cos(k * w) - pairs[..., 0] * np.sin(k * w),
        ],
        axis=-1,
    )
    return moved.astype(np.float32)


class SinusoidalPE(nn.Module):
    def __init__(self, d, base=BASE):
        super().__init__()
        self.more = lambda T, offset: torch.from_numpy(sinusoidal_pe(T, d, base, offset))
        self.register_buffer("pe", self.more(0, 0)[None], persistent=False)  # [1, 0, d]

    def extend(self, length):
        """Append the rows up to a length."""
        have = self.pe.shape[1]
        if have < length:
            self.pe = torch.cat([self.pe, self.more(length - have, have)[None].to(self.pe.device)], dim=1)

    def forward(self, x, offset=0):
        self.extend(offset + x.shape[1])
        return self.pe[:, offset : offset + x.shape[1]] + x


class LearnedPE(nn.Module):
    def __init__(self, max_len, d, std=0.02):
        super().__init__()
        self.weight = nn.Parameter(torch.empty(max_len, d).normal_(std=std))

    def positions(self, T, offset):
        _require(offset >= 0, "offset", offset, "is negative")
        _require(offset + T <= len(self.weight), "position", offset + T - 1, "is past the end")
        return self.weight[torch.arange(len(self.weight), device=self.weight.device)[offset:][:T]]

    def forward(self, x, offset=0):
        rows = self.positions(x.shape[1], offset)
        return torch.vmap(lambda sequence: sequence + rows)(x) if not torch.is_grad_enabled() else x + rows
