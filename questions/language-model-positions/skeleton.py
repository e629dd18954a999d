"""Your solution: a language model with learned or sinusoidal positions. prompt.md has the rules.

Complete the two classes and keep their names, their arguments and the names of the model's parts. Helpers are welcome.
"""

import torch
from stack import TransformerStack
from torch import nn


class SinusoidalPositions(nn.Module):
    """Fixed position vectors, computed when they are asked for; holds its frequencies and nothing else."""

    def __init__(self, d_model: int) -> None:
        """Register the d_model / 2 frequencies 10000 ** (-2i / d_model) as a float32 buffer; d_model is even."""
        super().__init__()
        raise NotImplementedError("SinusoidalPositions.__init__ is yours to write")

    def forward(self, positions: torch.Tensor) -> torch.Tensor:
        """Return the vectors, float32 (T, d_model), of the positions, integers (T,) from 0 up, in any order."""
        raise NotImplementedError("SinusoidalPositions.forward is yours to write")


class LanguageModel(nn.Module):
    """Token ids in, logits for the next token out.

    Its parts are called `tokens`, `positions`, `stack`, `norm` and `head`.
    """

    def __init__(
        self,
        vocab_size: int,
        context: int,
        d_model: int,
        n_layers: int,
        n_head: int,
        position_encoding: str = "learned",
    ) -> None:
        """Build the parts.

        Args:
            vocab_size: the number of different tokens.
            context: the length of the sequences in training, and so the rows of a learned position table.
            d_model: the width, even and a multiple of n_head.
            n_layers: the number of blocks.
            n_head: the number of heads in each.
            position_encoding: "learned" or "sinusoidal".

        Raises:
            ValueError: position_encoding is anything else.
        """
        super().__init__()
        raise NotImplementedError("LanguageModel.__init__ is yours to write")

    def forward(self, ids: torch.Tensor) -> torch.Tensor:
        """Return float32 logits (B, T, vocab_size) for token ids (B, T), whose first column is position 0.

        Raises:
            ValueError: positions are learned and T is larger than the context.
        """
        raise NotImplementedError("LanguageModel.forward is yours to write")
