"""Jobs in a process each, a few at a time, each in pieces, so that an interruption costs nothing.

Theory of operation. The parent trains nothing: it forks, looks at a board that its children write their steps on, and
says how far they are. A child takes the next job that nobody has, trains it in one thread, keeps a checkpoint now and
then, and goes on to the next. Ctrl-C and SIGTERM reach the parent, which writes on the board that it is time to stop;
each child ends its few updates, keeps where it is, and leaves. Children whose parent was killed see that and leave too.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import Any, Final, Protocol

from grader.errors import CallError, GraderError, GraderFault
from solutions.experiments.keeping import Folder
from solutions.experiments.progress import Progress

PIECE: Final = 10  # updates between two looks at the board
FORK: Final = multiprocessing.get_context("fork")


class Training(Protocol):
    """One model on its way, whose state is all that its next update depends on."""

    step: int

    def advance(self, updates: int) -> None:
        """Take some updates, and note losses at the steps that ask for it."""

    def save(self, path: Path) -> None:
        """Write weights, optimizer, random streams, step and history to a file."""

    def load(self, path: Path) -> None:
        """Go on from such a file."""


@dataclass(frozen=True)
class Job:
    """One training to be done.

    Attributes:
        name: its name among all jobs, and that of its files.
        kind: jobs of a kind are about as fast.
        make: gives the training, at its beginning.
        measured: what there is to tell of it at its end, JSON-ready.
    """

    name: str
    kind: str
    make: Callable[[], Training]
    measured: Callable[[Any], dict[str, Any]]


class Interrupted(Exception):
    """Somebody asked to stop, and everything is kept."""


class Board:
    """What parent and children share: the step of each job, its seconds so far, who is next, and whether to stop."""

    def __init__(self, jobs: int) -> None:
        self.steps = FORK.Array("q", jobs)
        self.seconds = FORK.Array("d", jobs)
        self.next = FORK.Value("i", 0)
        self.stopping = FORK.Event()
        self.errors = FORK.SimpleQueue()
        self.parent = os.getpid()

    def is_over(self) -> bool:
        """Whether a child should leave."""
        return self.stopping.is_set() or os.getppid() != self.parent

    def take(self, jobs: int) -> int | None:
        """The place of a job that nobody has taken; None if there is none left."""
        with self.next.get_lock():
            place = self.next.value
            self.next.value += 1
        return place if place < jobs else None


def carry_out(
    jobs: list[Job], folder: Folder, *, steps: int, keep_every: int, processes: int, progress: Progress
) -> list[dict[str, Any]]:
    """Do what is not done yet, and return what each job measured, in order: `run`, and the `seconds` of its updates.

    Args:
        jobs: what there is to do.
        folder: where checkpoints and runs are kept.
        steps: the updates of each job.
        keep_every: the updates from one checkpoint to the next.
        processes: how many jobs to do at a time.
        progress: is told how far they are.

    Raises:
        Interrupted: a stop was asked for; the jobs at hand are kept as they are.
        CallError: a file can't be read or written.
        GraderFault: a child ended and said nothing.
    """
    board = Board(len(jobs))
    children = [
        FORK.Process(target=work, args=(jobs, folder, board, steps, keep_every))
        for _ in range(min(processes, len(jobs)))
    ]
    with stop_signals(board):
        for child in children:
            child.start()
        while any(child.is_alive() for child in children):
            children[0].join(0.2)
            time.sleep(0.05)
            progress.tell(board.steps[:], board.seconds[:])
            if not board.errors.empty():
                board.stopping.set()
        progress.tell(board.steps[:], board.seconds[:], now=True)
    if not board.errors.empty():
        raise CallError(**board.errors.get())
    if any(child.exitcode for child in children):
        raise GraderFault(
            "a training process ended before its time",
            found=f"exit status {', '.join(str(child.exitcode) for child in children)}",
            next_step="Go on with --resume: what was kept is whole.",
        )
    done = [folder.run(job.name) for job in jobs]
    if None in done:
        raise Interrupted
    return done


def work(jobs: list[Job], folder: Folder, board: Board, steps: int, keep_every: int) -> None:
    """Be a child: do jobs until there are none left, or it is time to stop."""
    for number in (signal.SIGINT, signal.SIGTERM):  # a terminal sends Ctrl-C to all of us; the parent decides
        signal.signal(number, signal.SIG_IGN)
    try:
        while not board.is_over() and (place := board.take(len(jobs))) is not None:
            do(jobs[place], place, folder, board, steps, keep_every)
    except GraderError as error:
        board.errors.put({**vars(error)})


def do(job: Job, place: int, folder: Folder, board: Board, steps: int, keep_every: int) -> None:
    """Do one job, or what is left of it, and keep what it measured."""
    if (done := folder.run(job.name)) is not None:
        board.steps[place], board.seconds[place] = steps, done["seconds"]
        return
    training = job.make()
    seconds = folder.load(job.name, training.load)
    board.steps[place], board.seconds[place] = training.step, seconds
    while training.step < steps and not board.is_over():
        until = min(steps, (training.step // keep_every + 1) * keep_every)
        while training.step < until and not board.is_over():
            began = time.perf_counter()
            training.advance(min(PIECE, until - training.step))
            seconds += time.perf_counter() - began
            board.steps[place], board.seconds[place] = training.step, seconds
        folder.save(job.name, training.save, seconds)
    if training.step == steps:
        folder.write(f"runs/{job.name}.json", {"run": job.measured(training), "seconds": round(seconds, 1)})


@contextmanager
def stop_signals(board: Board) -> Iterator[None]:
    """Pass Ctrl-C and SIGTERM on to the board."""

    def note(number: int, frame: FrameType | None) -> None:
        del number, frame
        board.stopping.set()

    before = {number: signal.signal(number, note) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
