"""Says everything with einsum."""

import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    """Multi-head causal attention."""

    def __init__(self, n_head: int, d_model: int, d_k: int, d_v: int) -> None:
        super().__init__()
        self.n_head, self.d_k, self.d_v = n_head, d_k, d_v
        self.w_q = nn.Linear(d_model, n_head * d_k, bias=False)
        self.w_k = nn.Linear(d_model, n_head * d_k, bias=False)
        self.w_v = nn.Linear(d_model, n_head * d_v, bias=False)
        self.w_o = nn.Linear(n_head * d_v, d_model, bias=False)

    def forward(self, query, key, value):
        batch, length = query.shape[:2]
        heads = (self.n_head, -1)
        q = self.w_q(query).unflatten(-1, heads)
        k = self.w_k(key).unflatten(-1, heads)
        v = self.w_v(value).unflatten(-1, heads)
        scores = torch.einsum("bihd,bjhd->bhij", q, k) * self.d_k**-0.5
        seen = torch.arange(length, device=q.device)[:, None] >= torch.arange(k.shape[1], device=q.device)
        weights = torch.where(seen, scores, -torch.inf).softmax(-1)
        mixed = torch.einsum("bhij,bjhd->bihd", weights, v)
        return self.w_o(mixed.reshape(batch, length, -1)), weights
