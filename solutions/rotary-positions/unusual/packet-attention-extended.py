"""Extends the attention of the packet, and keeps its cache in a dict."""

from typing import Any

import torch
from attention import CausalSelfAttention
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


class RotaryAttention(CausalSelfAttention):
    """The attention of the packet, with rotated queries and keys and torch's own kernel."""

    def __init__(self, d_model: int, n_head: int, base: float = 10000.0, bias: bool = True) -> None:
        super().__init__(d_model, n_head, bias)
        if (d_model // n_head) % 2:
            raise ValueError("heads need an even width")
        self.base = base

    def forward(self, x: torch.Tensor, cache: Any = None) -> tuple[torch.Tensor, Any]:
        past = cache["length"] if cache else 0
        positions = torch.arange(past, past + x.shape[1], device=x.device)
        fresh = {
            "key": rotate(self.heads(self.key(x)), positions, self.base),
            "value": self.heads(self.value(x)),
        }
        if cache:
            fresh = {name: torch.cat([cache[name], part], dim=-2) for name, part in fresh.items()}
        query = rotate(self.heads(self.query(x)), positions, self.base)
        mask = torch.ones(x.shape[1], past + x.shape[1], dtype=torch.bool, device=x.device).tril(past)
        mixed = nn.functional.scaled_dot_product_attention(query, fresh["key"], fresh["value"], attn_mask=mask)
        return self.output(mixed.transpose(1, 2).flatten(2)), {**fresh, "length": past + x.shape[1]}


def to_interleaved(weight: torch.Tensor, n_head: int) -> torch.Tensor:
    """Reorder the rows of each head: one half after the other becomes pairs side by side."""
    check(weight, n_head)
    width = weight.shape[0] // n_head
    order = [i + half for i in range(width // 2) for half in (0, width // 2)]
    return weight.reshape(n_head, width, *weight.shape[1:])[:, order].reshape(weight.shape)


def to_half(weight: torch.Tensor, n_head: int) -> torch.Tensor:
    """Reorder the rows of each head: pairs side by side become one half after the other."""
    check(weight, n_head)
    width = weight.shape[0] // n_head
    order = [*range(0, width, 2), *range(1, width, 2)]
    return weight.reshape(n_head, width, *weight.shape[1:])[:, order].reshape(weight.shape)


def check(weight: torch.Tensor, n_head: int) -> None:
    """Raise an error for rows that do not divide into heads of an even width."""
    if weight.shape[0] % (2 * n_head):
        raise ValueError(f"{weight.shape[0]} rows are not {n_head} heads of an even width")
