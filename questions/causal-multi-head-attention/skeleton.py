"""Your solution: multi-head causal attention. prompt.md has the rules.

Complete the class and keep its name, its arguments and the names of the four projections. Helper functions are welcome
in this file.
"""

import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    """Attention in n_head heads at once, in which a query sees the keys up to its own place and none after it."""

    def __init__(self, n_head: int, d_model: int, d_k: int, d_v: int) -> None:
        """Build the projections w_q, w_k, w_v and w_o, each an nn.Linear without bias.

        Args:
            n_head: the number of heads.
            d_model: the width of query, key, value and output.
            d_k: the width of one head's queries and keys.
            d_v: the width of one head's values; it may differ from d_k, and n_head * d_v from d_model.
        """
        super().__init__()
        raise NotImplementedError("MultiHeadAttention.__init__ is yours to write")

    def forward(self, query: torch.Tensor, key: torch.Tensor, value: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Attend.

        Args:
            query: float32 of shape (B, len_q, d_model).
            key: float32 of shape (B, len_k, d_model).
            value: float32 of shape (B, len_k, d_model).

        Returns:
            The output of shape (B, len_q, d_model), and the weights of shape (B, n_head, len_q, len_k).
        """
        raise NotImplementedError("MultiHeadAttention.forward is yours to write")
