"""The reference solution: multi-head causal attention after Vaswani et al. (2017), section 3.2, without biases.

Shapes in comments use B for the batch, H for the heads and D for d_model.
"""

import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    """Attention in n_head heads at once, in which a query sees the keys up to its own place and none after it."""

    def __init__(self, n_head: int, d_model: int, d_k: int, d_v: int) -> None:
        super().__init__()
        self.n_head, self.d_k, self.d_v = n_head, d_k, d_v
        self.w_q = nn.Linear(d_model, n_head * d_k, bias=False)
        self.w_k = nn.Linear(d_model, n_head * d_k, bias=False)
        self.w_v = nn.Linear(d_model, n_head * d_v, bias=False)
        self.w_o = nn.Linear(n_head * d_v, d_model, bias=False)

    def forward(self, query: torch.Tensor, key: torch.Tensor, value: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Return the output (B, len_q, D) and the weights (B, H, len_q, len_k)."""
        q = self._split(self.w_q(query), self.d_k)  # (B, H, len_q, d_k)
        k = self._split(self.w_k(key), self.d_k)  # (B, H, len_k, d_k)
        v = self._split(self.w_v(value), self.d_v)  # (B, H, len_k, d_v)

        scores = q @ k.transpose(-2, -1) / self.d_k**0.5  # (B, H, len_q, len_k)
        # Masked before the softmax, so that hidden keys have no part in its denominator either.
        hidden = torch.ones(scores.shape[-2:], dtype=torch.bool, device=scores.device).triu(diagonal=1)
        weights = torch.softmax(scores.masked_fill(hidden, float("-inf")), dim=-1)

        heads = weights @ v  # (B, H, len_q, d_v)
        # Heads move back beside each other token by token; a reshape alone would mix tokens.
        merged = heads.transpose(1, 2).flatten(start_dim=2)  # (B, len_q, H * d_v)
        return self.w_o(merged), weights

    def _split(self, projected: torch.Tensor, width: int) -> torch.Tensor:
        """(B, T, H * width) to (B, H, T, width): head h has the features from h * width on."""
        batch, length, _ = projected.shape
        return projected.view(batch, length, self.n_head, width).transpose(1, 2)
