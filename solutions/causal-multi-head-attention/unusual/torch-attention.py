"""Leaves the output to scaled_dot_product_attention, and gets the weights from it too."""

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
        q, k, v = (
            part.unflatten(2, (self.n_head, width)).transpose(1, 2)
            for part, width in (
                (self.w_q(query), self.d_k),
                (self.w_k(key), self.d_k),
                (self.w_v(value), self.d_v),
            )
        )
        attend = nn.functional.scaled_dot_product_attention
        # Attending to the identity gives the weights.
        one_hot = torch.eye(k.shape[2], device=k.device).expand(*k.shape[:2], -1, -1)
        weights = attend(q, k, one_hot, is_causal=True)
        return self.w_o(attend(q, k, v, is_causal=True).transpose(1, 2).flatten(2)), weights
