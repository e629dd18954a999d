"""Where the time of one submission goes: `python -m benchmarks.phases`.

Each part is measured by itself on the reference of the swap question, as the median of many: reading it, a fork of the
warm interpreter, the confinement that is added to that, loading the file, the checks, and writing the reports.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

from benchmarks.demo import QUESTION, SOLUTIONS
from benchmarks.pairs import seconds
from grader import submission
from grader.bank import Bank
from grader.examine.subject import Subject
from grader.examine.workers import Usage, Worker
from grader.examine.zygote import Zygote
from grader.grade import Engine
from grader.render import files
from grader.sandbox.tiers import Tier

REFERENCE = SOLUTIONS / "reference.py"


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--runs", type=int, default=30, help="of each (default 30)")
    runs = parser.parse_args().runs
    question = Bank.find().get(QUESTION)
    limits = question.spec.limits
    with ExitStack() as stack:
        sealed, plain = (stack.enter_context(Zygote(tier)) for tier in (Tier.SEALED, Tier.SEPARATE_PROCESS))
        engine = stack.enter_context(Engine(question, sealed))
        out = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="phases-")))
        tier = engine.warm.isolation().tier
        plain.wait()
        report = engine.grade(REFERENCE)

        def fork(zygote: Zygote) -> Callable[[], object]:
            return lambda: Worker(zygote.control, limits, Usage()).close()

        def load() -> None:
            subject = Subject(question.brief, REFERENCE.read_text("utf-8"), sealed.control)
            subject.load()
            subject.close()

        read = median(lambda: submission.read(REFERENCE, question.asked), runs)
        forked, confined = paired(fork(plain), fork(sealed), runs)
        loaded = median(load, runs) - confined
        whole = [engine.grade(REFERENCE).timing["checks_seconds"] for _ in range(runs)]
        checks = statistics.median(whole) - confined - max(loaded, 0.0)
        written = median(lambda: files.write(report, out), runs)
    parts = {
        "reading it, with the parser": read,
        "a fork, until it answers, and its end": forked,
        f"confining it ({tier})": confined - forked,
        "loading the file": loaded,
        f"{len(report.criteria)} criteria: calls, answers, comparisons": checks,
        "writing the four reports": written,
    }
    total = sum(parts.values())
    print("| part | ms | share |\n|---|---|---|")
    for name, took in parts.items():
        print(f"| {name} | {1000 * took:.1f} | {100 * took / total:.0f} % |")
    print(f"| all | {1000 * total:.1f} | |")


def median(action: Callable[[], object], runs: int) -> float:
    """The median of the wall times."""
    action()
    return statistics.median(seconds(action) for _ in range(runs))


def paired(one: Callable[[], object], other: Callable[[], object], runs: int) -> tuple[float, float]:
    """The medians of two, which are run in turn."""
    one()
    other()
    pairs = [(seconds(one), seconds(other)) for _ in range(runs)]
    return statistics.median(first for first, _ in pairs), statistics.median(second for _, second in pairs)


if __name__ == "__main__":
    main()
