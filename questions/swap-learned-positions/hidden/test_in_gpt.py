"""The module in the packet's GPT, at full size without weights and at toy size with them."""

import numpy as np
import pytest
from oracle import built, embeddings, expect_something_added, parameter_count, x_that_works

from grader.checks import (
    Candidate,
    Handle,
    Mismatch,
    Raised,
    criterion,
    describe,
    expect_array,
    expect_close,
    expect_integer,
    tensor,
)

VOCABULARY, CONTEXT, D_MODEL = 29, 16, 8
ELSEWHERE = "meta"  # the device that `candidate.moved` moves to


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


def fresh(candidate: Candidate) -> Handle:
    """The candidate's module, for the toy GPT."""
    return built(candidate, CONTEXT, D_MODEL, 10_000.0)


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
    expect_something_added(fresh(candidate), embeddings(rng, 2, CONTEXT, D_MODEL))


@criterion("parameter-delta")
def test_a_gpt_in_training_has_no_more_to_learn_than_it_names(
    candidate: Candidate, ids: np.ndarray[tuple[int, ...], np.dtype[np.int64]]
) -> None:
    """Weights count that the backward pass finds, wherever they are kept; one that is a buffer has its criterion."""
    model = toy(candidate, fresh(candidate))
    try:
        steps = candidate.trained(model, ids).steps
    except Raised:
        return  # whether the GPT works at all has its own criterion
    learned = [step.tensor for step in steps if step.gradient and step.tensor.kind != "buffer"]
    frozen = [step.tensor for step in steps if not step.gradient and step.tensor.kind == "parameter"]
    before = parameter_count(VOCABULARY, CONTEXT, D_MODEL, n_layer=2)
    after = sum(tensor.size for tensor in learned + frozen)
    expect_integer(before - after, CONTEXT * D_MODEL, of="the drop in what a small GPT trains or holds frozen")


@criterion("forward-unchanged")
def test_float32_stays_float32_and_gradients_reach_x(candidate: Candidate, rng: np.random.Generator) -> None:
    """The gradient at x is that of what forward does: it predicts how the result moves when x moves a little."""
    module = fresh(candidate).train(False)
    x = x_that_works(module, embeddings(rng, 3, CONTEXT, D_MODEL))
    cotangent, direction = embeddings(rng, *x.shape), embeddings(rng, *x.shape)
    seen = candidate.gradient(module, x, cotangent)
    result = expect_array(seen.result, x.shape, of="the result of forward", dtypes=("float32",))
    if seen.at_x is None or not np.any(seen.at_x):
        raise Mismatch("no gradient arrives at x, expected that of a sum")
    back = expect_array(seen.at_x, x.shape, of="the gradient at x")
    moved = (expect_array(module(x + 0.01 * direction), x.shape, of="the result of forward") - result) / 0.01
    expected, predicted = float((cotangent * moved).sum()), float((back * direction).sum())
    if abs(expected - predicted) > 0.05 * float(np.linalg.norm(cotangent) * np.linalg.norm(moved)):
        raise Mismatch(
            f"the gradient at x predicts a change of {predicted:.3g} where forward changes by {expected:.3g}"
        )


@criterion("forward-unchanged")
def test_the_gpt_forwards(candidate: Candidate, ids: np.ndarray[tuple[int, ...], np.dtype[np.int64]]) -> None:
    logits = toy(candidate, fresh(candidate))(ids)
    expect_array(logits, (*ids.shape, VOCABULARY), of="the array of logits", dtypes=("float32",))


@criterion("forward-unchanged")
def test_the_table_survives_the_initialisation_of_the_gpt(candidate: Candidate) -> None:
    module = fresh(candidate).train(False)
    blank = x_that_works(module, np.zeros((1, CONTEXT, D_MODEL), "float32"))
    before = module(blank)
    toy(candidate, module)
    if not np.array_equal(expect_array(module(blank), blank.shape, of="the result of forward"), before):
        raise Mismatch("the GPT's own initialisation overwrote the table")


@criterion("forward-unchanged")
def test_a_training_step_goes_through(
    candidate: Candidate, ids: np.ndarray[tuple[int, ...], np.dtype[np.int64]]
) -> None:
    model = toy(candidate, fresh(candidate))
    loss = candidate.support("gpt").train_step(model, tensor(ids))
    if not (isinstance(loss, float) and np.isfinite(loss)):
        raise Mismatch(f"the loss of a training step is {describe(loss)}, expected a finite number")
    expect_array(model(ids), (*ids.shape, VOCABULARY), of="the array of logits after a step", dtypes=("float32",))


@criterion("forward-unchanged")
def test_the_module_moves_with_the_model(
    candidate: Candidate, ids: np.ndarray[tuple[int, ...], np.dtype[np.int64]]
) -> None:
    model = toy(candidate, fresh(candidate))
    model(ids)  # what is kept from a first call has to move as well
    candidate.moved(model, ids)
    for each in candidate.inventory(model):
        if each.kind != "loose" and each.shape and each.device != ELSEWHERE:  # a GPU adds numbers of the CPU's
            raise Mismatch(f"the {each.kind} {each.name} stayed on the {each.device} when the GPT was moved")


@criterion("forward-unchanged")
def test_the_module_moves_by_itself(candidate: Candidate, rng: np.random.Generator) -> None:
    """By its own `.to`, which a model around it never calls."""
    module = fresh(candidate)
    x = x_that_works(module, embeddings(rng, 3, CONTEXT, D_MODEL))
    if isinstance(candidate.moved(module, x), np.ndarray):
        raise Mismatch("the module was moved to another device with x, and its result is on the cpu")


@criterion("forward-unchanged")
def test_a_saved_gpt_loads_into_a_fresh_one(
    candidate: Candidate, ids: np.ndarray[tuple[int, ...], np.dtype[np.int64]]
) -> None:
    """A table that is not saved is as good as one that is: what is saved has to be what a fresh module expects."""
    model, other = (toy(candidate, fresh(candidate)).train(False) for _ in range(2))
    seen = candidate.round_trip(model, other, ids)
    for key in seen.missing:
        raise Mismatch(f"a fresh GPT can't load what another saved: {key} is missing in its state_dict()")
    for key in seen.unexpected:
        raise Mismatch(f"a fresh GPT can't load what another saved: it has no {key}")
    logits = expect_array(seen.result, (*ids.shape, VOCABULARY), of="the array of logits")
    expect_close(seen.restored, logits, atol=1e-5, of="the array of logits after saving and loading")
