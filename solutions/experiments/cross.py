"""Models of several contexts, trained on the same targets, each evaluated at every length that it supports."""

from __future__ import annotations

from functools import partial
from typing import Any, Final

from torch import nn

from grader.errors import CallError
from solutions.experiments.corpus import Corpus
from solutions.experiments.jobs import Job
from solutions.experiments.references import reference
from solutions.experiments.samples import continuation
from solutions.experiments.training import PieceByPiece, parameters

QUESTION: Final = "context-cross-evaluation"
MODEL: Final = {"d_model": 32, "n_layers": 4, "n_head": 2}
TARGETS, COUNT = 256, 128  # targets of an update, and places of a split that are evaluated
EVALUATION_SEED: Final = 1234


def settings(contexts: list[int]) -> dict[str, Any]:
    """What the experiment is beside its corpus, steps and seeds."""
    return {
        **MODEL,
        "contexts": contexts,
        "targets": TARGETS,
        "evaluation_positions": COUNT,
        "evaluation_seed": EVALUATION_SEED,
    }


def jobs(corpus: Corpus, contexts: list[int], *, steps: int, seeds: list[int], eval_every: int) -> list[Job]:
    """A job for each seed and context: the training of the reference in pieces."""
    ours = reference(QUESTION)
    places = {
        split: ours.evaluation_positions(len(tokens), longest=max(contexts), count=COUNT, seed=EVALUATION_SEED)
        for split, tokens in corpus.splits.items()
    }

    def loss(model: nn.Module, split: str, length: int) -> float:
        found: float = ours.loss_at(model, corpus.splits[split], places[split], length)
        return found

    def make(seed: int, context: int) -> PieceByPiece:
        models = ours.build_models(corpus.vocab_size, contexts, seed=seed, **MODEL)
        model = models[contexts.index(context)]
        return PieceByPiece(
            model,
            ours.optimizer_for(model),
            ours.training_batches(corpus.splits["train"], context=context, steps=steps, targets=TARGETS, seed=seed),
            update=ours.update,
            evaluate=lambda model: {split: loss(model, split, context) for split in corpus.splits},
            eval_every=eval_every,
        )

    def measured(seed: int, context: int, training: PieceByPiece) -> dict[str, Any]:
        return {
            "seed": seed,
            "context": context,
            "parameters": parameters(training.model),
            "history": training.history,
            "cells": [
                {"split": split, "length": length, "loss": loss(training.model, split, length)}
                for split in corpus.splits
                for length in contexts
                if length <= context
            ],
            "sample": continuation(training.model, corpus, max(contexts), context),
        }

    return [
        Job(
            f"context-{context}-seed-{seed}",
            f"context-{context}",
            partial(make, seed, context),
            partial(measured, seed, context),
        )
        for seed in seeds
        for context in contexts
    ]


def check(contexts: list[int]) -> None:
    """Raise a CallError where a context does not cut the targets of an update evenly."""
    for context in contexts:
        if context < 1 or TARGETS % context:
            raise CallError(
                "this context does not divide the targets of an update",
                where="--contexts",
                found=str(context),
                expected=f"a divisor of {TARGETS}",
            )
