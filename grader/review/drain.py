"""`python -m grader.review.drain RESULTS REQUIRE [BANK …]`: grade what is in the spool, as `grader batch` would.

It is a child of the room, ends with it, and is the only one at work on a folder. What it knows of a job is on the disk
before it does anything, so a kill at any moment costs the time of one grading.
"""

from __future__ import annotations

import os
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from typing import Final

from grader import inert
from grader.bank import Bank
from grader.batch import entries, run
from grader.batch.crew import Crew, local
from grader.batch.entries import Entry
from grader.batch.grading import Grading
from grader.bench import at_once
from grader.errors import CallError, GraderError
from grader.examine.zygote import Zygote
from grader.question import Question
from grader.regrade import again
from grader.render import results as page
from grader.results import Results, ledger, manifest
from grader.review import trail
from grader.review.queue import TRIES, troubles
from grader.review.spool import Job, Outcome, Sent, Spool
from grader.sandbox.tiers import Tier
from grader.submission import choosing
from grader.submission.archive import ARCHIVE_BYTES, Archive
from grader.submission.folder import read_regular
from grader.submission.unfit import Unfit

LINGER_SECONDS: Final = 20.0  # with warm workers, for whatever is sent next
LOOK_SECONDS: Final = 0.2


def main(arguments: list[str]) -> int:
    """Grade, and return the exit status."""
    results, require, *banks = arguments
    threading.Thread(target=_end_with_the_room, daemon=True).start()
    spool = Spool(Path(results))
    with spool.alone() as mine:
        if mine:
            with Zygote() as zygote:
                drain = Drain(spool, zygote, Tier(require), tuple(map(Path, banks)))
                for job in waiting(spool):
                    drain.grade(job)
    return 0


def waiting(spool: Spool) -> Iterator[Job]:
    """The next job, as long as there is one, or one comes soon."""
    until = time.monotonic() + LINGER_SECONDS
    while time.monotonic() < until:
        if pending := spool.pending():
            yield pending[0]
            until = time.monotonic() + LINGER_SECONDS
        else:
            time.sleep(LOOK_SECONDS)


class Drain:
    """Grades jobs of a spool."""

    def __init__(self, spool: Spool, zygote: Zygote, require: Tier, banks: tuple[Path, ...]) -> None:
        self.spool, self.zygote, self.require, self.banks = spool, zygote, require, banks
        self.results = spool.results

    @cached_property
    def question(self) -> Question:
        """The question that the results are of."""
        return Bank.find(self.banks).get(manifest.read(self.results).question)

    @cached_property
    def seed(self) -> int | None:
        """The seed that the others were graded with."""
        return again.seed_of(again.old_reports(Results.open(self.results))[0])

    def grade(self, job: Job) -> None:
        """Grade a job, and put down what became of it."""
        if job.begun >= TRIES:
            self.spool.end(job, job.sent, [*job.outcomes, *troubles(job, "The grader ended in the middle of it.")])
            return
        job = self._stands(job, state="starting", begun=job.begun + 1)
        with tempfile.TemporaryDirectory(prefix="upload-") as folder:
            try:
                outcomes = self._graded(job, Path(folder))
            except GraderError as error:
                outcomes = troubles(job, str(error))
        whole = {each.name for each in job.sent}
        failed = {each.name for each in outcomes if each.trouble}
        # An archive of several is kept as long as one of them could not be graded.
        left = [each for each in job.sent if each.name in failed or (failed - whole and each.path.endswith(".zip"))]
        for each in outcomes:
            if each.code:
                trail.add(self.results, job.by, "graded", job=job.id, code=each.code, verdict=each.verdict)
            else:
                trail.add(self.results, job.by, "not graded", job=job.id)
        self.spool.end(job, left, [*job.outcomes, *outcomes])

    def _graded(self, job: Job, unpacked: Path) -> list[Outcome]:
        found: list[Entry] = []
        outcomes: list[Outcome] = []
        for number, sent in enumerate(job.sent):
            try:
                found += self._entries(job, sent, unpacked / str(number))
            except CallError as error:
                outcomes.append(Outcome(name=sent.name, trouble=str(error)))
        if not found:
            return outcomes
        job = job.model_copy(update={"total": len(found)})

        def hired(question: Question, seed: int | None, most: int) -> Crew:
            self._stands(job, state="starting")  # whoever was waited for is done
            crew = local(self.zygote, jobs=at_once(), require=self.require)(question, seed, most)
            self._stands(job, state="grading")
            return crew

        def moved(now: run.Progress) -> None:
            self._stands(job, state="grading", ended=now.graded + now.kept + len(now.troubles))

        progress, lines = run.run(
            self.question,
            found,
            self.results,
            hired,
            seed=self.seed,
            adding=True,
            waiting=lambda: self._stands(job, state="held"),
            moved=moved,
        )
        page.write_page(self.question.spec, list(lines.lines.values()), {}, self.results)
        codes = manifest.read_codes(self.results)
        for entry in found:
            if why := progress.troubles.get(entry.name) or progress.stopped:
                outcomes.append(Outcome(name=entry.name, trouble=why))
            else:
                outcomes.append(_outcome(codes[entry.name], lines.lines[entry.name]))
        return outcomes

    def _entries(self, job: Job, sent: Sent, unpacked: Path) -> list[Entry]:
        """What was sent, as one submission; or those in it, if it is an archive of several."""
        path = self.spool.path(job, sent)
        if path.suffix.lower() != ".zip" or not _holds_several(path):
            return [Entry(sent.name, path)]
        unpacked.mkdir()
        found = entries.find(path, unpacked).entries
        keys = {line["name"]: line["key"] for line in ledger.read(self.results / ledger.NAME)}
        grading = Grading(self.question, local(self.zygote, jobs=1, require=self.require), self.seed)
        others = [each.name for each in found if each.name in keys and keys[each.name] != grading.key(each)]
        if others and not job.replacing:
            raise CallError("others were sent under these names", found=inert.listed(others))
        return found

    def _stands(self, job: Job, **changed: object) -> Job:
        return self.spool.write(job.model_copy(update=changed))


def _outcome(code: str, line: ledger.Line) -> Outcome:
    return Outcome(
        code=code,
        verdict=line["verdict"],
        earned=line["earned"],
        possible=line["possible"],
        tier=line["tier"],
    )


def _holds_several(path: Path) -> bool:
    """Whether a sound archive has several files or folders, each of which could be a submission, and no solution.py."""
    try:
        names = Archive(read_regular(path, ARCHIVE_BYTES)).names
    except (Unfit, CallError):
        return False  # why not is told as of any submission
    while len({name.partition("/")[0] for name in names}) == 1 and all("/" in name for name in names):
        names = [name.partition("/")[2] for name in names]
    if choosing.are_one(names):
        return False
    could = {name.partition("/")[0] for name in names if name.lower().endswith(entries.SUFFIXES)}
    return len([name for name in could if not (choosing.is_ours(name) or choosing.ruled_out(name, ()))]) > 1


def _end_with_the_room() -> None:
    """Our standard input ends when the room does, however that ends."""
    while os.read(0, 1 << 10):  # not by sys.stdin, whose lock an interpreter that ends would wait for
        pass
    os._exit(1)


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except GraderError as error:
        sys.stderr.write(f"{error}\n")
        sys.exit(error.exit_code)
