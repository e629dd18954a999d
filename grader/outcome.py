"""The words for how things ended. One list; the examiner, the report and every renderer use it."""

from collections.abc import Iterable
from enum import StrEnum
from typing import Final


class Outcome(StrEnum):
    """How a check, or the criterion that it is evidence for, ended."""

    PASSED = "passed"
    FAILED = "failed"
    CRASHED = "crashed"
    TIMED_OUT = "timed_out"
    OUT_OF_MEMORY = "out_of_memory"
    NOT_REACHED = "not_reached"
    GRADER_FAULT = "grader_fault"

    @property
    def words(self) -> str:
        """The outcome as a person reads it: `timed out`."""
        return self.value.replace("_", " ")

    @property
    def glyph(self) -> str:
        """One character that tells the outcome apart without colour."""
        return GLYPHS[self]


GLYPHS: Final = {
    Outcome.PASSED: "✓",
    Outcome.FAILED: "✗",
    Outcome.CRASHED: "!",
    Outcome.TIMED_OUT: "◷",
    Outcome.OUT_OF_MEMORY: "▣",
    Outcome.NOT_REACHED: "·",
    Outcome.GRADER_FAULT: "?",
}


class Verdict(StrEnum):
    """How a run ended."""

    PASSED = "passed"
    FAILED = "failed"
    REFUSED = "refused"
    GRADER_FAULT = "grader_fault"

    @property
    def words(self) -> str:
        """The verdict as a person reads it: `grader fault`."""
        return self.value.replace("_", " ")

    @property
    def exit_code(self) -> int:
        """0 passed; 1 graded and not passed, or refused; 3 a fault of the grader."""
        return {Verdict.PASSED: 0, Verdict.FAILED: 1, Verdict.REFUSED: 1, Verdict.GRADER_FAULT: 3}[self]


def combine(outcomes: Iterable[Outcome]) -> Outcome:
    """The outcome of a criterion from its checks, in the order they ran.

    All must pass. A fault of ours outweighs everything, since then the criterion was not measured; otherwise the
    first check that did not pass speaks for the criterion.
    """
    listed = list(outcomes)
    if not listed or Outcome.GRADER_FAULT in listed:
        return Outcome.GRADER_FAULT
    return next((outcome for outcome in listed if outcome is not Outcome.PASSED), Outcome.PASSED)
