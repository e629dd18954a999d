"""What the tests of the panel share: results folders with reports that hold everything a page can show."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import Any, Final

from grader.batch.entries import Entry
from grader.marks import Mark, Marks, digest
from grader.outcome import Outcome, Verdict
from grader.panel import command
from grader.question import Question
from grader.render import files
from grader.report import (
    AnswerPart,
    CriterionPart,
    DiagnosisPart,
    Evidence,
    IntegrityPart,
    Isolation,
    QuestionPart,
    Report,
    Score,
    SubmissionPart,
    TablePart,
)
from grader.results import Results, codenames, manifest
from grader.results.folder import REPORTS, SUBMISSIONS
from grader.results.ledger import Ledger, line_of
from grader.rubric.spec import TextAnswer
from tests import marking

# Row 26 of what people really send, in one text; {} is where it says which text it is.
HOSTILE: Final = (
    '=HYPERLINK("https://evil.example") {} \x1b[31mred\x1b[0m \x1b]8;;https://evil.example\x07 \u202egnp.exe\u2066 '
    "<script>alert(1)</script><img src=x onerror=alert(1)></style></title> ]]> \x00\x01\x0b\ufffe\udc80 "
    "{{{{ 7 * 7 }}}} #sys.inputs $x$ *bold* _it_ #panic() [a](javascript:alert(1)) " + "\x1b[1m" * 800
)
CODE: Final = '''"""By Ana Lopez."""


def double(x):  # ana_lopez@example.org
    return 3 * x
'''
TABLE: Final = TablePart(
    of="double(x)",
    source="check",
    shape=[3, 4],
    rows=[0, 1, 2],
    columns=[0, 1, 2, 3],
    got=[[0.0, 3.0, 6.0, None], [-3.0, 1e300, 0.25, 0.5], [0.0, 0.0, 0.0, 0.0]],
    wanted=[[0.0, 2.0, 4.0, 6.0], [-2.0, 2.0, 0.25, 0.5], [0.0, 0.0, 0.0, 0.0]],
)
TELL: Final = "double should return twice x."
CHECK: Final = "CHECK that a hidden test makes"
SEEN: Final = "SEEN double(2) is 6, expected 4"
OUTCOMES: Final = ("failed", "crashed", "passed", "grader_fault", "not_reached", "timed_out", "out_of_memory")


def report(question: Question, name: str, outcome: Outcome = Outcome.FAILED, words: str = "", **changes: Any) -> Report:
    """The report of a submission; `words` are put wherever a stranger's can end up."""
    spec = question.spec
    passed = outcome is Outcome.PASSED
    verdict = Verdict.GRADER_FAULT if outcome is Outcome.GRADER_FAULT else Verdict.PASSED if passed else Verdict.FAILED
    seen = "" if passed else f"{SEEN} {words}".strip()
    evidence = [
        Evidence(
            check=CHECK, outcome=outcome, seen=seen, about=[] if passed else ["double"], table=None if passed else TABLE
        )
    ]
    fields: dict[str, Any] = {
        "question": QuestionPart(id=spec.id, version=spec.version, title=spec.title, digest=question.digest),
        "submission": SubmissionPart(
            name=name, digest="0" * 64, files=[name, "answers.yaml"], notes=[f"{name} {words}"]
        ),
        "verdict": verdict,
        "score": Score(earned=10 * passed, possible=10),
        "criteria": [
            CriterionPart(
                id="doubles",
                title="It doubles",
                points=10,
                earned=10 * passed,
                required=True,
                outcome=outcome,
                feedback="" if passed else TELL,
                evidence=evidence,
            )
        ],
        "diagnosis": []
        if passed
        else [DiagnosisPart(id="triples", title="It triples", why="WHY three is not two.", criteria=["doubles"])],
        "answers": [
            AnswerPart(
                id=each.id,
                kind="text",
                prompt=each.prompt,
                given=f"{marking.GIVEN[each.id]} {words}" if each.id != "no_rubric" else "",
                outcome=None,
            )
            for each in spec.answers
        ],
        "integrity": [IntegrityPart(id="stack", where="solution.py:4", detail=f"calls sys._getframe {words}")],
        "isolation": Isolation(tier="sealed", probes={"network": True}),
        "seed": 7,
        "environment": {"python": "3.11", "grader": words or "0.1"},
        "timing": {},
    }
    return Report(**{**fields, **changes})


def refused(question: Question, name: str, words: str = "") -> Report:
    """The report of a submission that could not be read."""
    why = f"{name}:7:12: this is not Python: '(' was never closed. {words}"
    return report(
        question,
        name,
        verdict=Verdict.REFUSED,
        score=Score(earned=0, possible=10),
        criteria=[],
        answers=[],
        diagnosis=[DiagnosisPart(id="refused", title="Refused", why=why, criteria=[])],
    )


def put(question: Question, out: Path, reports: dict[str, Report], code: str = CODE) -> Results:
    """A results folder of these reports, by what was sent, as a batch leaves it."""
    out.mkdir(exist_ok=True)
    until = manifest.today() + timedelta(days=30)
    manifest.renewed(out, question.id, question.spec.version, question.digest, until)
    manifest.write_codes(out, codenames.draw(reports, manifest.read_codes(out)))
    ledger = Ledger(out)
    for name, made in reports.items():
        entry = Entry(name, Path("sent"))
        files.write(made, out / REPORTS / entry.folder)
        sent = out / SUBMISSIONS / entry.folder / "sent"
        sent.mkdir(parents=True, exist_ok=True)
        text = code if made.verdict is not Verdict.REFUSED else "def (:"
        (sent / "solution.py").write_text(text, "utf-8", errors="replace")
        ledger.add(line_of(name, "0" * 64, f"{REPORTS}/{entry.folder}", made))
    return Results.open(out)


def mark(results: Results, question: Question, name: str, answer: str, by: str, *ticked: str, **more: Any) -> Mark:
    """Add a person's mark on an answer."""
    candidate = results.find(name)
    asked = next(each for each in question.spec.answers if each.id == answer)
    assert isinstance(asked, TextAnswer)
    given = next(each.given for each in candidate.report.answers if each.id == answer)
    fields: dict[str, Any] = {
        "code": candidate.code,
        "answer": answer,
        "by": by,
        "at": "",
        "ticked": ticked,
        "cannot_assess": False,
        "quote": "",
        "note": "",
        "reason": "",
        "question_version": question.spec.version,
        "rubric": asked.rubric,
        "answer_digest": digest(given),
        "blind": True,
    }
    return Marks.open(results).add(Mark(**{**fields, **more}))[0]


def everything(folder: Path, words: str = HOSTILE, **options: Any) -> tuple[Path, Results, Question]:
    """A panel's folder of candidates with every outcome, hostile words and marks; the results; the question."""
    question = marking.question(marking.bank(folder))
    said = words.format("words") if words else ""
    reports = {f"ana-lopez-{each}": report(question, f"ana-lopez-{each}", Outcome(each), said) for each in OUTCOMES}
    reports["Zoë Müller (2).py"] = refused(question, "Zoë Müller (2).py", said)
    results = put(question, folder / "results", reports, f"{CODE}\n\nprint({' '.join(said.split()[-9:-1])!r})\n")
    name = "ana-lopez-failed"
    note = said.replace("\udc80", "")[:1500]
    mark(results, question, name, "why_interleave", "ada", "one-angle", "rotation", note=note, quote="one angle")
    mark(results, question, name, "why_interleave", "grace", "one-angle", "only-way")
    again = {"note": note, "quote": "one angle", "reason": "A second look"}
    mark(results, question, name, "why_interleave", "ada", "one-angle", "rotation", "checkpoint", **again)
    mark(results, question, name, "what_base_controls", "ada", cannot_assess=True)
    out = folder / "panel"
    command.write([results.folder], out, lambda _: question, **options)
    return out, results, question
