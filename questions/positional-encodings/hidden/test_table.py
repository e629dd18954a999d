"""`sinusoidal_freqs` and `sinusoidal_pe`: each criterion looks at one property, whatever the others find."""

import numpy as np
import pytest
from golden import GOLDEN, SETTINGS
from hypothesis import given
from hypothesis import strategies as st
from oracle import LOOSE, SAME_RATE, exact, exact_freqs, expect_array, table_at, table_of
from reading import expect_reading, fits_own, read

from grader.checks import Candidate, Mismatch, criterion, largest_difference

SETTINGS_SMALL = [(8, 10_000.0), (6, 50.0)]
HAND = np.array([[0, 1, 0, 1], [0.841471, 0.540302, 0.010000, 0.999950], [0.909297, -0.416147, 0.019999, 0.999800]])
CASES = st.lists(
    st.tuples(st.integers(2, 24), st.floats(1.5, 1e5, allow_nan=False)), min_size=5, max_size=5
)  # half a width, base

# The oracles agree with one another: three ways to the same numbers.
assert largest_difference(GOLDEN[8, 10_000.0], table_at(SETTINGS[8, 10_000.0], exact_freqs(8, 10_000.0))) < 1e-9
assert largest_difference(HAND, exact(3, 4, 10_000.0)) < 1e-6


@criterion("frequency-ladder")
def test_hand_example_frequencies(candidate: Candidate) -> None:
    freqs = expect_array(candidate.sinusoidal_freqs(4, 10_000.0), (2,), of="the frequencies for d = 4")
    if not np.allclose(freqs, [1, 0.01], rtol=SAME_RATE, atol=0):
        raise Mismatch(f"the frequencies for d = 4 and base 10000 are {freqs.tolist()}, expected [1, 0.01]")


@criterion("frequency-ladder")
@given(CASES)
def test_frequencies_are_a_geometric_ladder(candidate: Candidate, cases: list[tuple[int, float]]) -> None:
    """The frequencies fall from 1 by the factor base ** (-2 / d), for any width and base."""
    given = [(2 * half, base) for half, base in cases]
    for (d, base), value in zip(given, candidate.sinusoidal_freqs.many(given), strict=True):
        freqs = expect_array(value, (d // 2,), of=f"the array of frequencies for d = {d}")
        off = np.abs(freqs / exact_freqs(d, base) - 1)
        if off.max() > SAME_RATE:
            i = int(off.argmax())
            expected = exact_freqs(d, base)[i]
            raise Mismatch(f"frequency {i} for d = {d} and base {base:g} is {freqs[i]:.6g}, expected {expected:.6g}")


@criterion("frequency-ladder")
def test_the_base_is_10000_unless_given(candidate: Candidate) -> None:
    freqs = expect_array(candidate.sinusoidal_freqs(6), (3,), of="the array of frequencies for d = 6")
    if not np.allclose(freqs, exact_freqs(6, 10_000.0), rtol=SAME_RATE, atol=0):
        raise Mismatch(f"the frequencies for d = 6 are {freqs.tolist()}, expected those of base 10000")
    reading = expect_reading(expect_array(candidate.sinusoidal_pe(40, 6), (40, 6), of="the table").astype("float64"))
    if not np.allclose(reading.rates, exact_freqs(6, 10_000.0), rtol=SAME_RATE, atol=1e-6):
        raise Mismatch(f"the pairs of a table without a base turn by {reading.rates}, expected those of base 10000")


@criterion("frequency-ladder")
@pytest.mark.parametrize(("d", "base"), SETTINGS_SMALL)
def test_the_table_turns_at_the_ladder(candidate: Candidate, d: int, base: float) -> None:
    """Each pair of columns of the table turns at its frequency, wherever the pair stands."""
    reading = expect_reading(table_of(candidate, 40, d, base))
    expected = exact_freqs(d, base)
    off = np.abs(reading.rates - expected) > SAME_RATE * expected
    if off.any():
        i = int(off.argmax())
        raise Mismatch(f"pair {i} turns {reading.rates[i]:.6g} rad per position, expected {expected[i]:.6g}")


@criterion("interleaved-layout")
def test_hand_example_table(candidate: Candidate) -> None:
    """The three rows of the prompt, in their columns."""
    table = table_of(candidate, 3, 4, 10_000.0)
    reading = expect_reading(table)
    if not reading.is_right:
        raise Mismatch(f"the columns of the prompt's table hold {reading}; expected sine, then cosine, alternating")
    judged_elsewhere = reading.start != 0 or not np.allclose(reading.rates, [1, 0.01], rtol=0.01)
    if not judged_elsewhere and largest_difference(table[1:], HAND[1:] * reading.radius) > LOOSE:
        raise Mismatch(f"rows 1 and 2 of the prompt's table are {table[1:].round(6).tolist()}")


@criterion("interleaved-layout")
@pytest.mark.parametrize(("d", "base"), [(2, 70.0), (12, 10_000.0), (14, 30.0)])
def test_each_sine_has_its_cosine_beside_it(candidate: Candidate, d: int, base: float) -> None:
    reading = expect_reading(table_of(candidate, 40, d, base))
    if not reading.is_right:
        raise Mismatch(f"the columns at d = {d} hold {reading}; expected sine, then cosine, alternating")


@criterion("positions-from-zero")
@pytest.mark.parametrize("d", [4, 10])
def test_row_0_is_that_of_position_0(candidate: Candidate, d: int) -> None:
    """All sines of the first row are 0 and all cosines are at their height, in whichever columns they stand."""
    row = np.sort(table_of(candidate, 5, d, 10_000.0)[0])
    if np.abs(row[: d // 2]).max() > LOOSE or row[d // 2] < 0.01 or np.ptp(row[d // 2 :]) > LOOSE * row[-1]:
        raise Mismatch(
            f"row 0 holds {row.round(4).tolist()} (sorted), expected as many zeros as ones: every angle is 0"
        )


@criterion("float64-angles")
@pytest.mark.parametrize("setting", SETTINGS, ids=lambda setting: f"{setting[0]}-{setting[1]:g}")
def test_golden_mpmath(candidate: Candidate, setting: tuple[int, float]) -> None:
    """The table at positions up to 65,535 against 50-digit arithmetic.

    Rounding to float32 is 3e-8 off; angles in float32 are 1e-4 and more off at the far end. Another ladder, layout,
    start or height has its own criterion, so what is expected here is what a table that reads like this one should
    hold: the golden rows where it reads as the prompt asks.
    """
    (d, base), positions = setting, np.array(SETTINGS[setting])
    table = table_of(candidate, int(positions[-1]) + 1, d, base)
    reading = read(table)
    if reading is None:
        return
    rates = exact_freqs(d, base)
    if reading.is_right and reading.start == 0 and np.allclose(reading.rates, rates, rtol=SAME_RATE, atol=1e-6):
        expected = GOLDEN[setting] * reading.radius
    elif np.allclose(reading.rates, rates, rtol=SAME_RATE, atol=1e-6):
        expected = reading.expected(positions, rates)
    else:
        own = fits_own(candidate, reading, d, base)
        if own is None:
            return
        expected = reading.expected(positions, own)
    off = np.abs(table[positions] - expected).max(axis=1)
    if abs(reading.radius - 1) > 1e-6:  # a circle of another size was only measured to a float32's precision
        off -= 2e-6 * reading.radius
    if off.max() > 3e-6 * max(1.0, reading.radius):
        worst = int(positions[off.argmax()])
        raise Mismatch(f"the row of position {worst} is {off.max():.1e} away from the exact one, expected 1e-7")


@criterion("float64-angles")
def test_frequencies_are_float64_and_the_table_is_float32(candidate: Candidate) -> None:
    expect_array(candidate.sinusoidal_freqs(6, 50.0), (3,), of="the array of frequencies", dtypes=("float64",))
    expect_array(candidate.sinusoidal_pe(5, 6, 50.0), (5, 6), of="the table", dtypes=("float32",))


@criterion("unit-circle")
@pytest.mark.parametrize(("d", "base"), SETTINGS_SMALL)
def test_every_pair_is_on_the_unit_circle(candidate: Candidate, d: int, base: float) -> None:
    table = table_of(candidate, 300, d, base)[1:]  # row 0 has its own criterion
    reading = expect_reading(table)
    half = d // 2
    split = (table[:, 0::2], table[:, 1::2]) if reading.interleaved else (table[:, :half], table[:, half:])
    radius = np.hypot(*split)
    worst = float(radius.flat[np.abs(radius - 1).argmax()])
    if abs(worst - 1) > 1e-3:
        raise Mismatch(f"a pair of columns is at distance {worst:.4g} from the origin, expected 1 everywhere")


@criterion("unit-circle")
@given(st.lists(st.tuples(st.integers(2, 16), st.floats(2, 2e4)), min_size=3, max_size=3))
def test_dot_product_depends_only_on_the_offset(candidate: Candidate, cases: list[tuple[int, float]]) -> None:
    """PE(p) . PE(p + k) is the sum of cos(k w_i), the same for every p, at whichever rates the table turns."""
    given = [(60, 2 * half, base) for half, base in cases]
    for (length, d, _), value in zip(given, candidate.sinusoidal_pe.many(given), strict=True):
        table = expect_array(value, (length, d), of=f"the table of {length} x {d}").astype("float64")
        p = np.arange(1, length)
        apart = np.abs(p[:, None] - p[None, :])
        rates = expect_reading(table).rates
        expected = np.cos(np.multiply.outer(apart, rates)).sum(axis=-1)  # [T, T]
        off = np.abs(table[1:] @ table[1:].T - expected)
        if off.max() > 5e-3 * d:
            one, other = (int(i) + 1 for i in np.unravel_index(off.argmax(), off.shape))
            raise Mismatch(
                f"the dot product of rows {one} and {other} at d = {d} is {table[one] @ table[other]:.4g}, expected "
                f"the sum of the cosines of their distance, {expected[one - 1, other - 1]:.4g}"
            )


@criterion("table-offset")
@given(
    st.lists(st.tuples(st.integers(1, 9), st.integers(1, 8), st.integers(1, 300)), min_size=5, max_size=5),
    st.floats(5, 2e4),
)
def test_offset_continues_the_table(candidate: Candidate, cases: list[tuple[int, int, int]], base: float) -> None:
    """The rows from an offset on are the tail of a longer table."""
    tails = [(length, 2 * half, base, offset) for length, half, offset in cases]
    whole = [(offset + length, d, base) for length, d, _, offset in tails]
    values = candidate.sinusoidal_pe.many([*tails, *whole])
    for (length, d, _, offset), short, long in zip(tails, values, values[len(tails) :], strict=False):
        expect_tail(short, long, length, d, offset)


@criterion("table-offset")
def test_offset_by_keyword_and_far_away(candidate: Candidate) -> None:
    expect_tail(candidate.sinusoidal_pe(4, 6, offset=9), candidate.sinusoidal_pe(13, 6), 4, 6, 9)
    expect_tail(candidate.sinusoidal_pe(3, 6, 50.0, 9_000), candidate.sinusoidal_pe(9_003, 6, 50.0), 3, 6, 9_000)


def expect_tail(short: object, long: object, length: int, d: int, offset: int) -> None:
    """Raise a Mismatch unless `short` [T, d] is what `long` [offset + T, d] ends in."""
    rows = expect_array(short, (length, d), of=f"the table of {length} rows from offset {offset} on")
    tail = expect_array(long, (offset + length, d), of=f"the table of {offset + length} rows")
    if largest_difference(tail[0], tail[1]) < LOOSE:
        raise Mismatch("the first two rows of the table are alike, expected another one for each position")
    if largest_difference(rows, tail[offset:]) > LOOSE:
        first = largest_difference(rows, tail[:length]) < LOOSE
        found = "those of a table from 0 on" if first else "others"
        raise Mismatch(
            f"the {length} rows from offset {offset} on are {found}, expected rows {offset} .. of a longer table"
        )
