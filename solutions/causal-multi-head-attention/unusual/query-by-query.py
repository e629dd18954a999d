"""Attends one query at a time, to the keys that it sees and no others."""

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
        q = self.w_q(query).view(batch, len_q, self.n_head, self.d_k)
        k = self.w_k(key).view(batch, len_k, self.n_head, self.d_k)
        v = self.w_v(value).view(batch, len_k, self.n_head, self.d_v)
        if len_q > 64:  # the loop is for short sequences
            return self._in_one_go(q, k, v)
        outputs, rows = [], []
        for i in range(len_q):
            seen = min(i + 1, len_k)
            scores = (q[:, i, None] * k[:, :seen]).sum(-1) / self.d_k**0.5  # (B, seen, H)
            row = scores.softmax(dim=1)
            outputs.append((row[..., None] * v[:, :seen]).sum(1).flatten(1))  # (B, H * d_v)
            rows.append(nn.functional.pad(row.transpose(1, 2), (0, len_k - seen)))
        return self.w_o(torch.stack(outputs, 1)), torch.stack(rows, 2)

    def _in_one_go(self, q, k, v):
        scores = torch.einsum("bihd,bjhd->bhij", q, k) / self.d_k**0.5
        hidden = torch.ones(scores.shape[2:], device=q.device).triu(1) > 0
        weights = scores.masked_fill(hidden, -torch.inf).softmax(-1)
        return self.w_o(torch.einsum("bhij,bjhd->bihd", weights, v).flatten(2)), weights
