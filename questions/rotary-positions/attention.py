"""Causal attention without positions: where you start from, and what your own attention is compared with.

Shapes in comments use B for the batch, T for the tokens of a sequence, D for d_model, H for the heads and W for the
width of a head.
"""

import torch
from torch import nn


class CausalSelfAttention(nn.Module):
    """Multi-head attention in which a token sees itself and the tokens before it, and not how far away they are.

    Args:
        d_model: the width of its input and output.
        n_head: the number of heads, each d_model / n_head wide.
        bias: whether the four projections have biases.
    """

    def __init__(self, d_model: int, n_head: int, bias: bool = True) -> None:
        super().__init__()
        if d_model % n_head:
            raise ValueError(f"d_model {d_model} does not divide into {n_head} heads.")
        self.n_head = n_head
        self.query = nn.Linear(d_model, d_model, bias=bias)
        self.key = nn.Linear(d_model, d_model, bias=bias)
        self.value = nn.Linear(d_model, d_model, bias=bias)
        self.output = nn.Linear(d_model, d_model, bias=bias)

    def heads(self, x: torch.Tensor) -> torch.Tensor:
        """Return (B, T, D) as (B, H, T, W): the first W features are the first head's, and so on."""
        batch, length, d_model = x.shape
        return x.view(batch, length, self.n_head, d_model // self.n_head).transpose(1, 2)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Return (B, T, D) for x of shape (B, T, D)."""
        query, key, value = self.heads(self.query(x)), self.heads(self.key(x)), self.heads(self.value(x))
        scores = query @ key.transpose(-2, -1) / query.shape[-1] ** 0.5  # (B, H, T, T)
        length = x.shape[1]
        seen = torch.ones(length, length, dtype=torch.bool, device=x.device).tril()  # query t sees keys 0 to t
        weights = scores.masked_fill(~seen, float("-inf")).softmax(dim=-1)  # (B, H, T, T)
        mixed = (weights @ value).transpose(1, 2).reshape(x.shape)  # (B, H, T, W) -> (B, T, D)
        return self.output(mixed)
