"""The submissions that prove a question, each laid out in a folder as a candidate would send it, and graded."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from grader import submission
from grader.bench import Bench
from grader.errors import QuestionError
from grader.grade import Engine
from grader.question import Question
from grader.validate import feedback
from grader.validate.proof import Kind, Row

Item = TypeVar("Item")

ANSWERS = "answers.yaml"
REFERENCE = "reference.py"


@dataclass(frozen=True, slots=True)
class Case:
    """One submission: the file of the solutions that it shows, and what it should fail."""

    name: str
    kind: Kind
    misconception: str = ""
    fails: tuple[str, ...] = ()


def need_reference(question: Question) -> None:
    """Raise a QuestionError where the reference is missing, or would be refused if a candidate sent it."""
    path = question.solutions / REFERENCE
    if question.reference is None:
        what = "the reference that a question is proven by is missing"
        raise QuestionError(what, where=str(path), next_step="Add it.")
    try:
        submission.read(path, question.asked)
    except submission.Refused as refusal:
        raise QuestionError(f"the reference can't be graded: {refusal.reason.rstrip('.')}", where=str(path)) from None


def cases(question: Question, *, most: int | None = None) -> list[Case]:
    """The reference, the skeleton, and every unusual and wrong file that there is, or at most so many of each."""
    unusual = [f"unusual/{path.name}" for path in sorted((question.solutions / "unusual").glob("*.py"))]
    wrong = [
        Case(name, Kind.WRONG, each.id, tuple(each.fails))
        for each in question.spec.misconceptions
        for name in (each.solution, *each.also)
        if question.solution(name) is not None
    ]
    if most is None:
        most = len(unusual) + len(wrong)
    return [
        Case(REFERENCE, Kind.REFERENCE),
        Case(question.spec.skeleton, Kind.SKELETON),
        *(Case(name, Kind.UNUSUAL) for name in spread(unusual, most)),
        *spread(wrong, most),
    ]


def spread(items: Sequence[Item], most: int) -> list[Item]:
    """At most so many of the items, the first among them, as far from each other as they can be."""
    return [items[place * len(items) // most] for place in range(most)] if len(items) > most else list(items)


def grade_all(bench: Bench, wanted: list[Case]) -> list[Row]:
    """A row for each case."""
    return bench.each(grade, wanted)


def grade(engine: Engine, case: Case, seed: int | None = None) -> Row:
    """The row of one case.

    Tests of a candidate's own are sent with the reference alone, once: what they are worth does not depend on the
    solution beside them, and each grading of them is a run for every mutant. Other rows leave their criterion out.
    """
    suite = engine.question.spec.suite if case.kind is not Kind.SKELETON else None
    with_suite = suite is not None and case.kind is Kind.REFERENCE and seed is None
    with tempfile.TemporaryDirectory(prefix="proof-") as folder:
        lay_out(engine.question, case, Path(folder), with_suite=with_suite)
        report = engine.grade(Path(folder), seed)
    if suite is not None and not with_suite:
        criteria = [part for part in report.criteria if part.id != suite.criterion]
        report = report.model_copy(update={"criteria": criteria})
    given_away = feedback.leaks(engine.question, report)
    return Row.of(report, case.name, case.kind, case.misconception, list(case.fails), given_away)


def lay_out(question: Question, case: Case, folder: Path, *, with_suite: bool) -> None:
    """Write a case as a candidate would send it: all else is as the reference has it."""
    if case.kind is Kind.SKELETON:
        (folder / "solution.py").write_text(question.read(question.spec.skeleton), "utf-8")
        return
    is_code = case.name.endswith(".py")
    texts = {
        "solution.py": question.solution(case.name) if is_code else question.reference,
        ANSWERS: question.solution(ANSWERS if is_code else case.name),
    }
    if with_suite and question.spec.suite is not None:
        texts[question.spec.suite.file] = question.solution(question.spec.suite.file)
    for name, text in texts.items():
        if text is not None:
            (folder / name).write_text(text, "utf-8")
