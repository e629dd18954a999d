"""What the tests of marks share: a small question with a rubric, and a results folder that needed no grading."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import Final

from grader.batch.entries import Entry
from grader.outcome import Verdict
from grader.question import Question
from grader.render import files, results
from grader.report import AnswerPart, Isolation, QuestionPart, Report, Score, SubmissionPart
from grader.results import Results, codenames, manifest
from grader.results.folder import REPORTS, SUBMISSIONS
from grader.results.ledger import Ledger, line_of

SPEC: Final = """
id: why-interleave
version: 1
title: Why the columns alternate
level: L2 Working
minutes: 20
defines:
  - {name: double, kind: function, signature: "(x)", gives: twice x}
criteria:
  - {id: doubles, title: It doubles, points: 10, tell: double should return twice x.}
answers:
  - id: why_interleave
    kind: text
    level: L2 Working
    prompt: Why interleave sines and cosines?
    expected: Each pair of neighbours is the sine and the cosine of one angle, so it turns as one.
    observables:
      - {id: one-angle, says: Says that a pair of columns has one angle., terms: [angle, pair]}
      - {id: rotation, says: Says that an offset turns each pair., terms: [rotat, turn]}
      - {id: checkpoint, says: Says that a checkpoint fixes the order., kind: optional, terms: [checkpoint]}
      - {id: only-way, says: Says that halves could not work., kind: negative, terms: [halves]}
    known_wrong:
      - {says: Halves would not work at all., rebuttal: REBUTTAL A model learns from either., ticks: [only-way]}
  - id: what_base_controls
    kind: text
    level: L2 Working
    prompt: What does the base control?
    expected: The longest wavelength.
    observables:
      - {id: longest, says: Says that it sets the longest wavelength.}
      - {id: first-pair, says: Says that the first pair does not change.}
      - {id: example, says: Gives an example., kind: optional}
  - {id: no_rubric, kind: text, level: L2 Working, prompt: Anything else?, expected: Whatever.}
"""
GIVEN: Final = {
    "why_interleave": "Each pair is one angle. An offset turns\nevery pair. It just works.",
    "what_base_controls": "How slow the slowest column is.",
    "no_rubric": "No.",
}


def bank(folder: Path) -> Path:
    """A folder of questions with one in it, that can be graded."""
    question = folder / "questions" / "why-interleave"
    (question / "hidden").mkdir(parents=True)
    (question / "question.yaml").write_text(SPEC, "utf-8")
    (question / "prompt.md").write_text("Double it.\n", "utf-8")
    (question / "skeleton.py").write_text("def double(x):\n    raise NotImplementedError\n", "utf-8")
    (question / "hidden" / "test_double.py").write_text(
        "from grader.checks import criterion\n\n\n"
        '@criterion("doubles")\ndef test_it_doubles(candidate):\n    """It doubles."""\n'
        "    assert candidate.double(2) == 4\n",
        "utf-8",
    )
    return folder / "questions"


def question(bank: Path) -> Question:
    """The question of `bank`."""
    return Question.load(bank / "why-interleave", bank.parent / "solutions" / "why-interleave")


def report(question: Question, name: str, given: dict[str, str]) -> Report:
    """The report of a submission with written answers."""
    spec = question.spec
    return Report(
        question=QuestionPart(id=spec.id, version=spec.version, title=spec.title, digest=question.digest),
        submission=SubmissionPart(name=name, digest="0" * 64, files=["solution.py"], notes=[]),
        verdict=Verdict.PASSED,
        score=Score(earned=10, possible=10),
        criteria=[],
        diagnosis=[],
        answers=[
            AnswerPart(id=each.id, kind="text", prompt=each.prompt, given=given.get(each.id, ""), outcome=None)
            for each in spec.answers
        ],
        integrity=[],
        isolation=Isolation(tier="sealed", probes={}),
        seed=1,
        environment={},
        timing={},
    )


def make(question: Question, out: Path, people: dict[str, dict[str, str]]) -> Results:
    """A results folder of people with the answers that they gave, as a batch leaves it."""
    out.mkdir(exist_ok=True)
    today = manifest.today()
    manifest.renewed(out, question.id, question.spec.version, question.digest, today + timedelta(days=30))
    manifest.write_codes(out, codenames.draw(people, manifest.read_codes(out)))
    ledger = Ledger(out)
    for name, given in people.items():
        entry = Entry(name, Path(name))
        made = report(question, name, given)
        files.write(made, out / REPORTS / entry.folder)
        sent = out / SUBMISSIONS / entry.folder / name
        sent.mkdir(parents=True, exist_ok=True)
        (sent / "solution.py").write_text("def double(x):\n    return 2 * x\n", "utf-8")
        (sent / "answers.yaml").write_text("".join(f"{key}: {words!r}\n" for key, words in given.items()), "utf-8")
        ledger.add(line_of(name, "0" * 64, f"{REPORTS}/{entry.folder}", made))
    ledger.finish(list(people))
    results.write_page(question.spec, list(ledger.lines.values()), {}, out)
    return Results.open(out)


def folder(tmp_path: Path, *names: str) -> tuple[Question, Results]:
    """The question, and a results folder in which everybody wrote the same."""
    asked = question(bank(tmp_path))
    return asked, make(asked, tmp_path / "results", dict.fromkeys(names, GIVEN))
