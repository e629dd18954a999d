"""Timing one command against another: in turn, as whole processes, and as the median of the pairs' ratios.

A machine's speed drifts; the two runs of a pair are neighbours, so their ratio drifts far less than either.
"""

from __future__ import annotations

import statistics
import subprocess
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Pairs:
    """Wall seconds of two commands, run in turn."""

    ours: list[float]
    theirs: list[float]

    @property
    def ratio(self) -> float:
        """The median of ours over theirs, pair by pair."""
        return statistics.median(one / other for one, other in zip(self.ours, self.theirs, strict=True))

    def row(self, name: str, other: str) -> str:
        """One line for people."""
        ours, theirs = statistics.median(self.ours), statistics.median(self.theirs)
        ratios = [one / other for one, other in zip(self.ours, self.theirs, strict=True)]
        return (
            f"{name} / {other}: {self.ratio:.2f} "
            f"({min(ratios):.2f} to {max(ratios):.2f}, {len(ratios)} pairs; medians {ours:.2f} s and {theirs:.2f} s)"
        )


def compare(ours: Callable[[], object], theirs: Callable[[], object], runs: int) -> Pairs:
    """Run both once unmeasured, then in turn."""
    ours()
    theirs()
    pairs = [(seconds(ours), seconds(theirs)) for _ in range(runs)]
    return Pairs([one for one, _ in pairs], [other for _, other in pairs])


def seconds(action: Callable[[], object]) -> float:
    """The wall time of a call."""
    started = time.perf_counter()
    action()
    return time.perf_counter() - started


def command(arguments: Sequence[str], expected: int = 0) -> Callable[[], None]:
    """A call that runs a command and insists on its exit status."""

    def run() -> None:
        done = subprocess.run(arguments, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=False)
        if done.returncode != expected:
            raise RuntimeError(f"{' '.join(arguments)} ended with {done.returncode}: {done.stderr.decode()[-400:]}")

    return run
