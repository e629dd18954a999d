"""When there is an entry, of what kind its numbers are, and which calls are refused."""

import builtins
import math

import numpy as np
import pytest
from bigrams import random_table
from runs import KEYS, Run, entries, number, run
from test_modes import watched

from grader.checks import Candidate, Mismatch, Raised, criterion, describe, expect_integer

# steps and eval_every
PLANS = [(1, 4), (4, 2), (5, 2), (3, 1)]

RIGHT = {"steps": 2, "learning_rate": 0.1, "eval_every": 1, "eval_batches": 1}
BAD = [("steps", 0), ("steps", -3), ("eval_every", 0), ("eval_every", -1), ("eval_batches", 0), ("learning_rate", 0.0)]


def trained(candidate: Candidate, rng: np.random.Generator, steps: int, eval_every: int) -> Run:
    """A run on random tokens."""
    tokens = rng.integers(0, 5, size=31)
    return run(candidate, random_table(rng, 5), tokens, tokens, (2, 3), steps=steps, eval_every=eval_every)


def due(steps: int, eval_every: int) -> list[int]:
    """The steps that get an entry: the first, each that eval_every divides, and the last."""
    return [step for step in range(1, steps + 1) if step in (1, steps) or step % eval_every == 0]


@criterion("history-steps")
@pytest.mark.parametrize(("steps", "eval_every"), PLANS)
def test_the_first_each_nth_and_the_last_step_have_an_entry(
    candidate: Candidate, rng: np.random.Generator, steps: int, eval_every: int
) -> None:
    found = [number(entry["step"], "step") for entry in trained(candidate, rng, steps, eval_every).entries]
    if found != due(steps, eval_every):
        steps_found = ", ".join(f"{step:g}" for step in found)
        raise Mismatch(
            f"steps={steps} and eval_every={eval_every} give entries for the steps {steps_found}, "
            f"expected {due(steps, eval_every)}"
        )


@criterion("plain-numbers")
def test_entries_hold_plain_numbers(candidate: Candidate, rng: np.random.Generator) -> None:
    for entry in entries(trained(candidate, rng, 3, 2).history):
        expect_integer(entry["step"], entry["step"] if type(entry["step"]) is int else 1, of="the step of an entry")
        for key in KEYS[1:]:
            if type(entry[key]) is not float or not math.isfinite(entry[key]):
                raise Mismatch(f"{key} of an entry is {describe(entry[key])}, expected a finite float")


@criterion("bad-counts")
@pytest.mark.parametrize(("name", "value"), BAD)
def test_a_number_that_is_too_small_is_refused_before_anything_runs(
    candidate: Candidate, rng: np.random.Generator, name: str, value: float
) -> None:
    model = watched(candidate, rng)
    model.train(False)
    before = candidate.value(model, "model.table")
    try:
        candidate.train_language_model(model, **{**RIGHT, name: value})
    except Raised as error:
        # A class of the candidate's own may derive from ValueError; a built-in one is what it is.
        if error.type != "ValueError" and hasattr(builtins, error.type):
            raise Mismatch(f"{name}={value} raised {error.type}, expected a ValueError") from None
    else:
        raise Mismatch(f"{name}={value} was accepted, expected a ValueError")
    corpus = candidate.support("corpus")
    drawn = corpus.served("train") + corpus.served("validation")
    if drawn or candidate.support("tiny_models").calls("watched"):
        raise Mismatch(f"{name}={value} was refused after {drawn} batches, expected it before anything runs")
    kept = np.array_equal(candidate.value(model, "model.table"), before)
    if not kept or candidate.value(model, "training") is not False:
        raise Mismatch(f"{name}={value} was refused, but the model had been changed by then")
