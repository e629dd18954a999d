"""Naming the mistake: a failed submission is held against the wrong solutions of the question's misconceptions."""

from __future__ import annotations

from typing import Final

from grader.examine.brief import Examination
from grader.examine.examiner import Examiner
from grader.outcome import Outcome
from grader.question import Misconception, Question
from grader.report import AnswerPart, CriterionPart, DiagnosisPart
from grader.rubric.facts import read_answers
from grader.rubric.judging import same
from grader.submission.started import is_unstarted

UNLOADED: Final = "does-not-load"
NOT_STARTED: Final = "not-started"
REFUSED: Final = "refused"
PYTHON: Final = ".py"


def unloaded(question: Question, examination: Examination) -> DiagnosisPart:
    """The diagnosis of a file that can't be loaded: one cause, reported once."""
    reason = examination.unloaded
    return DiagnosisPart(
        id=UNLOADED,
        title="The file can't be loaded",
        why=f"{reason[:1].upper()}{reason[1:]}, so nothing in it could be called or measured.",
        criteria=[criterion.id for criterion in question.spec.checked],
    )


def not_started(question: Question) -> DiagnosisPart:
    """The diagnosis of the skeleton as it was handed out, or of an empty file."""
    return DiagnosisPart(
        id=NOT_STARTED,
        title="Not started",
        why="The file defines nothing beyond the skeleton that was handed out.",
        criteria=[criterion.id for criterion in question.spec.checked],
    )


def refused(reason: str) -> DiagnosisPart:
    """The diagnosis of a file that was not graded; `reason` says what to change."""
    return DiagnosisPart(id=REFUSED, title="Refused", why=reason, criteria=[])


def diagnose(
    question: Question,
    examiner: Examiner,
    source: str,
    examination: Examination,
    criteria: list[CriterionPart],
    answers: list[AnswerPart],
) -> list[DiagnosisPart]:
    """What went wrong, by name: nothing for a submission that passed everything."""
    if is_unstarted(source, question.read(question.spec.skeleton)):
        return [not_started(question)]
    if examination.unloaded:
        return [unloaded(question, examination)]
    return mistakes(question, examiner, source, criteria, answers)


def mistakes(
    question: Question,
    examiner: Examiner,
    source: str,
    criteria: list[CriterionPart],
    answers: list[AnswerPart],
) -> list[DiagnosisPart]:
    """The misconceptions that a submission shows, in the order of the spec.

    Only those whose every criterion was missed are considered: a mistake that was made can't have passed one.
    """
    missed = {part.id for part in criteria if part.outcome is not Outcome.PASSED}
    possible = [each for each in question.spec.misconceptions if missed.issuperset(each.fails)]
    shown = {*_in_code(question, examiner, source, possible), *_in_answers(question, answers, possible)}
    return [
        DiagnosisPart(id=each.id, title=each.title, why=each.why, criteria=each.fails)
        for each in possible
        if each.id in shown
    ]


def _in_code(question: Question, examiner: Examiner, source: str, possible: list[Misconception]) -> list[str]:
    """Those whose wrong solution behaves as the submission does, by the question's probes."""
    texts = {each.id: question.solution(each.solution) for each in possible if each.solution.endswith(PYTHON)}
    wrong = {id: text for id, text in texts.items() if text is not None}
    if not wrong or question.reference is None:
        return []
    return examiner.diagnose(source, question.reference, wrong)


def _in_answers(question: Question, answers: list[AnswerPart], possible: list[Misconception]) -> list[str]:
    """Those whose wrong answers are the given ones."""
    facts = {answer.id: answer for answer in question.spec.answers if answer.kind != "text"}
    given = {part.id: part for part in answers if part.outcome is Outcome.FAILED and part.given}
    shown = []
    for each in possible if given else ():
        if each.solution.endswith(PYTHON):
            continue
        parts, _ = read_answers(question.solution(each.solution), "", question.spec.answers)
        wrong = [part for part in parts if part.outcome is Outcome.FAILED]
        alike = [
            bool(part.given) and part.id in given and same(facts[part.id], part.read, given[part.id].read)
            for part in wrong
        ]
        if wrong and all(alike):
            shown.append(each.id)
    return shown
