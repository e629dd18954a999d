"""Comparison of arrays, on the examiner's own copies: kind, then shape, then finiteness, then closeness.

Nothing broadcasts and NaN equals nothing, which is where the usual helpers are too kind: `assert_allclose` takes NaN
for NaN and a scalar for a matrix, and `torch.allclose` broadcasts (8,) to (4, 8).
"""

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from grader.examine.errors import Mismatch
from grader.examine.remote import describe
from grader.examine.tables import drawn
from grader.wire import Stub

FLOATS: Final = ("float16", "float32", "float64")


def expect_array(
    value: Any, shape: tuple[int, ...], *, of: str, dtypes: tuple[str, ...] = FLOATS, finite: bool = True
) -> NDArray[Any]:
    """Return `value` if it is an array of this shape, of one of these dtypes, without NaN and infinities.

    Args:
        value: what a call returned.
        shape: the shape asked for.
        of: what the value is, for the message: "the table".
        dtypes: names of the dtypes that are right.
        finite: whether NaN and infinities are wrong.

    Raises:
        Mismatch: with one sentence that says what was found.
    """
    if isinstance(value, Stub) and value.shape == shape and value.dtype not in dtypes:  # one that can't cross
        raise Mismatch(f"{of} has dtype {value.dtype}, expected {' or '.join(dtypes)}")
    if not isinstance(value, np.ndarray):
        raise Mismatch(f"{of} is {describe(value)}, expected an array of shape {list(shape)}")
    if value.shape != shape:
        raise Mismatch(f"{of} has shape {list(value.shape)}, expected {list(shape)}")
    if value.dtype.name not in dtypes:
        raise Mismatch(f"{of} has dtype {value.dtype}, expected {' or '.join(dtypes)}")
    if finite and not np.isfinite(value).all():
        row = tuple(int(index) for index in np.argwhere(~np.isfinite(value))[0])
        raise Mismatch(f"{of} holds {value[row]} at {list(row)}, expected finite numbers")
    return value


def largest_difference(value: NDArray[Any], expected: NDArray[Any]) -> float:
    """The largest absolute difference of two arrays of one shape, in float64; infinite where one holds a NaN."""
    if value.shape != expected.shape:
        raise ValueError(f"shapes {value.shape} and {expected.shape} are not compared")
    difference = np.abs(value.astype("float64") - expected.astype("float64"))
    return float(np.nan_to_num(difference, nan=np.inf).max(initial=0.0))


def expect_close(value: Any, expected: NDArray[Any], *, atol: float, of: str, dtypes: tuple[str, ...] = FLOATS) -> None:
    """Raise a Mismatch unless `value` is an array like `expected`, each element within `atol`."""
    try:
        array = expect_array(value, expected.shape, of=of, dtypes=dtypes)
    except Mismatch as mismatch:
        mismatch.table = drawn(value, expected, of)  # NaN and infinities are best seen where they are
        raise
    difference = np.abs(array.astype("float64") - expected.astype("float64"))
    if difference.max(initial=0.0) > atol:
        worst = tuple(int(index) for index in np.unravel_index(difference.argmax(), difference.shape))
        raise Mismatch(
            f"{of} holds {array[worst]:.6g} at {list(worst)}, expected {expected[worst]:.6g}",
            table=drawn(array, expected, of),
        )


def expect_integer(value: Any, expected: int, *, of: str) -> None:
    """Raise a Mismatch unless `value` is this integer; an array of one integer will do."""
    if isinstance(value, np.ndarray) and value.shape == () and value.dtype.kind in "iu":
        value = int(value)
    if type(value) is not int:
        raise Mismatch(f"{of} is {describe(value)}, expected an integer")
    if value != expected:
        raise Mismatch(f"{of} is {value:,}, expected {expected:,}")
