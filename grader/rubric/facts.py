"""The written answers beside the spec: a fact is judged, a text is kept for the people who read it.

Each answer gets a line of its own, whatever is wrong with the others. What is said here may be shown to a
candidate, so it never holds the expected value.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from grader.inert import text as inert_text
from grader.report import AnswerPart, ObservablePart
from grader.rubric import written
from grader.rubric.judging import judge
from grader.rubric.numerals import MOST_CHARACTERS
from grader.rubric.spec import Answer, TextAnswer
from grader.rubric.written import TEXT_CHARACTERS, Written

NUMBER_CHARACTERS: Final = MOST_CHARACTERS * 2


def read_answers(text: str | None, problem: str, answers: Sequence[Answer]) -> tuple[list[AnswerPart], list[str]]:
    """A part of the report for each answer of the spec, and notes on the file as a whole.

    Args:
        text: the text of answers.yaml; None if there is none, or it can't be read.
        problem: why it can't be read; empty if it can, or there is none.
        answers: what the spec asks for.
    """
    found, notes = written.read(text, problem, [answer.asked for answer in answers])
    return [part(answer, each) for answer, each in zip(answers, found, strict=True)], notes


def part(answer: Answer, found: Written) -> AnswerPart:
    """One answer's line of the report."""
    if isinstance(answer, TextAnswer):
        return _text(answer, found)
    judged = judge(found, answer)
    most = TEXT_CHARACTERS if answer.kind == "choice" else NUMBER_CHARACTERS
    return AnswerPart(
        id=answer.id,
        kind=answer.kind,
        prompt=answer.prompt,
        given=inert_text(found.given[:most]),
        read=judged.read,
        outcome=judged.outcome,
        note="; ".join(judged.notes),
    )


def _text(answer: TextAnswer, found: Written) -> AnswerPart:
    """A text, with the rubric that a person marks it by."""
    return AnswerPart(
        id=answer.id,
        kind=answer.kind,
        prompt=answer.prompt,
        given=inert_text(found.given[:TEXT_CHARACTERS]),
        outcome=None,
        note="; ".join(found.notes),
        observables=[ObservablePart(id=each.id, kind=each.kind, says=each.says) for each in answer.observables],
        levels=answer.levels.told() if answer.observables else [],
        rubric=answer.rubric if answer.observables else "",
    )
