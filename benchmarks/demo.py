"""`make demo`: what an interviewer does with the first question, from one submission to a room in which people mark.

First the reference and one wrong submission by themselves; then a batch of a few, which `grader serve` opens.
"""

import shutil
import subprocess
import sys
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parent.parent
QUESTION: Final = "swap-learned-positions"
SOLUTIONS: Final = ROOT / "solutions" / QUESTION
OUT: Final = ROOT / "out" / "demo"
# Each has code of its own, and answers of the reference or some that the question knows to be wrong.
BATCH: Final = {
    "reference": ("reference.py", False),
    "complex-exponentials": ("unusual/complex-exponentials.py", False),
    "rotation-recurrence": ("unusual/rotation-recurrence.py", True),
    "sines-first": ("wrong/sines-first.py", True),
    "adds-in-place": ("wrong/adds-in-place.py", False),
    "half-precision": ("wrong/half-precision-frequencies.py", True),
}


def main() -> int:
    """Grade all; 0 if the reference passes, the wrong one does not, and every one of the batch has a report."""
    right = run(SOLUTIONS, "the reference, with its written answers", OUT / "reference")
    wrong = run(SOLUTIONS / "wrong" / "sines-first.py", "a wrong submission", OUT / "sines-first")
    sent, results = OUT / "sent", OUT / "results"
    gather(sent)
    if not (results / "marks.jsonl").exists():  # what somebody marked there stays
        shutil.rmtree(results, ignore_errors=True)
    many = grader("batch", shown(sent), "--question", QUESTION, "--out", shown(results), what="a few at once")
    print(f"\nOpen {shown(OUT / 'sines-first' / 'report.html')} in a browser to read the second report.")
    print(f"`grader serve {shown(results)}` opens the batch as a room, to read, mark and compare in.")
    return 0 if (right, wrong, many) == (0, 1, 0) else 1


def gather(sent: Path) -> None:
    """The folders of the batch, as candidates would send them."""
    shutil.rmtree(sent, ignore_errors=True)
    for name, (code, mistaken) in BATCH.items():
        folder = sent / name
        folder.mkdir(parents=True)
        shutil.copy(SOLUTIONS / code, folder / "solution.py")
        if mistaken:
            (folder / "answers.yaml").write_text(mistaken_answers(), "utf-8")
        else:
            shutil.copy(SOLUTIONS / "answers.yaml", folder)


def mistaken_answers() -> str:
    """Written answers of somebody who has each text wrong in a way that the question knows."""
    import json

    from grader.question import Question

    texts = Question.load(ROOT / "questions" / QUESTION, SOLUTIONS).spec.answers
    said = {each.id: each.known_wrong[0].says for each in texts if each.kind == "text" and each.known_wrong}
    return json.dumps(said, indent=1) + "\n"


def run(submission: Path, what: str, out: Path) -> int:
    """Grade one submission."""
    return grader("run", shown(submission), "--question", QUESTION, "--out", shown(out), what=what)


def grader(*arguments: str, what: str) -> int:
    """Run the command that an interviewer runs, and return its exit status."""
    print(f"\n# {what}\n$ grader {' '.join(arguments)}\n", flush=True)
    return subprocess.run([sys.executable, "-m", "grader", *arguments], cwd=ROOT, check=False).returncode


def shown(path: Path) -> str:
    """A path as one types it in the repository."""
    return str(path.relative_to(ROOT))


if __name__ == "__main__":
    sys.exit(main())
