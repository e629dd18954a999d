"""A bigram model that draws random numbers whenever it is called, and notes those that it drew for updates.

    model = NoisyBigram(torch.randn(11, 11), "mine")
    noise("mine")       # one number for each call in training mode that records gradients, oldest first

In training mode the numbers are added to its logits, much as dropout would. In evaluation mode they change nothing, but
drawing them moves torch's global generator all the same.
"""

import torch
from tiny_models import Bigram

_noise: dict[str, list[float]] = {}


class NoisyBigram(Bigram):
    """Scores the next token from the last one alone, with noise from torch's global generator in training mode."""

    def __init__(self, table: torch.Tensor, name: str) -> None:
        super().__init__(table)
        self.name = name
        _noise[name] = []

    def forward(self, ids: torch.Tensor) -> torch.Tensor:
        """Return logits (B, T, V) for token ids (B, T)."""
        noise = torch.randn(self.table.shape[1])  # (V,)
        if not self.training:
            return super().forward(ids)
        if torch.is_grad_enabled():
            _noise[self.name].append(noise[0].item())
        return super().forward(ids) + noise


def noise(name: str) -> list[float]:
    """Return what the model of that name drew for updates, the first number of each call."""
    return list(_noise[name])
