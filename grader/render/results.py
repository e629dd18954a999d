"""What `grader batch` shows: a bar while it works, a table at the end, and RESULTS/summary.html."""

from __future__ import annotations

import sys
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Final, Self, TextIO

from grader import inert
from grader.outcome import Outcome, Verdict
from grader.render import files, pages
from grader.render.paper import Paper

if TYPE_CHECKING:
    from grader.question import Spec

PAGE: Final = "summary.html"
NAME_WIDTH: Final = 40
STYLES: Final = {Verdict.PASSED: "green", Verdict.FAILED: "red", Verdict.REFUSED: "yellow"}

Line = dict[str, Any]


class Bar:
    """A progress bar with a rate and the time that is left, where somebody watches; silent elsewhere."""

    def __init__(self, stream: TextIO, total: int) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

        rate = TextColumn("{task.fields[rate]}")
        console = Console(file=stream)
        columns = [TextColumn("graded"), BarColumn(), MofNCompleteColumn(), rate, TimeRemainingColumn()]
        self.bar = Progress(*columns, console=console, disable=not stream.isatty(), transient=True)
        self.task = self.bar.add_task("graded", total=total, rate="")

    def move(self, done: int) -> None:
        """Show that so many are done."""
        speed = self.bar.tasks[0].finished_speed or self.bar.tasks[0].speed
        self.bar.update(self.task, completed=done, rate=f"{speed:.1f} a second" if speed else "")

    def __enter__(self) -> Self:
        self.bar.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.bar.stop()


def table(spec: Spec, lines: list[Line], troubles: dict[str, str], stopped: str, stream: TextIO | None = None) -> None:
    """Print one line for each submission, by name: nobody is ranked here."""
    paper = Paper(stream or sys.stdout)
    paper.put((spec.title, "bold"), f" ({spec.id}, version {spec.version})")
    names = [inert.short(line["name"], NAME_WIDTH) for line in lines]
    width = max(map(len, names), default=0)
    for name, line in zip(names, lines, strict=True):
        verdict = Verdict(line["verdict"])
        score = f"{line['earned']:g}/{line['possible']:g}" if verdict is not Verdict.REFUSED else "–"
        told = f"  {', '.join(line['diagnosis'])}" if line["diagnosis"] else ""
        paper.put(
            f"{name:<{width}}  ", (f"{verdict.words:<8}", STYLES.get(verdict, "")), f" {score:>8}{told}", indent=2
        )
    paper.items("Not graded", [f"{name}: {why}" for name, why in troubles.items()])
    if stopped:
        paper.heading(f"The batch was stopped: {stopped}")
        paper.put("What was graded is kept. Run the same command again to go on.")
    paper.deliver()


def write_page(spec: Spec, lines: list[Line], troubles: dict[str, str], out: Path) -> Path:
    """Write the page beside the reports that it leads to."""
    titles = {each.id: each.title for each in spec.criteria} | {each.id: each.title for each in spec.misconceptions}
    counts = {verdict: sum(line["verdict"] == verdict.value for line in lines) for verdict in Verdict}
    text = pages.template("results.html.j2").render(
        spec=spec, lines=lines, titles=titles, troubles=troubles, counts=counts, Outcome=Outcome, Verdict=Verdict
    )
    return files.replace(out / PAGE, text)
