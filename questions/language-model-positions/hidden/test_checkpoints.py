"""What a model saves, what it loads, and what it refuses."""

from contextlib import suppress

import numpy as np
import pytest
from models import ATOL, KINDS, SIZES, built, drawn, numbers_of, set_weights, shapes, token_ids
from test_model import ready

from grader.checks import Candidate, Mismatch, Raised, criterion, largest_difference

CROSSINGS = [KINDS, KINDS[::-1]]


@criterion("checkpoint-parameters")
@pytest.mark.parametrize("kind", KINDS)
def test_the_parameters_have_the_agreed_names_and_shapes(candidate: Candidate, kind: str) -> None:
    found = {each.name: each.shape for each in candidate.inventory(built(candidate, kind)).parameters}
    found.pop("positions.weight", None) if kind == "sinusoidal" else None  # too many there: a criterion of its own
    for name, shape in shapes(kind=kind).items():
        if found.get(name) != shape:
            there = list(found[name]) if name in found else "nothing of its own"
            raise Mismatch(f"found {there} as {name}, expected {list(shape)}")


@criterion("own-kind-loads")
@pytest.mark.parametrize("kind", KINDS)
def test_a_checkpoint_of_the_same_kind_is_restored(candidate: Candidate, rng: np.random.Generator, kind: str) -> None:
    saved, ids = ready(candidate, kind, drawn(rng)), token_ids(rng, 3, 5)
    expected = numbers_of(saved, ids)
    fresh = built(candidate, kind)
    load(fresh, saved, f"a {kind} model refused a checkpoint of a {kind} one")
    if largest_difference(numbers_of(fresh, ids), expected) > ATOL:
        raise Mismatch(f"a {kind} model gives other logits than the one whose checkpoint it loaded")


@criterion("own-kind-loads")
def test_a_sinusoidal_checkpoint_fits_another_context(candidate: Candidate) -> None:
    longer = built(candidate, "sinusoidal", SIZES.with_context(4 * SIZES.context))
    load(longer, built(candidate, "sinusoidal"), "a sinusoidal model refused a checkpoint from a shorter context")


def load(fresh, saved, refusal: str) -> None:  # type: ignore[no-untyped-def]
    """Load one model's checkpoint into another; a Mismatch if that is refused."""
    state = saved.state_dict()
    try:
        fresh.load_state_dict(state)
    except Raised as error:
        raise Mismatch(f"{refusal}: {error.message[:160]}") from None


@criterion("crossing-refused")
@pytest.mark.parametrize(("saved", "loading"), CROSSINGS)
def test_a_checkpoint_of_the_other_kind_is_refused(candidate: Candidate, saved: str, loading: str) -> None:
    refusal(candidate, saved, loading)


@criterion("crossing-named")
@pytest.mark.parametrize(("saved", "loading"), CROSSINGS)
def test_the_refusal_names_both_kinds(candidate: Candidate, saved: str, loading: str) -> None:
    message = refusal(candidate, saved, loading)
    for kind in KINDS:
        if kind not in message.lower():
            raise Mismatch(f"the refusal does not contain {kind!r}: {message[:200]}")


def refusal(candidate: Candidate, saved: str, loading: str) -> str:
    """What a model of one kind says to a checkpoint of the other; a Mismatch if it takes it."""
    state = built(candidate, saved).state_dict()
    try:
        built(candidate, loading).load_state_dict(state)
    except Raised as error:
        return error.message
    raise Mismatch(f"a {loading} model took a checkpoint of a {saved} one, expected an error")


@criterion("refusal-changes-nothing")
@pytest.mark.parametrize(("saved", "loading"), CROSSINGS)
def test_a_refused_checkpoint_leaves_the_model_as_it_was(
    candidate: Candidate, rng: np.random.Generator, saved: str, loading: str
) -> None:
    model, ids = ready(candidate, loading, drawn(rng)), token_ids(rng, 3, 5)
    before = numbers_of(model, ids)
    other = built(candidate, saved)
    set_weights(candidate, other, drawn(rng))
    state = other.state_dict()
    with suppress(Raised):  # whether it is refused has a criterion of its own
        model.load_state_dict(state)
    if largest_difference(numbers_of(model, ids), before) > ATOL:
        raise Mismatch(f"a {loading} model gives other logits after a checkpoint of a {saved} one, expected the same")
