"""What a model saves, what it loads, and what it refuses."""

from contextlib import suppress
from typing import Any

import numpy as np
import pytest
from block_oracle import Array
from models import ATOL, KINDS, SIZES, built, drawn, is_missing, names_of, numbers_of, set_weights, shapes, token_ids
from test_model import ready

from grader.checks import Candidate, Handle, Mismatch, Raised, criterion, largest_difference, tensor

CROSSINGS = [KINDS, KINDS[::-1]]


@criterion("checkpoint-parameters")
@pytest.mark.parametrize("kind", KINDS)
def test_the_parameters_have_the_agreed_names_and_shapes(candidate: Candidate, kind: str) -> None:
    if is_missing(candidate, kind):
        return
    found = {each.name: each.shape for each in candidate.inventory(built(candidate, kind)).parameters}
    found.pop("positions.weight", None) if kind == "sinusoidal" else None  # too many there: a criterion of its own
    for name, shape in shapes(kind=kind).items():
        if found.get(name) != shape:
            there = list(found[name]) if name in found else "nothing of its own"
            raise Mismatch(f"found {there} as {name}, expected {list(shape)}")


@criterion("own-kind-loads")
@pytest.mark.parametrize("kind", KINDS)
def test_a_checkpoint_of_the_same_kind_is_restored(candidate: Candidate, rng: np.random.Generator, kind: str) -> None:
    if is_missing(candidate, kind, called=True):
        return
    saved, ids = ready(candidate, kind, drawn(rng)), token_ids(rng, 3, 5)
    expected = numbers_of(saved, ids)
    fresh = built(candidate, kind)
    load(fresh, saved.state_dict(), f"a {kind} model refused a checkpoint of a {kind} one")
    if not same(numbers_of(fresh, ids), expected):
        raise Mismatch(f"a {kind} model gives other logits than the one whose checkpoint it loaded")


@criterion("own-kind-loads")
def test_an_existing_checkpoint_is_restored(candidate: Candidate, rng: np.random.Generator) -> None:
    """One from before there were two kinds: the parameters of a learned model, and nothing beside them."""
    saved, fresh, ids = built(candidate, "learned"), built(candidate, "learned"), token_ids(rng, 3, 5)
    held = set_weights(candidate, saved, drawn(rng))
    names = names_of(candidate, fresh)  # those agreed, or else its own: they have a criterion
    existing = {names[name]: tensor(value) for name, value in held.items() if name in names}
    load(fresh, existing, "a learned model refused a checkpoint that holds its parameters and nothing else")
    if not same(numbers_of(fresh, ids), numbers_of(saved, ids)):
        raise Mismatch("a learned model gives other logits than the one whose parameters it loaded")


@criterion("own-kind-loads")
def test_a_sinusoidal_checkpoint_fits_another_context(candidate: Candidate) -> None:
    if is_missing(candidate, "sinusoidal"):
        return
    longer = built(candidate, "sinusoidal", SIZES.with_context(4 * SIZES.context))
    state = built(candidate, "sinusoidal").state_dict()
    load(longer, state, "a sinusoidal model refused a checkpoint from a shorter context")


def same(one: Array, other: Array) -> bool:
    """Whether two calls gave the same numbers; a model may give more of them in one call than in another."""
    return one.shape == other.shape and largest_difference(one, other) <= ATOL


def load(fresh: Handle, state: Any, refusal: str) -> None:
    """Load a checkpoint into a model; a Mismatch if that is refused."""
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
    if not is_missing(candidate, loading) and is_missing(candidate, loading, called=True):
        return  # it gives no logits to compare
    model, ids = ready(candidate, loading, drawn(rng)), token_ids(rng, 3, 5)
    before = numbers_of(model, ids)
    other = built(candidate, saved)
    set_weights(candidate, other, drawn(rng))
    state = other.state_dict()
    with suppress(Raised):  # whether it is refused has a criterion of its own
        model.load_state_dict(state)
    if not same(numbers_of(model, ids), before):
        raise Mismatch(f"a {loading} model gives other logits after a checkpoint of a {saved} one, expected the same")
