"""Builds both norms without gain and bias."""

import torch
from attention import MultiHeadAttention
from torch import nn
from torch.nn import functional as F


class PositionWiseFeedForward(nn.Module):
    def __init__(self, d_model: int, d_ff: int) -> None:
        super().__init__()
        self.w_1 = nn.Linear(d_model, d_ff)
        self.w_2 = nn.Linear(d_ff, d_model)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.w_2(F.relu(self.w_1(x)))


class TransformerBlock(nn.Module):
    def __init__(self, d_model: int, n_head: int, d_k: int, d_v: int, d_ff: int) -> None:
        super().__init__()
        self.attn = MultiHeadAttention(n_head, d_model, d_k, d_v)
        self.ln1 = nn.LayerNorm(d_model, elementwise_affine=False)
        self.ff = PositionWiseFeedForward(d_model, d_ff)
        self.ln2 = nn.LayerNorm(d_model, elementwise_affine=False)

    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        attended, weights = self.attn(x, x, x)
        x = self.ln1(x + attended)
        x = self.ln2(x + self.ff(x))
        return x, weights
