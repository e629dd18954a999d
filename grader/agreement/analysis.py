"""Agreement on each text, and the items of the question, of one results folder."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from grader.agreement import items, pairs
from grader.agreement.pairs import Agreement, Confusion, Judgement, TooFew
from grader.errors import CallError

if TYPE_CHECKING:
    from grader.marks import Mark, Marks
    from grader.marks.work import Item
    from grader.question import Spec
    from grader.results import Results


@dataclass(frozen=True)
class Analysis:
    """What a results folder says of the marking and of the question.

    Attributes:
        texts: how far people agree on each text, by answer id.
        together: the same over all texts.
        people: what every two people gave the same answers, over all texts.
        not_counted: marks that were not blind, were of an earlier rubric or text, or that found nothing to assess.
        items: the criteria.
        titles: the titles of criteria and misconceptions, by id.
        troubles: reports that can't be read, by code name.
    """

    texts: Mapping[str, Agreement | TooFew]
    together: Agreement | TooFew
    people: tuple[Confusion, ...]
    not_counted: int
    items: items.Items
    titles: Mapping[str, str]
    troubles: tuple[str, ...]


def of_results(results: Results, marks: Marks, spec: Spec) -> Analysis:
    """Agreement and items of a results folder.

    Args:
        results: the folder.
        marks: what people said of its written answers.
        spec: the question's; it says what a mark comes to.
    """
    from grader.marks import work

    found = work.find(results, spec)
    judgements: dict[str, list[Judgement]] = {
        answer.id: [] for answer in spec.answers if answer.kind == "text" and answer.observables
    }
    people: set[tuple[str, str, str]] = set()
    for item in found.items:
        for mark in marks.history(*item.key):
            people.add((*item.key, mark.by))
        judgements[item.answer.id] += _judged(marks, item)
    every = [each for some in judgements.values() for each in some]
    sat = []
    for candidate in results.candidates:
        try:
            sat.append(items.sat(candidate.report))
        except CallError:
            continue  # `found.troubles` names it
    points = {criterion.id: criterion.points for criterion in spec.criteria}
    mistakes = [each.id for each in spec.misconceptions]
    return Analysis(
        texts={id: pairs.agreement(some) for id, some in judgements.items()},
        together=pairs.agreement(every),
        people=tuple(pairs.confusions(every)),
        not_counted=len(people) - len(every),
        items=items.analyse([each for each in sat if each is not None], points, mistakes),
        titles={each.id: each.title for each in spec.criteria} | {each.id: each.title for each in spec.misconceptions},
        troubles=found.troubles,
    )


def _judged(marks: Marks, item: Item) -> list[Judgement]:
    """Of each person the last mark that they made blind: agreement is of people who could not see one another's."""
    last: dict[str, Mark] = {}
    for mark in marks.history(*item.key):
        if mark.blind and not item.outdates(mark):
            last[mark.by] = mark
    name = "\0".join(item.key)
    return [
        Judgement(name, by, item.answer.level_of(list(mark.ticked)))
        for by, mark in last.items()
        if not mark.cannot_assess
    ]
