"""What is right, in plain NumPy, and small things that several checks need."""

import builtins
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from grader.checks import Candidate, Handle, Lost, Mismatch, Raised, describe, expect_array, largest_difference

Array = NDArray[Any]
Floats = NDArray[np.float64]

# Between the rounding of any sensible route and the smallest difference that a wrong row makes. Precision has a
# criterion of its own: angles in float32 are up to 4e-3 off at position 65,535.
LOOSE = 2e-2
# How far a frequency may be off, relative to it: the nearest of the known wrong ladders is 2e-2 off.
SAME_RATE = 1e-3
# How a call ends that raises nothing.
RETURNS = "returns"


def exact_freqs(d: int, base: float) -> Floats:
    """The frequencies [d/2], straight from the prompt."""
    return base ** (-np.arange(0, d, 2) / d)


def table_at(positions: Any, freqs: Floats) -> Floats:
    """The encodings [T, d] of positions [T] with frequencies [d/2]."""
    angles = np.multiply.outer(np.asarray(positions, "float64"), freqs)
    return np.stack([np.sin(angles), np.cos(angles)], axis=-1).reshape(len(angles), -1)


def exact(length: int, d: int, base: float, offset: int = 0) -> Floats:
    """The encodings of offset .. offset + T - 1, float64 [T, d]."""
    return table_at(np.arange(offset, offset + length), exact_freqs(d, base))


def turned(pe: Array, k: float, freqs: Floats) -> Floats:
    """Encodings pe [..., d] moved on by k positions: pair i rotated by -k * freqs[i]."""
    points = pe[..., 1::2].astype("float64") + 1j * pe[..., 0::2]  # cos + i sin: moving on turns it to the left
    moved = points * np.exp(1j * k * freqs)
    return np.stack([moved.imag, moved.real], axis=-1).reshape(pe.shape)


def own_freqs(candidate: Candidate, d: int, base: float) -> Floats | None:
    """The candidate's own frequencies [d/2], or None if it gives none that could be meant."""
    try:
        value = candidate.sinusoidal_freqs(d, base)
        return expect_array(value, (d // 2,), of="the frequencies").astype("float64")
    except (Mismatch, Raised, Lost):  # what is wrong with them has its own criterion
        return None


def ladders(candidate: Candidate, d: int, base: float) -> list[Floats]:
    """The right frequencies, and the candidate's own where they differ: a wrong ladder costs its criterion only."""
    right, own = exact_freqs(d, base), own_freqs(candidate, d, base)
    if own is None or np.allclose(own, right, rtol=SAME_RATE, atol=0):
        return [right]
    return [right, own]


def table_of(candidate: Candidate, length: int, d: int, base: float) -> Floats:
    """The candidate's table from position 0 on, if it is finite numbers of the right shape, as float64."""
    value = candidate.sinusoidal_pe(length, d, base)
    return expect_array(value, (length, d), of=f"the table of {length} x {d}").astype("float64")


def explains(candidate: Candidate, rows: Array, base: float, offset: int) -> bool:
    """Whether `rows` [T, d] are those of offset .. in the right table, or else in the candidate's own, read from 0."""
    length, d = rows.shape
    if largest_difference(rows, exact(length, d, base, offset)) < LOOSE:
        return True
    try:
        own = table_of(candidate, offset + length + 1, d, base)  # two rows at least: they differ if it is a table
    except (Mismatch, Raised, Lost):
        return False
    return np.ptp(own, axis=0).max() > 0 and largest_difference(rows, own[offset:-1]) < LOOSE


def expect_added(candidate: Candidate, result: Any, x: Array, base: float, offset: int) -> None:
    """Raise a Mismatch unless `result` is x [B, T, d] plus the encodings of offset .., for each sequence."""
    of = f"SinusoidalPE at offset {offset}"
    added = expect_array(result, x.shape, of=f"the result of {of}") - x.astype("float64")
    if largest_difference(added, np.broadcast_to(added[0], added.shape)) > LOOSE:
        raise Mismatch(f"{of} adds other rows to one sequence of the batch than to another")
    if not explains(candidate, added[0], base, offset):
        right = exact(*added[0].shape, base, offset)
        row, column = (int(i) for i in np.unravel_index(np.abs(added[0] - right).argmax(), right.shape))
        raise Mismatch(
            f"{of} adds {added[0][row, column]:.4g} to column {column} of token {row}, expected the "
            f"{right[row, column]:.4g} of position {offset + row}"
        )


def embeddings(rng: np.random.Generator, *shape: int) -> NDArray[np.float32]:
    """Token embeddings as a model has them: random, float32."""
    return rng.normal(size=shape).astype("float32")


def module(value: Any, of: str) -> Handle:
    """A module of the candidate's, or a Mismatch."""
    if not isinstance(value, Handle):
        raise Mismatch(f"{of} gives {describe(value)}, expected a module")
    return value


def sinusoidal(candidate: Candidate, d: int = 8, base: float = 100.0) -> Handle:
    """The candidate's SinusoidalPE."""
    return module(candidate.SinusoidalPE(d, base), "SinusoidalPE(...)")


def learned(candidate: Candidate, max_len: int = 11, d: int = 6) -> Handle:
    """The candidate's LearnedPE."""
    return module(candidate.LearnedPE(max_len, d), "LearnedPE(...)")


def how_it_ends(call: Callable[[], Any]) -> str:
    """The type of the exception that a call raises, or RETURNS."""
    try:
        call()
    except Raised as error:
        return error.type
    return RETURNS


def is_value_error(name: str) -> bool:
    """Whether an exception's type is ValueError or may derive from it: a name that Python does not know is believed."""
    known = getattr(builtins, name, None)
    return name != RETURNS and (known is None or (isinstance(known, type) and issubclass(known, ValueError)))
