"""RESULTS/review/spool/: what was uploaded and is not graded yet, a folder each, there in full or not at all.

    spool/.part-<id>/            arriving; removed when it breaks off, or later by `tidy`
    spool/<id>/job.json          who sent it, and how it stands
    spool/<id>/sent/<n>/<file>   what was sent, until it is graded

An id begins with the time, so their order is that in which they came. Once graded, nothing is left here that says what
it was called: the results folder has it then. What could not be graded stays for another try until somebody removes it.
"""

from __future__ import annotations

import fcntl
import os
import re
import secrets
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final, Literal

from pydantic import BaseModel, ConfigDict, ValidationError

from grader import inert
from grader.marks.book import now
from grader.render import files
from grader.review.trail import FOLDER

NAME: Final = "job.json"
SENT: Final = "sent"
PART: Final = ".part-"
ID: Final = re.compile(r"[0-9]{13}-[0-9a-f]{8}")
STALE_SECONDS: Final = 3600
ENDED_KEPT: Final = 200
PENDING: Final = ("waiting", "starting", "held", "grading")

State = Literal["waiting", "starting", "held", "grading", "done", "trouble"]


class Sent(BaseModel):
    """One submission of an upload: what it is called in results, and its path below the upload's folder."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: str
    path: str


class Outcome(BaseModel):
    """What became of one submission: its code name and score, or its name and why it could not be graded."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    code: str = ""
    verdict: str = ""
    earned: float = 0.0
    possible: float = 0.0
    tier: str = ""
    name: str = ""
    trouble: str = ""


class Job(BaseModel):
    """One upload.

    Attributes:
        id: of its folder.
        by, at: who sent it, and when, as ISO 8601 in UTC.
        replacing: whether it may take the place of what was sent under the same name.
        state: `waiting` for its turn, `starting` the workers, `held` up by another who writes results, `grading`,
            `done`, or `trouble` if some of it could not be graded.
        begun: how often its grading was begun.
        ended, total: submissions that have ended, of how many.
        sent: what is not graded yet.
        outcomes: what became of the others.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    id: str
    by: str
    at: str
    replacing: bool = False
    state: State = "waiting"
    begun: int = 0
    ended: int = 0
    total: int = 0
    sent: list[Sent] = []
    outcomes: list[Outcome] = []

    @property
    def is_pending(self) -> bool:
        """Whether it is still to be graded."""
        return self.state in PENDING


class Spool:
    """The uploads of a results folder."""

    def __init__(self, results: Path) -> None:
        self.results = results
        self.folder = results / FOLDER / "spool"

    def arriving(self) -> Path:
        """A new folder for what is about to be sent."""
        self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        part = self.folder / f"{PART}{time.time_ns() // 1_000_000:013d}-{secrets.token_hex(4)}"
        (part / SENT).mkdir(parents=True, mode=0o700)
        return part

    def arrived(self, part: Path, by: str, sent: list[Sent], replacing: bool = False) -> Job:
        """Put what has arrived in the queue; it is on the disk, and outlives a kill, when this returns."""
        id = part.name.removeprefix(PART)
        job = Job(id=id, by=by, at=now(), replacing=replacing, total=len(sent), sent=sent)
        (part / NAME).write_text(job.model_dump_json(indent=1) + "\n", "utf-8")
        for path in [*part.rglob("*"), part]:
            _sync(path)
        part.replace(self.folder / id)
        _sync(self.folder)
        return job

    def jobs(self) -> list[Job]:
        """All of them, in the order in which they came."""
        names = sorted(path.name for path in self.folder.iterdir()) if self.folder.is_dir() else []
        found = (self.find(name) for name in names if ID.fullmatch(name))
        return [job for job in found if job]

    def pending(self) -> list[Job]:
        """Those that are still to be graded."""
        return [job for job in self.jobs() if job.is_pending]

    def find(self, id: str) -> Job | None:
        """The job of an id; None if there is none. A damaged one is nobody's, and says so: an admin sees it."""
        path = self.folder / id / NAME
        if not ID.fullmatch(id):
            return None
        try:
            return Job.model_validate_json(path.read_bytes())
        except FileNotFoundError:
            return None
        except (OSError, ValidationError) as error:
            found = inert.short(str(error).split("\n")[0], 120)
            damaged = Outcome(name=id, trouble=f"{path} can't be read: {found}. What was sent is beside it.")
            return Job(id=id, by="", at="", state="trouble", outcomes=[damaged])

    def write(self, job: Job) -> Job:
        """Keep how a job stands, if nobody has removed it."""
        if (self.folder / job.id).is_dir():
            files.replace(self.folder / job.id / NAME, job.model_dump_json(indent=1) + "\n")
        return job

    def path(self, job: Job, sent: Sent) -> Path:
        """Where one submission of a job is."""
        return self.folder / job.id / sent.path

    def end(self, job: Job, left: list[Sent], outcomes: list[Outcome]) -> Job:
        """A job was graded: keep what became of it, and of what was sent only what is `left`."""
        done = job.model_copy(
            update={
                "state": "trouble" if any(each.trouble for each in outcomes) else "done",
                "ended": job.total,
                "sent": left,
                "outcomes": outcomes,
            }
        )
        self.write(done)
        self._keep(job, left)
        return done

    def again(self, job: Job) -> Job:
        """Put what could not be graded in the queue once more."""
        kept = [each for each in job.outcomes if not each.trouble]
        fresh = {"state": "waiting", "begun": 0, "ended": 0, "total": len(job.sent), "outcomes": kept}
        return self.write(job.model_copy(update=fresh))

    def remove(self, job: Job) -> None:
        """Forget a job, and what was sent."""
        shutil.rmtree(self.folder / job.id, ignore_errors=True)

    def forget(self, name: str, code: str) -> int:
        """Remove what was uploaded under a name, and what is told of a code name; say in how many jobs it was.

        A job of several loses that one, and goes on with the others.
        """
        found = 0
        for job in self.jobs():
            sent = [each for each in job.sent if each.name != name]
            # What could not be graded has no code name, and is not everybody's for that.
            outcomes = [each for each in job.outcomes if each.name != name and (each.code != code or not code)]
            if (sent, outcomes) == (job.sent, job.outcomes):
                continue
            found += 1
            if not sent and not outcomes:
                self.remove(job)
                continue
            self.write(job.model_copy(update={"sent": sent, "outcomes": outcomes}))
            self._keep(job, sent)
        return found

    def _keep(self, job: Job, left: list[Sent]) -> None:
        """Remove the files of what is not left."""
        kept = {each.path.split("/")[1] for each in left}
        for path in (self.folder / job.id / SENT).glob("*"):
            if path.name not in kept:
                shutil.rmtree(path)

    def tidy(self) -> None:
        """Remove what broke off while it arrived, what a kill has left, and the oldest of those that have ended."""
        for part in self.folder.glob(f"{PART}*") if self.folder.is_dir() else ():
            if time.time() - part.stat().st_mtime > STALE_SECONDS:
                shutil.rmtree(part, ignore_errors=True)
        done = [job for job in self.jobs() if job.state == "done"]
        for job in done:
            self._keep(job, job.sent)  # a child that was killed may have left what it had graded
        for job in done[:-ENDED_KEPT]:
            self.remove(job)

    @contextmanager
    def alone(self) -> Iterator[bool]:
        """Whether this process is the one that grades what is here; no other is, until the end of the block."""
        self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        opened = os.open(self.folder, os.O_RDONLY | os.O_DIRECTORY)
        try:
            fcntl.flock(opened, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(opened)
            yield False
            return
        try:
            yield True
        finally:
            os.close(opened)


def _sync(path: Path) -> None:
    opened = os.open(path, os.O_RDONLY)
    try:
        os.fsync(opened)
    finally:
        os.close(opened)
