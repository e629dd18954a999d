"""A few warm engines of one question side by side, on one zygote. Processes that are lost are replaced."""

from __future__ import annotations

import os
import queue
import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import ExitStack
from itertools import islice
from typing import Final, TypeVar

from grader.closing import Closing
from grader.errors import GraderError, GraderFault, TooLittleIsolation
from grader.examine import isolation
from grader.examine.zygote import Zygote
from grader.grade import Engine
from grader.question import Question
from grader.recall import Recall
from grader.report import Isolation
from grader.sandbox.tiers import Tier
from grader.warm import Warm

Item = TypeVar("Item")
Result = TypeVar("Result")

MOST_TRIES: Final = 3  # of a piece of work, where processes are lost
AHEAD: Final = 2  # pieces that are begun or wait, for each engine; the rest of the work is not touched before


class Bench(Closing):
    """Engines for work that comes in many pieces. A context manager.

    Attributes:
        isolation: what was probed at the start.
        recall: what was graded here before, for work that may be spared where two have sent the same.

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
        self.recall = Recall()
        self._stack = ExitStack()
        self._idle: queue.Queue[Engine] = queue.Queue()
        self._engines: set[Engine] = set()
        self._lock = threading.RLock()
        self._closed = False
        self._warm: Warm | None = None
        with ExitStack() as stack:
            stack.callback(self._end_all)
            self.isolation: Isolation = self._living().isolation()
            for engine in [self._another() for _ in range(jobs)]:
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
        return isolation.probe(self._living().zygote, self.question.spec.limits)

    def _sound(self, engine: Engine) -> Engine:
        """The engine, or one in its place where its examiner, or what it shares with others, has ended."""
        with self._lock:
            warm = self._living()
            if engine in self._engines and engine.warm is warm and engine.examiner.is_alive:
                return engine
            self._retire(engine)
            return self._another()

    def _another(self) -> Engine:
        with self._lock:
            engine = Engine(self.question, warm=self._living())
            self._engines.add(engine)
            return engine

    def _retire(self, engine: Engine) -> None:
        with self._lock:
            if engine in self._engines:
                self._engines.discard(engine)
                engine.close()

    def _living(self) -> Warm:
        """What the engines share, all of it there.

        Raises:
            TooLittleIsolation: it had to be started again, and workers are kept apart less than they were.
        """
        with self._lock:
            if self._closed:
                raise GraderFault("the work was broken off")
            if self._warm is None or not self._warm.is_alive:
                self._warm = self._started()
            return self._warm

    def _started(self) -> Warm:
        if self._warm is not None:
            self._warm.close()
        if not self.zygote.is_alive:
            self.zygote.close()
            self.zygote = self._stack.enter_context(Zygote(self.zygote.strongest, self.question.spec.imports))
        warm = Warm(self.question, self.zygote, self.zygote.strongest, self.require)
        try:
            self.zygote.wait()  # one thread has to; the others find all of it ready
            found = warm.isolation()
            if self._warm is not None and not Tier(found.tier).reaches(Tier(self.isolation.tier)):
                raise TooLittleIsolation(
                    "workers are kept apart less than at the start", found=found.tier, expected=self.isolation.tier
                )
            warm.examiners.wait()
        except BaseException:
            warm.close()
            raise
        return warm

    def close(self) -> None:
        """End its processes, and with them what is still being done."""
        with self._lock:
            self._closed = True
            if self._warm is not None:  # a thread that reads from an examiner would keep it from being closed
                self._warm.examiners.close()
        self._stack.close()

    def _end_all(self) -> None:
        for engine in list(self._engines):
            self._retire(engine)
        if self._warm is not None:
            self._warm.close()


def cores() -> int:
    """How many processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def at_once() -> int:
    """How many submissions keep the processors busy: half as many more than there are processors.

    The two ends of an examination take turns, and wait for the kernel now and then. Measured on two processors, three
    at once are a sixth faster than two, and four are no faster than three.
    """
    return cores() + (cores() + 1) // 2
