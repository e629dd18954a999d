"""Your solution: a stack of transformer blocks. prompt.md has the rules.

Complete the class and keep its name, its arguments and the name `blocks`. Helpers are welcome in this file.
"""

import torch
from block import TransformerBlock
from torch import nn


class TransformerStack(nn.Module):
    """`n_layers` independent TransformerBlocks, one after the other, held in order as `self.blocks`."""

    def __init__(self, n_layers: int, d_model: int, n_head: int, d_k: int, d_v: int, d_ff: int) -> None:
        """Build the blocks, each as TransformerBlock(d_model, n_head, d_k, d_v, d_ff).

        Raises:
            ValueError: n_layers is less than 1.
        """
        super().__init__()
        raise NotImplementedError("TransformerStack.__init__ is yours to write")

    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, list[torch.Tensor]]:
        """Run the blocks, first to last.

        Args:
            x: float32 embeddings of shape (B, T, d_model).

        Returns:
            The embeddings of the last block, (B, T, d_model), and a list of n_layers attention maps, each
            (B, n_head, T, T): the first block's map first.
        """
        raise NotImplementedError("TransformerStack.forward is yours to write")
