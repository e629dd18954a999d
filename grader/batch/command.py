"""`grader batch`: finds the submissions, grades them with a bar that moves, and shows a table and a page at the end."""

from __future__ import annotations

import sys
import tempfile
from datetime import date
from pathlib import Path

from grader import inert
from grader.batch import entries
from grader.batch import run as running
from grader.batch.run import Progress
from grader.bench import cores
from grader.examine.zygote import Zygote
from grader.question import Question
from grader.render import results
from grader.results.manifest import KEPT_DAYS
from grader.sandbox.tiers import Tier


def run(
    question: Question,
    source: Path,
    out: Path,
    zygote: Zygote,
    *,
    jobs: int | None,
    require: Tier,
    seed: int | None,
    retain_until: date | None = None,
    kept_days: int = KEPT_DAYS,
) -> Progress:
    """Grade a batch, and show how it went."""
    with tempfile.TemporaryDirectory(prefix="batch-") as folder:
        found = entries.find(source, Path(folder))
        with results.Bar(sys.stderr, len(found)) as bar:
            progress, ledger = running.run(
                question,
                found,
                out,
                zygote,
                jobs=jobs or cores(),
                require=require,
                seed=seed,
                retain_until=retain_until,
                kept_days=kept_days,
                moved=lambda now: bar.move(now.kept + now.graded + len(now.troubles)),
            )
    lines = [ledger.lines[entry.name] for entry in found if entry.name in ledger.lines]
    results.table(question.spec, lines, progress.troubles, progress.stopped)
    for doubt in progress.doubts:
        sys.stdout.write(f"Note: {inert.line(doubt)}.\n")
    page = results.write_page(question.spec, lines, progress.troubles, out)
    sys.stdout.write(f"\nGraded {progress.graded}, kept {progress.kept} of {progress.total}. Written: {page}\n")
    return progress
