"""The written answers of one candidate as a panel reads them: what was given, and what each person said of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from grader.panel.around import Around
from grader.panel.names import Redact
from grader.panel.views import GuardView, MarkView, TextView, TickView
from grader.report import AnswerPart
from grader.rubric.spec import TextAnswer

if TYPE_CHECKING:
    from grader.marks import Mark

TOO_FEW: Final = "too few to say"


def views(
    asked: Sequence[TextAnswer], given: Sequence[AnswerPart] | None, code: str, around: Around, redact: Redact
) -> tuple[TextView, ...]:
    """A view of each text that the question asks for.

    Args:
        asked: the text answers of the spec.
        given: the parts of the report; None where the submission was refused, so that nothing was read.
        code: the candidate's code name in the results that marks refer to.
        around: marks, agreement and guards.
        redact: takes the candidate's names out.
    """
    said = {part.id: part.given for part in given or ()}
    made = (_view(answer, said.get(answer.id, ""), code, around, redact) for answer in asked)
    return tuple(replace(each, read=given is not None) for each in made)


def _view(answer: TextAnswer, given: str, code: str, around: Around, redact: Redact) -> TextView:
    marks = list(around.marks(code, answer.id))
    ticking = [mark for mark in marks if not _stale(mark, answer, given)]
    ticks = [
        TickView(each.says, each.kind, tuple(mark.by for mark in ticking if each.id in mark.ticked))
        for each in answer.observables
    ]
    return TextView(
        id=answer.id,
        prompt=answer.prompt,
        audience=answer.level,
        given=redact(given) if given.strip() else "",
        rubric=answer.rubric,
        marks=tuple(_mark(mark, answer, given, redact) for mark in marks),
        ticks=tuple(ticks),
        levels=tuple(answer.levels.told()) if answer.observables else (),
        agreement=around.agreement.get(answer.id, TOO_FEW),
        guards=tuple(_guards(answer, given, marks)) if marks else (),
        hidden=around.hidden(code, answer.id),
    )


def _guards(answer: TextAnswer, given: str, marks: Sequence[Mark]) -> Iterator[GuardView]:
    """What is odd about the form of a marked answer, and what those who marked it did about that."""
    from grader.reread.guards import guards

    changed = [f"{mark.by} changed the mark: {mark.reason.rstrip('.')}." for mark in marks if mark.reason]
    done = " ".join(changed) or "No mark was changed."
    for guard in guards(given, answer.expected, answer.prompt):
        yield GuardView(f"{guard.reason} ({guard.id})", done)


def _mark(mark: Mark, answer: TextAnswer, given: str, redact: Redact) -> MarkView:
    stale = _stale(mark, answer, given)
    judged = not (stale or mark.cannot_assess)
    return MarkView(
        by=mark.by,
        at=mark.at,
        level=answer.level_of(list(mark.ticked)) if judged else None,
        cannot_assess=mark.cannot_assess,
        blind=mark.blind,
        quote=redact(mark.quote),
        note=redact(mark.note),
        reason=redact(mark.reason),
        stale=stale,
    )


def _stale(mark: Mark, answer: TextAnswer, given: str) -> str:
    """Why a mark no longer says anything of this answer; empty if it does."""
    from grader.marks import digest

    if mark.answer_digest != digest(given):
        return "the answer has changed since"
    return "the rubric has changed since" if mark.rubric != answer.rubric else ""
