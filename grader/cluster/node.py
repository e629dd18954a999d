"""What runs in a Dask worker process: one zygote, and an engine for each thread, kept warm between tasks.

Only module-level functions are sent by name, with bytes; `greet` once to each node, `grade` for each submission.
"""

from __future__ import annotations

import asyncio
import json
import socket
import tempfile
import threading
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Final

from distributed import Worker, get_worker

from grader.batch.crew import graded
from grader.batch.entries import Entry
from grader.bench import Bench
from grader.cluster import parcel, reply
from grader.cluster.terms import Terms
from grader.errors import GraderError, GraderFault, TooLittleIsolation
from grader.examine.zygote import Zygote
from grader.report import Report
from grader.sandbox.tiers import Tier


class Node:
    """The bench of the batch that this process works for. A batch on other terms waits until it is idle."""

    def __init__(self) -> None:
        self._idle = threading.Condition()
        self._users = 0
        self._terms: Terms | None = None
        self._bench: Bench | None = None
        self._stack = ExitStack()

    def enter(self, terms: Terms, threads: int) -> Bench:
        """The bench for these terms; `leave` has to follow.

        Raises:
            GraderError: the terms can't be met here.
        """
        work = replace(terms, secret="")  # the next batch over the same question finds everything warm
        with self._idle:
            while self._users and self._terms != work:
                self._idle.wait()
            if self._bench is None or self._terms != work:
                self._close()
                question = terms.find_question()
                with ExitStack() as stack:
                    zygote = stack.enter_context(Zygote())
                    self._bench = stack.enter_context(Bench(question, zygote, threads, require=Tier(terms.require)))
                    self._stack = stack.pop_all()
                self._terms = work
            self._users += 1
            return self._bench

    def leave(self) -> None:
        """One that had entered is done."""
        with self._idle:
            self._users -= 1
            self._idle.notify_all()

    def close(self) -> None:
        """End the processes, unless they are in use."""
        with self._idle:
            if not self._users:
                self._close()

    def _close(self) -> None:
        self._bench = self._terms = None
        self._stack.close()


NODE: Final = Node()


async def greet(terms: bytes, dask_worker: Worker) -> bytes:
    """Make ready, and say so in JSON: `{"tier": …}`, or `{"refused": why, "weak": whether it is for its isolation}`."""
    return await asyncio.to_thread(_greet, terms, dask_worker.state.nthreads)  # the worker has to go on meanwhile


def _greet(terms: bytes, threads: int) -> bytes:
    try:
        bench = NODE.enter(Terms.from_bytes(terms), threads)
        NODE.leave()
    except GraderError as error:
        return json.dumps({"refused": str(error), "weak": isinstance(error, TooLittleIsolation)}).encode()
    return json.dumps({"tier": bench.isolation.tier}).encode()


def grade(terms: bytes, key: str, submission: bytes) -> bytes:
    """The sealed reply for one submission."""
    agreed = Terms.from_bytes(terms)
    return reply.sealed(agreed, key, _graded(agreed, submission))


def _graded(terms: Terms, submission: bytes) -> Report | GraderError:
    try:
        bench = NODE.enter(terms, get_worker().state.nthreads)
    except GraderError as error:
        return GraderFault("a node can't grade this batch", where=socket.gethostname(), found=str(error))
    try:
        with tempfile.TemporaryDirectory(prefix="node-") as folder:
            path = parcel.unpack(submission, Path(folder))
            try:
                return graded(bench, Entry(path.name, path), terms.seed)
            except GraderError as error:
                where = error.where.replace(folder, "") if error.where else None
                return type(error)(
                    error.what,
                    where=where and where.lstrip("/"),
                    found=error.found,
                    expected=error.expected,
                    next_step=error.next_step,
                )
    except GraderError as error:
        return error
    finally:
        NODE.leave()


def dismiss() -> None:
    """The batch is over: end the processes, unless another batch uses them."""
    NODE.close()
