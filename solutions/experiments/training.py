"""One training in pieces, made of the functions of a reference: its update, its loss, and batches by their step."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import torch
from torch import nn

Batch = tuple[torch.Tensor, torch.Tensor]
Update = Callable[[nn.Module, torch.optim.Optimizer, Batch], object]


def parameters(model: nn.Module) -> int:
    """How many numbers a model learns."""
    return sum(parameter.numel() for parameter in model.parameters())


class PieceByPiece:
    """A training whose batches are all drawn beforehand, so that a step's number says which one is next.

    Args:
        model: what is trained.
        optimizer: what trains it.
        batches: one for each update.
        update: takes one step on a batch.
        evaluate: the losses of the model as it is, by name; draws nothing at random.
        eval_every: evaluate after step 1, each step that this divides, and the last.
    """

    def __init__(
        self,
        model: nn.Module,
        optimizer: torch.optim.Optimizer,
        batches: Sequence[Batch],
        *,
        update: Update,
        evaluate: Callable[[nn.Module], dict[str, float]],
        eval_every: int,
    ) -> None:
        self.model, self.optimizer, self.batches = model, optimizer, batches
        self.update, self.evaluate, self.eval_every = update, evaluate, eval_every
        self.step = 0
        self.history: list[dict[str, float]] = []
        self.random = torch.get_rng_state()  # a layer such as dropout may draw from it

    def advance(self, updates: int) -> None:
        """Take some updates, and note losses where they are due."""
        outside = torch.get_rng_state()
        torch.set_rng_state(self.random)
        self.model.train()
        for _ in range(updates):
            self.update(self.model, self.optimizer, self.batches[self.step])
            self.step += 1
            if self.step in (1, len(self.batches)) or self.step % self.eval_every == 0:
                self.history.append({"step": self.step, **self.evaluate(self.model)})
        self.random = torch.get_rng_state()
        torch.set_rng_state(outside)

    def save(self, path: Path) -> None:
        """Write all that the next update depends on."""
        state = {
            "model": self.model.state_dict(),
            "optimizer": self.optimizer.state_dict(),
            "random": self.random,
            "step": self.step,
            "history": self.history,
        }
        torch.save(state, path)

    def load(self, path: Path) -> None:
        """Go on from there."""
        state = torch.load(path, weights_only=True)
        self.model.load_state_dict(state["model"])
        self.optimizer.load_state_dict(state["optimizer"])
        self.random, self.step, self.history = state["random"], state["step"], state["history"]
