"""Builds its parts in another order, initialises them, and takes keyword arguments."""

import torch
from attention import MultiHeadAttention
from torch import Tensor, nn


class PositionWiseFeedForward(nn.Module):
    def __init__(self, d_model: int, d_ff: int, activation=torch.relu_) -> None:
        super().__init__()
        self.w_2 = nn.Linear(d_ff, d_model)
        self.w_1 = nn.Linear(d_model, d_ff)
        self.activation = activation
        for layer in (self.w_1, self.w_2):
            nn.init.normal_(layer.weight, std=0.02)
            nn.init.zeros_(layer.bias)

    def forward(self, x: Tensor) -> Tensor:
        wide = self.w_1(x)
        self.activation(wide)
        return self.w_2(wide)


class TransformerBlock(nn.Module):
    def __init__(self, d_model, n_head, d_k, d_v, d_ff, *, name="block"):
        super().__init__()
        self.name = name
        self.ff = PositionWiseFeedForward(d_model, d_ff)
        self.ln1, self.ln2 = (nn.LayerNorm((d_model,), eps=1e-5) for _ in range(2))
        self.attn = MultiHeadAttention(n_head, d_model, d_k, d_v)

    def extra_repr(self) -> str:
        return self.name

    def forward(self, x: Tensor, weights: bool = True) -> tuple[Tensor, Tensor | None]:
        update, attention = self.attn(x, x, x)
        update += x
        y = self.ln1(update)
        z = self.ff(y)
        z += y
        return self.ln2(z), attention if weights else None
