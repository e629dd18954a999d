"""The position vectors, and what a model with either kind holds for them."""

from contextlib import suppress

import numpy as np
import pytest
from models import KINDS, SIZES, as_module, built, frequencies, names_of, sinusoids, token_ids

from grader.checks import (
    Candidate,
    Handle,
    Mismatch,
    Raised,
    criterion,
    expect_close,
    expect_integer,
    largest_difference,
)


@criterion("sinusoidal-formula")
@pytest.mark.parametrize(("d_model", "length"), [(8, 5), (12, 7), (2, 3)])
def test_vectors_are_sines_and_cosines(
    candidate: Candidate, rng: np.random.Generator, d_model: int, length: int
) -> None:
    module = as_module(candidate.SinusoidalPositions(d_model))
    for highest in (8, 3000):
        positions = rng.integers(0, highest, size=length)
        # Angles in float32 are off by a part in ten million and more of the position.
        atol = 2e-5 + 5e-7 * highest
        expected = sinusoids(positions, d_model)
        expect_close(module(positions), expected, atol=atol, of="the vectors", dtypes=("float32",))


@criterion("frequencies-buffer")
@pytest.mark.parametrize("d_model", [8, 12])
def test_the_frequencies_are_a_buffer_from_the_start(candidate: Candidate, d_model: int) -> None:
    expect_frequencies(candidate, as_module(candidate.SinusoidalPositions(d_model)), d_model)
    model = built(candidate, "sinusoidal", SIZES._replace(d_model=d_model, n_head=2))
    expect_frequencies(candidate, model, d_model)


def expect_frequencies(candidate: Candidate, module: Handle, d_model: int) -> None:
    """Raise a Mismatch unless a buffer of the module holds the frequencies, in float32 and without gradient."""
    inventory = candidate.inventory(module)
    found = [each for each in inventory.buffers if each.size == d_model // 2]
    if not found:
        held = [f"{each.kind} {each.name} {list(each.shape)}" for each in inventory if each.size == d_model // 2]
        raise Mismatch(f"found {held[0] if held else 'no buffer'}, expected a buffer of {d_model // 2} frequencies")
    for each in found:
        if each.requires_grad:
            raise Mismatch(f"the buffer {each.name} requires a gradient, expected none")
        if each.dtype != "float32":
            raise Mismatch(f"the buffer {each.name} is {each.dtype}, expected float32")
    values = [candidate.value(module, each.name).reshape(-1) for each in found]
    if not any(largest_difference(value, frequencies(d_model)) < 1e-5 or is_used(candidate, value) for value in values):
        raise Mismatch(f"the buffer {found[0].name} holds other numbers than the frequencies")


def is_used(candidate: Candidate, value: np.ndarray) -> bool:
    """Whether these are the frequencies that the candidate's vectors have: a wrong formula is judged elsewhere."""
    first = candidate.SinusoidalPositions(2 * len(value))(np.array([1]))
    angles = np.sort(np.stack((np.sin(value), np.cos(value))).reshape(-1))
    return isinstance(first, np.ndarray) and bool(np.allclose(np.sort(first.reshape(-1)), angles, atol=1e-4))


@criterion("no-position-parameters")
def test_a_sinusoidal_model_has_one_table_fewer(candidate: Candidate) -> None:
    """As many as the table of the learned model has, which may be too long: its shape has a criterion of its own."""
    sizes = SIZES.with_context(31)
    models = [built(candidate, kind, sizes) for kind in KINDS]
    learned, fixed = map(candidate.inventory, models)
    table = names_of(candidate, models[0], sizes).get("positions.weight")
    size = next((each.size for each in learned if each.name == table), sizes.context * sizes.d_model)
    saved = learned.parameter_count - fixed.parameter_count
    expect_integer(saved, size, of="what a sinusoidal model has fewer of parameters")


@criterion("on-demand")
def test_nothing_larger_than_the_frequencies_is_kept(candidate: Candidate, rng: np.random.Generator) -> None:
    model = built(candidate, "sinusoidal")
    expect_nothing_large(candidate, model, "is built")
    with suppress(Raised):  # whether it works has criteria of its own
        model(token_ids(rng, 3, SIZES.context))
    expect_nothing_large(candidate, model, "was called")


def expect_nothing_large(candidate: Candidate, model: Handle, when: str) -> None:
    """Raise a Mismatch for a tensor, in a buffer or anywhere else, that has room for more than two position vectors."""
    for each in candidate.inventory(model):
        fixed = each.kind != "parameter" or not each.requires_grad
        if fixed and each.size > SIZES.d_model:
            raise Mismatch(f"once it {when}, the model holds {each.name} {list(each.shape)}, expected its frequencies")


@criterion("default-learned")
def test_positions_are_learned_if_nothing_is_said(candidate: Candidate) -> None:
    model = as_module(candidate.LanguageModel(*SIZES))
    table = names_of(candidate, model).get("positions.weight")
    if not any(each.name == table and each.requires_grad for each in candidate.inventory(model)):
        raise Mismatch("found no trainable position table in the default model, expected one")
