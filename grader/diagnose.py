"""Naming the mistake: a failed submission is held against the wrong solutions of the question's misconceptions."""

from __future__ import annotations

import ast
import warnings
from typing import Any, Final

from grader.examine.brief import Examination
from grader.examine.examiner import Examiner
from grader.outcome import Outcome
from grader.question import Misconception, Question
from grader.report import AnswerPart, CriterionPart, DiagnosisPart
from grader.rubric.facts import read_answers

UNLOADED: Final = "does-not-load"
NOT_STARTED: Final = "not-started"
REFUSED: Final = "refused"
PYTHON: Final = ".py"


def is_unstarted(source: str, skeleton: str) -> bool:
    """Whether a submission has no statement that the skeleton has not; comments and bare strings are none."""
    return _statements(source) <= _statements(skeleton)


def _statements(source: str) -> set[tuple[Any, ...]]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a candidate's odd escapes are no warnings of ours
        tree = ast.parse(source)
    return {_spelled(statement) for statement in tree.body if not _says_nothing(statement)}


def _says_nothing(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Pass) or (
        isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)
    )


def _spelled(statement: ast.stmt) -> tuple[Any, ...]:
    """A statement in a form that compares, however deep it is: `ast.dump` calls itself, and repeats long integers."""
    parts: list[Any] = []
    waiting: list[Any] = [statement]
    while waiting:
        thing = waiting.pop()
        if isinstance(thing, ast.AST):
            parts.append(type(thing))
            waiting += [getattr(thing, name, None) for name in thing._fields]
        elif isinstance(thing, list):
            parts.append((list, len(thing)))
            waiting += thing
        else:
            parts.append((type(thing), thing))
    return tuple(parts)


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
    given = {part.id: _said(part) for part in answers if part.outcome is Outcome.FAILED and part.given}
    shown = []
    for each in possible:
        if each.solution.endswith(PYTHON):
            continue
        parts, _ = read_answers(question.solution(each.solution), "", question.spec.answers)
        wrong = {part.id: _said(part) for part in parts if part.outcome is Outcome.FAILED}
        if wrong and wrong.items() <= given.items():
            shown.append(each.id)
    return shown


def _said(part: AnswerPart) -> str:
    """A failed answer as it is compared: a number by its digits, and all that is no number alike."""
    digits = "".join(character for character in part.given if character.isdigit() or character in "-\u2212")
    plain = part.given.strip().lstrip("+").replace(",", "").replace("_", "").replace(" ", "")
    return digits.replace("\u2212", "-") if plain.replace("\u2212", "-") == digits.replace("\u2212", "-") else "words"
