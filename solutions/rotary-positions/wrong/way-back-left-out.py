"""Converts in one direction only."""

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


def to_interleaved(weight: torch.Tensor, n_head: int) -> torch.Tensor:
    """Reorder the rows of each head: one half after the other becomes pairs side by side."""
    check(weight, n_head)
    width = weight.shape[0] // n_head
    order = [i + half for i in range(width // 2) for half in (0, width // 2)]
    return weight.reshape(n_head, width, *weight.shape[1:])[:, order].reshape(weight.shape)


def to_half(weight: torch.Tensor, n_head: int) -> torch.Tensor:
    """Reorder the rows of each head: pairs side by side become one half after the other."""
    raise NotImplementedError


def check(weight: torch.Tensor, n_head: int) -> None:
    """Raise an error for rows that do not divide into heads of an even width."""
    if weight.shape[0] % (2 * n_head):
        raise ValueError(f"{weight.shape[0]} rows are not {n_head} heads of an even width")
