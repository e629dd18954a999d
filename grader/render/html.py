"""report.html: one file that needs nothing else, for a panel to read on a screen, on a phone or on paper.

It runs no script and asks for nothing over a network, and its own policy forbids both.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from grader.outcome import Outcome
from grader.render import pages, words
from grader.render.heatmap import picture
from grader.report import CriterionPart, Report

BAR_WIDTH: Final = 1000.0
GAP: Final = 4.0


@dataclass(frozen=True)
class Segment:
    """One criterion in the bar of points, in units of its view box: all of it, and what was earned."""

    criterion: CriterionPart
    x: float
    width: float
    earned: float


def page(report: Report) -> str:
    """The text of report.html."""
    return pages.template("report.html.j2").render(
        report=report,
        words=words,
        refusal=words.refusal(report),
        segments=segments(report.criteria),
        Outcome=Outcome,
        picture=picture,
    )


def segments(criteria: list[CriterionPart]) -> list[Segment]:
    """The bar of points: criteria side by side, each as wide as its points."""
    total = sum(criterion.points for criterion in criteria)
    if not total:
        return []
    room = BAR_WIDTH - GAP * (len(criteria) - 1)
    made: list[Segment] = []
    x = 0.0
    for criterion in criteria:
        width = room * criterion.points / total
        share = criterion.earned / criterion.points if criterion.points else 0.0
        made.append(Segment(criterion, round(x, 2), round(width, 2), round(width * share, 2)))
        x += width + GAP
    return made
