"""Probes: what a submission does in a few fixed situations, held against what each named mistake does there.

A question's `hidden/probes.py` holds functions marked `@probe` that take a candidate and return plain values: the
table at some sizes, where the tensors are, what happens past the end. A probe gives no points. It exists to tell
mistakes apart: a misconception is named when, wherever its wrong solution and the reference part ways, the submission
went the way of the wrong solution.
"""

import importlib.util
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np

from grader.examine.candidate import Candidate
from grader.examine.errors import Lost, Mismatch, Raised
from grader.examine.remote import Handle, describe
from grader.examine.subject import Subject
from grader.outcome import Outcome

Probe = Callable[[Candidate], Any]

# Well above the rounding of two correct routes, well below what tells two ladders apart.
TOLERANCE: Final = 2e-6


def probe(function: Probe) -> Probe:
    """Mark a function of `hidden/probes.py` as a probe."""
    function.__dict__["is_probe"] = True
    return function


def collect(hidden: Path) -> dict[str, Probe]:
    """The probes of a question, by name, in the order of the file; none where it has no probes.py."""
    path = hidden / "probes.py"
    if not path.exists():
        return {}
    spec = importlib.util.spec_from_file_location("probes", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return {name: thing for name, thing in vars(module).items() if getattr(thing, "is_probe", False)}


@dataclass(frozen=True, slots=True)
class Ended:
    """What stands for the value of a probe that did not return one: that it raised, or how it was lost."""

    how: str


def run(probes: dict[str, Probe], subject: Subject) -> dict[str, Any]:
    """The value of each probe for one submission, as far as the first one that uses up its time."""
    values: dict[str, Any] = {}
    for name, function in probes.items():
        values[name] = _value(function, subject)
        if isinstance(values[name], Ended) and values[name].how == Outcome.TIMED_OUT:
            break
    return values


def _value(function: Probe, subject: Subject) -> Any:
    try:
        return function(Candidate(subject))
    except Raised as error:
        return Ended(f"raised {error.type}")
    except Mismatch:
        return Ended("gave what can't be compared")
    except Lost as error:
        return Ended(error.outcome)
    except Exception as error:  # noqa: BLE001 - a probe that stumbles tells nothing, and costs nothing but its name
        return Ended(f"the probe raised {type(error).__name__}")


def matching(seen: dict[str, Any], right: dict[str, Any], mistakes: dict[str, dict[str, Any]]) -> list[str]:
    """The mistakes that a submission shows, less those that another one of them explains more of.

    Args:
        seen: the submission's value of each probe.
        right: the reference's.
        mistakes: those of each misconception's wrong solution.
    """
    telling = {id: _parting(values, right) for id, values in mistakes.items()}
    shown = [id for id, names in telling.items() if names and all(alike(seen.get(n), mistakes[id][n]) for n in names)]
    return [id for id in shown if not any(telling[id] < telling[other] for other in shown)]


def _parting(values: dict[str, Any], right: dict[str, Any]) -> set[str]:
    """The probes at which a wrong solution and the reference part ways."""
    return {name for name, value in values.items() if not alike(value, right[name])}


def alike(one: Any, other: Any) -> bool:
    """Whether two probe values agree: the same shapes, and numbers within rounding."""
    match one, other:
        case np.ndarray(), np.ndarray():
            if one.shape != other.shape or one.dtype.kind != other.dtype.kind:
                return False
            if one.dtype.kind in "biu":
                return bool((one == other).all())
            return bool(np.allclose(one, other, rtol=0, atol=TOLERANCE, equal_nan=True))
        case ((float() | int()), (float() | int())):
            return bool(np.isclose(one, other, rtol=1e-6, atol=TOLERANCE, equal_nan=True))
        case ((list() | tuple()), (list() | tuple())):
            return len(one) == len(other) and all(map(alike, one, other))
        case dict(), dict():
            return one.keys() == other.keys() and all(alike(one[key], other[key]) for key in one)
        case Handle(), Handle():
            return describe(one) == describe(other)
    return type(one) is type(other) and bool(one == other)
