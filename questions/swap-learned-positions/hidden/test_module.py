"""`SinusoidalPositions`: what it holds, and what its forward does."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracle import (
    Array,
    built,
    embeddings,
    exact,
    expect_rows,
    expect_something_added,
    is_table,
    own_table,
    past_the_end,
    x_that_works,
)

from grader.checks import Candidate, Handle, Mismatch, Raised, Step, criterion, expect_array, largest_difference

BASE = 100.0


@criterion("buffer-registered")
def test_the_table_is_a_buffer_right_after_construction(candidate: Candidate) -> None:
    d_model = 8
    module = built(candidate, 12, d_model)
    inventory = candidate.inventory(module)
    shapes = table_shapes(12, d_model)
    found = [buffer for buffer in inventory.buffers if buffer.shape in shapes]
    if not found:
        held = [f"{each.kind} {each.name} {list(each.shape)}" for each in inventory if each.kind != "loose"]
        held += [f"plain attribute {each.name} {list(each.shape)}" for each in inventory.loose]
        raise Mismatch(f"found {'; '.join(held[:4]) or 'no tensor'}, expected a buffer of shape {list(shapes[0])}")
    for buffer in found:
        if buffer.requires_grad:
            raise Mismatch(f"the buffer {buffer.name} requires a gradient, expected none")
    values = [candidate.value(module, buffer.name) for buffer in found]
    numbers = [value.reshape(12, d_model) for value in values if isinstance(value, np.ndarray)]
    if not any(is_table(each, candidate, 12, BASE) or is_added(each, module) for each in numbers):
        raise Mismatch(f"the buffer {found[0].name} holds other numbers than the table")


def table_shapes(max_len: int, d_model: int) -> list[tuple[int, ...]]:
    """The shapes that the prompt allows for the buffer."""
    return [(max_len, d_model), (1, max_len, d_model), (max_len, 1, d_model)]


def is_added(numbers: Array, module: Handle) -> bool:
    """Whether `numbers` (max_len, d_model) are what the module adds: which rows are right has its own criterion."""
    blank = np.zeros((1, *numbers.shape), "float32")
    try:
        result = module.train(False)(blank)
    except Raised:
        return False
    same_shape = isinstance(result, np.ndarray) and result.shape == blank.shape
    return same_shape and largest_difference(result[0], numbers) < 1e-5


def steps_of(candidate: Candidate, module: Handle, x: Array) -> list[Step]:
    """What training does to the module's tensors; nothing where its forward fails, which has criteria of its own."""
    try:
        return candidate.trained(module, x).steps
    except Raised:
        return []


@criterion("buffer-registered")
def test_a_step_of_training_leaves_the_table_alone(candidate: Candidate, rng: np.random.Generator) -> None:
    """Whatever the module says of itself: no gradient arrives at the buffer, and no step changes its numbers."""
    module = built(candidate, 6)
    x = x_that_works(module, embeddings(rng, 3, 6, 8))
    for step in steps_of(candidate, module, x):
        if step.tensor.kind == "buffer" and step.tensor.shape in table_shapes(6, 8):
            if step.gradient:
                raise Mismatch(f"a gradient arrives at the buffer {step.tensor.name}, expected none")
            if step.changed:
                raise Mismatch(f"a step of training changes the buffer {step.tensor.name}, expected it to stay")


@criterion("no-parameters")
def test_the_module_holds_no_parameter(candidate: Candidate, rng: np.random.Generator) -> None:
    module = built(candidate, 6)
    for parameter in candidate.inventory(module).parameters:
        kind = "trainable" if parameter.requires_grad else "frozen"
        raise Mismatch(f"found the {kind} parameter {parameter.name} {list(parameter.shape)}, expected none")
    expect_something_added(module, embeddings(rng, 3, 6, 8))


@criterion("no-parameters")
def test_training_finds_nothing_to_change(candidate: Candidate, rng: np.random.Generator) -> None:
    """By the module's own `parameters()`, and by where the gradient of its result arrives, under a name or not."""
    module = built(candidate, 6)
    try:
        seen = candidate.trained(module, x_that_works(module, embeddings(rng, 3, 6, 8)))
    except Raised:  # a forward that fails has criteria of its own
        return
    handed_out = len(seen.given) + seen.strangers
    if handed_out:
        raise Mismatch(f"the module's parameters() gives {handed_out} to train, expected none")
    for step in seen.steps:
        if step.gradient and step.tensor.kind != "buffer":  # one at a buffer has its own criterion
            where = "that it keeps under no name" if step.hidden else f"{step.tensor.name}"
            raise Mismatch(f"a gradient arrives at a tensor {where} {list(step.tensor.shape)}, expected none but at x")


@criterion("first-rows-added")
def test_the_result_is_x_plus_the_first_rows(candidate: Candidate, rng: np.random.Generator) -> None:
    x = embeddings(rng, 3, 5, 8)
    result = expect_array(built(candidate, 12)(x), x.shape, of="the result of forward")
    expect_rows(result - x, candidate, 12, BASE)


@criterion("first-rows-added")
@given(
    st.lists(st.tuples(st.integers(1, 5), st.integers(1, 20)), min_size=6, max_size=6),
    st.integers(0, 1 << 30),
)
def test_any_batch_and_any_length_get_the_same_rows(
    candidate: Candidate, shapes: list[tuple[int, int]], seed: int
) -> None:
    inputs = [embeddings(np.random.default_rng(seed), batch, length, 8) for batch, length in shapes]
    results = built(candidate, 20).many([(x,) for x in inputs])
    for x, value in zip(inputs, results, strict=True):
        result = expect_array(value, x.shape, of=f"the result for x of {list(x.shape)}")
        expect_rows(result - x, candidate, 20, BASE)


@criterion("first-rows-added")
@pytest.mark.parametrize(("batch", "length", "d_model"), [(1, 1, 8), (1, 9, 8), (4, 1, 8), (3, 12, 8), (3, 5, 7)])
def test_edges_get_the_first_rows_too(
    candidate: Candidate, rng: np.random.Generator, batch: int, length: int, d_model: int
) -> None:
    if d_model % 2 and own_table(candidate, 12, d_model, BASE) is None:
        return  # an odd width that fails has its own criterion
    x = embeddings(rng, batch, length, d_model)
    result = expect_array(built(candidate, 12, d_model)(x), x.shape, of=f"the result for x of {list(x.shape)}")
    expect_rows(result - x, candidate, 12, BASE)


@criterion("first-rows-added")
def test_training_and_evaluation_do_the_same(candidate: Candidate, rng: np.random.Generator) -> None:
    module, x = built(candidate, 12), embeddings(rng, 3, 5, 8)
    for mode in (True, False):
        module.train(mode)
        result = expect_array(module(x), x.shape, of=f"the result of forward with train({mode})")
        expect_rows(result - x, candidate, 12, BASE)


@criterion("add-not-in-place")
@pytest.mark.parametrize("grad", [True, False], ids=["recording", "no_grad"])
@pytest.mark.parametrize("training", [True, False], ids=["training", "evaluation"])
@pytest.mark.parametrize("batch", [3, 1])
def test_x_stays_as_it_was_and_the_result_is_new(
    candidate: Candidate, rng: np.random.Generator, batch: int, training: bool, grad: bool
) -> None:
    module = built(candidate, 6).train(training)
    x = x_that_works(module, embeddings(rng, batch, 6, 8))
    seen = candidate.observe(built(candidate, 6).train(training), x, grad=grad)
    if not seen.arguments_unchanged:
        raise Mismatch("x was changed by the call, expected it to stay as it was")
    if isinstance(seen.result, np.ndarray) and np.array_equal(seen.result, x):
        raise Mismatch("nothing was added: the result equals x")
    if seen.result_shares_storage:
        raise Mismatch("the result shares memory with x or with the table: writing to it changed one of them")
    if not seen.result_stays:
        raise Mismatch("a later call changed the result of this one, expected a new tensor for each")


@criterion("add-not-in-place")
def test_x_inside_a_graph_stays_as_it_was_too(candidate: Candidate, rng: np.random.Generator) -> None:
    module = built(candidate, 6)
    x = x_that_works(module, embeddings(rng, 3, 6, 8))
    if not candidate.gradient(module, x, np.ones_like(x)).x_unchanged:
        raise Mismatch("x was changed by the call where it requires a gradient, expected it to stay as it was")


@criterion("too-long-sequence")
@pytest.mark.parametrize(("max_len", "length"), [(12, 13), (12, 16), (1, 2), (1, 5)])
def test_rows_past_the_end_are_refused_or_right(
    candidate: Candidate, rng: np.random.Generator, max_len: int, length: int
) -> None:
    module = built(candidate, max_len)
    if max_len > 1:  # one that refuses everything refuses nothing in particular
        module(x_that_works(module, embeddings(rng, 2, max_len, 8)))
    x = embeddings(rng, 2, length, 8)
    try:
        result = expect_array(module(x), x.shape, of=f"the result for {length} tokens and max_len {max_len}")
    except Raised:
        return
    if not is_table((result - x)[0], candidate, length, BASE):
        own = own_table(candidate, max_len, 8, BASE)
        does = past_the_end(result - x, exact(max_len, 8, BASE) if own is None else own)
        raise Mismatch(f"{length} tokens with max_len {max_len}: the module {does}, expected an error or right rows")
