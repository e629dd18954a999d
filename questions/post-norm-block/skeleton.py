"""Your solution: a feed-forward network and a post-norm transformer block. prompt.md has the rules.

Complete the two classes and keep their names, their arguments and the names of their parts. Helper functions are
welcome in this file.
"""

import torch
from attention import MultiHeadAttention
from torch import nn


class PositionWiseFeedForward(nn.Module):
    """Two linear layers with a ReLU between them, for each token by itself."""

    def __init__(self, d_model: int, d_ff: int) -> None:
        """Build w_1, from d_model to d_ff, and w_2, from d_ff to d_model: nn.Linear with bias."""
        super().__init__()
        raise NotImplementedError("PositionWiseFeedForward.__init__ is yours to write")

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Return a tensor of shape (B, T, d_model) for x of shape (B, T, d_model)."""
        raise NotImplementedError("PositionWiseFeedForward.forward is yours to write")


class TransformerBlock(nn.Module):
    """Attention, then feed-forward; each is added to what came in, and the sum is normalised."""

    def __init__(self, d_model: int, n_head: int, d_k: int, d_v: int, d_ff: int) -> None:
        """Build attn, ln1, ff and ln2.

        Args:
            d_model: the width of the embeddings, in and out.
            n_head: the number of attention heads.
            d_k: the width of one head's queries and keys.
            d_v: the width of one head's values.
            d_ff: the width inside the feed-forward network.
        """
        super().__init__()
        raise NotImplementedError("TransformerBlock.__init__ is yours to write")

    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Return the new embeddings (B, T, d_model) and the attention weights (B, n_head, T, T).

        Args:
            x: float32 embeddings of shape (B, T, d_model); they are left as they were.
        """
        raise NotImplementedError("TransformerBlock.forward is yours to write")
