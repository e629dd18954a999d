"""What the examiner is told of a question, and what it is asked about a submission.

Plain dataclasses and JSON: the examiner starts beside the zygote, and has no time to import the spec's models.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from typing import Any

from grader.outcome import Outcome
from grader.sandbox.limits import KIB, Limits


@dataclass(frozen=True, slots=True)
class Definition:
    """Something that a submission has to define: `kind` is "function" or "class"."""

    name: str
    kind: str
    signature: str

    def __str__(self) -> str:
        return f"{self.name}{self.signature}"


@dataclass(frozen=True, slots=True)
class Brief:
    """A question as the examiner needs it.

    Attributes:
        hidden: the folder of hidden tests.
        helpers: the folder of what hidden tests of several questions import; it need not exist.
        criteria: each criterion that checks decide, with the criteria it rests on, in the order of the spec.
        defines: what a submission has to define.
        support: the text of each support module, by its import name.
        parameters: the question's parameters.
        limits: what a submission may use.
    """

    hidden: str
    helpers: str
    criteria: dict[str, list[str]]
    defines: list[Definition]
    support: dict[str, str]
    parameters: dict[str, Any]
    limits: Limits

    def to_json(self) -> str:
        """One line of JSON."""
        return json.dumps(asdict(self))

    @classmethod
    def from_json(cls, line: str) -> Brief:
        """The brief that `to_json` wrote."""
        fields = json.loads(line)
        defines = [Definition(**each) for each in fields.pop("defines")]
        return cls(defines=defines, limits=Limits(**fields.pop("limits")), **fields)


@dataclass(frozen=True, slots=True)
class Table:
    """A block of a table that is wrong, and the same block of the right one.

    Attributes:
        of: what it is a table of, in a few words.
        source: who says what is right: the "check", or the "reference" when it was asked the same.
        shape: the whole array's.
        rows: the numbers of the rows that are shown.
        columns: those of the columns.
        got: what the submission gave, row by row, in 4 significant digits or as many as tell the two apart; None for
            what is no finite number.
        wanted: what is right.
    """

    of: str
    source: str
    shape: list[int]
    rows: list[int]
    columns: list[int]
    got: list[list[float | None]]
    wanted: list[list[float | None]]


@dataclass(frozen=True, slots=True)
class CheckResult:
    """How one check ended.

    Attributes:
        check: the test's name.
        title: the test's name, or the first line of its docstring, as words.
        criterion: the criterion that it is evidence for.
        outcome: how it ended.
        seen: one sentence that names what was seen, when it did not pass; for interviewers only.
        about: the definitions that it used, when it did not pass.
        table: the table that it found wrong, if it was about one; the first of its criterion.
    """

    check: str
    title: str
    criterion: str
    outcome: Outcome
    seen: str = ""
    about: list[str] = field(default_factory=list)
    table: Table | None = None


@dataclass(frozen=True, slots=True)
class Examination:
    """All that was learned of one submission.

    Attributes:
        checks: in the order in which they ran.
        unloaded: why the file could not be loaded; empty when it was.
        printed: what the submission printed, capped.
        printed_bytes: how much it printed in all.
        cpu_seconds: what its workers used together.
        peak_kib: the most memory that one of them held, shared pages of the warm interpreter included.
        workers: how many were started.
        longest_call_seconds: the most CPU time that one question to a worker took.
        slowest_check: the check that took the longest for itself, beside what its workers took, in words.
        slowest_seconds: how long that was.
    """

    checks: list[CheckResult]
    unloaded: str
    printed: str
    printed_bytes: int
    cpu_seconds: float
    peak_kib: int
    workers: int
    longest_call_seconds: float = 0.0
    slowest_check: str = ""
    slowest_seconds: float = 0.0

    def notes(self, limits: Limits) -> list[str]:
        """What a person should know of what the submission printed."""
        if not self.printed_bytes:
            return []
        most = min(limits.output_kib, -(-self.printed_bytes // KIB))  # how much more depends on when it was stopped
        more = ", of which the start was kept" if self.printed_bytes > limits.output_kib * KIB else ""
        size = f"{'more than' if more else 'up to'} {most} KiB{more}"
        return [f"it printed {size}; what is printed decides nothing"]

    def used(self) -> dict[str, float]:
        """What the workers used, for the timing block."""
        return {
            "cpu_seconds": self.cpu_seconds,
            "peak_mib": round(self.peak_kib / KIB, 1),
            "workers": float(self.workers),
        }

    @classmethod
    def from_fields(cls, fields: dict[str, Any]) -> Examination:
        """The examination that `dataclasses.asdict` took apart."""
        return cls(checks=[_result(check) for check in fields.pop("checks")], **fields)


def _result(fields: dict[str, Any]) -> CheckResult:
    table = fields["table"] and Table(**fields["table"])
    return CheckResult(**{**fields, "outcome": Outcome(fields["outcome"]), "table": table})
