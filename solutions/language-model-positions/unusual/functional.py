"""Calls the layers' functions; can generate, and give a loss beside."""

import torch
from stack import TransformerStack
from torch import nn
from torch.nn import functional as F


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
        where = torch.arange(length, device=ids.device)  # (T,)
        if isinstance(self.positions, nn.Embedding):
            if not length <= self.positions.num_embeddings:
                raise ValueError(f"learned positions end at {self.positions.num_embeddings}, found {length} tokens")
            added = F.embedding(where.expand_as(ids), self.positions.weight)  # (B, T, d_model)
        else:
            added = self.positions(where).expand(len(ids), -1, -1)  # (B, T, d_model)
        x = torch.add(F.embedding(ids, self.tokens.weight), added)  # (B, T, d_model)
        for block in self.stack.blocks:
            x = block(x)[0]  # (B, T, d_model)
        x = F.layer_norm(x, x.shape[-1:], self.norm.weight, self.norm.bias)  # (B, T, d_model)
        return F.linear(x, self.head.weight, self.head.bias)  # (B, T, vocab_size)

    @torch.no_grad()
    def generate(self, ids: torch.Tensor, steps: int) -> torch.Tensor:
        """Append the likeliest token, `steps` times over."""
        for _ in range(steps):
            ids = torch.cat((ids, self(ids[:, -self.context :])[:, -1:].argmax(dim=-1)), dim=1)
        return ids

    def loss(self, ids: torch.Tensor) -> torch.Tensor:
        """Return the mean cross-entropy of each next token."""
        return F.cross_entropy(self(ids[:, :-1]).flatten(0, 1), ids[:, 1:].flatten())

    def load_state_dict(self, state_dict, strict: bool = True, assign: bool = False):
        """Load a checkpoint of a model of the same kind; ValueError for the other kind."""
        saved = "learned" if "positions.weight" in state_dict else "sinusoidal"
        if saved != self.position_encoding:
            raise ValueError(f"the checkpoint has {saved} positions, the model has {self.position_encoding} ones")
        return super().load_state_dict(state_dict, strict, assign)
