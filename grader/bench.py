"""A few warm engines of one question side by side, on one zygote. Processes that are lost are replaced."""

from __future__ import annotations

import os
import queue
import select
import signal
import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import ExitStack, suppress
from itertools import islice
from typing import Final, TypeVar

from grader.closing import Closing
from grader.errors import GraderError, GraderFault, TooLittleIsolation
from grader.examine import isolation
from grader.examine.zygote import Zygote
from grader.grade import Engine
from grader.question import Question
from grader.report import Isolation
from grader.sandbox.tiers import Tier

Item = TypeVar("Item")
Result = TypeVar("Result")

MOST_TRIES: Final = 3  # of a piece of work, where processes are lost
AHEAD: Final = 2  # pieces that are begun or wait, for each engine; the rest of the work is not touched before


class Bench(Closing):
    """Engines for work that comes in many pieces. A context manager; `isolation` is what was probed at the start.

    Args:
        question: what they grade.
        zygote: where their workers come from. When it is lost another is started, which is `zygote` from then on.
        jobs: how many work at once.
        require: the weakest isolation to work in.
        done: called after each piece, to show that something moves.

    Raises:
        TooLittleIsolation: workers are kept apart less than required.
    """

    def __init__(
        self,
        question: Question,
        zygote: Zygote,
        jobs: int,
        *,
        require: Tier = Tier.CONFINED,
        done: Callable[[], None] = lambda: None,
    ) -> None:
        self.question, self.zygote, self.jobs, self.require, self.done = question, zygote, jobs, require, done
        self._stack = ExitStack()
        self._idle: queue.Queue[Engine] = queue.Queue()
        self._engines: set[Engine] = set()
        self._lock = threading.RLock()
        self._closed = False
        with ExitStack() as stack:
            stack.callback(self._end_engines)
            self._living()
            engines = [self._another() for _ in range(jobs)]
            self.isolation: Isolation = engines[0].isolation()
            for engine in engines:
                engine.isolation()
                engine.examiner.wait()
                self._idle.put(engine)
            self._pool = stack.enter_context(ThreadPoolExecutor(jobs))
            self._stack.push(stack.pop_all())

    def each(self, work: Callable[[Engine, Item], Result], items: Iterable[Item]) -> list[Result]:
        """`work(engine, item)` for each item, in the order of the items; the first exception is raised."""
        return list(self._pool.map(lambda item: self.run(work, item), items))

    def stream(
        self, work: Callable[[Item], Result], items: Iterable[Item]
    ) -> Iterator[tuple[Item, Result | GraderError]]:
        """`work(item)` for each item, which calls `run`, as it ends, or the error that it raised.

        Items are asked for as there is something to do them, and forgotten once they are done. What has not begun
        when the caller stops is left.
        """
        waiting, running = iter(items), dict[Future[Result], Item]()
        try:
            while True:
                for item in islice(waiting, AHEAD * self.jobs - len(running)):
                    running[self._pool.submit(work, item)] = item
                if not running:
                    return
                for future in wait(running, return_when=FIRST_COMPLETED).done:
                    item = running.pop(future)
                    try:
                        yield item, future.result()
                    except GraderError as error:
                        yield item, error
        finally:
            for future in running:
                future.cancel()

    def run(self, work: Callable[[Engine, Item], Result], item: Item) -> Result:
        """`work(engine, item)` on an engine that is idle, in the caller's thread."""
        engine = self._idle.get()
        try:
            engine = self._sound(engine)
            return work(engine, item)
        except GraderFault:
            self._retire(engine)  # whatever of it was lost, the next piece finds all of it new
            raise
        finally:
            self._idle.put(engine)
            self.done()

    def run_again(
        self, work: Callable[[Engine, Item], Result], item: Item, is_faulty: Callable[[Result], bool]
    ) -> Result:
        """As `run`, and again where that failed for a fault of ours: it costs time, and nobody's work.

        Args:
            work: what to do.
            item: with what.
            is_faulty: whether a result tells of a fault, too.
        """
        for _ in range(MOST_TRIES - 1):
            try:
                result = self.run(work, item)
            except TooLittleIsolation:
                raise
            except GraderFault:
                continue
            if not is_faulty(result):
                return result
        return self.run(work, item)

    def probe(self) -> Isolation:
        """The isolation as it is now, in a worker of the zygote that there is now.

        Raises:
            GraderFault: no worker could be had.
        """
        return isolation.probe(self._living(), self.question.spec.limits)

    def _sound(self, engine: Engine) -> Engine:
        """The engine, or one in its place where its examiner or its zygote has ended.

        Raises:
            TooLittleIsolation: it would keep workers apart less than was so at the start.
        """
        with self._lock:
            zygote = self._living()
            if engine in self._engines and engine.zygote is zygote and engine.examiner.is_alive:
                return engine
            self._retire(engine)
            another = self._another()
        found = another.isolation()
        if not Tier(found.tier).reaches(Tier(self.isolation.tier)):
            self._retire(another)
            raise TooLittleIsolation(
                "workers are kept apart less than at the start", found=found.tier, expected=self.isolation.tier
            )
        return another

    def _another(self) -> Engine:
        with self._lock:
            if self._closed:
                raise GraderFault("the work was broken off")
            engine = Engine(self.question, self.zygote, require=self.require)
            self._engines.add(engine)
            return engine

    def _retire(self, engine: Engine) -> None:
        with self._lock:
            if engine in self._engines:
                self._engines.discard(engine)
                engine.close()

    def _living(self) -> Zygote:
        with self._lock:
            if _is_lost(self.zygote) and not self._closed:
                self.zygote.close()
                self.zygote = self._stack.enter_context(Zygote(self.zygote.strongest, self.question.spec.imports))
                self.zygote.wait()  # one thread has to; the others find it ready
            return self.zygote

    def close(self) -> None:
        """End its processes, and with them what is still being done."""
        with self._lock:
            self._closed = True
            for engine in self._engines:  # a thread that reads from an examiner would keep it from being closed
                if engine.examiner.is_alive:
                    with suppress(ProcessLookupError):
                        os.killpg(engine.examiner.process.pid, signal.SIGKILL)
        self._stack.close()

    def _end_engines(self) -> None:
        for engine in list(self._engines):
            self._retire(engine)


def _is_lost(zygote: Zygote) -> bool:
    """Whether a zygote has ended, or is about to: its end of the socket closes a moment before the process is gone."""
    if zygote.process.poll() is not None:
        return True
    hanging_up = select.poll()
    hanging_up.register(zygote.control, 0)
    return bool(hanging_up.poll(0))


def cores() -> int:
    """How many processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
