"""Tables for a report: a block of what a candidate's code gave beside the same block of what is right.

Two things can show one. A comparison that fails holds both arrays already. A check that looks at properties, such as
how fast a column turns, holds only the candidate's; then the reference is asked the same call once the candidate's
worker is gone, and the first of the check's calls in which the two differ is shown.
"""

from __future__ import annotations

import base64
import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from grader import wire
from grader.examine.brief import CheckResult, Table
from grader.examine.calls import LARGEST, Call
from grader.examine.errors import Lost, Mismatch, Raised
from grader.examine.subject import SOLUTION, Subject
from grader.outcome import Outcome
from grader.wire import Array

MOST: Final = 48  # rows and columns that are shown
DIGITS: Final = 4
MOST_DIGITS: Final = 9
LEAST_DIFFERENCE: Final = 2e-6  # below, two right routes differ by rounding
NUMBERS: Final = "iuf"  # kinds of dtypes


def again(subject: Subject, packed: str) -> NDArray[Any] | None:
    """What another submission gives for a packed call; None if that is no table."""
    reader = wire.FrameReader(LARGEST)
    reader.feed(base64.b64decode(packed))
    request = reader.message()
    try:
        value = subject.ask(str(request["path"]), "call", on=SOLUTION, keep=False, **request)
    except (Raised, Lost, Mismatch):
        return None
    return value.numpy() if isinstance(value, Array) else None


def illustrated(
    checks: list[CheckResult], calls: dict[str, list[Call]], reference: Callable[..., Any] | None
) -> list[CheckResult]:
    """The checks with one table a criterion, the first that there is.

    Args:
        checks: as they ended.
        calls: for each that did not pass, what functions of the submission gave it.
        reference: what the reference gives for a `call=` that was packed; None if there is nobody to ask.
    """
    shown: set[str] = set()
    made = []
    for check in checks:
        table = None
        if check.outcome is Outcome.FAILED and check.criterion not in shown:
            table = check.table or (_beside(calls.get(check.check, []), reference) if reference else None)
        if table:
            shown.add(check.criterion)
        made.append(replace(check, table=table))
    return made


def _beside(calls: list[Call], reference: Callable[..., Any]) -> Table | None:
    """The first table of a check in which the submission and the reference differ."""
    for call in calls:
        packed = call.packed()
        right = reference(call=packed) if packed else None
        if right is not None and (table := drawn(call.result, right, call.label, "reference")):
            return table
    return None


def drawn(got: Any, wanted: NDArray[Any], of: str, source: str = "check") -> Table | None:
    """The table that shows where two arrays differ; None where there is no such table to show.

    Of arrays with more than two dimensions it is the part with the largest difference.
    """
    if not isinstance(got, np.ndarray) or got.shape != wanted.shape or got.ndim < 2 or not got.size:
        return None
    if got.dtype.kind not in NUMBERS or wanted.dtype.kind not in NUMBERS:
        return None
    ours, theirs = wanted.astype("float64"), got.astype("float64")
    with np.errstate(invalid="ignore", over="ignore"):
        off = np.nan_to_num(np.abs(theirs - ours), nan=np.inf, posinf=np.inf)
    if not off.max() > LEAST_DIFFERENCE:
        return None
    place = [int(index) for index in np.unravel_index(off.argmax(), off.shape)]
    part = tuple(place[:-2])
    if part:
        of = f"{of}, part {list(part)}"
    rows, columns = _block(off[part], place[-2], place[-1])
    block = np.ix_(rows, columns)
    ours, theirs, off = ours[part][block], theirs[part][block], off[part][block]
    digits = _digits(np.abs(ours), off)
    return Table(of, source, list(got.shape), rows, columns, _numbers(theirs, digits), _numbers(ours, digits))


def _digits(right: NDArray[np.float64], off: NDArray[np.float64]) -> int:
    """How many significant digits tell the two apart: four, and more where the difference is in a later one."""
    largest = off[np.isfinite(off)].max(initial=0.0)
    if not largest or not np.isfinite(right).all() or not right.max():
        return DIGITS
    return int(np.clip(np.ceil(np.log10(right.max() / largest)) + 2, DIGITS, MOST_DIGITS))


def _block(off: NDArray[np.float64], row: int, column: int) -> tuple[list[int], list[int]]:
    """The rows and columns that are shown: the first ones if they differ there, else those around the worst place."""
    first = off[:MOST, :MOST].max()
    if first > LEAST_DIFFERENCE and first >= 0.01 * off.max():
        row = column = 0
    return _around(row, off.shape[0]), _around(column, off.shape[1])


def _around(place: int, length: int) -> list[int]:
    start = max(0, min(place - MOST // 2, length - MOST))
    return list(range(start, min(start + MOST, length)))


def _numbers(block: NDArray[np.float64], digits: int) -> list[list[float | None]]:
    return [[float(f"{number:.{digits}g}") if math.isfinite(number) else None for number in row] for row in block]
