"""`grader batch`: finds the submissions, grades them with a bar that moves, and shows a table and a page at the end."""

from __future__ import annotations

import sys
import tempfile
from datetime import date
from pathlib import Path

from grader import inert
from grader.batch import entries
from grader.batch import run as running
from grader.batch.crew import Hire
from grader.batch.grading import Assign
from grader.batch.run import Progress
from grader.errors import CallError
from grader.question import Question
from grader.render import results
from grader.results.manifest import KEPT_DAYS


def run(
    question: Question,
    source: Path,
    out: Path,
    hire: Hire,
    *,
    seed: int | None,
    retain_until: date | None = None,
    kept_days: int = KEPT_DAYS,
    assign: Assign | None = None,
) -> Progress:
    """Grade a batch, and show how it went."""
    with tempfile.TemporaryDirectory(prefix="batch-") as folder:
        found = entries.find(source, Path(folder))
        with results.Bar(sys.stderr, len(found.entries)) as bar:
            progress, ledger = running.run(
                question,
                found.entries,
                out,
                hire,
                seed=seed,
                retain_until=retain_until,
                kept_days=kept_days,
                moved=lambda now: bar.move(now.kept + now.graded + len(now.troubles)),
                assign=assign,
            )
    lines = [ledger.lines[entry.name] for entry in found.entries if entry.name in ledger.lines]
    results.table(question.spec, lines, progress.troubles, progress.stopped)
    for doubt in [*found.notes, *progress.doubts]:
        sys.stdout.write(f"Note: {inert.line(doubt)}.\n")
    try:
        every = [*lines, *(ledger.lines[name] for name in ledger.added() if ledger.lines[name] not in lines)]
        where = f"Written: {results.write_page(question.spec, every, progress.troubles, out)}"
    except CallError as error:
        progress.troubles[results.PAGE] = str(error)
        where = f"Not written: {error}"
    sys.stdout.write(f"\nGraded {progress.graded}, kept {progress.kept} of {progress.total}. {where}\n")
    return progress
