"""The one result model. Every renderer reads it and nothing else; `report.json` is it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Final, Literal

from pydantic import BaseModel, ConfigDict

from grader.outcome import Outcome, Verdict

SCHEMA: Final = "takehome-grader/report/1"


class Part(BaseModel):
    """A part of a report."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class QuestionPart(Part):
    """Which question, exactly; `variant` is what was chosen of its variants, and empty where it has none."""

    id: str
    version: int
    title: str
    digest: str
    variant: dict[str, int | float | str | bool] = {}


class SubmissionPart(Part):
    """What was graded. `files` are the names that were read, `notes` what a person should know of how."""

    name: str
    digest: str
    files: list[str]
    notes: list[str]


class Score(Part):
    """Points, over the criteria that code and machine-checked answers decide."""

    earned: float
    possible: float


class TablePart(Part):
    """A table that is wrong beside the right one: at most 48 by 48 of its numbers.

    They have 4 significant digits, or as many more as it takes to see the difference.

    Attributes:
        of: what it is a table of, in a few words.
        source: who says what is right: the check, or the reference when it was asked the same.
        shape: the whole array's.
        rows: the numbers of the rows that are shown.
        columns: those of the columns.
        got: what the submission gave, row by row; None for what is no finite number.
        wanted: what is right.
    """

    of: str
    source: Literal["check", "reference"]
    shape: list[int]
    rows: list[int]
    columns: list[int]
    got: list[list[float | None]]
    wanted: list[list[float | None]]


class Evidence(Part):
    """One check in plain words, how it ended, and what was seen. For interviewers, never for a candidate.

    `about` names the definitions that a check used which did not pass, and `table` shows what it found wrong.
    """

    check: str
    outcome: Outcome
    seen: str = ""
    about: list[str] = []
    table: TablePart | None = None


class CriterionPart(Part):
    """One criterion. `feedback` is the spec's sentence for the candidate; empty when it passed."""

    id: str
    title: str
    points: float
    earned: float
    required: bool
    outcome: Outcome
    feedback: str = ""
    evidence: list[Evidence] = []


class DiagnosisPart(Part):
    """A mistake that was recognised: `why` says why it is wrong, `criteria` which ones it cost."""

    id: str
    title: str
    why: str
    criteria: list[str]


class ObservablePart(Part):
    """One point of a text's rubric, which a person ticks or leaves."""

    id: str
    kind: Literal["required", "optional", "negative"]
    says: str


class AnswerPart(Part):
    """A written answer.

    Attributes:
        outcome: of a fact, which a machine checked; None for a text, which only a person can judge.
        read: the value that was read for a fact: digits, in the unit that was asked for, or a choice's id.
        note: what was read, or is wrong with what was given.
        observables: what a person ticks in a text; for interviewers only, as the next two.
        levels: what the ticks come to, a line for each level.
        rubric: the digest of what a mark depends on.
    """

    id: str
    kind: Literal["integer", "number", "choice", "text"]
    prompt: str
    given: str
    outcome: Outcome | None
    read: str = ""
    note: str = ""
    observables: list[ObservablePart] = []
    levels: list[str] = []
    rubric: str = ""


class Pitfall(Part):
    """A mistake that the candidate's own tests should notice. `diff`, of mutant and reference, is for interviewers."""

    id: str
    pitfall: str
    required: bool
    killed: bool
    diff: str = ""


class SuitePart(Part):
    """The candidate's own tests.

    Attributes:
        file: their file.
        outcome: `invalid` if they don't count, `missing` if none were sent.
        reason: why they did not pass, in a sentence that the candidate may read; empty if they did.
        seen: what was seen when they broke off; for interviewers only.
        killed: how many mutants they noticed.
        mutants: how many there are.
        threshold: the share that has to be noticed.
        own_solution: how they ended on the candidate's own solution, in a clause; empty if that was not tried.
        pitfalls: what each mutant stands for; empty unless the tests count.
    """

    file: str
    outcome: Literal["passed", "failed", "invalid", "missing"]
    reason: str
    seen: str = ""
    killed: int
    mutants: int
    threshold: float
    own_solution: str = ""
    pitfalls: list[Pitfall] = []

    @property
    def needed(self) -> int:
        """How many mutants have to be noticed."""
        return math.ceil(round(self.threshold * self.mutants, 6))  # 0.55 * 20 is a little more than 11


class IntegrityPart(Part):
    """Something in the file that an honest solution has no use for. It changes no points."""

    id: str
    where: str
    detail: str


class Isolation(Part):
    """The tier that was probed in this run, each probe's result, and what limits memory: a cgroup, or each process."""

    tier: str
    probes: dict[str, bool]
    memory: str = ""


class Report(Part):
    """All that is known of one run. But for `timing`, the same submission, question and seed give the same report."""

    schema_: Literal["takehome-grader/report/1"] = SCHEMA
    question: QuestionPart
    submission: SubmissionPart
    verdict: Verdict
    score: Score
    criteria: list[CriterionPart]
    diagnosis: list[DiagnosisPart]
    answers: list[AnswerPart]
    suite: SuitePart | None = None
    integrity: list[IntegrityPart]
    isolation: Isolation
    seed: int
    environment: dict[str, str]
    timing: dict[str, float]

    @property
    def headline(self) -> str:
        """The run in one line: `failed, 85 of 100 points, 12 of 14 criteria`."""
        if self.verdict is Verdict.REFUSED:
            return "refused, nothing was graded"
        if self.verdict is Verdict.GRADER_FAULT:
            faults = sum(criterion.outcome is Outcome.GRADER_FAULT for criterion in self.criteria)
            return f"grader fault, {faults} of {len(self.criteria)} criteria were not measured"
        passed = sum(criterion.outcome is Outcome.PASSED for criterion in self.criteria)
        points = f"{self.score.earned:g} of {self.score.possible:g} points"
        return f"{self.verdict.words}, {points}, {passed} of {len(self.criteria)} criteria"

    def noted(self, notes: Sequence[str]) -> Report:
        """The report with more that a person should know of the submission."""
        submission = self.submission.model_copy(update={"notes": [*self.submission.notes, *notes]})
        return self.model_copy(update={"submission": submission}) if notes else self

    def to_json(self) -> str:
        """The text of report.json."""
        import json

        body = self.model_dump(mode="json")
        return json.dumps({"schema": body.pop("schema_"), **body}, indent=2, ensure_ascii=False) + "\n"

    @classmethod
    def from_fields(cls, fields: dict[str, Any]) -> Report:
        """The report that `to_json` wrote, parsed."""
        return cls.model_validate({"schema_": fields["schema"], **{k: v for k, v in fields.items() if k != "schema"}})
