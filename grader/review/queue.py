"""Having uploads graded: one child process at a time, which works on what is in the spool.

The room never reads a submission, nor imports what could run one; it looks at how a job stands. A child that is killed
is started again. One that ends three times over the same upload leaves it as trouble, and goes on with the next.
"""

from __future__ import annotations

import asyncio
import logging
import sys
import threading
from asyncio.subprocess import DEVNULL, PIPE, Process
from contextlib import suppress
from pathlib import Path
from typing import Final

from grader import inert
from grader.review.pace import Pace
from grader.review.spool import Job, Outcome, Spool

LOG: Final = logging.getLogger("uvicorn.error")
TRIES: Final = 3
LOOK_SECONDS: Final = 2.0
MOST_PENDING: Final = 200
COMMAND: Final = (sys.executable, "-m", "grader.review.drain")


class Queue:
    """The uploads of a room.

    Args:
        results: the folder of results.
        banks: further folders of questions, as `--questions` names them.
        require: the weakest isolation to grade in.

    Attributes:
        spool: what is in it.
        pace: how often anybody may send something.
        process: the child that grades; None before the first.
        one: held by whoever puts an upload in it.
    """

    def __init__(self, results: Path, banks: tuple[Path, ...] = (), require: str = "confined") -> None:
        self.results, self.banks, self.require = results, banks, require
        self.spool = Spool(results)
        self.pace = Pace(60, 3600)
        self.process: Process | None = None
        self.one = threading.Lock()
        self._sending: set[str] = set()
        self._task: asyncio.Task[None] | None = None
        self._wake = asyncio.Event()

    async def start(self) -> None:
        """Go on where the last one stopped."""
        await asyncio.to_thread(self.spool.tidy)
        self._task = asyncio.create_task(self._run())

    async def stop(self) -> None:
        """End the child. What it was grading is graded anew by the next one."""
        if self._task:
            self._task.cancel()
            with suppress(asyncio.CancelledError):
                await self._task

    def wake(self) -> None:
        """There is something new."""
        self._wake.set()

    def refusal(self, who: str) -> str:
        """Why somebody can't send anything now; empty if they can. Who can is sending, until `sent`."""
        pending = self.spool.pending()
        if who in self._sending or any(job.by == who for job in pending):
            return "Your last upload is not graded yet. Send the next one when it is."
        if len(pending) >= MOST_PENDING:
            return "Too many uploads are waiting. Send it again when some are graded."
        self._sending.add(who)
        return ""

    def sent(self, who: str) -> None:
        """They are no longer sending."""
        self._sending.discard(who)

    async def _run(self) -> None:
        while True:
            self._wake.clear()
            try:
                if pending := await asyncio.to_thread(self.spool.pending):
                    await self._grade(pending[0])
            except Exception:
                LOG.exception("the queue of uploads failed, and goes on")
            with suppress(TimeoutError):
                await asyncio.wait_for(self._wake.wait(), LOOK_SECONDS)

    async def _grade(self, first: Job) -> None:
        arguments = [str(self.results), self.require, *map(str, self.banks)]
        self.process = await asyncio.create_subprocess_exec(
            *COMMAND, *arguments, stdin=PIPE, stdout=DEVNULL, stderr=PIPE
        )
        try:
            assert self.process.stderr
            said = await self.process.stderr.read()
            status = await self.process.wait()
        finally:
            await _ended(self.process)
        if status:
            why = inert.short(said.decode("utf-8", "replace").strip().rpartition("\n")[2], 300)
            LOG.error("grading uploads ended with status %s: %s", status, why)
            await asyncio.to_thread(self._failed, first.id, why)

    def _failed(self, id: str, why: str) -> None:
        job = self.spool.find(id)
        if job is None or not job.is_pending:
            return
        if job.state == "waiting":  # it was not even begun
            job = self.spool.write(job.model_copy(update={"begun": job.begun + 1}))
        if job.begun >= TRIES:
            self.spool.end(job, job.sent, [*job.outcomes, *troubles(job, f"The grader ended {TRIES} times: {why}")])


def troubles(job: Job, why: str) -> list[Outcome]:
    """The outcomes of a job of which nothing could be graded, for one reason."""
    return [Outcome(name=each.name, trouble=why) for each in job.sent]


async def _ended(process: Process) -> None:
    """The child ends when it is asked to, and in any case."""
    if process.returncode is None:
        with suppress(ProcessLookupError):
            process.terminate()
        try:
            await asyncio.wait_for(process.wait(), 5)
        except TimeoutError:
            process.kill()
            await process.wait()
