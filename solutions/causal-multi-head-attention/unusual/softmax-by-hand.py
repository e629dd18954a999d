"""Writes the softmax by hand, over the keys that are seen."""

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
            torch.stack(part.chunk(self.n_head, dim=-1), dim=1)
            for part in (self.w_q(query), self.w_k(key), self.w_v(value))
        )
        seen = torch.ones(q.shape[2], k.shape[2], device=q.device).tril().bool()
        scores = (q / self.d_k**0.25) @ (k / self.d_k**0.25).mT
        largest = scores.masked_fill(~seen, torch.finfo(scores.dtype).min).amax(-1, keepdim=True)
        powers = torch.exp((scores - largest).clamp(max=0)) * seen
        weights = powers / powers.sum(-1, keepdim=True)
        return self.w_o(torch.cat((weights @ v).unbind(1), dim=-1)), weights
