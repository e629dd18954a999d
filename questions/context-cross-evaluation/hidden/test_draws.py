"""What is drawn: the batches of a run, and the places of an evaluation."""

from typing import Any

import numpy as np
import pytest
from bags import at, integer, items, stream
from bigrams import Ids
from contexts import expect_refusal, family

from grader.checks import Candidate, Mismatch, criterion, describe, expect_array

TARGETS, STEPS = 12, 6
CONTEXTS = (3, 12, 4, 1)
RIGHT: dict[str, Any] = {"context": 4, "steps": STEPS, "targets": TARGETS, "seed": 5}


def batches(candidate: Candidate, tokens: list[int], **numbers: Any) -> list[tuple[Ids, Ids]]:
    """The candidate's batches, each two integer arrays; their shapes are for the checks to look at."""
    settings = {**RIGHT, **numbers}
    found = []
    for pair in items(candidate.training_batches(tokens, **settings), settings["steps"], "training_batches' result"):
        inputs, targets = (ids(each) for each in items(pair, 2, "a batch"))
        found.append((inputs, targets))
    return found


def ids(value: Any) -> Ids:
    """A half of a batch: an int64 array of some shape that is not empty."""
    if not isinstance(value, np.ndarray):
        raise Mismatch(f"the inputs or targets of a batch are {describe(value)}, expected a tensor")
    if not value.size:
        raise Mismatch("a batch is empty")
    return expect_array(value, value.shape, of="a batch", dtypes=("int64",))


@criterion("same-targets")
def test_every_context_has_the_same_targets_in_the_same_updates(candidate: Candidate, rng: np.random.Generator) -> None:
    tokens = stream(rng)
    first, *others = (
        [sorted(targets.ravel().tolist()) for _, targets in batches(candidate, tokens, context=context)]
        for context in CONTEXTS
    )
    for context, other in zip(CONTEXTS[1:], others, strict=True):
        for step, (one, two) in enumerate(zip(first, other, strict=True), 1):
            if one != two:
                raise Mismatch(
                    f"update {step} has other targets at context {context} than at context {CONTEXTS[0]}: "
                    f"{two[:6]}… and {one[:6]}…"
                )


@criterion("cut")
@pytest.mark.parametrize("context", CONTEXTS)
def test_a_run_is_cut_into_rows_one_after_the_other(
    candidate: Candidate, rng: np.random.Generator, context: int
) -> None:
    tokens = stream(rng)
    for inputs, targets in batches(candidate, tokens, context=context):
        for what, each in (("inputs", inputs), ("targets", targets)):
            if each.shape != (TARGETS // context, context):
                raise Mismatch(f"{what} are {list(each.shape)}, expected {[TARGETS // context, context]}")
        rows = [at(tokens, row[0]) for row in inputs.tolist()]
        for row, (start, shown, wanted) in enumerate(zip(rows, inputs.tolist(), targets.tolist(), strict=True)):
            if shown != tokens[start : start + context]:
                raise Mismatch(f"row {row} of the inputs is {shown}, which are no tokens in a row of the stream")
            if wanted != tokens[start + 1 : start + context + 1]:
                raise Mismatch(f"row {row} of the targets is {wanted}, expected its inputs moved on by one token")
            if row and context > 1 and len(rows) > 1 and start - rows[row - 1] != context:
                raise Mismatch(
                    f"row {row} starts {start - rows[row - 1]} places after the row before, expected {context}"
                )


def starts(found: list[tuple[Ids, Ids]], tokens: list[int]) -> list[int]:
    """Where the run of each update starts."""
    return [min(at(tokens, token) for token in inputs.ravel().tolist()) for inputs, _ in found]


@criterion("starts")
def test_every_place_with_a_last_target_is_drawn(candidate: Candidate, rng: np.random.Generator) -> None:
    for places in (1, 3):
        tokens = stream(rng, TARGETS + places)
        drawn = sorted(set(starts(batches(candidate, tokens, steps=60), tokens)))
        if drawn != list(range(places)):
            raise Mismatch(f"60 runs of {TARGETS} in {len(tokens)} tokens start at {drawn}, expected 0 to {places - 1}")


@criterion("starts")
def test_a_seed_gives_its_runs_again_and_another_seed_others(candidate: Candidate, rng: np.random.Generator) -> None:
    tokens = stream(rng)
    one, again, other = (starts(batches(candidate, tokens, seed=seed, steps=12), tokens) for seed in (5, 5, 6))
    if one != again:
        raise Mismatch("two calls with one seed drew different runs, expected the same ones")
    if one == other:
        raise Mismatch("two seeds drew the same runs, expected others")


def positions(candidate: Candidate, length: int, **numbers: int) -> list[int]:
    """The candidate's places."""
    found = items(candidate.evaluation_positions(length, **numbers), numbers["count"], "evaluation_positions' result")
    return [integer(each, "a place") for each in found]


@criterion("positions-drawn")
def test_every_place_with_enough_before_it_can_be_drawn(candidate: Candidate) -> None:
    """With as many places as there are, each has to be among them."""
    found = positions(candidate, 30, longest=11, count=19, seed=2)
    if sorted(found) != list(range(11, 30)):
        raise Mismatch(f"19 places of 30 tokens behind 11 others are {sorted(found)}, expected 11 to 29, each once")


@criterion("positions-drawn")
def test_places_differ_and_follow_the_seed(candidate: Candidate) -> None:
    one, again, other = (positions(candidate, 60, longest=13, count=9, seed=seed) for seed in (2, 2, 3))
    if len(set(one)) < 9 or not all(13 <= place < 60 for place in one):
        raise Mismatch(f"the places are {sorted(one)}, expected 9 different ones from 13 to 59")
    if sorted(one) != sorted(again):
        raise Mismatch("two calls with one seed drew different places, expected the same ones")
    if sorted(one) == sorted(other):
        raise Mismatch("two seeds drew the same places, expected others")


@criterion("refusals")
def test_a_context_that_does_not_divide_the_targets_is_refused(candidate: Candidate, rng: np.random.Generator) -> None:
    expect_refusal(
        "a context of 5 for 12 targets", lambda: candidate.training_batches(stream(rng), **{**RIGHT, "context": 5})
    )


@criterion("refusals")
@pytest.mark.parametrize("short_by", [0, 4])
def test_a_stream_that_is_too_short_is_refused(candidate: Candidate, rng: np.random.Generator, short_by: int) -> None:
    tokens = stream(rng, TARGETS - short_by)
    expect_refusal(
        f"a stream of {len(tokens)} tokens for {TARGETS} targets", lambda: candidate.training_batches(tokens, **RIGHT)
    )


@criterion("refusals")
@pytest.mark.parametrize("count", [8, 20])
def test_too_few_places_are_refused(candidate: Candidate, count: int) -> None:
    expect_refusal(
        f"{count} places of 20 tokens behind 13 others",
        lambda: candidate.evaluation_positions(20, longest=13, count=count, seed=1),
    )


def state(candidate: Candidate, library: str) -> Any:
    """Where the global stream of random numbers of a library is, as plain values."""
    match library:
        case "torch":
            return candidate.torch.get_rng_state().tolist()
        case "numpy":
            name, keys, *rest = candidate.support("numpy.random").get_state()
            return [name, keys.tolist(), rest]
    return candidate.support("random").getstate()


@criterion("rng-untouched")
@pytest.mark.parametrize("what", ["build_models", "training_batches", "evaluation_positions"])
def test_global_streams_stay_where_they_were(candidate: Candidate, rng: np.random.Generator, what: str) -> None:
    seed = int(rng.integers(1, 1 << 30))  # where no earlier call left them
    candidate.support("random").seed(seed)
    candidate.support("numpy.random").seed(seed)
    candidate.torch.manual_seed(seed)
    before = {library: state(candidate, library) for library in ("random", "numpy", "torch")}
    match what:
        case "build_models":
            family(candidate, [3, 5], seed=1)
        case "training_batches":
            batches(candidate, stream(rng))
        case _:
            positions(candidate, 40, longest=5, count=4, seed=1)
    for library, where in before.items():
        if state(candidate, library) != where:
            raise Mismatch(f"{what} moved the global stream of random numbers of {library}")
