"""The errors a person meets: each knows its exit status, and says what, where, found, expected and what to do.

An exception carries the parts; the sentence is put together here once, so that every face of the program words
it alike. Nothing but these reaches a user without `--debug`.
"""

from typing import ClassVar


class GraderError(Exception):
    """Something a person can mend.

    Args:
        what: what is wrong, as a clause without a full stop.
        where: the file, with line and column where they are known.
        found: what was there.
        expected: what belongs there.
        next_step: what to do about it, as a sentence.
    """

    exit_code: ClassVar[int] = 2

    def __init__(
        self,
        what: str,
        *,
        where: str | None = None,
        found: str | None = None,
        expected: str | None = None,
        next_step: str | None = None,
    ) -> None:
        self.what = what
        self.where = where
        self.found = found
        self.expected = expected
        self.next_step = next_step
        super().__init__(what)

    def __str__(self) -> str:
        place = f"{self.where}: " if self.where else ""
        details = [
            f"found {self.found}" if self.found else "",
            f"expected {self.expected}" if self.expected else "",
        ]
        tail = ", ".join(detail for detail in details if detail)
        sentence = f"{place}{self.what}" + (f": {tail}" if tail else "")
        return f"{sentence}. {self.next_step}" if self.next_step else f"{sentence}."


class CallError(GraderError):
    """The command was called with something it can't use: a path, an id, an option."""


class QuestionError(GraderError):
    """A question's own files are wrong."""


class GraderFault(GraderError):
    """The grader failed; never a candidate's zero."""

    exit_code = 3


class TooLittleIsolation(GraderFault):
    """The isolation that was probed is below what was asked for."""
