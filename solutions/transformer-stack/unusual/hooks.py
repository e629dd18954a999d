"""Listens to the blocks with forward hooks while it runs, and gives a tuple of maps."""

import torch
from block import TransformerBlock
from torch import nn


class TransformerStack(nn.Module):
    """`n_layers` transformer blocks, one after the other."""

    def __init__(self, n_layers: int, d_model: int, n_head: int, d_k: int, d_v: int, d_ff: int) -> None:
        super().__init__()
        if n_layers < 1:
            raise ValueError(f"n_layers is {n_layers}, expected at least 1")
        self.blocks = nn.ModuleList(TransformerBlock(d_model, n_head, d_k, d_v, d_ff) for _ in range(n_layers))

    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, tuple[torch.Tensor, ...]]:
        heard: list[torch.Tensor] = []
        hooks = [block.register_forward_hook(lambda _, __, pair: heard.append(pair[1])) for block in self.blocks]
        try:
            for block in self.blocks:
                x = block(x)[0]  # (B, T, d_model)
        finally:
            for hook in hooks:
                hook.remove()
        return x, tuple(heard)
