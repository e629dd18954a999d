"""Position modules at work: what a decoder and a checkpoint make of them. Yours to try things with, not to change.

Shapes in comments use B for the batch, T for the tokens of a sequence and d for the width.
"""

import torch
from torch import nn


class AtOffset(nn.Module):
    """A position module that is always called with the same offset: forward(x) is positions(x, offset)."""

    def __init__(self, positions: nn.Module, offset: int) -> None:
        super().__init__()
        self.positions, self.offset = positions, offset

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Return x [B, T, d] with the positions offset .. offset + T - 1."""
        return self.positions(x, self.offset)


class AddedByHand(nn.Module):
    """A model that asks a learned table for its rows and adds them itself."""

    def __init__(self, learned: nn.Module, offset: int) -> None:
        super().__init__()
        self.learned, self.offset = learned, offset

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Return x [B, T, d] plus the rows [T, d] of the positions offset .. offset + T - 1."""
        return x + self.learned.positions(x.shape[1], self.offset)


def one_at_a_time(positions: nn.Module, x: torch.Tensor) -> torch.Tensor:
    """Feed x [B, T, d] a token at a time, as a decoder with a cache does, and return what comes out, [B, T, d]."""
    steps = [positions(x[:, t : t + 1], t) for t in range(x.shape[1])]  # T of [B, 1, d]
    return torch.cat(steps, dim=1)


def checkpoint_names(module: nn.Module) -> list[str]:
    """Return the names under which a checkpoint of the module would save its tensors."""
    return sorted(module.state_dict())
