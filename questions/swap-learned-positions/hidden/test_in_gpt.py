"""The module in the packet's GPT, at full size without weights and at toy size with them."""

import numpy as np
import pytest
from oracle import embeddings, expect_something_added, parameter_count

from grader.checks import (
    Candidate,
    Handle,
    Mismatch,
    criterion,
    describe,
    expect_array,
    expect_integer,
    tensor,
)

VOCABULARY, CONTEXT, D_MODEL = 29, 16, 8


@pytest.fixture
def ids(rng: np.random.Generator) -> np.ndarray[tuple[int, ...], np.dtype[np.int64]]:
    """Token ids [3, 7]: more tokens than sequences, fewer than the context."""
    return rng.integers(0, VOCABULARY, size=(3, 7))


def toy(candidate: Candidate, positions: Handle) -> Handle:
    """A GPT of two blocks around a position module."""
    gpt = candidate.support("gpt")
    config = gpt.GPTConfig(vocab_size=VOCABULARY, context=CONTEXT, d_model=D_MODEL, n_layer=2, n_head=2)
    model = gpt.GPT(config, positions)
    assert isinstance(model, Handle)
    return model


def built(candidate: Candidate) -> Handle:
    """The candidate's module, for the toy GPT."""
    module = candidate.SinusoidalPositions(CONTEXT, D_MODEL, 10_000.0)
    if not isinstance(module, Handle):
        raise Mismatch(f"SinusoidalPositions(...) gives {describe(module)}, expected a module")
    return module


@criterion("parameter-delta")
def test_the_full_size_gpt_loses_exactly_one_table(
    candidate: Candidate, rng: np.random.Generator, parameters: dict[str, float]
) -> None:
    max_len, d_model = int(parameters["max_len"]), int(parameters["d_model"])
    gpt = candidate.support("gpt")
    positions = candidate.SinusoidalPositions(max_len, d_model, parameters["base"])
    model = gpt.GPT(gpt.GPTConfig(context=max_len, d_model=d_model), positions, device="meta")
    before = parameter_count(50257, max_len, d_model, n_layer=12)
    after = candidate.inventory(model).parameter_count
    expect_integer(before - after, max_len * d_model, of="the drop in unique parameters of the full-size GPT")
    expect_something_added(built(candidate), embeddings(rng, 2, CONTEXT, D_MODEL))


@criterion("forward-unchanged")
def test_float32_stays_float32_and_gradients_reach_x(candidate: Candidate, rng: np.random.Generator) -> None:
    x = embeddings(rng, 3, CONTEXT, D_MODEL)
    result, back = candidate.gradient(built(candidate), x, np.ones_like(x))
    expect_array(result, x.shape, of="the result of forward", dtypes=("float32",))
    if back is None or not np.any(back):
        raise Mismatch("no gradient arrives at x, expected that of a sum")
    expect_array(back, x.shape, of="the gradient at x")


@criterion("forward-unchanged")
def test_the_gpt_forwards(candidate: Candidate, ids: np.ndarray[tuple[int, ...], np.dtype[np.int64]]) -> None:
    logits = toy(candidate, built(candidate))(ids)
    expect_array(logits, (*ids.shape, VOCABULARY), of="the logits", dtypes=("float32",))


@criterion("forward-unchanged")
def test_the_table_survives_the_initialisation_of_the_gpt(candidate: Candidate) -> None:
    module, blank = built(candidate), np.zeros((1, CONTEXT, D_MODEL), "float32")
    before = module(blank)
    toy(candidate, module)
    if not np.array_equal(expect_array(module(blank), blank.shape, of="the result of forward"), before):
        raise Mismatch("the GPT's own initialisation overwrote the table")


@criterion("forward-unchanged")
def test_a_training_step_goes_through(
    candidate: Candidate, ids: np.ndarray[tuple[int, ...], np.dtype[np.int64]]
) -> None:
    model = toy(candidate, built(candidate))
    loss = candidate.support("gpt").train_step(model, tensor(ids))
    if not (isinstance(loss, float) and np.isfinite(loss)):
        raise Mismatch(f"the loss of a training step is {describe(loss)}, expected a finite number")
    expect_array(model(ids), (*ids.shape, VOCABULARY), of="the logits after a training step", dtypes=("float32",))


@criterion("forward-unchanged")
def test_the_module_moves_with_the_model(
    candidate: Candidate, ids: np.ndarray[tuple[int, ...], np.dtype[np.int64]]
) -> None:
    candidate.moved(toy(candidate, built(candidate)), ids)
