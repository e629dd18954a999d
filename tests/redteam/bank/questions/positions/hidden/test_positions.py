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


@criterion("counter")
def test_parameters_are_counted(candidate: Candidate, rng: np.random.Generator) -> None:
    inputs, outputs = (int(size) for size in rng.integers(2, 30, size=2))
    layer = candidate.torch.nn.Linear(inputs, outputs)
    expect_integer(candidate.count_parameters(layer), (inputs + 1) * outputs, of="the count")
