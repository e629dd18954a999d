"""Puts a module that returns (output, weights) where a module with a single result is expected.

model = nn.Sequential(nn.Embedding(11, 8), OutputOnly(block), nn.Linear(8, 11))
mixer = OutputOnly(attention, inputs=3)      # self-attention: x is query, key and value
"""

import torch
from torch import nn


class OutputOnly(nn.Module):
    """Calls a module, and returns the first of its results.

    Args:
        module: a module that returns a tuple.
        inputs: how many times it is handed x.
    """

    def __init__(self, module: nn.Module, inputs: int = 1) -> None:
        super().__init__()
        self.module = module
        self.inputs = inputs

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Return the module's output for x (B, T, D)."""
        output: torch.Tensor = self.module(*[x] * self.inputs)[0]
        return output
