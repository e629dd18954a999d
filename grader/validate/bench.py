"""A few warm engines of one question side by side, on one zygote."""

from __future__ import annotations

import queue
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from types import TracebackType
from typing import Self, TypeVar

from grader.examine.zygote import Zygote
from grader.grade import Engine
from grader.question import Question

Item = TypeVar("Item")
Result = TypeVar("Result")


class Bench:
    """Engines for work that comes in many pieces. A context manager.

    Args:
        question: what they grade.
        zygote: where their workers come from.
        jobs: how many work at once.
        done: called after each piece, to show that something moves.
    """

    def __init__(self, question: Question, zygote: Zygote, jobs: int, done: Callable[[], None] = lambda: None) -> None:
        self.question, self.done = question, done
        self._stack = ExitStack()
        self._idle: queue.Queue[Engine] = queue.Queue()
        engines = [self._stack.enter_context(Engine(question, zygote)) for _ in range(jobs)]
        zygote.wait()
        self._pool = self._stack.enter_context(ThreadPoolExecutor(jobs))
        for engine in engines:
            engine.examiner.wait()
            self._idle.put(engine)

    def each(self, work: Callable[[Engine, Item], Result], items: Iterable[Item]) -> list[Result]:
        """`work(engine, item)` for each item, in the order of the items; the first exception is raised."""
        return list(self._pool.map(lambda item: self._one(work, item), items))

    def _one(self, work: Callable[[Engine, Item], Result], item: Item) -> Result:
        engine = self._idle.get()
        try:
            return work(engine, item)
        finally:
            self._idle.put(engine)
            self.done()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._stack.close()
