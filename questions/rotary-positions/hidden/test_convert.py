"""`to_interleaved` and `to_half`: rows change places within each head, and nothing else happens to them."""

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from turns import works

from grader.checks import Candidate, Mismatch, Raised, criterion, describe, tensor

BOTH = ("to_interleaved", "to_half")


def converted(candidate: Candidate, name: str, weight: NDArray[Any], n_head: int) -> NDArray[Any]:
    """What a conversion gives, if it has the shape and dtype of the weight."""
    result = candidate[name](tensor(weight), n_head)
    if not isinstance(result, np.ndarray) or result.shape != weight.shape or result.dtype != weight.dtype:
        shape = f"an array of {weight.dtype} {list(weight.shape)}"
        raise Mismatch(f"{name} gives {describe(result)} for {n_head} heads, expected {shape}")
    return result


def converts(candidate: Candidate, name: str) -> bool:
    """Whether a conversion does anything with one head, the plainest case; if not, the way there and back says so."""
    return works(lambda: converted(candidate, name, numbered(1, 6, 6), 1))


def left_to_the_other(candidate: Candidate, name: str) -> bool:
    """Whether this conversion does nothing and the other one can be judged in its place."""
    return not converts(candidate, name) and any(converts(candidate, other) for other in BOTH)


def numbered(heads: int, width: int, *columns: int) -> NDArray[np.float32]:
    """A weight whose entries are different whole numbers, so that each row can be told, whatever was rounded."""
    return np.arange(heads * width * int(np.prod(columns)), dtype="float32").reshape(heads * width, *columns)


def order(result: NDArray[Any], weight: NDArray[np.float32]) -> list[int]:
    """The row of a numbered weight that each row of the result is; a Mismatch if it is none."""
    rows = {row.tobytes(): number for number, row in enumerate(weight)}
    found = [rows.get(row.tobytes(), -1) for row in np.rint(result)]
    if -1 in found or len(set(found)) != len(weight):
        raise Mismatch("the result holds other rows than the weight, expected the same ones in another order")
    return found


@criterion("conversion-direction")
@pytest.mark.parametrize("width", [6, 10])
def test_halves_are_interleaved(candidate: Candidate, width: int) -> None:
    """One head is enough to tell, and width 4 is not: there each direction is its own inverse."""
    weight = numbered(1, width, width)
    found = order(converted(candidate, "to_interleaved", weight, 1), weight)
    expected = np.arange(width).reshape(2, -1).T.ravel().tolist()
    if found != expected:
        raise Mismatch(f"to_interleaved puts the rows of one head into the order {found}, expected {expected}")


@criterion("conversion-per-head")
@pytest.mark.parametrize(("heads", "width", "d_in"), [(3, 8, 24), (2, 6, 30), (5, 4, 7)])
@pytest.mark.parametrize("name", BOTH)
def test_rows_stay_within_their_head(candidate: Candidate, name: str, heads: int, width: int, d_in: int) -> None:
    """Which order they get there has another criterion; it is the same in each head."""
    if left_to_the_other(candidate, name):
        return
    weight = numbered(heads, width, d_in)
    found = np.array(order(converted(candidate, name, weight, heads), weight)).reshape(heads, width)
    within = found - width * np.arange(heads)[:, None]
    if not ((within >= 0) & (within < width)).all():
        raise Mismatch(f"{name} moves rows from one of {heads} heads to another")
    if not (within == within[0]).all():
        raise Mismatch(f"{name} orders the rows of {heads} heads differently")
    if (within[0] == np.arange(width)).all():
        raise Mismatch(f"{name} leaves all rows where they were")


@criterion("conversion-round-trip")
@pytest.mark.parametrize("dtype", ["float32", "float16", "float64"])
@pytest.mark.parametrize(("first", "second"), [BOTH, BOTH[::-1]])
def test_there_and_back_is_where_it_was(
    candidate: Candidate, rng: np.random.Generator, first: str, second: str, dtype: str
) -> None:
    weight = rng.normal(size=(24, 24)).astype(dtype)
    there = converted(candidate, first, weight, 3)
    if np.allclose(there, weight):
        raise Mismatch(f"{first} changes nothing")
    back = converted(candidate, second, there, 3)
    if not np.allclose(back, weight, rtol=64 * np.finfo(dtype).eps, atol=0.0):
        raise Mismatch(f"{second} does not undo {first}")


@criterion("conversion-biases")
@pytest.mark.parametrize("name", BOTH)
def test_a_bias_is_ordered_like_the_rows_of_its_weight(candidate: Candidate, name: str) -> None:
    if left_to_the_other(candidate, name):
        return
    weight = numbered(2, 6, 12)
    rows = converted(candidate, name, weight, 2)
    if not np.array_equal(converted(candidate, name, np.ascontiguousarray(weight[:, 0]), 2), rows[:, 0]):
        raise Mismatch(f"{name} orders a bias otherwise than the rows of a weight")


@criterion("input-unchanged")
@pytest.mark.parametrize("name", BOTH)
def test_a_weight_stays_as_it_was(candidate: Candidate, rng: np.random.Generator, name: str) -> None:
    if not converts(candidate, name):
        return
    weight = tensor(rng.normal(size=(12, 12)).astype("float32"))
    if not candidate.observe(candidate[name], weight, 2).arguments_unchanged:
        raise Mismatch(f"{name} changed its argument, expected it as it was")


@criterion("odd-width-refused")
@pytest.mark.parametrize("name", BOTH)
def test_rows_that_do_not_divide_are_refused(candidate: Candidate, rng: np.random.Generator, name: str) -> None:
    if not converts(candidate, name):
        return
    for rows, heads in ((15, 3), (10, 3), (16, 6)):
        try:
            candidate[name](tensor(rng.normal(size=(rows, rows)).astype("float32")), heads)
        except Raised:
            continue
        raise Mismatch(f"{name} takes {rows} rows for {heads} heads, expected an error")
