"""What a whole report costs beside the bare work: `python -m benchmarks.bare_work`.

The bare work is what no grader can leave out: a fork of a warm interpreter that loads the file and makes the same
calls, with no wire, no sandbox, no checks and no report. The calls are those of a real examination, written down as
they are asked. Both are CPU time, of the whole machine between two moments (/proc/stat), so that no process is
forgotten; run it where nothing else runs.
"""

from __future__ import annotations

import argparse
import gc
import io
import os
import pickle
import socket
import statistics
import sys
import tempfile
import time
import warnings
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Final, NoReturn

from benchmarks.demo import QUESTION, SOLUTIONS
from grader.bank import Bank
from grader.examine.brief import Brief
from grader.examine.examiner import Examiners
from grader.examine.zygote import Zygote
from grader.grade import Engine
from grader.question import Question
from grader.render import files

TICKS: Final = os.sysconf("SC_CLK_TCK")
IDLE: Final = (3, 4)  # of the numbers of a line of /proc/stat: idle, and waiting for a disk
SETTLE_SECONDS: Final = 0.3  # for processes that end after the reply
Requests = list[dict[str, Any]]


def busy() -> float:
    """CPU seconds that all processors have worked since the machine started."""
    numbers = [int(each) for each in Path("/proc/stat").read_text("ascii").splitlines()[0].split()[1:9]]
    return sum(number for place, number in enumerate(numbers) if place not in IDLE) / TICKS


def cost(action: Callable[[], object], times: int) -> float:
    """CPU seconds of one call, over a row of them."""
    before = busy()
    for _ in range(times):
        action()
    time.sleep(SETTLE_SECONDS)
    return (busy() - before) / times


def asked_of(question: Question, zygote: Zygote, path: Path) -> Requests:
    """What an examiner asks a worker about a file, request by request."""
    with tempfile.TemporaryFile() as kept:
        home = Recording(question.brief, zygote, kept.fileno())
        with home.another() as examiner:
            examiner.examine(path.read_text("utf-8"), 7)
        home.line.close()
        os.waitpid(home.child, 0)
        kept.seek(0)
        found = []
        while True:
            try:
                found.append(pickle.load(kept))
            except EOFError:
                return found


class Recording(Examiners):
    """A fork that holds the hidden tests, and whose examiners write down what they ask, as pickles, in a file."""

    def __init__(self, brief: Brief, zygote: Zygote, kept: int) -> None:
        self.brief, self.zygote, self._ready = brief, zygote, False
        self.line, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.child = os.fork()
        if not self.child:
            self.line.close()
            _record(brief, kept, theirs, zygote.control)
        theirs.close()


def _record(brief: Brief, kept: int, line: socket.socket, control: socket.socket) -> NoReturn:
    from grader.examine import __main__ as collecting
    from grader.examine.examiner import environment
    from grader.examine.workers import Worker

    asking = Worker.ask

    def ask(worker: Worker, during: str, request: dict[str, Any]) -> dict[str, Any]:
        os.write(kept, pickle.dumps(request))
        return asking(worker, during, request)

    warnings.simplefilter("ignore")  # of Hypothesis, that it is here without its plugin
    os.environ.update(environment())
    sys.stdin = io.StringIO(brief.to_json())
    Worker.ask = ask  # type: ignore[assignment, method-assign]
    try:
        collecting.main(line, control)
    finally:
        os._exit(0)


def bare(requests: Requests) -> None:
    """Load the file and make the calls, in a fork of this process."""
    if not (child := os.fork()):
        from grader.worker.loop import Session

        try:
            session = Session()
            for request in requests:
                session.answer(dict(request))
        finally:
            os._exit(0)
    os.waitpid(child, 0)


def main() -> None:
    """Print both, in milliseconds of CPU time, and the ratio of each pair."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pairs", type=int, default=7, help="measured pairs (default 7)")
    parser.add_argument("--times", type=int, default=10, help="submissions in each half of a pair (default 10)")
    options = parser.parse_args()
    question, path = Bank.find().get(QUESTION), SOLUTIONS / "reference.py"
    with Zygote() as zygote, tempfile.TemporaryDirectory() as out, ExitStack() as stack:
        zygote.wait()
        requests = asked_of(question, zygote, path)
        engine = stack.enter_context(Engine(question, zygote))
        engine.warm.isolation()
        whole: Callable[[], object] = lambda: files.write(engine.grade(path), Path(out))  # noqa: E731
        whole()
        _warm()
        rows = [(cost(whole, options.times), cost(lambda: bare(requests), options.times)) for _ in range(options.pairs)]
    ratios = [one / other for one, other in rows]
    ours, theirs = (1000 * statistics.median(column) for column in zip(*rows, strict=True))
    print(f"{len(requests)} requests; a whole report {ours:.0f} ms of CPU, the bare work {theirs:.0f} ms")
    print(f"ratio {statistics.median(ratios):.2f} ({min(ratios):.2f} to {max(ratios):.2f}, {len(ratios)} pairs)")


def _warm() -> None:
    """What the zygote does before it forks."""
    import torch

    from grader.worker import compiler, load, zygote

    torch.set_num_threads(1)
    compiler.leave_out()
    zygote._warm()
    load.seed()
    load.ours()
    gc.collect()
    gc.freeze()


if __name__ == "__main__":
    main()
