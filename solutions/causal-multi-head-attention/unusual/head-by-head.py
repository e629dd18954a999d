"""Loops over the heads with slices of the weights."""

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
        future = query.new_ones(query.shape[1], key.shape[1]).triu(1).bool()
        outputs, maps = [], []
        for head in range(self.n_head):
            own_k = slice(head * self.d_k, (head + 1) * self.d_k)
            own_v = slice(head * self.d_v, (head + 1) * self.d_v)
            q = query @ self.w_q.weight[own_k].T
            k = key @ self.w_k.weight[own_k].T
            v = value @ self.w_v.weight[own_v].T
            scores = torch.bmm(q, k.transpose(1, 2)) / self.d_k**0.5
            scores[:, future] = -torch.inf
            maps.append(scores.softmax(dim=2))
            outputs.append(maps[-1] @ v @ self.w_o.weight[:, own_v].T)
        return sum(outputs), torch.stack(maps, dim=1)
