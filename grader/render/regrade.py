"""What `grader regrade` shows, on a terminal and as changes.html: who changed, by how much and why."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Final, TextIO

from grader import inert
from grader.outcome import Outcome, Verdict
from grader.render import pages
from grader.render.paper import Paper
from grader.results.folder import REPORTS

if TYPE_CHECKING:
    from grader.regrade.changes import Change, CriterionChange
    from grader.regrade.record import Record, Version

NAME_WIDTH: Final = 40
SEEN: Final = 300  # characters of what a check saw
FULL: Final = 12  # digits of a digest


def summary(found: Record, stream: TextIO | None = None) -> None:
    """Print what changed, by name: nobody is ranked here."""
    paper = Paper(stream or sys.stdout)
    paper.put((inert.line(found.title), "bold"), f" ({found.question})")
    paper.put(f"{version(found.before)} → {version(found.after)}")
    if found.differences:
        paper.put(inert.line(", ".join(found.differences)))
    paper.heading(f"Changed: {len(found.changed)} of {len(found.changes)}")
    width = max((len(inert.short(each.name, NAME_WIDTH)) for each in found.changed), default=0)
    for change in found.changed:
        _change(paper, change, width)
    if found.same:
        paper.heading(f"Did not change: {len(found.same)}")
        paper.put(", ".join(inert.short(each.name, NAME_WIDTH) for each in found.same), indent=2)
    paper.items("Their rubric changed, and marks given before are of the old one", [*map(inert.line, found.rubrics)])
    paper.items("Not compared", [inert.line(f"{name}: {why}") for name, why in found.troubles.items()])
    if found.stopped:
        paper.heading(f"It was stopped: {inert.line(found.stopped)}")
        paper.put("What was graded is kept. Run the same command again to go on.")
    paper.deliver()


def page(found: Record) -> str:
    """The page of what changed, whose links lead to the old reports and the new ones where they are now."""
    up = "../.."
    return pages.template("regrade.html.j2").render(
        found=found,
        old=f"{up}/{found.history}/{REPORTS}" if found.history else f"{up}/{REPORTS}",
        new=f"{up}/{REPORTS}" if found.history else REPORTS,
        version=version,
        outcome=outcome,
        Verdict=Verdict,
        seen=SEEN,
    )


def version(which: Version) -> str:
    """`version 2 (b1946ac92492)`."""
    return f"version {which.version} ({which.digest[:FULL]})"


def outcome(which: Outcome | None) -> str:
    """An outcome in words, where there may be none."""
    return which.words if which else "not there"


def _change(paper: Paper, change: Change, width: int) -> None:
    before, after = change.verdict
    verdict = before.words if before is after else f"{before.words} → {after.words}"
    name = inert.short(change.name, NAME_WIDTH)
    paper.put((f"{name:<{width}}", "bold"), f"  {verdict}  {_score(change, 0)} → {_score(change, 1)}", indent=2)
    for criterion in change.criteria:
        _criterion(paper, criterion)
    for words, ids in (("named now", change.gained), ("no longer named", change.lost)):
        if ids:
            paper.put(f"{words}: {inert.line(', '.join(ids))}", indent=6)


def _score(change: Change, at: int) -> str:
    if change.verdict[at] is Verdict.REFUSED:
        return "–"
    return f"{change.earned[at]:g}/{change.possible[at]:g}"


def _criterion(paper: Paper, criterion: CriterionChange) -> None:
    points = " → ".join(f"{got:g}/{of:g}" for got, of in zip(criterion.earned, criterion.points, strict=True))
    how = f"{outcome(criterion.before)} → {outcome(criterion.after)}"
    required = ""
    if criterion.required[0] is not criterion.required[1]:
        required = ", required now" if criterion.required[1] else ", no longer required"
    paper.put((inert.line(criterion.id), "bold"), f"  {how}, {points} points{required}", indent=6)
    for check in criterion.checks:
        words = f"{inert.line(check.check)}: {outcome(check.before)} → {outcome(check.after)}"
        paper.put(words, lead=(("- ", ""),), indent=8)
        for when, seen in (("before", check.saw), ("now", check.sees)):
            if seen:
                paper.put(f"seen {when}: {inert.short(seen, SEEN)}", indent=10)
