"""`python -m benchmarks.peers`: installs the peers that it can, has each grade the same, and prints a table of ratios.

A cold run is one command for one submission. A batch is `grader batch` over many, as a whole command with its start and
its pages; a peer starts anew for each submission, as many at once as there are cores. The two of a pair run one after
the other, and what is told is the median of the pairs' ratios, with the lowest and the highest.
"""

from __future__ import annotations

import argparse
import itertools
import statistics
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from benchmarks.demo import OUT, QUESTION, SOLUTIONS
from benchmarks.faults import fill
from benchmarks.peers import ours
from benchmarks.peers.frameworks import PEERS, Failed, Peer
from benchmarks.peers.installing import install, version
from benchmarks.peers.measuring import Command, Cost, cost, memory
from grader.bench import at_once, cores

WRONG: Final = ("counter-includes-buffers", {"unique_counter"})
MODELS: Final = ("reference.py", "unusual/narrow.py", "wrong/counter-includes-buffers.py", "wrong/add-underscore.py")


@dataclass(frozen=True, slots=True)
class Row:
    """What a peer took, over what the grader took: one ratio for each pair."""

    name: str
    cold: list[float]
    batch: list[float]
    cold_cpu: list[float]
    batch_cpu: list[float]
    memory: float
    seconds: tuple[float, float]


class Grader:
    """The grader on the question of the same checks, or on the one that is shipped."""

    def __init__(self, folder: Path, *, shipped: bool) -> None:
        self.folder, self.numbers = folder, itertools.count()
        self.options = ["-q", QUESTION] if shipped else ["-q", ours.ID, "--questions", str(ours.make(folder))]

    def cold(self) -> Command:
        """One submission."""
        submission = str(SOLUTIONS / "reference.py")
        return Command([sys.executable, "-m", "grader", "run", submission, *self.options, "--json"], self.folder)

    def batch(self, count: int) -> Command:
        """Many submissions, no two of them alike, into a new folder."""
        sent = self.folder / f"sent-{count}"
        if not sent.exists():
            fill(sent, count, [SOLUTIONS / model for model in MODELS])
        out = str(self.folder / f"results-{next(self.numbers)}")
        return Command([sys.executable, "-m", "grader", "batch", str(sent), "-o", out, *self.options], self.folder)


class Trial:
    """A peer that was installed, and grades right."""

    def __init__(self, kind: type[Peer], home: Path, folder: Path) -> None:
        """Install it, and have it grade one submission that passes and one that does not.

        Raises:
            Failed: it could not be installed, did not run, or found something else than is there.
        """
        self.peer = kind(install(kind.name, kind.packages, home))
        self.folder, self.numbers = folder, itertools.count()
        self.shared = folder / "shared"
        self.peer.once(self.shared)
        for submission, wanted in ((SOLUTIONS / "reference.py", set()), (SOLUTIONS / f"wrong/{WRONG[0]}.py", WRONG[1])):
            command = self.command(submission)
            said, _ = command.run()
            try:
                found = self.peer.failures(command.folder, said)
            except (OSError, ValueError, KeyError, StopIteration) as error:
                raise Failed(f"it left no results ({type(error).__name__}: {error}): {said[-300:]}") from None
            if found != wanted:
                raise Failed(f"{submission.name}: it found {sorted(found) or 'nothing'} wrong: {said[-300:]}")

    def command(self, submission: Path = SOLUTIONS / "reference.py") -> Command:
        """One submission, in a new folder."""
        folder = self.folder / str(next(self.numbers))
        self.peer.prepare(self.shared, folder, submission)
        return Command(self.peer.command(self.shared, folder), folder)

    def several(self, count: int) -> list[Command]:
        """Some of those that a batch is made of."""
        return [
            self.command(SOLUTIONS / model) for _, model in zip(range(count), itertools.cycle(MODELS), strict=False)
        ]


def measure(grader: Grader, trial: Trial, runs: int, submissions: int) -> Row:
    """The pairs of one peer."""
    jobs = cores()
    few = len(MODELS) * max(1, jobs // len(MODELS))
    cold = pairs(
        lambda: cost([grader.cold()], 1, 1),
        lambda: cost([trial.command()], 1, 1),
        runs,
    )
    batch = pairs(
        lambda: cost([grader.batch(submissions)], 1, submissions),
        lambda: cost(trial.several(few), jobs, few),
        runs,
    )
    return Row(
        trial.peer.name,
        [theirs.wall / mine.wall for mine, theirs in cold],
        [theirs.wall / mine.wall for mine, theirs in batch],
        [theirs.cpu / mine.cpu for mine, theirs in cold],
        [theirs.cpu / mine.cpu for mine, theirs in batch],
        memory(trial.several(jobs), jobs) / jobs,
        (statistics.median(mine.wall for mine, _ in batch), statistics.median(mine.cpu for mine, _ in batch)),
    )


def pairs(mine: Callable[[], Cost], theirs: Callable[[], Cost], runs: int) -> list[tuple[Cost, Cost]]:
    """Both in turn."""
    return [(mine(), theirs()) for _ in range(runs)]


def told(ratios: list[float]) -> str:
    """The median, and the lowest and highest."""
    return f"{statistics.median(ratios):.1f} ({min(ratios):.1f} to {max(ratios):.1f})"


def main() -> None:
    """Install, measure, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else None)
    parser.add_argument("--runs", type=int, default=5, help="measured pairs of each kind (default 5)")
    parser.add_argument("--submissions", type=int, default=200, help="in a batch of the grader's (default 200)")
    parser.add_argument("--home", type=Path, default=OUT / "peers", help="where the peers' environments are kept")
    parser.add_argument("--only", action="append", default=[], help="a peer, by name; may be given more than once")
    parser.add_argument(
        "--shipped", action="store_true", help="the grader runs all hidden checks of the question instead"
    )
    options = parser.parse_args()
    options.home.mkdir(parents=True, exist_ok=True)
    print("| peer | cold run | batch | CPU, cold | CPU, batch | MiB each |\n|---|---|---|---|---|---|", flush=True)
    with tempfile.TemporaryDirectory(prefix="peers-") as name:
        grader = Grader(Path(name), shipped=options.shipped)
        mine: list[tuple[float, float]] = []
        for kind in PEERS:
            if options.only and kind.name not in options.only:
                continue
            try:
                folder = Path(name) / kind.name.replace(" ", "-")
                trial = Trial(kind, options.home.resolve(), folder)
                row = measure(grader, trial, options.runs, options.submissions)
            except Failed as error:
                print(f"| {kind.name} | not run here: {error} | | | | |".replace("\n", " "), flush=True)
                continue
            mine.append(row.seconds)
            label = f"{row.name} {version(trial.peer.binaries, kind.packages[0])}"
            cells = [told(row.cold), told(row.batch), told(row.cold_cpu), told(row.batch_cpu), f"{row.memory:.0f}"]
            print(f"| {label} | {' | '.join(cells)} |", flush=True)
        jobs = at_once()
        each = memory([grader.batch(options.submissions)], 1) / jobs
        for wall, cpu in mine[-1:]:
            print(
                f"\nThe grader, {options.submissions} submissions, {jobs} at once: {1 / wall:.1f} a second, "
                f"{cpu:.3f} CPU seconds and {each:.0f} MiB each."
            )


if __name__ == "__main__":
    main()
