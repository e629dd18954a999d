"""`sinusoidal_pe`: five properties of the table, each judged whatever the others turn out to be."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracle import as_table, exact, table_of
from waves import RATE_TOLERANCE, Reading, expect_waves, fit

from grader.checks import Candidate, Mismatch, criterion, expect_array, largest_difference

# Rows and bases at which every column turns far enough to be read.
ROWS = 120
BASES = (30.0, 9.0)

sizes = st.tuples(st.integers(96, 160), st.integers(1, 9).map(lambda half: 2 * half), st.floats(5, 40))
cases = st.lists(sizes, min_size=4, max_size=4)


def expect_alternating(reading: Reading, base: float) -> None:
    """Raise a Mismatch unless even columns are sines and odd ones cosines."""
    kinds = reading.kinds
    for column, kind in enumerate(kinds):
        due = "cos" if column % 2 else "sin"
        if kind != due:
            half = len(kinds) // 2
            blocks = kinds == ["sin"] * half + ["cos"] * half and half > 1
            rate = base ** (-(column - column % 2) / len(kinds))
            tail = ": sines fill the first half" if blocks else ""
            holds = wave(kind, reading.waves[column].rate, reading.start)
            raise Mismatch(f"column {column} holds {holds}, expected {wave(due, rate)}{tail}")


def wave(kind: str, rate: float, start: int = 0) -> str:
    """`sin(p)`, `cos(0.25 p)`, or `cos(0.25 (p + 1))` for a table that starts at position 1."""
    factor = "" if abs(rate - 1) < 1e-3 else f"{rate:.3g} "
    position = "p" if start == 0 else f"(p {'+' if start > 0 else '-'} {abs(start)})"
    return f"{kind}({factor}{position})"


def expect_ladder(reading: Reading, d_model: int, base: float) -> None:
    """Raise a Mismatch unless the i-th sine and the i-th cosine turn by base ** (-2i / d_model) per row."""
    for kind in ("sin", "cos"):
        for pair, column in enumerate(reading.columns(kind)):
            rate, due = reading.waves[column].rate, base ** (-2 * pair / d_model)
            if not math.isclose(rate, due, rel_tol=RATE_TOLERANCE):
                raise Mismatch(
                    f"column {column} turns by {rate:.4g} rad per position at width {d_model} and base {base:g}, "
                    f"expected {base:g} ** (-{2 * pair}/{d_model}) = {due:.4g}"
                )


@criterion("interleaved-layout")
@pytest.mark.parametrize("base", BASES)
def test_even_columns_are_sines_and_odd_ones_cosines(candidate: Candidate, base: float) -> None:
    expect_alternating(expect_waves(table_of(candidate, ROWS, 8, base)), base)


@criterion("interleaved-layout")
@given(cases)
def test_the_layout_holds_at_any_even_width(candidate: Candidate, cases: list[tuple[int, int, float]]) -> None:
    for (max_len, d_model, base), table in zip(cases, candidate.sinusoidal_pe.many(cases), strict=True):
        expect_alternating(expect_waves(as_table(table, max_len, d_model)), base)


@criterion("frequency-ladder")
@pytest.mark.parametrize("base", BASES)
def test_each_pair_turns_at_its_own_rate(candidate: Candidate, base: float) -> None:
    expect_ladder(expect_waves(table_of(candidate, ROWS, 8, base)), 8, base)


@criterion("frequency-ladder")
@given(cases)
def test_the_ladder_holds_at_any_even_width(candidate: Candidate, cases: list[tuple[int, int, float]]) -> None:
    for (max_len, d_model, base), table in zip(cases, candidate.sinusoidal_pe.many(cases), strict=True):
        expect_ladder(expect_waves(as_table(table, max_len, d_model)), d_model, base)


@criterion("frequency-ladder")
@given(st.lists(st.tuples(st.integers(2, 60), st.just(12), st.floats(2, 1e5)), min_size=6, max_size=6))
def test_the_two_columns_of_a_pair_share_one_angle(candidate: Candidate, cases: list[tuple[int, int, float]]) -> None:
    """Sine and cosine of one angle: their squares sum to one, at any base."""
    reading = expect_waves(table_of(candidate, ROWS, 12, BASES[0]))
    sines, cosines = reading.columns("sin"), reading.columns("cos")
    if len(sines) != len(cosines):
        raise Mismatch(f"{len(sines)} columns are sines and {len(cosines)} cosines, expected as many of each")
    for (max_len, d_model, base), value in zip(cases, candidate.sinusoidal_pe.many(cases), strict=True):
        table = as_table(value, max_len, d_model)
        norms = np.hypot(table[:, sines], table[:, cosines])
        if (np.abs(norms - 1) > 2e-3).any():
            row, pair = (int(index) for index in np.argwhere(np.abs(norms - 1) > 2e-3)[0])
            raise Mismatch(
                f"columns {sines[pair]} and {cosines[pair]} have norm {norms[row, pair]:.4g} at position {row} "
                f"and base {base:.4g}, expected 1 as for one angle"
            )


@criterion("positions-from-zero")
@pytest.mark.parametrize("base", BASES)
def test_row_0_is_position_0(candidate: Candidate, base: float) -> None:
    reading = expect_waves(table_of(candidate, ROWS, 8, base))
    if reading.start != 0:
        raise Mismatch(f"row 0 holds the angles of position {reading.start}, expected position 0")


@criterion("positions-from-zero")
@given(st.lists(st.tuples(st.integers(1, 40), st.integers(1, 16), st.floats(2, 1e5)), min_size=4, max_size=4))
def test_a_longer_table_begins_with_the_shorter_one(candidate: Candidate, cases: list[tuple[int, int, float]]) -> None:
    """The first rows of a longer table are the shorter table."""
    even = [(rows, 2 * half, base) for rows, half, base in cases]
    longer = [(rows + 13, d_model, base) for rows, d_model, base in even]
    tables = candidate.sinusoidal_pe.many([*even, *longer])
    for (rows, d_model, _), short, long in zip(even, tables, tables[len(even) :], strict=False):
        prefix = as_table(long, rows + 13, d_model)[:rows]
        if largest_difference(as_table(short, rows, d_model), prefix) > 1e-5:
            raise Mismatch(f"the first {rows} rows of a table of {rows + 13} differ from a table of {rows}")


@criterion("odd-width")
@pytest.mark.parametrize("d_model", [7, 5, 1])
def test_the_last_column_of_an_odd_width_is_zero(candidate: Candidate, d_model: int) -> None:
    table = table_of(candidate, ROWS, d_model, BASES[0])
    if table[:, -1].any():
        row = int(np.flatnonzero(table[:, -1])[0])
        raise Mismatch(
            f"the last column of width {d_model} holds {table[row, -1]:.4g} in row {row}, expected exactly 0"
        )


@criterion("odd-width")
@pytest.mark.parametrize(("d_model", "base"), [(7, 30.0), (5, 9.0)])
def test_an_odd_width_divides_by_its_full_width(candidate: Candidate, d_model: int, base: float) -> None:
    try:  # a ladder that is wrong at even widths has its own criterion
        expect_ladder(expect_waves(table_of(candidate, ROWS, 8, base)), 8, base)
    except Mismatch:
        return
    expect_ladder(expect_waves(table_of(candidate, ROWS, d_model, base)[:, :-1]), d_model, base)


def expect_clean(table: np.ndarray[tuple[int, int], np.dtype[np.float64]], of: str) -> None:
    """Raise a Mismatch unless each column is one wave to float32's rounding, at whatever rate and phase."""
    for column, wave in enumerate(fit(table)):
        if not 0.5 < wave.amplitude < 2:
            raise Mismatch(f"column {column} of {of} is no wave to measure: its amplitude is {wave.amplitude:.2g}")
        if wave.residual > 2e-6:
            raise Mismatch(f"column {column} of {of} is {wave.residual:.1e} away from any exact wave, expected 1e-7")


@criterion("angle-precision")
def test_columns_are_exact_waves_over_a_thousand_rows(candidate: Candidate) -> None:
    expect_clean(table_of(candidate, 1024, 16, 100.0), "the table")


@criterion("angle-precision")
def test_the_table_of_the_full_length_is_exact(candidate: Candidate, parameters: dict[str, float]) -> None:
    max_len, d_model, base = int(parameters["max_len"]), 64, parameters["base"]
    error = largest_difference(table_of(candidate, max_len, d_model, base), exact(max_len, d_model, base))
    if 2e-6 < error < 5e-3:  # beyond that it is another table, which other criteria judge
        raise Mismatch(f"the table of {max_len} x {d_model} is {error:.1e} away from the exact one, expected 1e-7")


@criterion("angle-precision")
def test_the_module_adds_exact_waves(candidate: Candidate) -> None:
    positions = candidate.SinusoidalPositions(1024, 16, 100.0)
    result = positions(np.zeros((1, 1024, 16), "float32"))
    if isinstance(result, tuple) and result:
        result = result[0]  # what is returned, and what is added, other criteria judge
    table = expect_array(result, (1, 1024, 16), of="the result")[0].astype("float64")
    if np.ptp(table, axis=0).all():
        expect_clean(table, "what the module adds")
