"""Probes: what a submission does in a few fixed situations, held against what each named mistake does there.

A question's `hidden/probes.py` holds functions marked `@probe` that take a candidate and return plain values: the
table at some sizes, where the tensors are, what happens past the end. A probe gives no points. It exists to tell
mistakes apart: a misconception is named when, wherever its wrong solution and the reference part ways, the submission
went the way of the wrong solution.
"""

import importlib.util
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np

from grader.errors import GraderFault
from grader.examine.candidate import Candidate
from grader.examine.errors import Lost, Mismatch, Raised
from grader.examine.remote import Handle, describe
from grader.examine.subject import Subject
from grader.outcome import Outcome

Probe = Callable[[Candidate], Any]
Known = Callable[[str], Any]

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


@dataclass(frozen=True, slots=True)
class Kept:
    """What stands for an object that stayed in the worker."""

    what: str


def settled(value: Any) -> Any:
    """A probe's value without the worker that it came from."""
    match value:
        case Handle():
            return Kept(describe(value))
        case list() | tuple():
            return type(value)(map(settled, value))
        case dict():
            return {key: settled(item) for key, item in value.items()}
    return value


def run(probes: dict[str, Probe], subject: Subject) -> dict[str, Any]:
    """The value of each probe for one submission, as far as the first one that uses up its time."""
    values: dict[str, Any] = {}
    for name, function in probes.items():
        values[name] = value(function, subject)
        if isinstance(values[name], Ended) and values[name].how == Outcome.TIMED_OUT:
            break
    return values


def telling(names: Iterable[str], seen: dict[str, Any], right: Known, wrong: Known) -> set[str] | None:
    """Where a wrong solution and the reference part ways, if the submission always went the wrong solution's way there.

    Args:
        names: the question's probes.
        seen: the submission's value of each probe.
        right: the reference's value of a probe.
        wrong: the wrong solution's.

    None as soon as the submission is seen to have gone another way, or where the two never part.
    """
    apart = [name for name in names if not alike(seen.get(name), right(name))]
    found: set[str] = set()
    for name in (*apart, *(name for name in names if name not in apart)):
        if name not in apart and not found:
            return None  # it explains nothing of what the submission does
        if not alike(wrong(name), right(name)):
            if not alike(wrong(name), seen.get(name)):
                return None
            found.add(name)
    return found or None


def value(function: Probe, subject: Subject) -> Any:
    """The value of one probe for one submission: plain, whatever it is."""
    try:
        return settled(function(Candidate(subject)))
    except Raised as error:
        return Ended(f"raised {error.type}")
    except Mismatch:
        return Ended("gave what can't be compared")
    except Lost as error:
        return Ended(error.outcome)
    except GraderFault:
        raise
    except Exception as error:  # noqa: BLE001 - a probe that stumbles tells nothing, and costs nothing but its name
        return Ended(f"the probe raised {type(error).__name__}")


def most_telling(shown: dict[str, set[str]]) -> list[str]:
    """The mistakes that a submission shows, less those that another one of them explains more of."""
    return [id for id, names in shown.items() if not any(names < others for others in shown.values())]


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
    return type(one) is type(other) and bool(one == other)
