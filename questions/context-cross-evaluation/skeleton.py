"""Your solution: models of several contexts, trained on the same targets. prompt.md has the rules.

Complete the class and the functions, and keep their names and arguments. Helpers are welcome in this file.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import torch
from stack import TransformerStack
from torch import nn
from torch.nn import functional as F


class ContextModel(nn.Module):
    """Token ids in, logits for the next token out, with a learned position for each place of a context.

    Its parts are called `tokens`, `positions`, `stack`, `norm` and `head`.
    """

    def __init__(self, vocab_size: int, context: int, d_model: int, n_layers: int, n_head: int) -> None:
        super().__init__()
        raise NotImplementedError("ContextModel.__init__ is yours to write")

    def forward(self, ids: torch.Tensor) -> torch.Tensor:
        """Return logits (B, T, vocab_size) for token ids (B, T); ValueError if T is more than the context."""
        raise NotImplementedError("ContextModel.forward is yours to write")


def build_models(
    vocab_size: int, contexts: Sequence[int], *, d_model: int, n_layers: int, n_head: int, seed: int
) -> list[ContextModel]:
    """Return a model for each context, alike in all but their position tables, with no parameter in common."""
    raise NotImplementedError("build_models is yours to write")


def training_batches(
    tokens: Sequence[int], *, context: int, steps: int, targets: int, seed: int
) -> list[tuple[torch.Tensor, torch.Tensor]]:
    """Return inputs and targets, int64 (targets // context, context) each, for every update of a run.

    Raises:
        ValueError: `context` does not divide `targets`, or the stream is not longer than `targets`.
    """
    raise NotImplementedError("training_batches is yours to write")


def evaluation_positions(length: int, *, longest: int, count: int, seed: int) -> list[int]:
    """Return `count` different places of a stream of `length` tokens, each with `longest` tokens or more before it.

    Raises:
        ValueError: there are too few such places.
    """
    raise NotImplementedError("evaluation_positions is yours to write")


def loss_at(model: nn.Module, tokens: Sequence[int], positions: Sequence[int], length: int) -> float:
    """Return the mean cross-entropy of the tokens at `positions`, in nats per token, from `length` tokens before it."""
    raise NotImplementedError("loss_at is yours to write")


def cross_evaluate(
    models: Sequence[nn.Module],
    contexts: Sequence[int],
    data: Mapping[str, Sequence[int]],
    *,
    steps: int,
    targets: int,
    count: int,
    eval_every: int,
    seed: int,
    evaluation_seed: int,
) -> list[dict[str, Any]]:
    """Train each model at its context, in place, and evaluate it at every context that is at most its own.

    Args:
        models: each maps ids (B, T) to logits (B, T, V).
        contexts: that of each model.
        data: the streams "train" and "validation".
        steps: the updates of each model.
        targets: the targets of one update.
        count: the places of a split that are evaluated.
        eval_every: the updates between two entries of the history.
        seed: of the batches.
        evaluation_seed: of the places.

    Returns:
        A dict for each model, in order: "seed", "context", "history" and "cells", as prompt.md has it.
    """
    raise NotImplementedError("cross_evaluate is yours to write")


def cross_table(runs: Sequence[Mapping[str, Any]], *, split: str, seed: int | None = None) -> list[list[float | None]]:
    """Return losses with a row for each training context and a column for each length; None where there is none."""
    raise NotImplementedError("cross_table is yours to write")


def native_summary(runs: Sequence[Mapping[str, Any]], *, split: str) -> list[dict[str, float]]:
    """Return context, mean, lowest and highest loss at the training context over the seeds, from short to long."""
    raise NotImplementedError("native_summary is yours to write")
