"""report.html: one file that needs nothing else, for a panel to read on a screen, on a phone or on paper.

It runs no script and asks for nothing over a network, and its own policy forbids both. Everything a stranger
wrote is made visible and then escaped: the environment does that to every value that the template shows, so
that none can be forgotten.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Final

from grader import inert
from grader.outcome import Outcome
from grader.render import words
from grader.report import CriterionPart, Report

if TYPE_CHECKING:
    from jinja2 import Template

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
    return _template().render(
        report=report,
        words=words,
        refusal=words.refusal(report),
        segments=segments(report.criteria),
        Outcome=Outcome,
    )


@cache
def _template() -> Template:
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader("grader.render"),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_inert,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters.update(line=inert.line, number="{:g}".format)
    return environment.get_template("report.html.j2")


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


def _inert(value: object) -> object:
    # What the template itself wrote is Markup, which knows how to show itself as HTML.
    return inert.text(value) if isinstance(value, str) and not hasattr(value, "__html__") else value
