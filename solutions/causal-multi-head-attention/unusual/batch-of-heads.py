"""Folds the heads into the batch, and adds a mask of very negative numbers."""

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

        def fold(x, width):
            x = x.view(batch, x.shape[1], self.n_head, width).permute(0, 2, 1, 3)
            return x.reshape(batch * self.n_head, -1, width)

        q, k, v = fold(self.w_q(query), self.d_k), fold(self.w_k(key), self.d_k), fold(self.w_v(value), self.d_v)
        mask = torch.full((len_q, len_k), -1e9, device=q.device).triu(1)
        scores = torch.baddbmm(mask.expand(len(q), -1, -1), q, k.mT, alpha=self.d_k**-0.5)
        weights = scores.log_softmax(-1).exp()
        output = torch.bmm(weights, v).view(batch, self.n_head, len_q, self.d_v).permute(0, 2, 1, 3)
        return self.w_o(output.reshape(batch, len_q, -1)), weights.view(batch, self.n_head, len_q, len_k)
