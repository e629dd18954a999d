"""feedback.html: what feedback.md says, as a page for the candidate. It has the same rules, and one thing more.

Once people have read the texts, a page can be made again with the level of each that they agree on, and with what the
next level has, as far as the spec's rules for levels put it: never a point of the rubric, which would be its answer.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from grader.outcome import Outcome
from grader.render import pages, words
from grader.render.feedback import RESUBMIT
from grader.report import Report


@dataclass(frozen=True)
class Read:
    """The level that all who read a text agree on, how many they are, and what the next level has; empty at the top."""

    level: str
    people: int
    next: str


def page(report: Report, levels: Mapping[str, Read] | None = None) -> str:
    """The text of feedback.html.

    Args:
        report: the run.
        levels: what people said of texts, by the answer's id; those that are missing are still to be read.
    """
    return pages.template("feedback.html.j2").render(
        report=report,
        levels=levels or {},
        words=words,
        refusal=words.refusal(report),
        resubmit=RESUBMIT,
        Outcome=Outcome,
    )
