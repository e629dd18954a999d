"""One transformer block, normalised after each sum, which also tells where its attention looked.

The order of Vaswani et al., "Attention Is All You Need" (2017), section 3.1: LayerNorm(x + sublayer(x)), first for
attention, then for the feed-forward layers.

Shapes in comments use B for the batch, T for the tokens of a sequence, D for d_model and H for the heads.
"""

import torch
from torch import nn


class CausalSelfAttention(nn.Module):
    """Multi-head attention in which a token sees itself and the tokens before it. No projection has a bias."""

    def __init__(self, d_model: int, n_head: int, d_k: int, d_v: int) -> None:
        super().__init__()
        self.n_head = n_head
        self.query = nn.Linear(d_model, n_head * d_k, bias=False)
        self.key = nn.Linear(d_model, n_head * d_k, bias=False)
        self.value = nn.Linear(d_model, n_head * d_v, bias=False)
        self.output = nn.Linear(n_head * d_v, d_model, bias=False)

    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Return the mixed values (B, T, D) and the attention map (B, H, T, T), whose rows sum to 1."""
        batch, length, _ = x.shape
        query, key, value = (
            project(x).view(batch, length, self.n_head, -1).transpose(1, 2)  # (B, H, T, d_k or d_v)
            for project in (self.query, self.key, self.value)
        )
        scores = query @ key.transpose(-2, -1) / query.shape[-1] ** 0.5  # (B, H, T, T)
        future = torch.ones(length, length, dtype=torch.bool, device=x.device).triu(diagonal=1)  # (T, T)
        weights = scores.masked_fill(future, float("-inf")).softmax(dim=-1)  # (B, H, T, T)
        mixed = (weights @ value).transpose(1, 2).reshape(batch, length, -1)  # (B, T, H * d_v)
        return self.output(mixed), weights


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
        self.attention = CausalSelfAttention(d_model, n_head, d_k, d_v)
        self.norm_attention = nn.LayerNorm(d_model)
        self.feed_forward = FeedForward(d_model, d_ff)
        self.norm_feed_forward = nn.LayerNorm(d_model)

    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Return the new embeddings (B, T, D) and the attention map (B, H, T, T); x is (B, T, D)."""
        attended, weights = self.attention(x)  # (B, T, D), (B, H, T, T)
        x = self.norm_attention(x + attended)  # (B, T, D)
        return self.norm_feed_forward(x + self.feed_forward(x)), weights
