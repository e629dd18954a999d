"""The reference solution: rotary positions inside attention, and checkpoints in both layouts.

The rotation follows Su et al., "RoFormer: Enhanced Transformer with Rotary Position Embedding" (2021), section 3.2.2.
"""

from typing import NamedTuple

import torch
from torch import nn


class Cache(NamedTuple):
    """What a layer keeps of the tokens so far: rotated keys and plain values, both (B, H, tokens, W)."""

    key: torch.Tensor
    value: torch.Tensor


def rotate(
    x: torch.Tensor, positions: torch.Tensor, base: float = 10000.0, layout: str = "interleaved"
) -> torch.Tensor:
    """Return x (..., T, W) with pair i of row t turned by positions[t] * base ** (-2i / W); dtype and shape stay."""
    width = x.shape[-1]
    pairs, odd = divmod(width, 2)
    if odd:
        raise ValueError(f"rotate needs an even width, found {width}; every feature needs a partner.")
    # In float32 an angle near a million would be off by hundredths of a radian.
    frequencies = base ** (-2 * torch.arange(pairs, device=x.device).double() / width)  # (W / 2,)
    angles = positions[:, None] * frequencies  # (T, W / 2)
    cos, sin = angles.cos().to(x), angles.sin().to(x)
    if layout == "interleaved":
        u, v = x[..., 0::2], x[..., 1::2]  # (..., T, W / 2) each
        return torch.stack([u * cos - v * sin, u * sin + v * cos], dim=-1).flatten(-2)
    u, v = x.chunk(2, dim=-1)
    return torch.cat([u * cos - v * sin, u * sin + v * cos], dim=-1)


class RotaryAttention(nn.Module):
    """Causal attention with rotated queries and keys."""

    def __init__(self, d_model: int, n_head: int, base: float = 10000.0, bias: bool = True) -> None:
        super().__init__()
        if d_model % (2 * n_head):
            raise ValueError(f"d_model {d_model} does not divide into {n_head} heads of an even width.")
        self.n_head, self.base = n_head, base
        self.query = nn.Linear(d_model, d_model, bias=bias)
        self.key = nn.Linear(d_model, d_model, bias=bias)
        self.value = nn.Linear(d_model, d_model, bias=bias)
        self.output = nn.Linear(d_model, d_model, bias=bias)

    def forward(self, x: torch.Tensor, cache: Cache | None = None) -> tuple[torch.Tensor, Cache]:
        """Return the result (B, T, D) for the next T tokens x (B, T, D), and the cache that includes them."""
        query, key, value = (self._heads(layer(x)) for layer in (self.query, self.key, self.value))  # (B, H, T, W)
        past = 0 if cache is None else cache.key.shape[2]
        positions = torch.arange(past, past + x.shape[1], device=x.device)  # (T,)
        query, key = rotate(query, positions, self.base), rotate(key, positions, self.base)
        if cache is not None:
            # The keys of the past keep the rotation of their own positions: a score needs both absolute angles.
            key, value = torch.cat([cache.key, key], dim=2), torch.cat([cache.value, value], dim=2)
        scores = query @ key.transpose(2, 3) / query.shape[3] ** 0.5  # (B, H, T, past + T)
        seen = torch.arange(key.shape[2], device=x.device) <= positions[:, None]  # (T, past + T)
        weights = scores.masked_fill(~seen, float("-inf")).softmax(dim=3)
        mixed = (weights @ value).transpose(1, 2).flatten(2)  # (B, H, T, W) -> (B, T, D)
        return self.output(mixed), Cache(key, value)

    def _heads(self, x: torch.Tensor) -> torch.Tensor:
        return x.unflatten(-1, (self.n_head, -1)).transpose(1, 2)  # (B, T, D) -> (B, H, T, W)


def to_interleaved(weight: torch.Tensor, n_head: int) -> torch.Tensor:
    """Return a weight (n_head * W, d_in) or bias (n_head * W,) from the half to the interleaved layout."""
    return weight[_pairs(weight.shape[0], n_head)]


def to_half(weight: torch.Tensor, n_head: int) -> torch.Tensor:
    """Return a weight (n_head * W, d_in) or bias (n_head * W,) from the interleaved to the half layout."""
    return weight[_pairs(weight.shape[0], n_head).argsort()]  # the inverse of an order is what sorts it


def _pairs(rows: int, n_head: int) -> torch.Tensor:
    """Return the rows of the half layout, pair by pair and head by head; ValueError for heads of odd width."""
    width, rest = divmod(rows, n_head)
    if rest or width % 2:
        raise ValueError(f"{rows} rows do not divide into {n_head} heads of an even width.")
    first_of_pair = torch.arange(width // 2)[:, None]  # (W / 2, 1)
    pairs = torch.cat([first_of_pair, first_of_pair + width // 2], dim=1)  # (W / 2, 2)
    heads = width * torch.arange(n_head)[:, None, None]
    return (heads + pairs).flatten()  # (n_head, W / 2, 2) -> (n_head * W,)
