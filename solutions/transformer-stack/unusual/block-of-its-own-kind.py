"""Builds on the block: a subclass that knows its place, with options beside."""

import torch
from block import TransformerBlock
from torch import nn


class TooShallow(ValueError):
    """A stack without a block was asked for."""

    def __init__(self, n_layers: int) -> None:
        super().__init__(f"{n_layers} blocks asked for, at least one is needed")


class Layer(TransformerBlock):
    """A block that knows its number."""

    def __init__(self, *sizes: int, number: int) -> None:
        super().__init__(*sizes)
        self.number = number

    def extra_repr(self) -> str:
        return f"number={self.number}"


class TransformerStack(nn.Module):
    """`n_layers` transformer blocks, one after the other."""

    def __init__(self, n_layers: int = 2, d_model: int = 32, n_head: int = 2, d_k=16, d_v=16, d_ff=128) -> None:
        super().__init__()
        if not n_layers >= 1:
            raise TooShallow(n_layers)
        for number in range(n_layers):
            self.add_layer(Layer(d_model, n_head, d_k, d_v, d_ff, number=number))

    def add_layer(self, layer: Layer) -> None:
        """Put one more block on top."""
        if not hasattr(self, "blocks"):
            self.blocks = nn.ModuleList()
        self.blocks.append(layer)

    def __len__(self) -> int:
        return len(self.blocks)

    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, list[torch.Tensor]]:
        maps = []
        for block in self.blocks:
            x, weights = block(x)  # (B, T, d_model), (B, n_head, T, T)
            maps.append(weights)
        return x, maps
