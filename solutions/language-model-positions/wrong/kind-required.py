"""Writes the kind of positions into each checkpoint, and takes none that does not have it."""

import torch
from stack import TransformerStack
from torch import nn


class SinusoidalPositions(nn.Module):
    """Sines and cosines of the positions, computed when they are asked for."""

    def __init__(self, d_model: int) -> None:
        super().__init__()
        exponents = torch.arange(0, d_model, 2) / d_model
        self.register_buffer("frequencies", 10_000.0**-exponents)  # (d_model / 2,)

    def forward(self, positions: torch.Tensor) -> torch.Tensor:
        angles = positions[:, None] * self.frequencies  # (T, d_model / 2)
        return torch.stack((angles.sin(), angles.cos()), dim=-1).flatten(1)  # (T, d_model)


class LanguageModel(nn.Module):
    """Token ids (B, T) in, logits (B, T, vocab_size) out."""

    def __init__(
        self,
        vocab_size: int,
        context: int,
        d_model: int,
        n_layers: int,
        n_head: int,
        position_encoding: str = "learned",
    ) -> None:
        super().__init__()
        if position_encoding not in ("learned", "sinusoidal"):
            raise ValueError(f"position_encoding is {position_encoding!r}, expected 'learned' or 'sinusoidal'")
        self.position_encoding = position_encoding
        self.context = context
        width = d_model // n_head
        self.tokens = nn.Embedding(vocab_size, d_model)
        learned = position_encoding == "learned"
        self.positions = nn.Embedding(context, d_model) if learned else SinusoidalPositions(d_model)
        self.stack = TransformerStack(n_layers, d_model, n_head, width, width, 4 * d_model)
        self.norm = nn.LayerNorm(d_model)
        self.head = nn.Linear(d_model, vocab_size)

    def forward(self, ids: torch.Tensor) -> torch.Tensor:
        length = ids.shape[1]
        if self.position_encoding == "learned" and length > self.context:
            raise ValueError(f"{length} tokens, but learned positions for {self.context}")
        positions = self.positions(torch.arange(length, device=ids.device))  # (T, d_model)
        x, _ = self.stack(self.tokens(ids) + positions)  # (B, T, d_model)
        return self.head(self.norm(x))  # (B, T, vocab_size)

    def state_dict(self, *args, **kwargs):
        """Return the checkpoint, with a number for the kind of positions."""
        state = super().state_dict(*args, **kwargs)
        state["position_encoding"] = torch.tensor(self.position_encoding == "sinusoidal")
        return state

    def load_state_dict(self, state_dict, strict: bool = True, assign: bool = False):
        """Load a checkpoint of a model of the same kind; ValueError for the other kind."""
        state_dict = dict(state_dict)
        saved = "sinusoidal" if state_dict.pop("position_encoding") else "learned"
        if saved != self.position_encoding:
            raise ValueError(f"the checkpoint has {saved} positions, the model has {self.position_encoding} ones")
        return super().load_state_dict(state_dict, strict, assign)
