"""What the model computes with either kind of positions."""

import builtins
from collections.abc import Iterator

import numpy as np
import pytest
from models import (
    ATOL,
    KINDS,
    SIZES,
    Sizes,
    built,
    drawn,
    even,
    expected_logits,
    is_missing,
    logits_of,
    names_of,
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
def test_every_token_gets_logits(candidate: Candidate, rng: np.random.Generator, kind: str) -> None:
    if is_missing(candidate, kind):
        return
    model = built(candidate, kind)
    for batch, length in ((3, 5), (1, 1), (2, SIZES.context)):
        logits_of(model, token_ids(rng, batch, length))


@criterion("forward-values")
@pytest.mark.parametrize("training", [False, True], ids=["evaluation", "training"])
@pytest.mark.parametrize("sizes", [SIZES, Sizes(11, 7, 8, 2, 2)], ids=["shallow", "deep"])
def test_logits_come_from_sum_stack_norm_and_head(
    candidate: Candidate, rng: np.random.Generator, sizes: Sizes, training: bool
) -> None:
    """With one vector for all positions, so that it does not matter here which is whose."""
    model, values = built(candidate, "learned", sizes).train(training), drawn(rng, sizes)
    values["positions.weight"][:] = values["positions.weight"][0]
    rows = values["positions.weight"][:5]
    held = set_weights(candidate, model, values, sizes)
    ids = token_ids(rng, 3, 5, sizes)
    expected = expected_logits(ids, held, rows, sizes)
    of = f"the array of logits in {'training' if training else 'evaluation'}"
    expect_close(logits_of(model, ids, sizes), expected, atol=ATOL, of=of)


@criterion("forward-values")
def test_every_embedding_learns(candidate: Candidate, rng: np.random.Generator) -> None:
    """A step of training changes the vectors of all tokens, once each was looked up, and some of the positions."""
    model = ready(candidate, "learned", drawn(rng)).train(True)
    names = names_of(candidate, model)
    tables = [part for part in ("tokens.weight", "positions.weight") if part in names]
    before = {part: candidate.value(model, names[part]) for part in tables}
    candidate.trained(model, np.resize(rng.permutation(SIZES.vocab_size), (4, 5)))
    for part in tables:
        learned = (candidate.value(model, names[part]) != before[part]).any(axis=1)  # (rows,)
        if not learned.any():
            raise Mismatch(f"a step of training leaves {part} as it was")
        if part == "tokens.weight" and not learned.all():
            raise Mismatch(f"a step of training leaves the vector of token {learned.argmin()} as it was")


@criterion("positions-from-zero")
def test_a_learned_row_counts_from_its_own_position_on(candidate: Candidate, rng: np.random.Generator) -> None:
    values, ids = even(drawn(rng)), token_ids(rng, 3, 6)
    model = ready(candidate, "learned", values)
    before = logits_of(model, ids)
    for row in (0, 2, 5):
        changed = values["positions.weight"].copy()
        changed[row] += rng.normal(size=SIZES.d_model)
        set_weights(candidate, model, {"positions.weight": changed})
        moved = np.abs(logits_of(model, ids) - before).max(axis=(0, 2)) > ATOL  # (T,)
        if not moved[row:].all() or moved[:row].any():
            where = f"position {moved.argmax()}" if moved.any() else "none"
            raise Mismatch(f"row {row} of the learned table counts from {where} on, expected from position {row} on")


@criterion("positions-from-zero")
@pytest.mark.parametrize("kind", KINDS)
def test_a_cropped_input_starts_at_zero_again(candidate: Candidate, rng: np.random.Generator, kind: str) -> None:
    """A token sees those before it only, so the first logits of a sequence are those of its beginning."""
    if is_missing(candidate, kind, called=True):
        return
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
    """A model with these weights; one with sinusoidal positions keeps whatever it has for them."""
    model = built(candidate, kind, sizes)
    kept = {name: value for name, value in values.items() if kind == "learned" or name != "positions.weight"}
    set_weights(candidate, model, kept, sizes)
    return model


@criterion("sinusoidal-added")
def test_sinusoidal_positions_are_added_as_learned_ones_are(candidate: Candidate, rng: np.random.Generator) -> None:
    """Against the candidate's own learned model with the vectors in its table, whatever else it does with them."""
    values, ids = drawn(rng), token_ids(rng, 3, 6)
    found = logits_of(ready(candidate, "sinusoidal", values), ids)
    learned = ready(candidate, "learned", values)
    for table in tables(candidate, SIZES.context):
        set_weights(candidate, learned, {"positions.weight": table})
        difference = largest_difference(found, logits_of(learned, ids))
        if difference < ATOL:
            return
    raise Mismatch(
        f"with sinusoidal positions, logits differ by {difference:.2g} from those of a learned table that holds the "
        "same vectors"
    )


@criterion("past-context-sinusoidal")
def test_sinusoidal_positions_go_on_past_the_context(candidate: Candidate, rng: np.random.Generator) -> None:
    """Against a model that was built for as many tokens: the context makes no difference."""
    values, ids = drawn(rng), token_ids(rng, 2, 3 * SIZES.context + 2)
    roomy = SIZES.with_context(ids.shape[1] + 1)
    expected = logits_of(ready(candidate, "sinusoidal", values, roomy), ids)
    model = ready(candidate, "sinusoidal", values)
    for length in (SIZES.context + 1, ids.shape[1]):
        if largest_difference(logits_of(model, ids[:, :length]), expected[:, :length]) > ATOL:
            raise Mismatch(
                f"{length} tokens with a context of {SIZES.context} give other logits than with one of {roomy.context}"
            )


def tables(candidate: Candidate, length: int) -> Iterator[NDArray[np.float32]]:
    """The right table, and then the candidate's own if it has one: a wrong formula has a criterion of its own."""
    yield sinusoids(np.arange(length), SIZES.d_model).astype("float32")
    try:
        own = candidate.SinusoidalPositions(SIZES.d_model)(np.arange(length))
    except (Raised, Mismatch, Lost):
        return
    if isinstance(own, np.ndarray) and own.shape == (length, SIZES.d_model) and np.isfinite(own).all():
        yield own.astype("float32")


@criterion("past-context-learned")
def test_learned_positions_end_with_the_context(candidate: Candidate, rng: np.random.Generator) -> None:
    model = built(candidate, "learned")
    model(token_ids(rng, 2, 4))  # one that refuses everything refuses nothing in particular
    for length in (SIZES.context + 1, 2 * SIZES.context + 3):
        case = f"{length} tokens with a context of {SIZES.context}"
        try:
            value = model(token_ids(rng, 2, length))
        except Raised as error:
            expect_value_error(error, case)
        else:
            raise Mismatch(f"{case} gave {describe(value)}, expected a ValueError")


def expect_value_error(error: Raised, what: str) -> None:
    """Raise a Mismatch for another exception; a type that is not built in may well be a kind of ValueError."""
    if error.type != "ValueError" and hasattr(builtins, error.type):
        raise Mismatch(f"{what} raised {error.type}, expected a ValueError") from None


@criterion("unknown-refused")
def test_other_kinds_are_refused(candidate: Candidate) -> None:
    built(candidate, "learned")  # one that refuses everything refuses nothing in particular
    for kind in ("rotary", "", "Learned", "sinusoidal ", None):
        try:
            built(candidate, kind)
        except Raised as error:
            expect_value_error(error, f"position_encoding={kind!r}")
        else:
            raise Mismatch(f"position_encoding={kind!r} was accepted, expected a ValueError")


@criterion("moves")
@pytest.mark.parametrize("kind", KINDS)
def test_the_model_works_on_another_device(candidate: Candidate, rng: np.random.Generator, kind: str) -> None:
    if not is_missing(candidate, kind):
        candidate.moved(built(candidate, kind), token_ids(rng, 2, 5))
