"""`LearnedPE`: its rows, their gradient, how it is drawn, and where it ends."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracle import RETURNS, Array, embeddings, how_it_ends, learned, module

from grader.checks import Candidate, Handle, Mismatch, criterion, expect_array, largest_difference, tensor

MAX_LEN, D = 11, 6
CLOSE = 5e-5  # x and the rows are of order 1 to 10; float32 rounds their sum by 1e-6


def weight_of(candidate: Candidate, positions: Handle, d: int = D) -> Array:
    """The numbers of `weight`, a two-dimensional table of width d, whatever its length."""
    value = candidate.value(positions, "weight")
    if not isinstance(value, np.ndarray) or value.ndim != 2 or value.shape[1] != d:
        expect_array(value, (MAX_LEN, d), of="weight")
    assert isinstance(value, np.ndarray)
    return value


def widely_spread(candidate: Candidate, d: int = D) -> Handle:
    """A LearnedPE whose numbers were multiplied by 100 after it was built, as training changes them in place."""
    positions = learned(candidate, MAX_LEN, d)
    candidate.attribute(positions, "weight").data.mul_(100.0)
    return positions


def which(rows: Array, weight: Array) -> str:
    """Which rows of the table `rows` [T, d] are, in words."""
    if not len(rows):
        return "no rows"
    start = np.abs(weight - rows[0]).max(axis=1)
    if start.min() > 1e-3:
        return "no rows of weight"
    return f"rows from {int(start.argmin())} on"


@criterion("learned-rows")
def test_weight_is_a_table_of_max_len_rows(candidate: Candidate) -> None:
    expect_array(candidate.value(learned(candidate, 11, 6), "weight"), (11, 6), of="weight", dtypes=("float32",))
    expect_array(candidate.value(learned(candidate, 4, 5), "weight"), (4, 5), of="weight at an odd width")


@criterion("learned-rows")
@given(
    st.lists(st.tuples(st.integers(1, 3), st.integers(1, MAX_LEN), st.integers(0, MAX_LEN)), min_size=6, max_size=6),
    st.integers(0, 1 << 30),
)
def test_learned_pe_adds_rows(candidate: Candidate, cases: list[tuple[int, int, int]], seed: int) -> None:
    """forward adds the rows from the offset on, as they are now, to each sequence; positions returns them."""
    rng = np.random.default_rng(seed)
    positions = widely_spread(candidate)
    weight = weight_of(candidate, positions)
    spans = [(batch, length, min(offset, MAX_LEN - length)) for batch, length, offset in cases]
    inputs = [(embeddings(rng, batch, length, D), offset) for batch, length, offset in spans]
    for (x, offset), value in zip(inputs, positions.many(inputs), strict=True):
        expected = weight[offset : offset + x.shape[1]]
        added = expect_array(value, x.shape, of="the result of LearnedPE") - x
        expect_rows(added, np.broadcast_to(expected, x.shape), weight, f"forward at offset {offset} adds")
    asked = [(length, offset) for _, length, offset in spans]
    for (length, offset), value in zip(asked, positions.positions.many(asked), strict=True):
        expected = weight[offset : offset + length]
        rows = expect_array(value, (length, D), of=f"positions({length}, {offset})")
        expect_rows(rows, expected, weight, f"positions({length}, {offset}) returns")


def expect_rows(found: Array, expected: Array, weight: Array, what: str) -> None:
    """Raise a Mismatch unless `found` is `expected`, rows of weight."""
    if found.shape != expected.shape or largest_difference(found, expected) > CLOSE:
        first = which(found.reshape(-1, found.shape[-1]), weight)
        wanted = which(expected.reshape(-1, expected.shape[-1]), weight)
        raise Mismatch(f"{what} {first}, expected {wanted}")


@criterion("learned-rows")
def test_the_offset_is_0_unless_given_and_goes_by_keyword(candidate: Candidate, rng: np.random.Generator) -> None:
    positions, x = widely_spread(candidate), embeddings(rng, 2, 4, D)
    weight = weight_of(candidate, positions)
    for value, offset in ((positions(x), 0), (positions(x, offset=5), 5)):
        added = expect_array(value, x.shape, of="the result of LearnedPE") - x
        expect_rows(added[1], weight[offset : offset + 4], weight, f"forward at offset {offset} adds")


@criterion("learned-gradient")
def test_weight_is_a_trainable_parameter(candidate: Candidate) -> None:
    inventory = candidate.inventory(learned(candidate))
    if not any(each.requires_grad and len(each.shape) == 2 for each in inventory.parameters):
        held = [f"{each.kind} {each.name}{'' if each.requires_grad else ', frozen'}" for each in inventory]
        raise Mismatch(
            f"LearnedPE holds {'; '.join(held[:3]) or 'no tensor'}, expected weight as a trainable parameter"
        )


@criterion("learned-gradient")
@pytest.mark.parametrize("offset", [0, 5])
@pytest.mark.parametrize("wrapper", ["AtOffset", "AddedByHand"])
def test_the_rows_used_get_their_gradient(
    candidate: Candidate, rng: np.random.Generator, wrapper: str, offset: int
) -> None:
    """The gradient is that of what was added, summed over the batch, and the other rows get none."""
    positions = widely_spread(candidate)
    weight = weight_of(candidate, positions)
    wrapped = candidate.support("decoding")
    model = (wrapped.AtOffset if wrapper == "AtOffset" else wrapped.AddedByHand)(positions, offset)
    x, cotangent = embeddings(rng, 3, 4, D), embeddings(rng, 3, 4, D)
    seen = candidate.gradient(model, x, cotangent)
    if seen.at_x is None:
        raise Mismatch("no gradient arrives at x, expected that of a sum")
    back = candidate.value(positions, "weight.grad")
    if back is None:
        raise Mismatch("no gradient arrives at weight, expected one at the rows that were used")
    gradient = expect_array(back, weight.shape, of="the gradient of weight")
    # Where other rows than those of the offset are added, they are the ones that were used: see learned-rows.
    start = first_row(seen.result, x, weight, offset)
    expected = np.zeros(weight.shape)
    expected[start : start + 4] = cotangent.astype("float64").sum(axis=0)
    if largest_difference(gradient, expected) > 1e-4:
        nonzero = np.flatnonzero(np.abs(gradient).max(axis=1) > 1e-6).tolist()
        raise Mismatch(
            f"rows {nonzero} of weight get a gradient where rows {start} to {start + 3} were used, or it is not the "
            "sum over the batch"
        )


def first_row(result: Any, x: Array, weight: Array, offset: int) -> int:
    """The row of weight that token 0 got; the offset where it is none of them."""
    if not isinstance(result, np.ndarray) or result.shape != x.shape:
        return offset
    apart = np.abs(weight - (result - x)[0, 0]).max(axis=1)
    return int(apart.argmin()) if apart.min() < 1e-3 and apart.argmin() <= len(weight) - 4 else offset


# The statistical check. Each of the tables has N = 160 * 96 = 15,360 numbers; for each, four statistics are held
# against what N draws from a normal distribution give, 7 standard errors to either side. Behind each stands the
# probability that a right table is beyond (normal, chi-squared and binomial tails, computed with mpmath):
#   the mean                          0       +- 7 std / sqrt(N)           = 5.6 % of std   2.6e-12
#   the standard deviation            std     +- 7 std / sqrt(2 N)         = 4.0 % of std   2.6e-12
#   the share within one std of 0     0.68269 +- 7 sqrt(.68269 .31731 / N) = 0.0263         2.8e-12
#   the share beyond two              0.04550 +- 7 sqrt(.04550 .95450 / N) = 0.0118         8.1e-12
# With six tables, a right initialisation fails with probability 1e-10, below 1e-9, if it draws anew in each run; one
# that uses torch's generator, as it should, draws the same numbers every time.
SHAPE, SEEDS, ERRORS = (160, 96), (1, 22, 333), 7.0


def table_drawn(candidate: Candidate, seed: int, std: float | None) -> Array:
    """A new table of that shape after torch.manual_seed(seed); without std, by the default."""
    candidate.torch.manual_seed(seed)
    built = candidate.LearnedPE(*SHAPE) if std is None else candidate.LearnedPE(*SHAPE, std)
    return weight_of(candidate, module(built, "LearnedPE(...)"), SHAPE[1]).astype("float64")


@criterion("learned-init")
@pytest.mark.parametrize("std", [None, 0.5], ids=["default", "given"])
def test_learned_pe_init(candidate: Candidate, std: float | None) -> None:
    """The numbers are drawn from N(0, std ** 2), 0.02 by default."""
    for seed in SEEDS:
        weight, scale = table_drawn(candidate, seed, std), std or 0.02
        n = weight.size
        inside, beyond = (np.abs(weight) < scale).mean(), (np.abs(weight) > 2 * scale).mean()
        for what, found, expected, error in (
            ("mean", weight.mean(), 0.0, scale / n**0.5),
            ("standard deviation", weight.std(), scale, scale / (2 * n) ** 0.5),
            ("share within one standard deviation", inside, 0.68269, (0.68269 * 0.31731 / n) ** 0.5),
            ("share beyond two standard deviations", beyond, 0.04550, (0.04550 * 0.95450 / n) ** 0.5),
        ):
            if abs(found - expected) > ERRORS * error:
                raise Mismatch(f"the {what} of weight is {found:.4g} where std is {scale:g}, expected {expected:.4g}")


@criterion("learned-init")
def test_the_same_seed_gives_the_same_table(candidate: Candidate) -> None:
    first, again, other = (table_drawn(candidate, seed, 0.3) for seed in (5, 5, 6))
    if not np.array_equal(first, again):
        raise Mismatch("two tables after the same torch.manual_seed differ")
    if np.array_equal(first, other):
        raise Mismatch("two tables after different torch.manual_seed are alike: their numbers are not drawn from it")


@criterion("past-the-end")
@pytest.mark.parametrize(
    ("length", "offset"),
    [(12, 0), (3, 9), (2, 10), (1, 11), (3, 40), (1, -1), (3, -2), (2, -11)],
    ids=["too-long", "one-over", "one-left", "next", "far", "last", "around-zero", "negative"],
)
def test_positions_outside_the_table_raise(candidate: Candidate, length: int, offset: int) -> None:
    """No wrapping around, no shorter result, no broadcasting: an error, by both ways in."""
    positions = learned(candidate)
    positions(np.ones((2, 3, D), "float32"), 2)  # one that refuses everything refuses nothing in particular
    x = np.ones((2, length, D), "float32")
    for what, call in (
        (f"forward of {length} tokens at offset {offset}", lambda: positions(tensor(x), offset)),
        (f"positions({length}, {offset})", lambda: positions.positions(length, offset)),
    ):
        if how_it_ends(call) == RETURNS:
            raise Mismatch(f"{what} of a table with {MAX_LEN} rows returned something, expected an error")
