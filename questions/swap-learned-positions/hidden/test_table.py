"""`sinusoidal_pe`: five properties of the table, each judged whatever the others turn out to be."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracle import as_table, built, exact, table_of, x_that_works
from waves import LOOSE, RATE_TOLERANCE, Floats, expect_waves, fit, looks_like, pairs, read

from grader.checks import Candidate, Mismatch, Raised, criterion, largest_difference

# Rows and bases at which every column turns far enough to be read.
ROWS = 120
BASES = (30.0, 9.0)

sizes = st.tuples(st.integers(96, 160), st.integers(1, 9).map(lambda half: 2 * half), st.floats(5, 40))
cases = st.lists(sizes, min_size=4, max_size=4)


def expect_alternating(table: Floats, base: float) -> None:
    """Raise a Mismatch unless even columns are sines and odd ones cosines, of amplitude 1."""
    reading = read(table)
    kinds, half = reading.kinds, table.shape[1] // 2
    for column, (kind, found) in enumerate(zip(kinds, reading.waves, strict=True)):
        due = "cos" if column % 2 else "sin"
        rate = base ** (-(column - column % 2) / len(kinds))
        if kind != due:
            blocks = kinds == ["sin"] * half + ["cos"] * half and half > 1
            tail = ": sines fill the first half" if blocks else ""
            holds = (
                looks_like(table[:, column]) if kind == "neither" else f"holds {words(kind, found.rate, reading.start)}"
            )
            raise Mismatch(f"column {column} {holds}, expected {words(due, rate)}{tail}")
        if abs(found.amplitude - 1) > LOOSE:
            raise Mismatch(f"column {column} holds a wave of height {found.amplitude:.4g}, expected {words(due, rate)}")


def words(kind: str, rate: float, start: float = 0.0) -> str:
    """`sin(p)`, `cos(0.25 p)`, or `cos(0.25 (p + 1))` for a table that starts at position 1."""
    factor = "" if abs(rate - 1) < 1e-3 else f"{rate:.3g} "
    position = f"(p {'+' if start > 0 else '-'} {abs(start):.3g})" if abs(start) > 0.02 else "p"
    return f"{kind}({factor}{position})"


def expect_ladder(table: Floats, base: float, d_model: int) -> None:
    """Raise a Mismatch unless pair i turns by base ** (-2i / d_model) per row, be it side by side or in two halves."""
    waves = fit(table)
    expect_waves(waves, table)
    rates, half = [wave.rate for wave in waves], len(waves) // 2
    due = [base ** (-2 * pair / d_model) for pair in range(half)]
    side_by_side = [rate for rate in due for _ in range(2)]
    if any(
        all(math.isclose(rate, right, rel_tol=RATE_TOLERANCE) for rate, right in zip(rates, order, strict=True))
        for order in (side_by_side, due + due)
    ):
        return
    in_halves = len(waves) > 2 and all(math.isclose(rates[0], rate, rel_tol=0.1) for rate in (rates[half], due[0]))
    order = due + due if in_halves and not math.isclose(rates[1], due[0], rel_tol=0.1) else side_by_side
    column = next(c for c, rate in enumerate(rates) if not math.isclose(rate, order[c], rel_tol=RATE_TOLERANCE))
    pair = due.index(order[column])
    raise Mismatch(
        f"column {column} turns by {rates[column]:.4g} rad per position at width {d_model} and base {base:.4g}, "
        f"expected {base:.4g} ** (-{2 * pair}/{d_model}) = {order[column]:.4g}"
    )


@criterion("interleaved-layout")
@pytest.mark.parametrize("base", BASES)
def test_even_columns_are_sines_and_odd_ones_cosines(candidate: Candidate, base: float) -> None:
    expect_alternating(table_of(candidate, ROWS, 8, base), base)


@criterion("interleaved-layout")
@given(cases)
def test_the_layout_holds_at_any_even_width(candidate: Candidate, cases: list[tuple[int, int, float]]) -> None:
    for (max_len, d_model, base), table in zip(cases, candidate.sinusoidal_pe.many(cases), strict=True):
        expect_alternating(as_table(table, max_len, d_model), base)


@criterion("frequency-ladder")
@pytest.mark.parametrize("base", BASES)
def test_each_pair_turns_at_its_own_rate(candidate: Candidate, base: float) -> None:
    expect_ladder(table_of(candidate, ROWS, 8, base), base, 8)


@criterion("frequency-ladder")
@given(cases)
def test_the_ladder_holds_at_any_even_width(candidate: Candidate, cases: list[tuple[int, int, float]]) -> None:
    for (max_len, d_model, base), table in zip(cases, candidate.sinusoidal_pe.many(cases), strict=True):
        expect_ladder(as_table(table, max_len, d_model), base, d_model)


@criterion("frequency-ladder")
@given(st.lists(st.tuples(st.integers(2, 60), st.just(12), st.floats(2, 1e5)), min_size=6, max_size=6))
def test_the_two_columns_of_a_pair_share_one_angle(candidate: Candidate, cases: list[tuple[int, int, float]]) -> None:
    """Sine and cosine of one angle: their squares sum to one, at any base."""
    reading = read(table_of(candidate, ROWS, 12, BASES[0]))
    paired = pairs([wave.rate for wave in reading.waves])
    if paired is None:
        raise Mismatch("no two columns turn at one rate, expected two for each pair")
    kinds = [kind.removeprefix("-") for kind in reading.kinds]
    circles = [(one, other) for one, other in paired if {kinds[one], kinds[other]} == {"sin", "cos"}]
    for (max_len, d_model, base), value in zip(cases, candidate.sinusoidal_pe.many(cases), strict=True):
        table = as_table(value, max_len, d_model)[1:]
        for one, other in circles:
            norms = np.hypot(table[:, one], table[:, other]) / reading.waves[one].amplitude
            if np.abs(norms - 1).max(initial=0) > 1e-2:
                row = int(np.abs(norms - 1).argmax())
                raise Mismatch(
                    f"columns {one} and {other} have norm {norms[row]:.4g} at row {row + 1} and base {base:.4g}, "
                    "expected 1 as for one angle"
                )


@criterion("positions-from-zero")
@pytest.mark.parametrize("base", BASES)
def test_row_0_is_position_0(candidate: Candidate, base: float) -> None:
    table = table_of(candidate, ROWS, 8, base)
    reading = read(table)
    if "neither" in reading.kinds:
        column = reading.kinds.index("neither")
        raise Mismatch(f"column {column} {looks_like(table[:, column])}: no start of the positions explains it")
    if abs(reading.start) > 0.02:
        raise Mismatch(f"row 0 holds the angles of position {reading.start:.3g}, expected position 0")
    for column, wave in enumerate(reading.waves):
        due = wave.amplitude * math.sin(wave.phase)
        if abs(table[0, column] - due) > LOOSE:
            raise Mismatch(f"row 0 holds {table[0, column]:.4g} in column {column}, the other rows lead to {due:.4g}")


@criterion("frequency-ladder")
@given(st.lists(st.tuples(st.integers(1, 40), st.integers(1, 16), st.floats(2, 1e5)), min_size=4, max_size=4))
def test_a_longer_table_begins_with_the_shorter_one(candidate: Candidate, cases: list[tuple[int, int, float]]) -> None:
    """The first rows of a longer table are the shorter table."""
    even = [(rows, 2 * half, base) for rows, half, base in cases]
    longer = [(rows + 13, d_model, base) for rows, d_model, base in even]
    tables = candidate.sinusoidal_pe.many([*even, *longer])
    for (rows, d_model, _), short, long in zip(even, tables, tables[len(even) :], strict=False):
        prefix = as_table(long, rows + 13, d_model)[:rows]
        if largest_difference(as_table(short, rows, d_model), prefix) > LOOSE:
            raise Mismatch(
                f"the first {rows} rows of a table of {rows + 13} differ from a table of {rows}: a step is not 1"
            )


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
        expect_ladder(table_of(candidate, ROWS, 8, base), base, 8)
    except Mismatch:
        return
    expect_ladder(table_of(candidate, ROWS, d_model, base)[:, :-1], base, d_model)


def expect_clean(table: Floats, of: str) -> None:
    """Raise a Mismatch unless each column is one wave to float32's rounding, at an exact rate if it is near the ladder.

    The table has width 16 and base 100. Another ladder, layout or start has its own criterion, and so has a step
    between positions that is not 1, which moves all rates by one factor.
    """
    ladder = 100.0 ** (-2 * np.arange(8) / 16)
    waves = fit(table)
    ratios = np.array([wave.rate / ladder[np.abs(wave.rate - ladder).argmin()] for wave in waves])
    for column, (wave, off) in enumerate(zip(waves, np.abs(ratios / np.median(ratios) - 1), strict=True)):
        if not wave.is_wave:
            raise Mismatch(f"column {column} of {of} {looks_like(table[:, column])}, which is no wave to measure")
        if wave.residual > 2e-6 * max(1.0, wave.amplitude):
            raise Mismatch(f"column {column} of {of} is {wave.residual:.1e} away from any exact wave, expected 1e-7")
        if 2e-5 < off < 0.02:
            raise Mismatch(f"column {column} of {of} turns {off:.1e} too fast or too slowly, expected an exact rate")


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
def test_the_module_adds_exact_rows(candidate: Candidate) -> None:
    """What the module adds, where it is float32 and near the right rows; what else it may be has its own criterion."""
    try:
        module = built(candidate, 1024, 16).train(False)
        x = x_that_works(module, np.zeros((2, 1024, 16), "float32"))
        result = module(x)
    except (Mismatch, Raised):
        return
    if not isinstance(result, np.ndarray) or result.shape != x.shape or result.dtype != np.float32:
        return
    error = largest_difference(result[0], exact(x.shape[1], 16, 100.0))
    if 2e-6 < error < 5e-3:
        raise Mismatch(f"the rows that the module adds are {error:.1e} away from the exact ones, expected 1e-7")
