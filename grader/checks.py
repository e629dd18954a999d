"""Everything that a hidden test may use; `from grader.checks import criterion, Mismatch, …` is all it imports of ours.

A hidden test is an ordinary function. It takes the `candidate` fixture, carries `@criterion("id")`, and raises a
`Mismatch` (or fails an assertion) whose message names what was seen. Inputs, expected values, comparisons and clocks
live in the examiner's process, where no byte of a submission ever runs. Other fixtures: `rng`, a generator of the
check's own from the run's seed, and `parameters`, those of the question.
"""

from collections.abc import Callable
from typing import TypeVar

import pytest

from grader.examine.candidate import Candidate, Observation
from grader.examine.compare import expect_array, expect_close, expect_integer, largest_difference
from grader.examine.errors import Lost, Mismatch, Raised, Undefined
from grader.examine.lifecycle import RoundTrip, Step, Training
from grader.examine.probes import probe
from grader.examine.remote import Handle, describe, ndarray, tensor

__all__ = [
    "Candidate",
    "Handle",
    "Lost",
    "Mismatch",
    "Observation",
    "Raised",
    "RoundTrip",
    "Step",
    "Training",
    "Undefined",
    "criterion",
    "describe",
    "expect_array",
    "expect_close",
    "expect_integer",
    "largest_difference",
    "ndarray",
    "probe",
    "tensor",
]

Check = TypeVar("Check", bound=Callable[..., None])


def criterion(id: str) -> Callable[[Check], Check]:
    """Mark a hidden test as evidence for the criterion `id` of the question's spec."""
    return pytest.mark.criterion(id)
