"""A small question that has variants: how many scores an array holds follows its sizes."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from grader.bank import Bank
from grader.question import Question
from grader.scaffold import make

ID: Final = "row-softmax"
FACT: Final = """  - id: total
    kind: integer
    criterion: largest-score
    prompt: How many scores does an array of shape [64, 300] hold?
    expected: 19200
"""
BLOCK: Final = """
parameters: {rows: 64, columns: 300}
variants:
  choices: {rows: [64, 96, 128], columns: [300, 450]}
  only: rows + columns != 546
  literals:
    - {text: "rows: 64", follows: rows, form: "rows: {}", stands: {question.yaml: 1}}
    - {text: "columns: 300", follows: columns, form: "columns: {}", stands: {question.yaml: 1}}
    - {text: "[64, 300]", follows: "rows, columns", form: "[{}, {}]", stands: {prompt.md: 1, question.yaml: 1}}
    - {text: "19200", follows: rows * columns, stands: {question.yaml: 1, solutions/answers.yaml: 1}}
    - {text: "364", follows: rows + columns, stands: {solutions/wrong/sum-of-sizes.yaml: 1}}
    - {text: a small array, instead: an array, stands: {prompt.md: 1}}
    # The next line is what a variant has to leave alone.
    - {text: "1000", stands: {prompt.md: 1, question.yaml: 1, hidden/probes.py: 1}}

defines:
"""


def question(folder: Path, block: str = BLOCK) -> Question:
    """The question, in a bank of its own in `folder`; `block` stands before what it defines."""
    bank, solutions = folder / "questions", folder / "solutions" / ID
    make(ID, bank)
    for path in [*(bank / ID).rglob("*"), *solutions.rglob("*")]:
        if path.is_file():
            path.write_text(path.read_text("utf-8").replace("TO WRITE: ", ""), "utf-8")
    spec = bank / ID / "question.yaml"
    text = spec.read_text("utf-8")
    start, end = text.index("  - id: largest_score\n"), text.index("  # The other two kinds of facts")
    text = text[:start] + FACT + text[end:]
    text = text.replace("\ndefines:\n", block).replace("wrong/limit-of-float32.yaml", "wrong/sum-of-sizes.yaml")
    spec.write_text(text, "utf-8")
    prompt = bank / ID / "prompt.md"
    lines = [line for line in prompt.read_text("utf-8").splitlines() if not line.startswith("- `largest_score`")]
    place = next(place for place, line in enumerate(lines) if line.startswith("- `why_subtract`"))
    lines.insert(place, "- `total`: how many scores does a small array of shape [64, 300] hold?")
    prompt.write_text("\n".join(lines) + "\n", "utf-8")
    sheet = solutions / "answers.yaml"
    answers = sheet.read_text("utf-8").replace("largest_score: 709.78", "total: 19200")
    sheet.write_text(answers, "utf-8")
    (solutions / "wrong" / "limit-of-float32.yaml").unlink()
    (solutions / "wrong" / "sum-of-sizes.yaml").write_text(answers.replace("19200", "364"), "utf-8")
    return Bank((bank,)).get(ID)
