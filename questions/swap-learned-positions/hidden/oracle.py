"""What is right, in plain NumPy, and small things that several checks need."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from grader.checks import Candidate, Handle, Lost, Mismatch, Raised, describe, expect_array, largest_difference

Array = NDArray[Any]

# Between the rounding of any sensible route and the smallest difference of a wrong row.
SAME_ROWS = 5e-3


def exact(max_len: int, d_model: int, base: float) -> NDArray[np.float64]:
    """The table (max_len, d_model), straight from the prompt, in float64."""
    even = d_model // 2 * 2
    angles = np.arange(max_len)[:, None] / base ** (np.arange(0, even, 2) / d_model)
    table = np.zeros((max_len, d_model))
    table[:, 0:even:2], table[:, 1:even:2] = np.sin(angles), np.cos(angles)
    return table


def table_of(candidate: Candidate, max_len: int, d_model: int, base: float) -> NDArray[np.float64]:
    """The candidate's table, if it is finite numbers of the right shape, in float64."""
    return as_table(candidate.sinusoidal_pe(max_len, d_model, base), max_len, d_model)


def as_table(value: Any, max_len: int, d_model: int) -> NDArray[np.float64]:
    """A call's result as a table, or a Mismatch."""
    array = expect_array(value, (max_len, d_model), of=f"the table of {max_len} x {d_model}")
    return array.astype("float64")


def is_table(rows: Array, candidate: Candidate, max_len: int, base: float) -> bool:
    """Whether `rows` (T, d_model) are the first rows of the right table, or of the candidate's own.

    A wrong ladder costs the criteria of the table; the module that adds it faithfully is right. The candidate's own
    table is only asked for where the right one does not explain the rows.
    """
    length, d_model = rows.shape
    if largest_difference(rows, exact(length, d_model, base)) < SAME_ROWS:
        return True
    own = own_table(candidate, max_len, d_model, base)
    return own is not None and length <= max_len and largest_difference(rows, own[:length]) < SAME_ROWS


def own_table(candidate: Candidate, max_len: int, d_model: int, base: float) -> NDArray[np.float64] | None:
    """The candidate's table, or None if it gives none, or one that would make anything right."""
    try:
        own = table_of(candidate, max_len, d_model, base)
    except (Mismatch, Raised, Lost):  # after a loss the caller has nothing left in the worker, and needs nothing
        return None
    return own if np.ptp(own) > 0 else None


def parameter_count(vocabulary: int, context: int, d_model: int, n_layer: int) -> int:
    """The unique parameters of the packet's GPT with learned positions: 124,439,808 at the size of GPT-2 small."""
    block = 12 * d_model**2 + 13 * d_model  # four projections and two feed-forward layers, biases and two norms
    return (vocabulary + context) * d_model + n_layer * block + 2 * d_model  # the head is tied


def embeddings(rng: np.random.Generator, *shape: int) -> NDArray[np.float32]:
    """Token embeddings as a model has them: random, float32."""
    return rng.normal(size=shape).astype("float32")


def expect_rows(added: Array, candidate: Candidate, max_len: int, base: float) -> None:
    """Raise a Mismatch unless `added` (B, T, d_model) is the first T rows of the table, for every sequence."""
    for sequence in added:
        if largest_difference(sequence, added[0]) > SAME_ROWS:
            raise Mismatch(
                "what is added differs between two sequences of the batch, expected the same rows of the table for each"
            )
    if not is_table(added[0], candidate, max_len, base):
        rows = exact(added.shape[1], added.shape[2], base)
        off = np.abs(added[0] - rows)
        row, column = (int(index) for index in np.unravel_index(off.argmax(), off.shape))
        raise Mismatch(
            f"the result is x plus {added[0, row, column]:.4g} at position {row}, column {column}, "
            f"expected x plus the table's {rows[row, column]:.4g}"
        )


def built(candidate: Candidate, max_len: int, d_model: int = 8, base: float = 100.0) -> Handle:
    """The candidate's module."""
    module = candidate.SinusoidalPositions(max_len, d_model, base)
    if not isinstance(module, Handle):
        raise Mismatch(f"SinusoidalPositions(...) gives {describe(module)}, expected a module")
    return module


def x_that_works(module: Handle, x: Array) -> Array:
    """A shorter x, or all of x (B, max_len, d_model) if the module takes no shorter: lengths have their criterion."""
    shorter = x[:, :-2]
    try:
        module(shorter)
    except Raised:
        return x
    return shorter


def expect_something_added(positions: Handle, x: Array) -> None:
    """Raise a Mismatch if the module hands its input (B, max_len, d_model) back as it is."""
    x = x_that_works(positions, x)
    result = positions(x)
    if isinstance(result, np.ndarray) and np.array_equal(result, x):
        raise Mismatch("nothing was added: the result equals x")


def past_the_end(added: Array, table: Array) -> str:
    """What was added past the last row of `table` (max_len, d_model), in words; `added` is (B, T, d_model)."""
    max_len, rows = len(table), added[0]
    places = np.arange(len(rows))
    guesses = {
        "repeats the last row": table[np.minimum(places, max_len - 1)],
        "starts over at row 0": table[places % max_len],
        "adds row 0 everywhere": np.broadcast_to(table[0], rows.shape),
        "adds nothing": np.zeros_like(rows),
    }
    close = (words for words, guess in guesses.items() if largest_difference(rows, guess) < SAME_ROWS)
    return next(close, "adds other rows")
