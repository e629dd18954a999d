"""A projection class, a function for the core, and keyword arguments with defaults."""

import math

import torch
from torch import nn


class Projection(nn.Linear):
    """A linear layer without bias that can split its result into heads."""

    def __init__(self, wide_in: int, wide_out: int) -> None:
        super().__init__(wide_in, wide_out, bias=False)
        nn.init.normal_(self.weight, std=0.02)

    def in_heads(self, x: torch.Tensor, n_head: int) -> torch.Tensor:
        return self(x).unflatten(-1, (n_head, -1)).movedim(2, 1)


def attend(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    scores = q.matmul(k.mT).div(math.sqrt(q.size(-1)))
    seen = torch.ones_like(scores, dtype=torch.bool).tril()
    weights = nn.functional.softmax(scores.where(seen, float("-inf")), dim=3)
    return weights.matmul(v), weights


class MultiHeadAttention(nn.Module):
    def __init__(self, n_head, d_model, d_k, d_v, *, causal=True):
        super().__init__()
        assert causal
        self.heads = n_head
        self.w_q, self.w_k = Projection(d_model, n_head * d_k), Projection(d_model, n_head * d_k)
        self.w_v, self.w_o = Projection(d_model, n_head * d_v), Projection(n_head * d_v, d_model)

    def forward(self, query, key=None, value=None):
        key = query if key is None else key
        value = key if value is None else value
        parts = [layer.in_heads(x, self.heads) for layer, x in zip((self.w_q, self.w_k, self.w_v), (query, key, value))]
        mixed, weights = attend(*parts)
        return self.w_o(mixed.movedim(1, 2).flatten(2)), weights
