"""Multi-head causal attention, as in Vaswani et al., "Attention Is All You Need" (2017), section 3.2, without biases.

Shapes in comments use B for the batch, T for the tokens of a sequence, D for d_model and H for the heads.
"""

import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    """Attention in n_head heads at once; a query sees the keys up to its own place and none after it.

    Args:
        n_head: the number of heads, H.
        d_model: the width of what comes in and goes out.
        d_k: the width of one head's queries and keys.
        d_v: the width of one head's values.
    """

    def __init__(self, n_head: int, d_model: int, d_k: int, d_v: int) -> None:
        super().__init__()
        self.n_head = n_head
        self.w_q = nn.Linear(d_model, n_head * d_k, bias=False)
        self.w_k = nn.Linear(d_model, n_head * d_k, bias=False)
        self.w_v = nn.Linear(d_model, n_head * d_v, bias=False)
        self.w_o = nn.Linear(n_head * d_v, d_model, bias=False)

    def forward(self, query: torch.Tensor, key: torch.Tensor, value: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Return the output (B, T, D) and the weights (B, H, T, T); self-attention passes the same x three times."""
        q, k, v = (
            part.unflatten(-1, (self.n_head, -1)).transpose(1, 2)  # (B, H, T, d_k or d_v)
            for part in (self.w_q(query), self.w_k(key), self.w_v(value))
        )
        scores = q @ k.mT * q.shape[-1] ** -0.5  # (B, H, T, T)
        after = torch.ones_like(scores, dtype=torch.bool).triu(diagonal=1)
        weights = scores.masked_fill(after, -torch.inf).softmax(dim=-1)
        heads = (weights @ v).transpose(1, 2)  # (B, T, H, d_v)
        return self.w_o(heads.flatten(2)), weights
