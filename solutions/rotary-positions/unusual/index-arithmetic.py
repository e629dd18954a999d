"""Converts by index arithmetic over all rows at once."""

import math
from typing import Any

import torch
from torch import nn


def rotate(
    x: torch.Tensor, positions: torch.Tensor, base: float = 10000.0, layout: str = "interleaved"
) -> torch.Tensor:
    """Return x (..., T, W) with each pair of features turned by its angle."""
    width = x.shape[-1]
    if width % 2:
        raise ValueError(f"the width {width} is odd")
    frequencies = base ** (-torch.arange(0, width, 2, device=x.device).double() / width)  # (W / 2,)
    angles = torch.outer(positions.double(), frequencies)  # (T, W / 2)
    cos, sin = angles.cos().to(x.dtype), angles.sin().to(x.dtype)
    result = torch.empty_like(x)
    if layout == "interleaved":
        first, second = slice(0, None, 2), slice(1, None, 2)
    else:
        first, second = slice(0, width // 2), slice(width // 2, None)
    u, v = x[..., first], x[..., second]
    result[..., first] = u * cos - v * sin
    result[..., second] = u * sin + v * cos
    return result


class RotaryAttention(nn.Module):
    """Causal attention over rotated queries and keys."""

    def __init__(self, d_model: int, n_head: int, base: float = 10000.0, bias: bool = True) -> None:
        super().__init__()
        self.n_head = n_head
        self.width = d_model // n_head
        self.base = base
        if d_model % n_head or self.width % 2:
            raise ValueError("heads need an even width")
        self.query = nn.Linear(d_model, d_model, bias=bias)
        self.key = nn.Linear(d_model, d_model, bias=bias)
        self.value = nn.Linear(d_model, d_model, bias=bias)
        self.output = nn.Linear(d_model, d_model, bias=bias)

    def forward(self, x: torch.Tensor, cache: Any = None) -> tuple[torch.Tensor, Any]:
        B, T, D = x.shape
        q = self.query(x).view(B, T, self.n_head, self.width).transpose(1, 2)  # (B, H, T, W)
        k = self.key(x).view(B, T, self.n_head, self.width).transpose(1, 2)
        v = self.value(x).view(B, T, self.n_head, self.width).transpose(1, 2)
        start = 0 if cache is None else cache[0].shape[2]
        positions = torch.arange(start, start + T, device=x.device)
        q = rotate(q, positions, self.base)
        k = rotate(k, positions, self.base)
        if cache is not None:
            k = torch.cat([cache[0], k], dim=2)
            v = torch.cat([cache[1], v], dim=2)
        scores = q @ k.transpose(2, 3) / math.sqrt(self.width)  # (B, H, T, start + T)
        hidden = torch.ones(T, start + T, dtype=torch.bool, device=x.device).triu(start + 1)
        weights = scores.masked_fill(hidden, float("-inf")).softmax(-1)
        y = (weights @ v).transpose(1, 2).reshape(B, T, D)
        return self.output(y), (k, v)


def places(rows: int, n_head: int) -> torch.Tensor:
    """Return the row of the half layout that stands at each row of the interleaved one."""
    width, rest = divmod(rows, n_head)
    if rest or width % 2:
        raise ValueError("these rows are not heads of an even width")
    row = torch.arange(rows)
    head, feature = row // width, row % width
    return head * width + feature % 2 * (width // 2) + feature // 2


def to_interleaved(weight: torch.Tensor, n_head: int) -> torch.Tensor:
    """Gather rows."""
    return weight.index_select(0, places(len(weight), n_head))


def to_half(weight: torch.Tensor, n_head: int) -> torch.Tensor:
    """Scatter rows."""
    result = torch.empty_like(weight)
    result[places(len(weight), n_head)] = weight
    return result
