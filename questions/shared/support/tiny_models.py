"""Language models small enough to reckon by hand, and a wrapper that notes how a model is called.

Shapes in comments use B for the batch, T for the tokens of a sequence and V for the vocabulary.

    model = Watched(Bigram(torch.randn(11, 11)), "bigram")
    model(torch.tensor([[3, 1, 4]]))
    calls("bigram")      # [{"ids": tensor([[3, 1, 4]]), "training": True, "recorded": True}]
"""

from typing import Any

import torch
from torch import nn


class Bigram(nn.Module):
    """Scores the next token from the last one alone: row t of the table holds the logits that follow token t."""

    def __init__(self, table: torch.Tensor) -> None:
        super().__init__()
        self.table = nn.Parameter(table.detach().clone().to(torch.float32))  # (V, V)

    def forward(self, ids: torch.Tensor) -> torch.Tensor:
        """Return logits (B, T, V) for token ids (B, T)."""
        return nn.functional.embedding(ids, self.table)


class BigramWithLoss(Bigram):
    """The same model in the other customary form: it returns a pair, and the loss too when it is given targets."""

    def forward(self, ids: torch.Tensor, targets: torch.Tensor | None = None) -> Any:
        """Return the logits (B, T, V) and the mean loss on targets (B, T); without targets that is None."""
        logits = super().forward(ids)  # (B, T, V)
        if targets is None:
            return logits, None
        return logits, nn.functional.cross_entropy(logits.flatten(0, 1), targets.flatten())


class TiedBigram(nn.Module):
    """Embeds each token and scores the next with the same matrix; the temperature is a buffer, not a parameter."""

    def __init__(self, vocab_size: int, d_model: int) -> None:
        super().__init__()
        self.tokens = nn.Embedding.from_pretrained(torch.randn(vocab_size, d_model), freeze=False)
        self.head = nn.Linear(d_model, vocab_size)
        self.head.weight = self.tokens.weight
        self.register_buffer("temperature", torch.ones(3))

    def forward(self, ids: torch.Tensor) -> torch.Tensor:
        """Return logits (B, T, V) for token ids (B, T)."""
        return self.head(self.tokens(ids)) / self.temperature[0]  # type: ignore[no-any-return]


class Watched(nn.Module):
    """Passes calls on to a model, and notes the token ids, the mode, and whether a gradient graph was recorded.

    Notes are kept by name, outside of the module, so that a copy of it adds to the same list.
    """

    def __init__(self, model: nn.Module, name: str) -> None:
        super().__init__()
        self.model, self.name = model, name
        _calls[name] = []

    def forward(self, ids: torch.Tensor) -> Any:
        """Return what the model returns for token ids (B, T)."""
        note: dict[str, Any] = {"ids": ids.detach().clone(), "training": self.model.training}
        _calls[self.name].append(note)
        result = self.model(ids)
        logits = result[0] if isinstance(result, tuple) else result
        note["recorded"] = logits.requires_grad
        return result


_calls: dict[str, list[dict[str, Any]]] = {}


def calls(name: str) -> list[dict[str, Any]]:
    """Return the notes on the watched model of that name, oldest first."""
    return _calls[name]
