"""`rotate`: each property of the rotation, judged whatever the others turn out to be."""

import numpy as np
import pytest
from turns import (
    MOVED,
    SAME,
    TURNED,
    Floats,
    angles,
    expect_pairs,
    ladder,
    matrices,
    one_step,
    rates,
    rotated,
    takes,
    turns,
)

from grader.checks import Candidate, Mismatch, Raised, criterion, expect_array, largest_difference, tensor

BASE = 30.0
NEAR = [1, 3, 9, 90]
WIDTHS = (6, 10)


def scores(candidate: Candidate, rng: np.random.Generator, shifts: tuple[int, ...], width: int = 8) -> list[Floats]:
    """The scores (T, T) of one query with one key at T positions from each shift on: row m, column n."""
    query, key = (np.tile(rng.normal(size=(1, 1, 1, width)).astype("float32"), (1, 1, 7, 1)) for _ in range(2))
    found = []
    for shift in shifts:
        positions = shift + np.arange(7)
        turned = [rotated(candidate, x, positions, base=BASE)[0, 0] for x in (query, key)]
        found.append(turned[0] @ turned[1].T)
    return found


def expect_same_scores(found: Floats, expected: Floats, label: str) -> None:
    """Raise a Mismatch if two tables of scores differ, or if all scores of one are alike."""
    if np.ptp(expected) < MOVED:
        raise Mismatch("the score of a query and a key is the same at all distances, expected it to depend on them")
    if largest_difference(found, expected) > 1e-3:
        worst = largest_difference(found, expected)
        raise Mismatch(f"the score of a query and a key {label} changes by {worst:.3g}, expected no change")


@criterion("pairs-interleaved")
@pytest.mark.parametrize("width", WIDTHS)
def test_neighbours_are_paired_by_default(candidate: Candidate, width: int) -> None:
    expect_pairs(matrices(candidate, width, NEAR, base=BASE), "interleaved")


@criterion("half-layout")
@pytest.mark.parametrize("width", WIDTHS)
def test_the_half_layout_pairs_across_the_halves(candidate: Candidate, width: int) -> None:
    """Speed and direction are compared with the candidate's own other layout, where they have their criteria."""
    turn = matrices(candidate, width, NEAR, base=BASE, layout="half")
    expect_pairs(turn, "half")
    steps = one_step(candidate, width, layout="half"), one_step(candidate, width)
    senses = [np.sign(steps[0][feature + width // 2, feature]) for feature in range(width // 2)]
    if len({*senses, np.sign(steps[1][1:, 0][np.abs(steps[1][1:, 0]).argmax()])}) > 1:
        raise Mismatch("the pairs of the half layout turn the other way round than those of the interleaved one")
    if turns(steps[1]) and not turns(steps[0]):
        raise Mismatch("in the half layout the two features of a pair do not turn the same way round")
    half, own = angles(turn), angles(matrices(candidate, width, NEAR, base=BASE))
    if largest_difference(half[:, : width // 2], half[:, width // 2 :]) > SAME:
        raise Mismatch("in the half layout the two features of a pair turn by different angles")
    if min(largest_difference(half[:, : width // 2], each) for each in (own[:, ::2], own[:, : width // 2])) > SAME:
        raise Mismatch("the pairs of the half layout turn by other angles than those of the interleaved one")


@criterion("frequency-ladder")
@pytest.mark.parametrize(("width", "base"), [(6, 30.0), (10, 9.0), (8, None)])
def test_each_pair_has_its_frequency(candidate: Candidate, width: int, base: float | None) -> None:
    found = rates(candidate, width) if base is None else rates(candidate, width, base=base)
    due = ladder(width, base or 10_000.0)
    if not any(np.allclose(found, order, rtol=1e-3, atol=1e-6) for order in (np.repeat(due, 2), np.tile(due, 2))):
        given = "the default base" if base is None else f"base {base:g}"
        told, expected = (", ".join(f"{rate:.3g}" for rate in each) for each in (found, np.repeat(due, 2)))
        raise Mismatch(f"at width {width} and {given} the features turn by {told} per position, expected {expected}")


@criterion("turns-forward")
def test_positions_turn_the_first_towards_the_second(candidate: Candidate) -> None:
    """Features that the other layout would pair are judged there: which ones pair has its own criterion."""
    width = 6
    step = one_step(candidate, width)
    away = step - np.diag(np.diagonal(step))
    for feature in range(0, width, 2):
        where = int(np.abs(away[:, feature]).argmax())
        if np.abs(away[where, feature]) < TURNED:
            raise Mismatch(f"feature {feature} of {width} is not turned at all")
        if away[where, feature] < 0 and where > feature:
            raise Mismatch(f"feature {feature} of {width} is turned away from feature {where}, expected towards it")


@criterion("position-zero")
def test_position_zero_turns_nothing(candidate: Candidate, rng: np.random.Generator) -> None:
    x = rng.normal(size=(3, 4, 2, 8)).astype("float32")
    found = rotated(candidate, x, [0, 1], base=BASE)
    if largest_difference(found[:, :, 0], x[:, :, 0]) > SAME:
        raise Mismatch("a row at position 0 is changed, expected it as it was")
    if largest_difference(found[:, :, 1], x[:, :, 1]) < MOVED:
        raise Mismatch("a row at position 1 is not changed either")


@criterion("norm-kept")
@pytest.mark.parametrize("layout", ["interleaved", "half"])
def test_lengths_stay_as_they_were(candidate: Candidate, rng: np.random.Generator, layout: str) -> None:
    if not takes(candidate, layout):
        return
    x = rng.normal(size=(2, 3, 5, 8)).astype("float32")
    found = rotated(candidate, x, [1, 2, 3, 40, 41], base=BASE, layout=layout)
    if largest_difference(found, x) < MOVED:
        raise Mismatch("x is returned as it was")
    before, after = (np.linalg.norm(each.astype("float64"), axis=-1) for each in (x, found))
    if largest_difference(after, before) > 1e-3:
        row = np.unravel_index(np.abs(after - before).argmax(), before.shape)
        raise Mismatch(f"a row of length {before[row]:.4g} has length {after[row]:.4g} once it is rotated")


@criterion("offset-only")
def test_scores_depend_on_the_distance_only(candidate: Candidate, rng: np.random.Generator) -> None:
    near, shifted = scores(candidate, rng, (0, 37))
    expect_same_scores(shifted, near, "that both move on by 37 positions")
    expect_same_scores(near[1:, 1:], near[:-1, :-1], "that both move on by one position")


@criterion("far-positions")
def test_scores_far_out_are_those_at_the_start(candidate: Candidate, rng: np.random.Generator) -> None:
    near, far = scores(candidate, rng, (1, 700_001))
    expect_same_scores(far, near, "that both move on by 700,000 positions")


@criterion("far-positions")
@pytest.mark.parametrize("width", WIDTHS)
def test_angles_far_out_are_right(candidate: Candidate, width: int) -> None:
    """The turn between two positions, seen only where frequencies are right and positions are used."""
    due = ladder(width, BASE)
    orders = np.repeat(due, 2), np.tile(due, 2)
    found = rates(candidate, width, base=BASE)
    order = next((each for each in orders if np.allclose(found, each, rtol=1e-3, atol=1e-6)), None)
    if order is None:
        return
    near, far, again = matrices(candidate, width, [1, 700_001, 1], base=BASE)
    if largest_difference(near, again) > SAME:
        return  # the positions were not used
    if largest_difference(np.diagonal(far @ near.T), np.cos(700_000 * order)) > 1e-3:
        raise Mismatch("between positions 1 and 700,001 the turn is off by more than a thousandth")


@criterion("any-positions")
def test_each_row_has_the_position_it_is_given(candidate: Candidate, rng: np.random.Generator) -> None:
    """Compared with what the candidate itself does at consecutive positions."""
    x = np.tile(rng.normal(size=(2, 3, 1, 6)).astype("float32"), (1, 1, 12, 1))
    row = rotated(candidate, x, np.arange(12), base=BASE)
    positions = [7, 2, 11, 2, 0]
    found = rotated(candidate, x[:, :, :5], positions, base=BASE)
    if largest_difference(found, row[:, :, positions]) > SAME:
        raise Mismatch(f"rows at positions {positions} differ from those at the same positions of a whole sequence")
    if largest_difference(row[:, :, 2], row[:, :, 7]) < MOVED:
        raise Mismatch("rows at different positions are the same")


@criterion("any-positions")
@pytest.mark.parametrize("leading", [(), (4,), (2, 3, 2)])
def test_any_number_of_axes_in_front(candidate: Candidate, rng: np.random.Generator, leading: tuple[int, ...]) -> None:
    """Compared with what the candidate makes of the same rows with two axes in front."""
    x = rng.normal(size=(*leading, 5, 6)).astype("float32")
    positions = 3 + np.arange(5)
    found = rotated(candidate, x, positions, base=BASE)
    usual = rotated(candidate, x.reshape(1, -1, 5, 6), positions, base=BASE)
    if largest_difference(found.reshape(usual.shape), usual) > SAME:
        raise Mismatch(f"x of {list(x.shape)} is rotated otherwise than the same rows in {list(usual.shape)}")
    if largest_difference(found, x) < MOVED:
        raise Mismatch("x is returned as it was")


@criterion("dtype-kept")
@pytest.mark.parametrize(
    ("dtype", "places", "close"),
    [
        ("float16", (0, 9, 5003, 100_001), 6e-2),  # positions that float16 rounds, and one that it has not
        ("float32", (0, 1, 2, 9), 1e-4),
        ("float64", (0, 1, 2, 9), 1e-4),
    ],
)
@pytest.mark.parametrize("layout", ["interleaved", "half"])
def test_the_result_has_the_dtype_of_x(
    candidate: Candidate, rng: np.random.Generator, dtype: str, places: tuple[int, ...], close: float, layout: str
) -> None:
    if not takes(candidate, layout):
        return
    x, positions = rng.normal(size=(2, 3, 4, 6)).astype(dtype), np.array(places)
    result = candidate.rotate(tensor(x), tensor(positions), base=BASE, layout=layout)
    found = expect_array(result, x.shape, of=f"the result for {dtype}", dtypes=(dtype,))
    single = x.astype("float32")
    if largest_difference(found, rotated(candidate, single, positions, base=BASE, layout=layout)) > close:
        raise Mismatch(f"the result for {dtype} holds other numbers than that for float32")
    if largest_difference(found, x) < MOVED:
        raise Mismatch("x is returned as it was")


@criterion("input-unchanged")
@pytest.mark.parametrize("layout", ["interleaved", "half"])
def test_x_stays_as_it_was(candidate: Candidate, rng: np.random.Generator, layout: str) -> None:
    if not takes(candidate, layout):
        return
    x, positions = rng.normal(size=(2, 3, 4, 6)).astype("float32"), np.array([3, 1, 2, 9])
    seen = candidate.observe(candidate.rotate, tensor(x), tensor(positions), BASE, layout)
    if not seen.arguments_unchanged:
        raise Mismatch("rotate changed its arguments, expected them as they were")
    if largest_difference(expect_array(seen.result, x.shape, of="the result of rotate"), x) < MOVED:
        raise Mismatch("x is returned as it was")


@criterion("odd-width-refused")
@pytest.mark.parametrize("layout", ["interleaved", "half"])
@pytest.mark.parametrize("width", [5, 1])
def test_an_odd_width_is_refused(candidate: Candidate, rng: np.random.Generator, width: int, layout: str) -> None:
    if not takes(candidate, layout):
        return
    x = rng.normal(size=(2, 3, 4, width + 1)).astype("float32")
    rotated(candidate, x, np.arange(4), layout=layout)  # one that refuses everything refuses nothing in particular
    try:
        candidate.rotate(tensor(x[..., 1:]), tensor(np.arange(4)), layout=layout)
    except Raised:
        return
    raise Mismatch(f"rotate takes a width of {width}, expected an error")
