"""A panel's pages: one for each candidate, and one that compares them by criterion. Each is whole by itself."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from grader.outcome import Outcome
from grader.panel.views import CandidateView, PanelView
from grader.render import pages, words
from grader.render.heatmap import picture
from grader.rubric.levels import Level

GLYPHS: Final = {Level.NOT_SHOWN: "○", Level.WEAK: "◔", Level.SOLID: "◕", Level.STRONG: "●"}
NOTHING: Final = "–"


def page(candidate: CandidateView) -> str:
    """The page of one candidate."""
    return pages.template("panel.html.j2").render(
        candidate=candidate,
        words=words,
        picture=picture,
        Outcome=Outcome,
        level_class=level_class,
        level_glyph=level_glyph,
    )


def comparison(panel: PanelView) -> str:
    """The page of all candidates."""
    return pages.template("panel-index.html.j2").render(
        panel=panel, Outcome=Outcome, Level=Level, level_class=level_class, level_glyph=level_glyph
    )


def level_class(said: Sequence[Level]) -> str:
    """The class of what people said: that of the level if they said one, and none of its own where they differ."""
    return said[0].value.replace(" ", "_") if len(said) == 1 else "unassessed"


def level_glyph(said: Sequence[Level]) -> str:
    """A sign for each level that people gave; a dash where nobody did."""
    return "".join(GLYPHS[level] for level in said) or NOTHING
