"""The reference solution: a language model over a stack of blocks, with learned or sinusoidal positions.

The sinusoids follow Vaswani et al., "Attention Is All You Need" (2017), section 3.5.
"""

from collections.abc import Mapping
from typing import Any

import torch
from stack import TransformerStack
from torch import nn

LEARNED, SINUSOIDAL = "learned", "sinusoidal"
BASE = 10_000.0


class SinusoidalPositions(nn.Module):
    """Position vectors of sines and cosines, computed when they are asked for."""

    frequencies: torch.Tensor  # (d_model / 2,), float32

    def __init__(self, d_model: int) -> None:
        super().__init__()
        exponents = 2 * torch.arange(d_model // 2) / d_model  # (d_model / 2,)
        # A buffer moves with the model, yet no optimizer will ever find it.
        self.register_buffer("frequencies", BASE**-exponents)

    def forward(self, positions: torch.Tensor) -> torch.Tensor:
        """Return the vectors (T, d_model) of the positions (T,)."""
        angles = positions[:, None] * self.frequencies  # (T, d_model / 2)
        return torch.stack((angles.sin(), angles.cos()), dim=-1).flatten(start_dim=1)  # (T, d_model)


class LanguageModel(nn.Module):
    """Token ids in, logits for the next token out.

    Raises:
        ValueError: position_encoding is neither "learned" nor "sinusoidal".
    """

    def __init__(
        self,
        vocab_size: int,
        context: int,
        d_model: int,
        n_layers: int,
        n_head: int,
        position_encoding: str = LEARNED,
    ) -> None:
        super().__init__()
        if position_encoding not in (LEARNED, SINUSOIDAL):
            raise ValueError(f"position_encoding is {position_encoding!r}, expected {LEARNED!r} or {SINUSOIDAL!r}.")
        self.position_encoding = position_encoding
        self.tokens = nn.Embedding(vocab_size, d_model)
        learned = position_encoding == LEARNED
        self.positions = nn.Embedding(context, d_model) if learned else SinusoidalPositions(d_model)
        self.stack = TransformerStack(n_layers, d_model, n_head, d_model // n_head, d_model // n_head, 4 * d_model)
        self.norm = nn.LayerNorm(d_model)
        self.head = nn.Linear(d_model, vocab_size)

    def forward(self, ids: torch.Tensor) -> torch.Tensor:
        """Return logits (B, T, vocab_size) for token ids (B, T); ValueError if T is past a learned table's end."""
        length = ids.shape[1]
        # On a GPU the embedding's own check is an assertion in a kernel, which takes the process with it.
        if isinstance(self.positions, nn.Embedding) and length > self.positions.num_embeddings:
            raise ValueError(
                f"The sequence has {length} tokens, but learned positions end after {self.positions.num_embeddings}."
            )
        places = torch.arange(length, device=ids.device)  # (T,)
        x = self.tokens(ids) + self.positions(places)  # (B, T, d_model) + (T, d_model)
        x, _ = self.stack(x)  # (B, T, d_model)
        return self.head(self.norm(x))  # (B, T, vocab_size)

    def load_state_dict(self, state_dict: Mapping[str, Any], *args: Any, **kwargs: Any) -> Any:
        """Load a checkpoint of a model of the same kind, with torch's own arguments.

        Raises:
            ValueError: the checkpoint is of the other kind. Nothing has been loaded then; torch's own strict loading
                would have copied all that fits before it raised.
        """
        saved = LEARNED if "positions.weight" in state_dict else SINUSOIDAL
        if saved != self.position_encoding:
            raise ValueError(
                f"The checkpoint has {saved} positions, but the model was built with {self.position_encoding} ones; "
                f"build it with position_encoding={saved!r}."
            )
        return super().load_state_dict(state_dict, *args, **kwargs)
