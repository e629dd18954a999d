"""Two reports of one submission side by side: what changed, by how much and why, criterion by criterion."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict

from grader.outcome import Outcome, Verdict
from grader.report import CriterionPart, Report


class Part(BaseModel):
    """A part of what changed."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class CheckChange(Part):
    """A check that ended otherwise, is new or is gone.

    Attributes:
        before, after: how it ended; None where there is none.
        saw, sees: what it saw before, and what it sees now; empty where it passed or is not there.
    """

    check: str
    before: Outcome | None
    after: Outcome | None
    saw: str
    sees: str


class CriterionChange(Part):
    """A criterion that changed. An outcome is None where the criterion is not in that version of the question.

    Attributes:
        earned: points that the submission earned with it, before and after.
        points: what it is worth, before and after.
        required: whether a run can't pass without it, before and after.
    """

    id: str
    title: str
    before: Outcome | None
    after: Outcome | None
    earned: tuple[float, float]
    points: tuple[float, float]
    required: tuple[bool, bool]
    checks: list[CheckChange]


class Change(Part):
    """What became of one submission. Pairs are before and after.

    Attributes:
        name: what was sent was called this.
        code: its code name.
        folder: what its folder in reports/ is called.
        criteria: those that changed, in the order of the question as it is now.
        gained: mistakes that are named now and were not.
        lost: mistakes that were named and are no longer.
    """

    name: str
    code: str
    folder: str
    verdict: tuple[Verdict, Verdict]
    earned: tuple[float, float]
    possible: tuple[float, float]
    criteria: list[CriterionChange]
    gained: list[str]
    lost: list[str]

    @property
    def changed(self) -> bool:
        """Whether anything did."""
        pairs = (self.verdict, self.earned, self.possible)
        return bool(any(before != after for before, after in pairs) or self.criteria or self.gained or self.lost)


def compare(name: str, code: str, folder: str, before: Report, after: Report) -> Change:
    """What changed between two reports of one submission."""
    named = {part.id for part in before.diagnosis}, {part.id for part in after.diagnosis}
    return Change(
        name=name,
        code=code,
        folder=folder,
        verdict=(before.verdict, after.verdict),
        earned=(before.score.earned, after.score.earned),
        possible=(before.score.possible, after.score.possible),
        criteria=_criteria(before.criteria, after.criteria),
        gained=[part.id for part in after.diagnosis if part.id not in named[0]],
        lost=[part.id for part in before.diagnosis if part.id not in named[1]],
    )


def rubrics(before: Report, after: Report) -> list[str]:
    """The texts whose rubric is another one now, so that marks of it may have to be given anew."""
    old = {answer.id: answer.rubric for answer in before.answers if answer.kind == "text"}
    new = {answer.id: answer.rubric for answer in after.answers if answer.kind == "text"}
    return [id for id in {**new, **old} if old and new and old.get(id) != new.get(id)]


def _criteria(before: list[CriterionPart], after: list[CriterionPart]) -> list[CriterionChange]:
    old, new = {part.id: part for part in before}, {part.id: part for part in after}
    changes = [_criterion(old.get(id), new.get(id)) for id in {**new, **old}]
    return [change for change in changes if change]


def _criterion(before: CriterionPart | None, after: CriterionPart | None) -> CriterionChange | None:
    """None where nothing that counts is different. What a check saw can differ in words, and that is no change."""
    there = after or before
    if there is None or (before and after and _weight(before) == _weight(after)):
        return None
    return CriterionChange(
        id=there.id,
        title=there.title,
        before=before.outcome if before else None,
        after=after.outcome if after else None,
        earned=(before.earned if before else 0.0, after.earned if after else 0.0),
        points=(before.points if before else 0.0, after.points if after else 0.0),
        required=(bool(before and before.required), bool(after and after.required)),
        checks=_checks(before, after),
    )


def _weight(part: CriterionPart) -> tuple[object, ...]:
    return part.outcome, part.earned, part.points, part.required


def _checks(before: CriterionPart | None, after: CriterionPart | None) -> list[CheckChange]:
    old = {each.check: each for each in before.evidence} if before else {}
    new = {each.check: each for each in after.evidence} if after else {}
    changes = []
    for check in {**new, **old}:
        was, now = old.get(check), new.get(check)
        outcomes = was.outcome if was else None, now.outcome if now else None
        if outcomes[0] is not outcomes[1]:
            saw, sees = was.seen if was else "", now.seen if now else ""
            changes.append(CheckChange(check=check, before=outcomes[0], after=outcomes[1], saw=saw, sees=sees))
    return changes
