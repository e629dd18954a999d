"""A stack of independent transformer blocks: embeddings in, embeddings and one attention map per block out."""

import torch
from block import TransformerBlock
from torch import nn


class TransformerStack(nn.Module):
    """`n_layers` blocks, one after the other, each with parameters of its own.

    Raises:
        ValueError: n_layers is less than 1.
    """

    def __init__(self, n_layers: int, d_model: int, n_head: int, d_k: int, d_v: int, d_ff: int) -> None:
        super().__init__()
        if n_layers < 1:
            raise ValueError(f"A TransformerStack needs at least one block, but n_layers is {n_layers}.")
        self.blocks = nn.ModuleList(TransformerBlock(d_model, n_head, d_k, d_v, d_ff) for _ in range(n_layers))

    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, list[torch.Tensor]]:
        """Return the last block's embeddings (B, T, D) and the maps (B, H, T, T), first block first; x is (B, T, D)."""
        maps = []
        for block in self.blocks:
            x, weights = block(x)  # (B, T, D), (B, H, T, T)
            maps.append(weights)
        return x, maps
