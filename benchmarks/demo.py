"""`make demo`: grade the reference and one wrong submission of the first question, as an interviewer would."""

import subprocess
import sys
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parent.parent
QUESTION: Final = "swap-learned-positions"
SOLUTIONS: Final = ROOT / "solutions" / QUESTION
OUT: Final = ROOT / "out"


def main() -> int:
    """Grade both; 0 if the first passes and the second does not."""
    out = OUT / "demo"
    right = grade(SOLUTIONS, "the reference, with its written answers", out / "reference")
    wrong = grade(SOLUTIONS / "wrong" / "sines-first.py", "a wrong submission", out / "sines-first")
    print(f"\nOpen {(out / 'sines-first' / 'report.html').relative_to(ROOT)} in a browser to read the second report.")
    return 0 if (right, wrong) == (0, 1) else 1


def grade(submission: Path, what: str, out: Path) -> int:
    """Run the command that an interviewer runs, and return its exit status."""
    shown = [str(path.relative_to(ROOT)) for path in (submission, out)]
    command = ["run", shown[0], "--question", QUESTION, "--out", shown[1]]
    print(f"\n# {what}\n$ grader {' '.join(command)}\n", flush=True)
    return subprocess.run([sys.executable, "-m", "grader", *command], cwd=ROOT, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
