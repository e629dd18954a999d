"""One transformer block, normalised after each sum, which also tells where its attention looked.

The order of Vaswani et al., "Attention Is All You Need" (2017), section 3.1: LayerNorm(x + sublayer(x)), first for
attention, then for the feed-forward layers.

Shapes in comments use B for the batch, T for the tokens of a sequence, D for d_model and H for the heads.
"""

import torch
from attention import MultiHeadAttention
from torch import nn


class FeedForward(nn.Module):
    """Two linear layers around a ReLU, d_ff wide inside; each token on its own."""

    def __init__(self, d_model: int, d_ff: int) -> None:
        super().__init__()
        self.widen = nn.Linear(d_model, d_ff)
        self.narrow = nn.Linear(d_ff, d_model)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.narrow(self.widen(x).relu())  # (B, T, D) -> (B, T, d_ff) -> (B, T, D)


class TransformerBlock(nn.Module):
    """Attention, then feed-forward; each is added to what came in, and the sum is normalised.

    Args:
        d_model: the width of the embeddings, in and out.
        n_head: the number of attention heads.
        d_k: the width of one head's queries and keys.
        d_v: the width of one head's values.
        d_ff: the width inside the feed-forward layers.
    """

    def __init__(self, d_model: int, n_head: int, d_k: int, d_v: int, d_ff: int) -> None:
        super().__init__()
        self.attention = MultiHeadAttention(n_head, d_model, d_k, d_v)
        self.norm_attention = nn.LayerNorm(d_model)
        self.feed_forward = FeedForward(d_model, d_ff)
        self.norm_feed_forward = nn.LayerNorm(d_model)

    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Return the new embeddings (B, T, D) and the attention map (B, H, T, T); x is (B, T, D)."""
        attended, weights = self.attention(x, x, x)  # (B, T, D), (B, H, T, T)
        x = self.norm_attention(x + attended)  # (B, T, D)
        return self.norm_feed_forward(x + self.feed_forward(x)), weights
