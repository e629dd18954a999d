"""How a batch grows: `python -m benchmarks.scaling`.

Whole `grader batch` commands over 10, 100, 1,000 and 10,000 submissions, with one job and with more, and on nodes of a
Dask cluster on this machine. For each: submissions a second from the first result to the last, the time of the whole
command, and the memory of the batch's own process when a tenth is done, when all is, and at its most, which is at the
end, when the table and the page are made. The submissions are the reference, wrong and unusual solutions in turn, each
with a line of its own; with `--alike` without one, so that most of many were sent before and are graded once.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from benchmarks.demo import QUESTION
from benchmarks.faults import Batch, Running, fill, models
from grader.bench import at_once, cores

TICK = 0.05


@dataclass(frozen=True, slots=True)
class Grown:
    """One run.

    Attributes:
        seconds: from the start to the end of the command.
        rate: submissions a second between the first result and the last.
        tenth: MiB of the batch's process when a tenth was done.
        whole: when all were.
        most: at its most.
    """

    seconds: float
    rate: float
    tenth: float
    whole: float
    most: float


def grow(batch: Batch, count: int) -> Grown:
    """Run a batch and watch it."""
    started = time.perf_counter()
    running = batch.start()
    first, last = 0.0, 0.0
    tenth = whole = most = 0.0
    while running.process.poll() is None:
        lines, held, now = batch.lines, resident(running), time.perf_counter()
        first = first or (now if lines else 0.0)
        tenth = tenth or (held if lines >= count / 10 else 0.0)
        if lines < count or not last:
            last, whole = now, held
        most = max(most, held)
        time.sleep(TICK)
    seconds = time.perf_counter() - started
    if status := running.wait():
        raise RuntimeError(f"the batch ended with {status}: {batch.said[-400:]}")
    return Grown(seconds, (count - 1) / max(last - first, TICK), tenth, whole, most)


def resident(running: Running) -> float:
    """The resident memory of the batch's own process, in MiB."""
    with suppress(OSError, StopIteration):
        lines = Path(f"/proc/{running.process.pid}/status").read_text("ascii", "replace").splitlines()
        return int(next(line for line in lines if line.startswith("VmRSS")).split()[1]) / 1024
    return 0.0


def row(label: str, count: int, grown: Grown) -> str:
    """A line of the table."""
    flat = f"{grown.tenth:.1f} | {grown.whole:.1f} ({100 * (grown.whole / grown.tenth - 1):+.1f} %) | {grown.most:.0f}"
    return f"| {label} | {count:,} | {grown.rate:.2f} | {grown.seconds:.0f} | {flat} |"


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the table, a row as each run ends."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument(
        "--sizes", type=numbers, default=[10, 100, 1000, 10_000], help="submissions, with commas between"
    )
    parser.add_argument("--jobs", type=numbers, default=[1, cores(), at_once()], help="at once on this machine")
    parser.add_argument("--nodes", type=numbers, default=[1, 2], help="Dask workers; 0 for none")
    parser.add_argument("--cluster-size", type=int, default=100, help="submissions for a cluster (default 100)")
    parser.add_argument("--question", default=QUESTION)
    parser.add_argument("--questions", type=Path, help="a folder of more questions")
    parser.add_argument("--submission", type=Path, action="append", help="what is sent, in turn; by default, many")
    parser.add_argument("--alike", action="store_true", help="send copies; by default no two have the same text")
    given = parser.parse_args(arguments)
    options = ["-q", given.question, *(["--questions", str(given.questions)] if given.questions else [])]
    sent = given.submission or models()
    print("| who grades | submissions | a second | s in all | MiB at a tenth | at the end | at most |", flush=True)
    print("|---|---|---|---|---|---|---|", flush=True)
    with tempfile.TemporaryDirectory(prefix="scaling-") as name:
        home = Path(name)
        for count in {*given.sizes, given.cluster_size}:
            fill(home / f"sent-{count}", count, sent, alike=given.alike)
        for count in given.sizes:
            for jobs in given.jobs:
                batch = Batch(home / f"sent-{count}", home / f"jobs-{jobs}-{count}", [*options, "-j", str(jobs)])
                print(row(f"{jobs} jobs", count, grow(batch, count)), flush=True)
        for nodes in filter(None, given.nodes):
            on_nodes(home, given.cluster_size, nodes, options)


def on_nodes(home: Path, count: int, nodes: int, options: list[str]) -> None:
    """The row of a cluster."""
    from benchmarks.nodes import Nodes

    with Nodes(nodes) as cluster:
        cluster.await_workers(nodes)
        more = ["--cluster", str(cluster.scheduler_file)]
        batch = Batch(home / f"sent-{count}", home / f"nodes-{nodes}", [*options, *more])
        print(row(f"{nodes} Dask workers", count, grow(batch, count)), flush=True)


def numbers(text: str) -> list[int]:
    """`10,100` as numbers."""
    return [int(each) for each in text.split(",")]


if __name__ == "__main__":
    main()
