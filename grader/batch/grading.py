"""Grading many submissions of one question into a folder: what is missing there, on a few engines at once.

A batch and a regrade are the same work; they differ in where submissions come from and in what is kept of them.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from grader import environment
from grader.batch.entries import Entry
from grader.bench import Bench
from grader.errors import GraderError, GraderFault
from grader.examine import isolation
from grader.examine.zygote import Zygote
from grader.grade import Engine
from grader.outcome import Verdict
from grader.question import Question
from grader.render import files
from grader.report import Report
from grader.results.folder import REPORTS
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
        doubts: code names that came along and were not believed, in sentences.
        stopped: why the batch ended early; empty if it did not.
    """

    total: int
    kept: int = 0
    graded: int = 0
    troubles: dict[str, str] = field(default_factory=dict)
    doubts: list[str] = field(default_factory=list)
    stopped: str = ""


Moved = Callable[[Progress], None]


@dataclass(frozen=True)
class Grading:
    """How to grade.

    Attributes:
        question: what the submissions answer.
        zygote: where workers come from.
        jobs: submissions at once.
        require: the weakest isolation to work in.
        seed: of the hidden inputs; None for the question's own.
        moved: called as each submission ends, to show that something moves.
    """

    question: Question
    zygote: Zygote
    jobs: int
    require: Tier
    seed: int | None = None
    moved: Moved = lambda _: None

    def fill(
        self,
        out: Path,
        ledger: Ledger,
        entries: Sequence[Entry],
        progress: Progress,
        before: Callable[[Entry], object] = lambda _: None,
    ) -> None:
        """Grade the entries that `out` has no report of yet, with a line in its ledger as each ends.

        Killed at any moment and called again, it goes on where it was: a line follows the reports that it is of. One
        submission that can't be graded costs that submission. When workers can no longer be kept apart as well as at
        the start, it ends, and what was graded stays.

        Args:
            out: the folder of reports/ and the ledger.
            ledger: that of `out`.
            entries: all that belong there; others leave the ledger.
            progress: what is told of it, as it goes.
            before: called with each entry that is about to be graded.

        Raises:
            TooLittleIsolation: the isolation is weaker than required from the start.
        """
        keys = {entry.name: self.key(entry) for entry in entries if entry.path.exists()}
        todo = [entry for entry in entries if not _is_done(out, entry, keys.get(entry.name), ledger)]
        progress.kept = len(entries) - len(todo)
        if todo:
            with Bench(self.question, self.zygote, min(self.jobs, len(todo)), require=self.require) as bench:
                self._grade(bench, todo, keys, out, ledger, progress, before)
        if not progress.stopped:
            ledger.finish([entry.name for entry in entries])

    def key(self, entry: Entry) -> str:
        """What a report depends on: the question, the submission, the seed and the environment."""
        seed = self.question.seed if self.seed is None else self.seed
        parts = [self.question.digest, entry.digest, seed, environment.versions()]
        return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()

    def _grade(
        self,
        bench: Bench,
        todo: list[Entry],
        keys: dict[str, str],
        out: Path,
        ledger: Ledger,
        progress: Progress,
        before: Callable[[Entry], object],
    ) -> None:
        def grade(engine: Engine, entry: Entry) -> Report:
            before(entry)
            report = engine.grade(entry.path, self.seed)
            if report.verdict is not Verdict.GRADER_FAULT:
                files.write(report, out / REPORTS / entry.folder)
            return report

        tier = Tier(bench.isolation.tier)
        for entry, outcome in bench.stream(grade, todo):
            if isinstance(outcome, GraderFault) or _is_faulty(outcome):
                progress.troubles[entry.name] = (
                    str(outcome) if isinstance(outcome, GraderError) else "the grader failed"
                )
                if lost := _weaker(bench, tier):
                    progress.stopped = lost
                    return
            elif isinstance(outcome, GraderError):
                progress.troubles[entry.name] = str(outcome)
            else:
                ledger.add(line_of(entry.name, keys[entry.name], f"{REPORTS}/{entry.folder}", outcome))
                progress.graded += 1
            self.moved(progress)


def _is_done(out: Path, entry: Entry, key: str | None, ledger: Ledger) -> bool:
    line = ledger.lines.get(entry.name)
    return line is not None and line["key"] == key and (out / REPORTS / entry.folder / "report.json").is_file()


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
