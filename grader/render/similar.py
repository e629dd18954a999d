"""The page of `grader similar`: pairs of submissions by code name, with their code side by side."""

from __future__ import annotations

import sys
from collections import defaultdict
from typing import TYPE_CHECKING, Final, TextIO

from grader.render import code, pages
from grader.render.paper import Paper

if TYPE_CHECKING:
    from grader.similarity.pairs import Pair
    from grader.similarity.study import Study

SAME: Final = "names, literals, comments and layout"  # tokens.py has what makes no difference
MOST: Final = 60  # pairs whose code is shown; whoever needs more raises the threshold, or reads --json


def page(study: Study) -> str:
    """The page."""
    return pages.template("similar.html.j2").render(
        study=study,
        most=MOST,
        percent=percent,
        set_aside=set_aside(study),
        same_but_for=SAME,
        lines=lambda pair, side: code.lines(study.sources[getattr(pair, side)], marks(pair, side)),
    )


def marks(pair: Pair, side: str) -> dict[int, str]:
    """The numbers of the runs that each line of one side, `a` or `b`, is in, from 1 for the longest."""
    numbers: dict[int, list[str]] = defaultdict(list)
    for number, region in enumerate(pair.regions, start=1):
        first, last = region.a if side == "a" else region.b
        for line in range(first, last + 1):
            numbers[line].append(str(number))
    return {line: ", ".join(each) for line, each in numbers.items()}


def summary(study: Study, note: str, stream: TextIO | None = None) -> None:
    """Print the pairs."""
    paper = Paper(stream or sys.stdout)
    paper.put((study.title, "bold"), f" ({study.question})")
    unread = f"; without code that can be read: {len(study.unread)}" if study.unread else ""
    paper.put(f"{len(study.sources)} submissions were compared{unread}.")
    if said := set_aside(study):
        paper.put(said)
    for names in study.same:
        paper.put(f"{len(names)} sent the same, but for {SAME}: {', '.join(names)}.")
    if not study.pairs:
        rest = "what is left" if said else "their fingerprints"
        paper.put(f"No two share {percent(study.threshold)} of {rest} or more.")
    for pair in study.pairs:
        longest = max((region.tokens for region in pair.regions), default=0)
        paper.put(
            f"{percent(pair.share):>5}  {pair.a}  {pair.b}  longest run {longest} tokens",
            indent=2,
        )
    paper.put(note)
    paper.deliver()


def set_aside(study: Study) -> str:
    """What was not compared since many have it; empty where nothing was."""
    if round(100 * study.set_aside) == 0:
        return ""
    return (
        f"{percent(study.set_aside)} of what they wrote was set aside, since more than a third have it; "
        "--keep-common compares that too."
    )


def percent(share: float) -> str:
    """`83 %`; what is not all is never shown as 100."""
    return f"{min(round(100 * share), 100 if share >= 1 else 99)} %"
