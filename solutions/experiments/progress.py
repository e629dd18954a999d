"""One line that says how far an experiment is and how long it will take: in place on a terminal, else now and then."""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from typing import Final, TextIO

EVERY: Final = {True: 0.5, False: 30.0}  # seconds between two lines, on a terminal and elsewhere


class Progress:
    """Tells of jobs, some of which are done at the same time.

    Args:
        names: the name of each job.
        kinds: the kind of each; jobs of a kind are about as fast.
        steps: the updates of a job.
        processes: how many jobs are done at a time.
        stream: where to write.
    """

    def __init__(
        self, names: Sequence[str], kinds: Sequence[str], steps: int, processes: int, stream: TextIO = sys.stderr
    ) -> None:
        self.names, self.kinds, self.steps, self.processes = names, kinds, steps, processes
        self.stream = stream
        self._in_place = stream.isatty()
        self._last = -1e9

    def left(self, done: Sequence[int], seconds: Sequence[float]) -> float | None:
        """Seconds until all jobs are done, from the steps and seconds of each so far; None while no pace is known."""
        paces: dict[str, float] = {}  # seconds an update
        for kind in self.kinds:
            updates, took = (
                sum(value for value, of in zip(values, self.kinds, strict=True) if of == kind)
                for values in (done, seconds)
            )
            if updates and took:
                paces[kind] = took / updates
        if not paces:
            return None
        slowest = max(paces.values())  # a kind that was not met yet is taken for as slow as any
        rest = [(self.steps - step) * paces.get(kind, slowest) for step, kind in zip(done, self.kinds, strict=True)]
        return max(sum(rest) / self.processes, max(rest))

    def tell(self, done: Sequence[int], seconds: Sequence[float], *, now: bool = False) -> None:
        """Say where the jobs are, unless that was said just before."""
        if not now and time.monotonic() - self._last < EVERY[self._in_place]:
            return
        self._last = time.monotonic()
        words = self.words(done, seconds)
        self.stream.write(f"\r{words}\x1b[K" if self._in_place else f"{words}\n")
        self.stream.flush()

    def words(self, done: Sequence[int], seconds: Sequence[float]) -> str:
        """Where the jobs are."""
        parts = [f"{sum(step == self.steps for step in done)} of {len(done)} runs done"]
        for name, step, took in zip(self.names, done, seconds, strict=True):
            if 0 < step < self.steps:
                rate = f" ({step / took:,.0f}/s)" if took else ""
                parts.append(f"{name} {step:,} of {self.steps:,}{rate}")
        if left := self.left(done, seconds):
            parts.append(f"{span(left)} left")
        return "; ".join(parts)

    def close(self) -> None:
        """Leave the line."""
        if self._in_place:
            self.stream.write("\n")
            self.stream.flush()


def span(seconds: float) -> str:
    """A time in the largest unit that it has two of."""
    if seconds >= 7200:
        return f"{seconds / 3600:.1f} h"
    return f"{seconds / 60:.0f} min" if seconds >= 120 else f"{seconds:.0f} s"
