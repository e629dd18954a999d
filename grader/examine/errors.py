"""What a check can meet. Each becomes one outcome, and one sentence of evidence that names what was seen.

`Mismatch` is for checks to raise. The others come out of calls to the candidate's code; `Lost` and its kinds derive
from BaseException, so that neither a check's `except Exception` nor Hypothesis's search for a smaller example asks a
dead worker again.
"""

import re
from typing import ClassVar, Final

from grader.examine.brief import Table
from grader.outcome import Outcome

# Addresses and the names of workers' folders differ from run to run; a report does not.
_VARYING: Final = re.compile(r"0x[0-9a-f]{6,}|/tmp/worker-[\w-]+")


class Mismatch(AssertionError):
    """The candidate's code ran and did not do what the criterion asks.

    Args:
        seen: one sentence that names what was found.
        table: the table that is wrong, where there is one to show.
    """

    outcome: ClassVar[Outcome] = Outcome.FAILED

    def __init__(self, seen: str = "", *, table: Table | None = None) -> None:
        super().__init__(seen)
        self.table = table


class Undefined(Mismatch):
    """Something that the question asks for is not in the file, or does not take the arguments asked for."""


class Raised(Exception):
    """The candidate's code raised an exception where a value was due.

    Args:
        type: the exception's type, as the worker named it.
        message: its message, cut and inert.
        line: the line of the candidate's file, if it was there.
        during: what was being called.
    """

    def __init__(self, type: str, message: str, line: int | None, during: str) -> None:
        message = _VARYING.sub("…", message)
        self.type, self.message, self.line = type, message, line
        at = f" at line {line}" if line else ""
        super().__init__(f"{during} raised {type}{at}{': ' if message else ''}{message}")
        self.during = during

    @property
    def outcome(self) -> Outcome:
        """An unwritten part is a failure, memory that ran out is named, anything else is a crash."""
        if self.type == "NotImplementedError":
            return Outcome.FAILED
        if self.type == "MemoryError" or "allocate memory" in self.message:  # torch's words, and the system's
            return Outcome.OUT_OF_MEMORY
        return Outcome.CRASHED


class Lost(BaseException):
    """The worker is gone, and the check that met it ends here."""

    outcome: ClassVar[Outcome] = Outcome.CRASHED


class Died(Lost):
    """The worker's process ended in mid-call."""


class Babbled(Lost):
    """The worker sent something that is not an answer."""


class TimedOut(Lost):
    """The call used up its time and was stopped from outside."""

    outcome = Outcome.TIMED_OUT


class OutOfMemory(Lost):
    """The kernel ended the worker for the memory that it took."""

    outcome = Outcome.OUT_OF_MEMORY
