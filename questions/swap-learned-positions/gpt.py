"""A small GPT in one file: the model whose position table this question swaps.

With the default configuration it has the shape of GPT-2 small: 124,439,808 parameters, the tied head counted
once. Hand it another position module, and nothing else in this file has to change.

Shapes in comments use B for the batch, T for the tokens of a sequence, D for d_model, H for the heads and V
for the vocabulary.
"""

from dataclasses import dataclass

import torch
from torch import nn


@dataclass(frozen=True)
class GPTConfig:
    """The sizes of one model; the defaults are those of GPT-2 small."""

    vocab_size: int = 50257
    context: int = 1024  # the longest sequence, and so the rows of the position table
    d_model: int = 768
    n_layer: int = 12
    n_head: int = 12


def draw_normal(weight: torch.Tensor) -> None:
    """Fill weight from a normal distribution, standard deviation 0.02; leave one on the meta device alone."""
    # A meta tensor has no numbers to draw, and being asked to makes torch load its compiler, for seconds.
    if not weight.is_meta:
        nn.init.normal_(weight, std=0.02)


def new_embedding(rows: int, d_model: int) -> nn.Embedding:
    """Return a trainable nn.Embedding(rows, d_model) that costs nothing on the meta device."""
    embedding = nn.Embedding.from_pretrained(torch.empty(rows, d_model), freeze=False)
    draw_normal(embedding.weight)
    return embedding


class LearnedPositions(nn.Module):
    """Adds one learned vector per position: the module that you are about to replace."""

    def __init__(self, max_len: int, d_model: int) -> None:
        super().__init__()
        self.table = new_embedding(max_len, d_model)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Return x + the first T rows of the table; x is (B, T, D). ValueError if T exceeds max_len."""
        length, max_len = x.shape[1], self.table.num_embeddings
        if length > max_len:
            raise ValueError(f"LearnedPositions has {max_len} rows, but the sequence has {length} tokens.")
        return x + self.table.weight[:length]  # (B, T, D) + (T, D)


class CausalSelfAttention(nn.Module):
    """Multi-head attention in which a token sees itself and the tokens before it."""

    def __init__(self, config: GPTConfig) -> None:
        super().__init__()
        if config.d_model % config.n_head:
            raise ValueError(f"d_model {config.d_model} does not divide into {config.n_head} heads.")
        self.n_head = config.n_head
        self.query_key_value = nn.Linear(config.d_model, 3 * config.d_model)
        self.output = nn.Linear(config.d_model, config.d_model)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        batch, length, d_model = x.shape
        query, key, value = (
            part.view(batch, length, self.n_head, -1).transpose(1, 2)  # (B, H, T, D / H)
            for part in self.query_key_value(x).chunk(3, dim=-1)  # three of (B, T, D)
        )
        # (B, H, T, D / H)
        mixed = nn.functional.scaled_dot_product_attention(query, key, value, is_causal=True)
        return self.output(mixed.transpose(1, 2).reshape(batch, length, d_model))  # (B, T, D)


class FeedForward(nn.Module):
    """Two linear layers around a GELU, four times as wide inside; each token on its own."""

    def __init__(self, config: GPTConfig) -> None:
        super().__init__()
        self.widen = nn.Linear(config.d_model, 4 * config.d_model)
        self.narrow = nn.Linear(4 * config.d_model, config.d_model)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.narrow(nn.functional.gelu(self.widen(x)))  # (B, T, D) -> (B, T, 4D) -> (B, T, D)


class Block(nn.Module):
    """One pre-norm transformer block: attention, then feed-forward, each added to what came in."""

    def __init__(self, config: GPTConfig) -> None:
        super().__init__()
        self.norm_attention = nn.LayerNorm(config.d_model)
        self.attention = CausalSelfAttention(config)
        self.norm_feed_forward = nn.LayerNorm(config.d_model)
        self.feed_forward = FeedForward(config)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = x + self.attention(self.norm_attention(x))  # (B, T, D)
        return x + self.feed_forward(self.norm_feed_forward(x))  # (B, T, D)


class GPT(nn.Module):
    """Token ids in, logits for the next token out.

    `positions` is any module that maps (B, T, D) to (B, T, D); None means learned positions. It is used as it
    is given, so it stays where it was built. Everything else is created on `device`: on "meta" a model costs
    no memory at any size, and counting its parameters needs no more than that.
    """

    def __init__(self, config: GPTConfig, positions: nn.Module | None = None, device: str = "cpu") -> None:
        super().__init__()
        self.config = config
        with torch.device(device):
            self.tokens = new_embedding(config.vocab_size, config.d_model)
            if positions is None:
                positions = LearnedPositions(config.context, config.d_model)
            self.positions = positions
            self.blocks = nn.ModuleList(Block(config) for _ in range(config.n_layer))
            self.norm = nn.LayerNorm(config.d_model)
            self.head = nn.Linear(config.d_model, config.vocab_size, bias=False)
        # One tensor under two names: the matrix that reads tokens also scores them.
        self.head.weight = self.tokens.weight
        # `apply` walks every module below this one, the position module included.
        self.apply(self._init_weights)

    @staticmethod
    def _init_weights(module: nn.Module) -> None:
        if isinstance(module, nn.Linear | nn.Embedding):
            draw_normal(module.weight)
        if isinstance(module, nn.Linear) and module.bias is not None:
            nn.init.zeros_(module.bias)

    def forward(self, ids: torch.Tensor) -> torch.Tensor:
        """Return logits (B, T, V) for token ids (B, T)."""
        x = self.positions(self.tokens(ids))  # (B, T, D)
        for block in self.blocks:
            x = block(x)  # (B, T, D)
        return self.head(self.norm(x))  # (B, T, V)


def train_step(model: nn.Module, ids: torch.Tensor, learning_rate: float = 0.1) -> float:
    """Take one gradient step on predicting each next token of ids (B, T); return the loss before the step."""
    logits = model(ids[:, :-1])  # (B, T - 1, V)
    loss = nn.functional.cross_entropy(logits.flatten(0, 1), ids[:, 1:].flatten())
    model.zero_grad()
    loss.backward()
    # The whole of plain SGD is this loop; torch.optim would load torch's compiler before its first step.
    with torch.no_grad():
        for parameter in model.parameters():
            if parameter.grad is not None:
                parameter -= learning_rate * parameter.grad
    return loss.item()
