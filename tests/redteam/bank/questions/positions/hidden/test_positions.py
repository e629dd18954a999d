"""The hidden tests of the red team's question: each input is drawn for the run."""

import numpy as np
from numpy.typing import NDArray

from grader.checks import Candidate, Handle, Mismatch, criterion, describe, expect_close, expect_integer


def expect_the_rows(value: object, max_len: int, d_model: int, base: float) -> None:
    """Raise a Mismatch unless `value` is the table."""
    expect_close(value, right(max_len, d_model, base), atol=1e-5, of="the table", dtypes=("float32", "float64"))


def right(max_len: int, d_model: int, base: float) -> NDArray[np.float64]:
    """The table (max_len, d_model), in float64."""
    even = d_model // 2 * 2
    angles = np.arange(max_len)[:, None] / base ** (np.arange(0, even, 2) / d_model)
    table = np.zeros((max_len, d_model))
    table[:, 0:even:2], table[:, 1:even:2] = np.sin(angles), np.cos(angles)
    return table


@criterion("table")
def test_a_table_of_any_size_is_right(candidate: Candidate, rng: np.random.Generator) -> None:
    sizes = [(int(rng.integers(9, 40)), int(rng.integers(3, 13)), float(rng.uniform(5, 50))) for _ in range(3)]
    expect_the_rows(candidate.sinusoidal_pe(*sizes[0]), *sizes[0])
    for size, value in zip(sizes, candidate.sinusoidal_pe.many([*sizes]), strict=True):
        expect_the_rows(value, *size)


@criterion("module")
def test_the_module_adds_the_first_rows(candidate: Candidate, rng: np.random.Generator) -> None:
    base = float(rng.uniform(5, 50))
    module = candidate.SinusoidalPositions(12, 8, base)
    if not isinstance(module, Handle):
        raise Mismatch(f"SinusoidalPositions(...) gives {describe(module)}, expected a module")
    for parameter in candidate.inventory(module).parameters:
        raise Mismatch(f"found the parameter {parameter.name}, expected none")
    for length in (5, 7, 5):
        x = rng.normal(size=(3, length, 8)).astype("float32")
        seen = candidate.observe(module, x)
        expected = x + right(12, 8, base)[:length].astype("float32")
        expect_close(seen.result, expected, atol=1e-5, of="the result", dtypes=("float32",))
        if not seen.arguments_unchanged or seen.result_shares_storage:
            raise Mismatch("x was changed by the call, expected it to stay as it was")


@criterion("module")
def test_the_module_is_what_it_says(candidate: Candidate, rng: np.random.Generator) -> None:
    """By what becomes of its tensors: it is asked nothing about itself that is not held against what it does."""
    module, fresh = (candidate.SinusoidalPositions(12, 8, 20.0) for _ in range(2))
    x = rng.normal(size=(3, 7, 8)).astype("float32")
    if not any(each.shape == (12, 8) and not each.requires_grad for each in candidate.inventory(module).buffers):
        raise Mismatch("found no buffer of 12 x 8 that needs no gradient")
    seen = candidate.round_trip(module, fresh, x)
    if seen.missing or seen.unexpected or not seen.same:
        raise Mismatch(f"a fresh module gives another result after loading what was saved, {seen.own}")
    training = candidate.trained(module, x)
    for step in training.steps:
        if step.gradient or step.changed:
            raise Mismatch(f"a step of training finds the {step.tensor.kind} {step.tensor.name}")
    if training.given or training.strangers:
        raise Mismatch("its own parameters() gives some")
    if isinstance(candidate.moved(fresh, x), np.ndarray):
        raise Mismatch("its result stays where it was when it is moved")


@criterion("counter")
def test_parameters_are_counted(candidate: Candidate, rng: np.random.Generator) -> None:
    inputs, outputs = (int(size) for size in rng.integers(2, 30, size=2))
    layer = candidate.torch.nn.Linear(inputs, outputs)
    expect_integer(candidate.count_parameters(layer), (inputs + 1) * outputs, of="the count")
