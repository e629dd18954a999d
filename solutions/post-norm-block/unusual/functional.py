"""Says norms and layers with functions."""

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
        return F.linear(F.linear(x, self.w_1.weight, self.w_1.bias).clamp(min=0), self.w_2.weight, self.w_2.bias)


class TransformerBlock(nn.Module):
    def __init__(self, d_model: int, n_head: int, d_k: int, d_v: int, d_ff: int) -> None:
        super().__init__()
        self.ln1 = nn.LayerNorm(d_model)
        self.attn = MultiHeadAttention(n_head, d_model, d_k, d_v)
        self.ln2 = nn.LayerNorm(d_model)
        self.ff = PositionWiseFeedForward(d_model, d_ff)

    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        attn_out, weights = self.attn(x, x, x)
        for norm, added in ((self.ln1, lambda _: attn_out), (self.ln2, self.ff)):
            x = F.layer_norm(x + added(x), x.shape[-1:], norm.weight, norm.bias)
        return x, weights
