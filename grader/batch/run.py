"""Grading a batch: the folder of results is made ready, what is missing in it is graded, and what was sent is kept."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import NoReturn

from grader import submission
from grader.batch.crew import Hire
from grader.batch.entries import Entry
from grader.batch.grading import Assign, Grading, Progress, sweep
from grader.errors import CallError
from grader.question import Question
from grader.results import codenames, keeping, lock, manifest
from grader.results.folder import MARKS, SUBMISSIONS
from grader.results.ledger import Ledger

__all__ = ["Progress", "origins", "run"]


def run(
    question: Question,
    entries: list[Entry],
    out: Path,
    hire: Hire,
    *,
    seed: int | None = None,
    retain_until: date | None = None,
    kept_days: int = manifest.KEPT_DAYS,
    moved: Callable[[Progress], None] = lambda _: None,
    adding: bool = False,
    waiting: Callable[[], object] | None = None,
    assign: Assign | None = None,
) -> tuple[Progress, Ledger]:
    """Grade the entries that `out` has no whole report or copy of yet, as `Grading.fill` does, and keep what was sent.

    Args:
        question, hire, seed, moved, adding, assign: as of `Grading`.
        entries: the submissions.
        out: the folder of results.
        retain_until, kept_days: as of `manifest.renewed`.
        waiting: called if another writes results there, who is waited for then; without it, that is refused.

    Raises:
        TooLittleIsolation: the isolation is weaker than required from the start.
        CallError: `out` can't be written, is being written by another batch, has lost its code names, or holds the
            results of another question, or of this one before it changed.
    """
    try:
        out.mkdir(parents=True, exist_ok=True)
        with lock.held(out, waiting or (lambda: _refuse(out))):
            sweep(out)
            manifest.unchanged(out, question.spec.version, question.digest)
            manifest.renewed(out, question.id, question.spec.version, question.digest, retain_until, kept_days)
            ledger = Ledger(out)
            manifest.refuse_lost_codes(out, ledger.lines)
            retired = codenames.retired(out / MARKS)
            claims = origins(question, entries)
            codes, doubts = codenames.claimed(claims, manifest.read_codes(out), retired)
            codes = codenames.draw((entry.name for entry in entries), codes, retired)
            manifest.write_codes(out, codes)
            progress = Progress(len(entries), doubts=doubts)

            def keep(entry: Entry) -> None:
                keeping.keep(entry.path, out / SUBMISSIONS / entry.folder)

            def kept(entry: Entry) -> bool:
                return keeping.is_kept(entry.path, out / SUBMISSIONS / entry.folder)

            grading = Grading(question, hire, seed, moved, adding, assign)
            grading.fill(out, ledger, entries, progress, before=keep, kept=kept)
    except OSError as error:
        raise CallError("results can't be written there", where=str(out), found=str(error)) from None
    return progress, ledger


def origins(question: Question, entries: list[Entry]) -> dict[str, str]:
    """The code name in each submission that came with one, from a packet of this question."""
    found = {entry.name: submission.origin(entry.path) for entry in entries}
    return {name: each.code for name, each in found.items() if each and each.code and each.question == question.id}


def _refuse(out: Path) -> NoReturn:
    """Two batches in one folder would lose each other's lines."""
    raise CallError("results are being written there already", where=str(out), next_step="Wait, or name another --out.")
