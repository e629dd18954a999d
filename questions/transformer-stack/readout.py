"""A small model around a stack, to train one in: embeddings in, a few numbers for each sequence out."""

import torch
from torch import nn


class Readout(nn.Module):
    """Averages what a stack gives over the tokens, and maps that to `n_out` numbers."""

    def __init__(self, stack: nn.Module, d_model: int, n_out: int) -> None:
        super().__init__()
        self.stack = stack
        self.head = nn.Linear(d_model, n_out)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Return (B, n_out) for embeddings x of (B, T, d_model)."""
        embeddings, _ = self.stack(x)  # (B, T, d_model)
        return self.head(embeddings.mean(dim=1))
