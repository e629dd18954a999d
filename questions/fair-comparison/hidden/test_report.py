"""The count of parameters, the differences, and the calls that are refused."""

import builtins
from itertools import permutations
from typing import Any

import numpy as np
import pytest
from bigrams import random_table
from comparisons import BLOCK, PROMPT, TRAIN, VALIDATION, VOCABULARY, compare, number, stream, watched

from grader.checks import Candidate, Handle, Mismatch, Raised, criterion, describe, expect_integer

BAD = [
    {"block_size": 0},
    {"batches": 0},
    {"batch_size": 0},
    {"new_tokens": -1},
    {"prompt": []},
    {"data": BLOCK},  # a stream of so many tokens
]


def models_to_count(candidate: Candidate, rng: np.random.Generator) -> dict[str, tuple[Handle, int]]:
    """Models and their counts: a plain one, a frozen one, and one with a tied matrix, a bias and a buffer."""
    tied = candidate.support("tiny_models").TiedBigram(VOCABULARY, 5)
    frozen = watched(candidate, "frozen", random_table(rng, VOCABULARY)).requires_grad_(False)
    return {
        "plain": (watched(candidate, "plain", random_table(rng, VOCABULARY)), VOCABULARY**2),
        "frozen": (frozen, VOCABULARY**2),
        "tied": (tied, VOCABULARY * 5 + VOCABULARY),
    }


@criterion("parameters")
def test_each_parameter_counts_once_frozen_or_not(candidate: Candidate, rng: np.random.Generator) -> None:
    counted = models_to_count(candidate, rng)
    comparison = compare(
        candidate, {name: model for name, (model, _) in counted.items()}, {"train": stream(rng, TRAIN)}
    )
    for name, (_, count) in counted.items():
        expect_integer(comparison[name]["parameters"], count, of=f"the number of parameters of the {name} model")


@criterion("plain-numbers")
def test_a_report_holds_plain_numbers(candidate: Candidate, rng: np.random.Generator) -> None:
    model = watched(candidate, "one", random_table(rng, VOCABULARY))
    measured = compare(candidate, {"one": model}, {"train": stream(rng, TRAIN)}, new_tokens=3)["one"]
    if type(measured["losses"]["train"]) is not float:
        raise Mismatch(f"a loss is {describe(measured['losses']['train'])}, expected a float")
    if type(measured["tokens"]) is not list:
        raise Mismatch(f"the tokens are {describe(measured['tokens'])}, expected a list of int")
    for value in (*measured["tokens"], measured["parameters"]):
        if type(value) is not int:
            raise Mismatch(f"a token or the number of parameters is {describe(value)}, expected an int")


def report(rng: np.random.Generator) -> dict[str, dict[str, Any]]:
    """A comparison of three models on two splits."""
    losses = {name: rng.uniform(1, 4, size=2).tolist() for name in ("bigram", "transformer", "other")}
    return {
        name: {"losses": {"train": train, "held-out": held_out}, "tokens": [1, 2], "parameters": 9}
        for name, (train, held_out) in losses.items()
    }


@criterion("deltas")
def test_a_delta_is_treatment_minus_control(candidate: Candidate, rng: np.random.Generator) -> None:
    """Asked both ways round, so that one of the two is negative, and among three models."""
    comparison = report(rng)
    for control, treatment in permutations(comparison, 2):
        deltas = candidate.loss_deltas(comparison, control=control, treatment=treatment)
        losses = {name: measured["losses"] for name, measured in comparison.items()}
        if not isinstance(deltas, dict) or set(deltas) != set(losses[control]):
            raise Mismatch(f"loss_deltas returned {describe(deltas)}, expected a dict with the splits")
        for split, delta in deltas.items():
            expected = losses[treatment][split] - losses[control][split]
            if not abs((found := number(delta, f"the delta of {split}")) - expected) < 1e-5:
                raise Mismatch(
                    f"with losses of {losses[treatment][split]:.4f} (treatment) and {losses[control][split]:.4f} "
                    f"(control) the delta is {found:.4f}, expected {expected:.4f}"
                )


@criterion("refusals")
@pytest.mark.parametrize("bad", BAD, ids=lambda bad: next(iter(bad)))
def test_a_call_that_makes_no_sense_is_refused_before_a_model_is_called(
    candidate: Candidate, rng: np.random.Generator, bad: dict[str, Any]
) -> None:
    model = watched(candidate, "one", random_table(rng, VOCABULARY))
    data = {"train": stream(rng, TRAIN), "validation": stream(rng, VALIDATION)}
    numbers: dict[str, Any] = {"prompt": list(PROMPT[:2]), "new_tokens": 2, **bad}
    if (length := numbers.pop("data", None)) is not None:
        data["validation"] = data["validation"][:length]
    what = ", ".join(f"{key}={value}" if key != "data" else f"a stream of {value} tokens" for key, value in bad.items())
    try:
        compare(candidate, {"one": model}, data, **numbers)
    except Raised as error:
        # A class of the candidate's own may derive from ValueError; a built-in one is what it is.
        if error.type != "ValueError" and hasattr(builtins, error.type):
            raise Mismatch(f"{what} raised {error.type}, expected a ValueError") from None
    else:
        raise Mismatch(f"{what} was accepted, expected a ValueError")
    if candidate.support("tiny_models").calls("one"):
        raise Mismatch(f"{what} was refused after the model had been called, expected it before")
