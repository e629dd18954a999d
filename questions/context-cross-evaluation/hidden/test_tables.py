"""The tables: rows and columns, means over seeds, and what has no number."""

from typing import Any

import numpy as np
import pytest
from bags import items, number

from grader.checks import Candidate, Mismatch, criterion, describe

CONTEXTS, SEEDS, SPLITS = (2, 8, 32), (7, 0, 5), ("train", "validation")
SAME = 1e-9
Table = list[list[float | None]]


def runs(rng: np.random.Generator) -> list[dict[str, Any]]:
    """Runs of all contexts and seeds in no order, and their cells in a random one; no loss is like another."""
    return [
        {
            "seed": seed,
            "context": context,
            "history": [{"step": 1, "validation_loss": float(rng.uniform(1, 9))}],
            "cells": [
                {"split": split, "length": length, "loss": float(rng.uniform(1, 9))}
                for split in rng.permutation(SPLITS).tolist()
                for length in rng.permutation([each for each in CONTEXTS if each <= context]).tolist()
            ],
        }
        for context in (8, 32, 2)
        for seed in SEEDS
    ]


def values(given: list[dict[str, Any]], split: str, context: int, length: int) -> dict[int, float]:
    """What one cell holds, by seed."""
    return {
        run["seed"]: cell["loss"]
        for run in given
        if run["context"] == context
        for cell in run["cells"]
        if (cell["split"], cell["length"]) == (split, length)
    }


def compare(found: Any, given: list[dict[str, Any]], split: str, seed: int | None) -> None:
    """A Mismatch unless the table has the right number in each cell, and None where there is none."""
    rows = items(found, len(CONTEXTS), "the table")
    for context, row in zip(CONTEXTS, rows, strict=True):
        for length, cell in zip(CONTEXTS, items(row, len(CONTEXTS), "a row of the table"), strict=True):
            where = f"the {split} cell of context {context} and length {length}"
            if length > context:
                if cell is not None:
                    raise Mismatch(f"{where} is {describe(cell)}, expected None")
                continue
            by_seed = values(given, split, context, length)
            expected = float(np.mean(list(by_seed.values()))) if seed is None else by_seed[seed]
            if not abs((got := number(cell, where)) - expected) < SAME:
                of = "the mean over the seeds" if seed is None else f"that of seed {seed}"
                raise Mismatch(f"{where} is {got:.6g}, expected {of}, {expected:.6g}")


@criterion("cross-table")
@pytest.mark.parametrize("split", SPLITS)
def test_a_cell_is_the_mean_over_the_seeds(candidate: Candidate, rng: np.random.Generator, split: str) -> None:
    given = runs(rng)
    compare(candidate.cross_table(given, split=split), given, split, None)


@criterion("table-per-seed")
@pytest.mark.parametrize("seed", SEEDS)
def test_a_table_of_one_seed_holds_its_own_losses(candidate: Candidate, rng: np.random.Generator, seed: int) -> None:
    given = runs(rng)
    compare(candidate.cross_table(given, split="validation", seed=seed), given, "validation", seed)


@criterion("native-summary")
@pytest.mark.parametrize("split", SPLITS)
def test_the_summary_is_of_losses_at_the_training_context(
    candidate: Candidate, rng: np.random.Generator, split: str
) -> None:
    given = runs(rng)
    rows = items(candidate.native_summary(given, split=split), len(CONTEXTS), "the summary")
    for context, row in zip(CONTEXTS, rows, strict=True):
        if not isinstance(row, dict) or not {"context", "mean", "lowest", "highest"} <= set(row):
            raise Mismatch(f"a row is {describe(row)}, expected a dict with context, mean, lowest and highest")
        losses = list(values(given, split, context, context).values())
        expected = {"context": context, "mean": np.mean(losses), "lowest": min(losses), "highest": max(losses)}
        for name, wanted in expected.items():
            if not abs((got := number(row[name], name)) - float(wanted)) < SAME:
                raise Mismatch(f"{name} at context {context} on {split} is {got:.6g}, expected {float(wanted):.6g}")


@criterion("arguments-kept")
@pytest.mark.parametrize("what", ["cross_table", "native_summary"])
def test_the_runs_that_are_given_stay_as_they_were(candidate: Candidate, rng: np.random.Generator, what: str) -> None:
    given = runs(rng)
    holder = candidate.torch.nn.Module()
    candidate.assign(holder, "runs", given)
    candidate[what](candidate.attribute(holder, "runs"), split="train")
    if repr(candidate.value(holder, "runs")) != repr(given):
        raise Mismatch(f"{what} changed the runs that it was given, expected them as they were")
