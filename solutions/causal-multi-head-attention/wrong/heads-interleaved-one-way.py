"""Deals the features out to the heads in turn, and puts the heads side by side."""

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
        batch, len_q, _ = query.shape
        len_k = key.shape[1]
        q = self.w_q(query).view(batch, len_q, self.d_k, self.n_head).permute(0, 3, 1, 2)  # (B, H, len_q, d_k)
        k = self.w_k(key).view(batch, len_k, self.d_k, self.n_head).permute(0, 3, 1, 2)  # (B, H, len_k, d_k)
        v = self.w_v(value).view(batch, len_k, self.d_v, self.n_head).permute(0, 3, 1, 2)  # (B, H, len_k, d_v)

        scores = q @ k.transpose(-2, -1) / self.d_k**0.5  # (B, H, len_q, len_k)
        mask = torch.triu(torch.ones(len_q, len_k, device=scores.device, dtype=torch.bool), diagonal=1)
        scores = scores.masked_fill(mask, float("-inf"))
        weights = torch.softmax(scores, dim=-1)

        output = weights @ v  # (B, H, len_q, d_v)
        output = output.transpose(1, 2).contiguous().view(batch, len_q, self.n_head * self.d_v)
        return self.w_o(output), weights
