"""The question `context-cross-evaluation`: its checks see the protocol, whatever the seed of a grading is."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
import torch

from grader.bank import Bank
from grader.examine.zygote import Zygote
from grader.grade import Engine
from grader.outcome import Outcome
from grader.question import Question
from grader.validate.cases import Case, grade
from grader.validate.proof import Kind
from solutions.experiments.references import reference

ID = "context-cross-evaluation"
SEEDS = (1, 20, 300)

# What the issue of a wrong experiment is, and what a grading has to say of it.
PROTOCOL = {
    "positions-from-the-end": {"positions-from-zero"},
    "resampled-per-arm": {"run-windows"},
    "mean-over-lengths": {"cross-table", "table-per-seed"},
    "seed-by-context": {"same-targets", "run-batches"},
    "evaluation-moves-the-stream": {"quiet-evaluation"},
    "training-loss-as-validation": {"run-history"},
}


@pytest.fixture(scope="module")
def question() -> Question:
    """The question of the shipped bank."""
    return Bank.find().get(ID)


@pytest.fixture(scope="module")
def engine(question: Question, zygote: Zygote) -> Iterator[Engine]:
    """What grades it."""
    with Engine(question, zygote) as engine:
        yield engine


@pytest.mark.long
@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("name", ["reference.py", "unusual/numpy-generators.py", "unusual/places-shuffled-locally.py"])
def test_what_is_right_passes_with_any_inputs(engine: Engine, name: str, seed: int) -> None:
    row = grade(engine, Case(name, Kind.UNUSUAL), seed)
    assert {id: row.seen for id, outcome in row.criteria.items() if outcome is not Outcome.PASSED} == {}


@pytest.mark.long
@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("id", PROTOCOL)
def test_a_broken_protocol_is_seen_with_any_inputs(engine: Engine, id: str, seed: int) -> None:
    row = grade(engine, Case(f"wrong/{id}.py", Kind.WRONG, id), seed)
    assert {name for name, outcome in row.criteria.items() if outcome is Outcome.FAILED} == PROTOCOL[id]


def test_the_numbers_of_the_prompt_are_those_of_the_models(question: Question) -> None:
    """The facts that a candidate is asked for, counted on the models and on a table."""
    ours, contexts = reference(ID), [8, 32, 128, 256]
    models = ours.build_models(50, contexts, d_model=32, n_layers=4, n_head=2, seed=1)
    short, long = (sum(each.numel() for each in model.parameters()) for model in (models[0], models[-1]))
    facts = {answer.id: answer.expected for answer in question.spec.answers}
    assert facts["extra_parameters"] == long - short
    runs = [
        {
            "seed": seed,
            "context": context,
            "cells": [{"split": "train", "length": each, "loss": 1.0} for each in contexts if each <= context],
        }
        for seed in (1, 2, 3)
        for context in contexts
    ]
    tables = [ours.cross_table(runs, split="train", seed=seed) for seed in (1, 2, 3)]
    assert facts["cells_of_a_split"] == sum(cell is not None for table in tables for row in table for cell in row)


def test_contexts_of_the_full_experiment_share_their_targets() -> None:
    """At the sizes of the experiment itself: 256 targets cut at 8, 32, 128 and 256 tokens."""
    ours = reference(ID)
    stream = torch.arange(5000)
    batches = {
        context: ours.training_batches(stream, context=context, steps=20, targets=256, seed=42)
        for context in (8, 32, 128, 256)
    }
    for context, plan in batches.items():
        for (inputs, targets), (_, same) in zip(plan, batches[256], strict=True):
            assert inputs.shape == (256 // context, context)
            assert torch.equal(targets.flatten(), same.flatten())
            assert torch.equal(targets, inputs + 1)


def test_a_model_that_copies_from_afar_gains_from_a_longer_history() -> None:
    """On text that repeats itself after twelve tokens, only a history that long can tell what comes."""
    ours = reference(ID)
    rng = np.random.default_rng(3)
    stream = np.tile(rng.integers(0, 20, size=12), 40).tolist()

    class Copies(torch.nn.Module):  # type: ignore[misc]
        def forward(self, ids: torch.Tensor) -> torch.Tensor:
            shifted = torch.zeros(*ids.shape, 20)
            if ids.shape[1] >= 12:
                shifted[:, 11:] = 9.0 * torch.nn.functional.one_hot(ids, 20)[:, : ids.shape[1] - 11]
            return shifted

    places = ours.evaluation_positions(len(stream), longest=24, count=30, seed=5)
    losses = {length: ours.loss_at(Copies(), stream, places, length) for length in (4, 11, 12, 24)}
    assert losses[4] == pytest.approx(np.log(20)) == losses[11]
    assert max(losses[12], losses[24]) < 0.01
