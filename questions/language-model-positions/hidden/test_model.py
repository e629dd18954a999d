"""What the model computes with either kind of positions."""

import builtins

import numpy as np
import pytest
from models import (
    ATOL,
    KINDS,
    SIZES,
    Sizes,
    built,
    drawn,
    expected_logits,
    logits_of,
    set_weights,
    sinusoids,
    token_ids,
)
from numpy.typing import NDArray

from grader.checks import (
    Candidate,
    Handle,
    Lost,
    Mismatch,
    Raised,
    criterion,
    describe,
    expect_close,
    largest_difference,
)


@criterion("logits-shape")
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("batch", "length"), [(3, 5), (2, SIZES.context), (1, 1)])
def test_every_token_gets_logits(
    candidate: Candidate, rng: np.random.Generator, kind: str, batch: int, length: int
) -> None:
    logits_of(built(candidate, kind), token_ids(rng, batch, length))


@criterion("forward-values")
@pytest.mark.parametrize("sizes", [SIZES, Sizes(11, 7, 8, 1, 2)], ids=["deep", "shallow"])
def test_logits_come_from_sum_stack_norm_and_head(candidate: Candidate, rng: np.random.Generator, sizes: Sizes) -> None:
    """With one vector for all positions, so that it does not matter here which is whose."""
    model, values = built(candidate, "learned", sizes), drawn(rng, sizes)
    values["positions.weight"][:] = values["positions.weight"][0]
    rows = values["positions.weight"][:5]
    held = set_weights(candidate, model, values, sizes)
    ids = token_ids(rng, 3, 5, sizes)
    expected = expected_logits(ids, held, rows, sizes)
    expect_close(logits_of(model, ids, sizes), expected, atol=ATOL, of="the logits")


@criterion("positions-from-zero")
@pytest.mark.parametrize("row", [0, 2, 5])
def test_a_learned_row_counts_from_its_own_position_on(
    candidate: Candidate, rng: np.random.Generator, row: int
) -> None:
    model, values, ids = built(candidate, "learned"), drawn(rng), token_ids(rng, 3, 6)
    set_weights(candidate, model, values)
    before = logits_of(model, ids)
    values["positions.weight"][row] += rng.normal(size=SIZES.d_model).astype("float32")
    set_weights(candidate, model, {"positions.weight": values["positions.weight"]})
    moved = np.abs(logits_of(model, ids) - before).max(axis=(0, 2)) > ATOL  # (T,)
    if not moved[row:].all() or moved[:row].any():
        where = f"position {moved.argmax()}" if moved.any() else "none"
        raise Mismatch(f"row {row} of the learned table counts from {where} on, expected from position {row} on")


@criterion("positions-from-zero")
@pytest.mark.parametrize("kind", KINDS)
def test_a_cropped_input_starts_at_zero_again(candidate: Candidate, rng: np.random.Generator, kind: str) -> None:
    """A token sees those before it only, so the first logits of a sequence are those of its beginning."""
    model, ids = ready(candidate, kind, drawn(rng)), token_ids(rng, 3, 7)
    whole = logits_of(model, ids)
    for length in (4, 1):
        if largest_difference(logits_of(model, ids[:, :length]), whole[:, :length]) > ATOL:
            raise Mismatch(f"the first {length} tokens alone give other logits than at the start of 7")
    # The end of a sequence where the same tokens stood at its start: whoever counts on gets something else.
    ids[:, 4:] = ids[:, :3]
    start = logits_of(model, ids[:, :3])
    if largest_difference(logits_of(model, ids[:, 4:]), start) > ATOL:
        raise Mismatch("the same three tokens give other logits when they are the end of a longer sequence")


def ready(candidate: Candidate, kind: str, values: dict[str, NDArray[np.float32]], sizes: Sizes = SIZES) -> Handle:
    """A model with these weights."""
    model = built(candidate, kind, sizes)
    set_weights(candidate, model, values, sizes)
    return model


@criterion("sinusoidal-added")
def test_sinusoidal_positions_are_added_as_learned_ones_are(candidate: Candidate, rng: np.random.Generator) -> None:
    """Against the candidate's own learned model with the sinusoids in its table: only the vectors are judged."""
    values, ids = drawn(rng), token_ids(rng, 3, 6)
    expect_sinusoids(candidate, values, ids, logits_of(ready(candidate, "sinusoidal", values), ids))


@criterion("past-context-sinusoidal")
@pytest.mark.parametrize("length", [SIZES.context + 1, 3 * SIZES.context + 2])
def test_sinusoidal_positions_go_on_past_the_context(
    candidate: Candidate, rng: np.random.Generator, length: int
) -> None:
    values, ids = drawn(rng), token_ids(rng, 2, length)
    expect_sinusoids(candidate, values, ids, logits_of(ready(candidate, "sinusoidal", values), ids))


def expect_sinusoids(
    candidate: Candidate, values: dict[str, NDArray[np.float32]], ids: NDArray[np.int64], found: NDArray[np.float32]
) -> None:
    """Raise a Mismatch unless `found` is what a long enough learned model gives with the vectors in its table.

    A mistake in the vectors themselves has a criterion of its own: the candidate's own vectors will do.
    """
    learned = built(candidate, "learned", SIZES.with_context(ids.shape[1] + 1))
    for table in tables(candidate, ids.shape[1] + 1):
        rows = {**values, "positions.weight": table}
        set_weights(candidate, learned, rows, SIZES.with_context(len(table)))
        difference = largest_difference(found, logits_of(learned, ids))
        if difference < ATOL:
            return
    raise Mismatch(
        f"with sinusoidal positions, logits of {ids.shape[1]} tokens differ by {difference:.2g} from those of a "
        "learned table that holds the same vectors"
    )


def tables(candidate: Candidate, length: int):  # type: ignore[no-untyped-def]
    """The right table, and then the candidate's own if it is one."""
    yield sinusoids(np.arange(length), SIZES.d_model).astype("float32")
    try:
        own = candidate.SinusoidalPositions(SIZES.d_model)(np.arange(length))
    except (Raised, Mismatch, Lost):
        return
    if isinstance(own, np.ndarray) and own.shape == (length, SIZES.d_model) and np.isfinite(own).all():
        yield own.astype("float32")


@criterion("past-context-learned")
@pytest.mark.parametrize("length", [SIZES.context + 1, 2 * SIZES.context + 3])
def test_learned_positions_end_with_the_context(candidate: Candidate, rng: np.random.Generator, length: int) -> None:
    model = built(candidate, "learned")
    model(token_ids(rng, 2, 4))  # one that refuses everything refuses nothing in particular
    try:
        value = model(token_ids(rng, 2, length))
    except Raised as error:
        expect_value_error(error, f"{length} tokens with a context of {SIZES.context}")
        return
    raise Mismatch(f"{length} tokens with a context of {SIZES.context} gave {describe(value)}, expected a ValueError")


def expect_value_error(error: Raised, what: str) -> None:
    """Raise a Mismatch for another exception; a type that is not built in may well be a kind of ValueError."""
    if error.type != "ValueError" and hasattr(builtins, error.type):
        raise Mismatch(f"{what} raised {error.type}, expected a ValueError") from None


@criterion("unknown-refused")
@pytest.mark.parametrize("kind", ["rotary", "", "Learned", "sinusoidal ", None])
def test_other_kinds_are_refused(candidate: Candidate, kind: str) -> None:
    built(candidate, "learned")  # one that refuses everything refuses nothing in particular
    try:
        built(candidate, kind)
    except Raised as error:
        expect_value_error(error, f"position_encoding={kind!r}")
        return
    raise Mismatch(f"position_encoding={kind!r} was accepted, expected a ValueError")


@criterion("moves")
@pytest.mark.parametrize("kind", KINDS)
def test_the_model_works_on_another_device(candidate: Candidate, rng: np.random.Generator, kind: str) -> None:
    candidate.moved(built(candidate, kind), token_ids(rng, 2, 5))
