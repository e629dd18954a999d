"""From outcomes to criteria, points and a verdict: the parts of a report, each a pure function of what was measured."""

from __future__ import annotations

from dataclasses import asdict

from grader.examine.brief import CheckResult, Examination
from grader.outcome import Outcome, Verdict, combine
from grader.question import Criterion, Spec
from grader.report import AnswerPart, CriterionPart, Evidence, Score, SuitePart, TablePart


def criteria(
    spec: Spec, examination: Examination, answers: list[AnswerPart], suite: SuitePart | None = None
) -> list[CriterionPart]:
    """Each criterion with its outcome and points, all or nothing, in the order of the spec."""
    return [
        _criterion(criterion, *_outcome(criterion, spec, examination, answers, suite)) for criterion in spec.criteria
    ]


def _criterion(criterion: Criterion, outcome: Outcome, evidence: list[Evidence]) -> CriterionPart:
    passed = outcome is Outcome.PASSED
    return CriterionPart(
        id=criterion.id,
        title=criterion.title,
        points=criterion.points,
        earned=criterion.points if passed else 0.0,
        required=criterion.required,
        outcome=outcome,
        feedback="" if passed else criterion.tell,
        evidence=evidence,
    )


def _outcome(
    criterion: Criterion, spec: Spec, examination: Examination, answers: list[AnswerPart], suite: SuitePart | None
) -> tuple[Outcome, list[Evidence]]:
    for answer in spec.answers:
        if answer.kind != "text" and answer.criterion == criterion.id:
            part = next(each for each in answers if each.id == answer.id)
            outcome = part.outcome or Outcome.GRADER_FAULT
            read = f"found {answer.told(part.read)}, expected {answer.right}" if part.read else part.note
            seen = read if outcome is not Outcome.PASSED else part.note
            return outcome, [Evidence(check=f"the answer {answer.id}", outcome=outcome, seen=seen)]
    if suite is not None and spec.suite is not None and spec.suite.criterion == criterion.id:
        return _of_suite(suite)
    if examination.unloaded:
        return Outcome.NOT_REACHED, []
    checks = [check for check in examination.checks if check.criterion == criterion.id]
    return combine(check.outcome for check in checks), [_evidence(check) for check in checks]


def _of_suite(suite: SuitePart) -> tuple[Outcome, list[Evidence]]:
    outcome = Outcome.PASSED if suite.outcome == "passed" else Outcome.FAILED
    seen = f"{suite.reason} ({suite.seen})" if suite.seen else suite.reason
    if suite.pitfalls:
        seen = f"{suite.killed} of {suite.mutants} mistakes are noticed. {suite.reason}".rstrip()
    return outcome, [Evidence(check=f"the tests in {suite.file}", outcome=outcome, seen=seen)]


def _evidence(check: CheckResult) -> Evidence:
    table = TablePart(**asdict(check.table)) if check.table else None
    return Evidence(check=check.title, outcome=check.outcome, seen=check.seen, about=check.about, table=table)


def unmeasured(spec: Spec) -> list[CriterionPart]:
    """The criteria of a submission that was refused: none was reached."""
    return [_criterion(criterion, Outcome.NOT_REACHED, []) for criterion in spec.criteria]


def verdict(parts: list[CriterionPart]) -> Verdict:
    """Passed when every required criterion is; a criterion that we failed to measure makes the run ours to mend."""
    if any(part.outcome is Outcome.GRADER_FAULT for part in parts):
        return Verdict.GRADER_FAULT
    passed = all(part.outcome is Outcome.PASSED for part in parts if part.required)
    return Verdict.PASSED if passed else Verdict.FAILED


def score(parts: list[CriterionPart]) -> Score:
    """The sum of the points."""
    return Score(earned=sum(part.earned for part in parts), possible=sum(part.points for part in parts))
