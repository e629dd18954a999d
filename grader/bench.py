"""A few warm engines of one question side by side, on one zygote."""

from __future__ import annotations

import os
import queue
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import ExitStack
from typing import TypeVar

from grader.closing import Closing
from grader.errors import GraderError
from grader.examine.zygote import Zygote
from grader.grade import Engine
from grader.question import Question
from grader.report import Isolation
from grader.sandbox.tiers import Tier

Item = TypeVar("Item")
Result = TypeVar("Result")


class Bench(Closing):
    """Engines for work that comes in many pieces. A context manager; `isolation` is what was probed at the start.

    Args:
        question: what they grade.
        zygote: where their workers come from.
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
        self.question, self.zygote, self.done = question, zygote, done
        self._stack = ExitStack()
        self._idle: queue.Queue[Engine] = queue.Queue()
        with ExitStack() as stack:
            engines = [stack.enter_context(Engine(question, zygote, require=require)) for _ in range(jobs)]
            self.isolation: Isolation = engines[0].isolation()
            for engine in engines:
                engine.isolation()
                engine.examiner.wait()
                self._idle.put(engine)
            self._pool = stack.enter_context(ThreadPoolExecutor(jobs))
            self._stack = stack.pop_all()

    def each(self, work: Callable[[Engine, Item], Result], items: Iterable[Item]) -> list[Result]:
        """`work(engine, item)` for each item, in the order of the items; the first exception is raised."""
        return list(self._pool.map(lambda item: self._one(work, item), items))

    def stream(
        self, work: Callable[[Engine, Item], Result], items: Iterable[Item]
    ) -> Iterator[tuple[Item, Result | GraderError]]:
        """Each item with what became of it, as it ends. What has not begun when the caller stops is left."""
        futures = {self._pool.submit(self._one, work, item): item for item in items}
        try:
            for future in as_completed(futures):
                try:
                    yield futures[future], future.result()
                except GraderError as error:
                    yield futures[future], error
        finally:
            for future in futures:
                future.cancel()

    def _one(self, work: Callable[[Engine, Item], Result], item: Item) -> Result:
        engine = self._idle.get()
        try:
            return work(engine, item)
        finally:
            self._idle.put(engine if engine.examiner.is_alive else self._another(engine))
            self.done()

    def _another(self, lost: Engine) -> Engine:
        """An engine in the place of one whose examiner has ended."""
        engine = Engine(self.question, self.zygote, require=lost.require)
        self._stack.push(engine)
        return engine

    def close(self) -> None:
        """End its processes."""
        self._stack.close()


def cores() -> int:
    """How many processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
