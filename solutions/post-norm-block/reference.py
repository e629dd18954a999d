"""The reference solution: the block of Vaswani et al. (2017), sections 3.1 and 3.3, LayerNorm(x + Sublayer(x)).

Shapes in comments use B for the batch, T for the tokens of a sequence and H for the heads.
"""

import torch
from attention import MultiHeadAttention
from torch import nn


class PositionWiseFeedForward(nn.Module):
    """Two linear layers with a ReLU between them, for each token by itself."""

    def __init__(self, d_model: int, d_ff: int) -> None:
        super().__init__()
        self.w_1 = nn.Linear(d_model, d_ff)
        self.w_2 = nn.Linear(d_ff, d_model)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.w_2(torch.relu(self.w_1(x)))  # (B, T, d_model) -> (B, T, d_ff) -> (B, T, d_model)


class TransformerBlock(nn.Module):
    """Attention, then feed-forward; each is added to what came in, and the sum is normalised."""

    def __init__(self, d_model: int, n_head: int, d_k: int, d_v: int, d_ff: int) -> None:
        super().__init__()
        self.attn = MultiHeadAttention(n_head, d_model, d_k, d_v)
        self.ln1 = nn.LayerNorm(d_model)
        self.ff = PositionWiseFeedForward(d_model, d_ff)
        self.ln2 = nn.LayerNorm(d_model)

    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Return the new embeddings (B, T, d_model) and the attention weights (B, H, T, T)."""
        attended, weights = self.attn(x, x, x)
        x = self.ln1(x + attended)  # (B, T, d_model), as everywhere below
        x = self.ln2(x + self.ff(x))
        return x, weights
