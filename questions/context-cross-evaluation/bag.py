"""A language model that hears every token it is shown, small enough to reckon by hand.

    model = BagOfTokens(torch.randn(11, 11))
    model(torch.tensor([[3, 1, 4]]))    # (1, 3, 11): row 3; rows 3 and 1; rows 3, 1 and 4, summed

Shapes in comments use B for the batch, T for the tokens of a sequence and V for the vocabulary.
"""

import torch
from torch import nn


class BagOfTokens(nn.Module):
    """Scores the next token by a sum over all tokens so far: row t of the table is what token t adds to the logits."""

    def __init__(self, table: torch.Tensor) -> None:
        super().__init__()
        self.table = nn.Parameter(table.detach().clone().to(torch.float32))  # (V, V)

    def forward(self, ids: torch.Tensor) -> torch.Tensor:
        """Return logits (B, T, V) for token ids (B, T)."""
        return nn.functional.embedding(ids, self.table).cumsum(dim=1)
