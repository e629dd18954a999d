"""`shift_pe`, on encodings that are right: the candidate's own table has no part in it.

Where the candidate's frequencies are wrong, turning by them is right here: they have their own criterion.
"""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracle import LOOSE, Array, Floats, embeddings, exact, exact_freqs, ladders, turned

from grader.checks import Candidate, Mismatch, Raised, criterion, expect_array, largest_difference, ndarray

HAND = np.array([[0.841471, 0.540302, 0.010000, 0.999950], [0.909297, -0.416147, 0.019999, 0.999800]])


def expect_turned(value: object, pe: Array, k: float, freqs: list[Floats]) -> None:
    """Raise a Mismatch unless `value` is pe [..., d] moved on by k, at one of the ladders."""
    of = f"shift_pe of an array {list(pe.shape)} with k = {k:g}"
    array = expect_array(value, pe.shape, of=of)
    wanted = [turned(pe, k, each) for each in freqs]
    if min(largest_difference(array, each) for each in wanted) > LOOSE:
        back = largest_difference(array, turned(pe, -k, freqs[0])) < LOOSE
        worst = tuple(int(i) for i in np.unravel_index(np.abs(array - wanted[0]).argmax(), pe.shape))
        found = "goes back in position" if back else f"holds {array[worst]:.4g} at {list(worst)}"
        raise Mismatch(f"{of} {found}, expected {wanted[0][worst]:.4g} there")


@criterion("shift-rotation")
def test_hand_example_shift(candidate: Candidate) -> None:
    """Row 1 of the prompt's table, moved on by 1, is row 2."""
    freqs = ladders(candidate, 4, 10_000.0)
    expect_turned(candidate.shift_pe(HAND[:1], 1, 4, 10_000.0), HAND[:1], 1, freqs)
    expect_turned(candidate.shift_pe(HAND[1:], -1, 4), HAND[1:], -1, freqs)


@criterion("shift-rotation")
@given(
    st.lists(st.tuples(st.integers(2, 8), st.integers(-90, 90).filter(bool)), min_size=4, max_size=4),
    st.floats(5, 2e4),
)
def test_shift_is_a_fixed_rotation(candidate: Candidate, cases: list[tuple[int, int]], base: float) -> None:
    """One k moves every row of a table on by k, negative k too."""
    given = [(exact(7, 2 * half, base, offset=100).astype("float32"), k, 2 * half, base) for half, k in cases]
    for (pe, k, d, _), value in zip(given, candidate.shift_pe.many(given), strict=True):
        expect_turned(value, pe, k, ladders(candidate, d, base))


@criterion("shift-rotation")
def test_the_shift_has_base_10000_unless_given(candidate: Candidate) -> None:
    pe = exact(5, 4, 10_000.0)
    freqs = ladders(candidate, 4, 10_000.0)
    expect_turned(candidate.shift_pe(pe, 40, 4), pe, 40, freqs)
    expect_turned(candidate.shift_pe(pe, 40, 4, base=50.0), pe, 40, ladders(candidate, 4, 50.0))


@criterion("shift-rotation")
@pytest.mark.parametrize("k", [0.5, -2.75])
def test_k_need_not_be_whole(candidate: Candidate, k: float) -> None:
    pe = exact(5, 6, 50.0)
    expect_turned(candidate.shift_pe(pe, k, 6, 50.0), pe, k, ladders(candidate, 6, 50.0))


@criterion("shift-rotation")
def test_any_numbers_are_turned(candidate: Candidate, rng: np.random.Generator) -> None:
    """The map is linear: what it does to encodings, it does to any numbers."""
    pe = 3 * embeddings(rng, 5, 6)
    expect_turned(candidate.shift_pe(pe, 3, 6, 50.0), pe, 3, ladders(candidate, 6, 50.0))


@criterion("shift-any-array")
@pytest.mark.parametrize("shape", [(6,), (3, 4, 6)], ids=["row", "batch"])
def test_any_leading_shape_gives_what_a_table_gives(
    candidate: Candidate, rng: np.random.Generator, shape: tuple[int, ...]
) -> None:
    """A row and a batch of tables are turned as the same rows in one table are."""
    pe = embeddings(rng, *shape)
    table = expect_array(candidate.shift_pe(pe.reshape(-1, 6), 2, 6, 50.0), (pe.size // 6, 6), of="shift_pe of a table")
    result = expect_array(candidate.shift_pe(pe, 2, 6, 50.0), shape, of=f"shift_pe of an array {list(shape)}")
    if largest_difference(result.reshape(-1, 6), table) > LOOSE:
        raise Mismatch(f"shift_pe of an array {list(shape)} differs from shift_pe of its rows in one table")


@criterion("shift-any-array")
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_the_array_stays_as_it_was(candidate: Candidate, rng: np.random.Generator, dtype: str) -> None:
    pe = ndarray(embeddings(rng, 4, 6).astype(dtype))
    seen = candidate.observe(candidate.shift_pe, pe, 2, 6, 50.0)
    if not seen.arguments_unchanged:
        raise Mismatch("shift_pe changed the array that it was given")
    if seen.result_shares_storage or not seen.result_stays:
        raise Mismatch("the result of shift_pe is not a new array: it shares memory with another one")


@criterion("float64-angles")
def test_far_shifts_are_exact(candidate: Candidate) -> None:
    """A shift by 65,535 to within 2e-6; what is further off than angles in float32 has its own criterion."""
    pe = exact(5, 8, 10_000.0)
    freqs = ladders(candidate, 8, 10_000.0)[-1]  # the candidate's own, if it has its own
    for k in (65_535, -40_001.5):
        try:
            result = expect_array(candidate.shift_pe(pe, k, 8, 10_000.0), pe.shape, of="shift_pe of a table")
        except (Mismatch, Raised):
            return
        error = min(largest_difference(result, turned(pe, k, each)) for each in (freqs, exact_freqs(8, 10_000.0)))
        if 2e-6 < error < 5e-2:
            raise Mismatch(f"shift_pe with k = {k:g} is {error:.1e} away from the exact rotation, expected 1e-6")
