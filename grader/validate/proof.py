"""What a proof of a question consists of: findings, the rows of its kill matrix, and its mutants."""

from __future__ import annotations

from enum import StrEnum
from typing import Any, Final, Literal

from pydantic import BaseModel, ConfigDict

from grader.outcome import Outcome
from grader.report import Report

SCHEMA: Final = "takehome-grader/proof/1"


class Part(BaseModel):
    """A part of a proof."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Kind(StrEnum):
    """What a file among the solutions is there to show."""

    REFERENCE = "reference"
    UNUSUAL = "unusual"
    WRONG = "wrong"
    SKELETON = "skeleton"


class Finding(Part):
    """One claim that a question makes of itself, and each way in which it does not hold."""

    claim: str
    problems: list[str] = []

    @property
    def holds(self) -> bool:
        """Whether nothing speaks against it."""
        return not self.problems


class Row(Part):
    """One submission of the kill matrix.

    Attributes:
        name: its path among the solutions.
        kind: what it is there to show.
        misconception: for a wrong one, the id of the mistake that it makes.
        fails: the criteria that it should fail, no more and no less.
        criteria: how each criterion ended.
        checks: how each check ended, by "criterion: check in words".
        seen: what the checks that did not pass saw.
        named: the mistakes that the report named.
        earned: points.
        cpu_seconds: CPU time of its workers.
        peak_mib: the most memory that one of its workers held.
        leaks: what its feedback gives away of the hidden tests.
    """

    name: str
    kind: Kind
    misconception: str = ""
    fails: list[str] = []
    criteria: dict[str, Outcome]
    checks: dict[str, Outcome]
    seen: dict[str, str]
    named: list[str]
    earned: float
    cpu_seconds: float
    peak_mib: float
    leaks: list[str] = []

    @property
    def missed(self) -> list[str]:
        """The criteria that did not pass."""
        return [id for id, outcome in self.criteria.items() if outcome is not Outcome.PASSED]

    @classmethod
    def of(cls, report: Report, name: str, kind: Kind, misconception: str, fails: list[str], leaks: list[str]) -> Row:
        """The row of a graded submission."""
        checks = {f"{part.id}: {each.check}": each for part in report.criteria for each in part.evidence}
        return cls(
            name=name,
            kind=kind,
            misconception=misconception,
            fails=fails,
            criteria={part.id: part.outcome for part in report.criteria},
            checks={key: each.outcome for key, each in checks.items()},
            seen={key: each.seen for key, each in checks.items() if each.outcome is not Outcome.PASSED},
            named=[part.id for part in report.diagnosis],
            earned=report.score.earned,
            cpu_seconds=report.timing.get("cpu_seconds", 0.0),
            peak_mib=report.timing.get("peak_mib", 0.0),
            leaks=leaks,
        )


class MutantRow(Part):
    """One mutant of the reference, and what became of it.

    Attributes:
        id: which one, for a mark in the spec.
        diff: against the reference.
        fate: `killed`, `survived`, or `equivalent` where the author says so.
        by: the check that killed it.
        reason: the author's, for an equivalent one.
    """

    id: str
    diff: str
    fate: Literal["killed", "survived", "equivalent"]
    by: str = ""
    reason: str = ""


class VariantPart(Part):
    """A variant that was tried as the question itself was.

    Attributes:
        choices: what was chosen.
        digest: of its files.
        literals: what stands in them now, by what stands there in the question.
        submissions: how many were graded, and `mutants` how many of those.
        problems: what does not hold of it, each with its claim.
    """

    choices: dict[str, int | float | str | bool]
    digest: str
    literals: dict[str, str]
    submissions: int
    mutants: int
    problems: list[str]


class Proof(Part):
    """All that was tried of one question; `whole` is false where that was a few of each, since all had been before."""

    id: str
    version: int
    title: str
    digest: str
    findings: list[Finding]
    rows: list[Row]
    mutants: list[MutantRow]
    variants: list[VariantPart] = []
    whole: bool = True
    seconds: float

    @property
    def holds(self) -> bool:
        """Whether every claim holds."""
        return all(finding.holds for finding in self.findings)

    def count(self, fate: str) -> int:
        """How many mutants met this fate."""
        return sum(mutant.fate == fate for mutant in self.mutants)

    def to_json(self) -> dict[str, Any]:
        """For programs."""
        return {"schema": SCHEMA, "holds": self.holds, **self.model_dump(mode="json")}
