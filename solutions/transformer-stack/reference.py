"""The reference solution: independent transformer blocks, one after the other."""

import torch
from block import TransformerBlock
from torch import nn


class TransformerStack(nn.Module):
    """`n_layers` blocks of one shape, each with parameters of its own.

    Raises:
        ValueError: n_layers is less than 1.
    """

    def __init__(self, n_layers: int, d_model: int, n_head: int, d_k: int, d_v: int, d_ff: int) -> None:
        super().__init__()
        if n_layers < 1:
            raise ValueError(f"A TransformerStack needs at least one block, but n_layers is {n_layers}.")
        # A new block each time round. `[block] * n_layers` would be one block under many names.
        self.blocks = nn.ModuleList(TransformerBlock(d_model, n_head, d_k, d_v, d_ff) for _ in range(n_layers))

    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, list[torch.Tensor]]:
        """Return the embeddings (B, T, d_model) of the last block and the maps (B, n_head, T, T), first block first."""
        maps = []
        for block in self.blocks:
            x, weights = block(x)  # (B, T, d_model), (B, n_head, T, T)
            maps.append(weights)
        return x, maps
