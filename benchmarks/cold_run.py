"""One cold `grader run` with every hidden check, against `python -c "import torch"`: `python -m benchmarks.cold_run`.

Importing torch is what any grader of torch code pays; the ratio says what everything else costs on top of it.
"""

import argparse
import sys

from benchmarks.demo import QUESTION, SOLUTIONS
from benchmarks.pairs import command, compare


def main() -> None:
    """Print the ratio for a right submission and for a wrong one, whose mistake is named too."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=7, help="measured pairs (default 7)")
    runs = parser.parse_args().runs
    importing = command([sys.executable, "-c", "import torch"])
    for name, path, status in (("reference", "reference.py", 0), ("sines-first", "wrong/sines-first.py", 1)):
        run = [sys.executable, "-m", "grader", "run", str(SOLUTIONS / path), "--question", QUESTION, "--json"]
        pairs = compare(command(run, status), importing, runs)
        print(pairs.row(f"grader run {name}", "import torch"), flush=True)


if __name__ == "__main__":
    main()
