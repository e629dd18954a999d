"""Grading a batch: what is missing, on a few engines at once, until all is done or the isolation is lost."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path

from grader import environment
from grader.batch.entries import Entry
from grader.bench import Bench
from grader.errors import CallError, GraderError, GraderFault
from grader.examine import isolation
from grader.examine.zygote import Zygote
from grader.grade import Engine
from grader.outcome import Verdict
from grader.question import Question
from grader.render import files
from grader.report import Report
from grader.results import codenames, keeping, manifest
from grader.results.folder import REPORTS, SUBMISSIONS
from grader.results.ledger import Ledger, line_of
from grader.sandbox.tiers import Tier


@dataclass(slots=True)
class Progress:
    """How a batch stands.

    Attributes:
        total: submissions in the batch.
        kept: those that had been graded before.
        graded: those of this run.
        troubles: what could not be graded, by name, and why.
        stopped: why the batch ended early; empty if it did not.
    """

    total: int
    kept: int = 0
    graded: int = 0
    troubles: dict[str, str] = field(default_factory=dict)
    stopped: str = ""


def run(
    question: Question,
    entries: list[Entry],
    out: Path,
    zygote: Zygote,
    *,
    jobs: int,
    require: Tier,
    seed: int | None = None,
    retain_until: date | None = None,
    moved: Callable[[Progress], None] = lambda _: None,
) -> tuple[Progress, Ledger]:
    """Grade the entries that `out` has no report of yet.

    Killed at any moment and run again, it goes on where it was: a line in the ledger follows the reports that it is of.
    One submission that can't be graded costs that submission. When workers can no longer be kept apart as well as at
    the start, the batch ends, and what was graded stays.

    Raises:
        TooLittleIsolation: the isolation is weaker than required from the start.
        CallError: `out` can't be written, or holds the results of another question.
    """
    try:
        out.mkdir(parents=True, exist_ok=True)
        manifest.renewed(out, question.id, question.spec.version, question.digest, retain_until)
        ledger = Ledger(out)
        manifest.write_codes(out, codenames.draw((entry.name for entry in entries), manifest.read_codes(out)))
    except OSError as error:
        raise CallError("results can't be written there", where=str(out), found=str(error)) from None
    keys = {entry.name: key_of(question, entry, seed) for entry in entries if entry.path.exists()}
    progress = Progress(len(entries))
    todo = [entry for entry in entries if not _is_done(out, entry, keys.get(entry.name), ledger)]
    progress.kept = len(entries) - len(todo)
    if todo:
        with Bench(question, zygote, min(jobs, len(todo)), require=require) as bench:
            _grade_all(bench, todo, keys, out, ledger, progress, seed, moved)
    if not progress.stopped:
        ledger.finish([entry.name for entry in entries])
    return progress, ledger


def key_of(question: Question, entry: Entry, seed: int | None) -> str:
    """What a report depends on: the question, the submission, the seed and the environment."""
    parts = [question.digest, entry.digest, question.seed if seed is None else seed, environment.versions()]
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()


def _is_done(out: Path, entry: Entry, key: str | None, ledger: Ledger) -> bool:
    line = ledger.lines.get(entry.name)
    return line is not None and line["key"] == key and (out / REPORTS / entry.folder / "report.json").is_file()


def _grade_all(
    bench: Bench,
    todo: list[Entry],
    keys: dict[str, str],
    out: Path,
    ledger: Ledger,
    progress: Progress,
    seed: int | None,
    moved: Callable[[Progress], None],
) -> None:
    def grade(engine: Engine, entry: Entry) -> Report:
        keeping.keep(entry.path, out / SUBMISSIONS / entry.folder)
        report = engine.grade(entry.path, seed)
        if report.verdict is not Verdict.GRADER_FAULT:
            files.write(report, out / REPORTS / entry.folder)
        return report

    tier = Tier(bench.isolation.tier)
    for entry, outcome in bench.stream(grade, todo):
        if isinstance(outcome, GraderFault) or _is_faulty(outcome):
            progress.troubles[entry.name] = str(outcome) if isinstance(outcome, GraderError) else "the grader failed"
            if lost := _weaker(bench, tier):
                progress.stopped = lost
                return
        elif isinstance(outcome, GraderError):
            progress.troubles[entry.name] = str(outcome)
        else:
            ledger.add(line_of(entry.name, keys[entry.name], f"{REPORTS}/{entry.folder}", outcome))
            progress.graded += 1
        moved(progress)


def _is_faulty(outcome: Report | GraderError) -> bool:
    return isinstance(outcome, Report) and outcome.verdict is Verdict.GRADER_FAULT


def _weaker(bench: Bench, tier: Tier) -> str:
    """Why workers are no longer in the tier that the batch began in; empty if they are."""
    try:
        now = isolation.probe(bench.zygote, bench.question.spec.limits)
    except GraderError as error:
        return str(error)
    if Tier(now.tier).reaches(tier) or bench.isolation.tier == Tier.EXTERNAL:
        return ""
    return f"workers are in the tier {now.tier}, and the batch began in {tier}"
