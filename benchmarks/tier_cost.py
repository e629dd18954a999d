"""What isolation costs an honest submission: `python -m benchmarks.tier_cost`.

Two warm engines, one sealed and one with separate processes, grade the reference in turn; the difference of each pair
is what the sandbox costs, whatever else the machine is doing.
"""

import argparse
import statistics
from contextlib import ExitStack

from benchmarks.demo import QUESTION, SOLUTIONS
from benchmarks.pairs import compare
from grader.bank import Bank
from grader.grade import Engine
from grader.sandbox.tiers import Tier

REFERENCE = SOLUTIONS / "reference.py"


def main() -> None:
    """Print the cost of each tier in milliseconds and as a ratio."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=30, help="measured pairs (default 30)")
    runs = parser.parse_args().runs
    question = Bank.find().get(QUESTION)
    for tier in (Tier.SEALED, Tier.CONFINED):
        with ExitStack() as stack:
            engines = [
                stack.enter_context(Engine(question, tier=each, require=Tier.SEPARATE_PROCESS))
                for each in (tier, Tier.SEPARATE_PROCESS)
            ]
            found = [engine.warm.isolation().tier for engine in engines]
            pairs = compare(lambda: engines[0].grade(REFERENCE), lambda: engines[1].grade(REFERENCE), runs)  # noqa: B023
        extra = [1000 * (one - other) for one, other in zip(pairs.ours, pairs.theirs, strict=True)]
        print(f"{found[0]}: {statistics.median(extra):+.1f} ms a submission (median of {runs} pairs)")
        print("  " + pairs.row(found[0], found[1]), flush=True)


if __name__ == "__main__":
    main()
