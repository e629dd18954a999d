"""Refuses a stack of one block."""

import torch
from block import TransformerBlock
from torch import nn


class TransformerStack(nn.Module):
    """`n_layers` transformer blocks, one after the other."""

    def __init__(self, n_layers: int, d_model: int, n_head: int, d_k: int, d_v: int, d_ff: int) -> None:
        super().__init__()
        if n_layers <= 1:
            raise ValueError(f"n_layers is {n_layers}, expected more than 1")
        self.blocks = nn.ModuleList(TransformerBlock(d_model, n_head, d_k, d_v, d_ff) for _ in range(n_layers))

    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, list[torch.Tensor]]:
        maps = []
        for block in self.blocks:
            x, weights = block(x)  # (B, T, d_model), (B, n_head, T, T)
            maps.append(weights)
        return x, maps
