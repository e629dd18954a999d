"""Every submission of every shipped question gets exactly what it deserves: the golden folder.

The reference and the unusual submissions score in full; each wrong one fails the criteria that its misconception
names and no other, and is told which mistake it made; the skeleton scores nothing.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from grader.bank import Bank
from grader.grade import Engine
from grader.outcome import Outcome, Verdict
from grader.question import Misconception, Question
from grader.render.feedback import feedback
from grader.report import Report

QUESTIONS = Bank.find().all()


@pytest.fixture(scope="module", params=QUESTIONS, ids=lambda question: question.id)
def engine(request: pytest.FixtureRequest) -> Iterator[Engine]:
    """One warm engine a question."""
    with Engine(request.param) as engine:
        yield engine


def submitted(question: Question, folder: Path, code: str | None, answers: str | None) -> Path:
    """A submission folder with the given files of the solutions."""
    assert question.reference is not None
    source = question.reference if code is None else question.solution(code)
    assert source is not None
    (folder / "solution.py").write_text(source, "utf-8")
    if answers is not None:
        shutil.copy(question.solutions / answers, folder / "answers.yaml")
    return folder


def missed(report: Report) -> set[str]:
    """The criteria that did not pass."""
    return {part.id for part in report.criteria if part.outcome is not Outcome.PASSED}


@pytest.mark.parametrize("answers", ["answers.yaml"])
def test_the_reference_scores_in_full(engine: Engine, tmp_path: Path, answers: str) -> None:
    report = engine.grade(submitted(engine.question, tmp_path, None, answers))
    assert not missed(report), report.criteria
    assert report.score.earned == report.score.possible
    assert report.verdict is Verdict.PASSED
    assert report.diagnosis == []


def test_the_skeleton_scores_nothing(engine: Engine, tmp_path: Path) -> None:
    question = engine.question
    (tmp_path / "solution.py").write_text(question.read(question.spec.skeleton), "utf-8")
    report = engine.grade(tmp_path)
    assert report.score.earned == 0
    assert report.verdict is Verdict.FAILED
    assert [part.id for part in report.diagnosis] == ["not-started"]
    assert {part.outcome for part in report.criteria} == {Outcome.FAILED}, "an unwritten part is no crash"


@pytest.mark.parametrize(
    ("question", "path"),
    [
        pytest.param(question, path, id=f"{question.id}-{path.stem}")
        for question in QUESTIONS
        for path in sorted((question.solutions / "unusual").glob("*.py"))
    ],
)
def test_unusual_but_right_scores_in_full(engine: Engine, question: Question, path: Path, tmp_path: Path) -> None:
    if engine.question.id != question.id:
        pytest.skip("another question's engine")
    report = engine.grade(submitted(question, tmp_path, f"unusual/{path.name}", "answers.yaml"))
    assert not missed(report), [part for part in report.criteria if part.outcome is not Outcome.PASSED]


def wrong_ones() -> list[object]:
    """Each wrong file of each question, with its misconception."""
    return [
        pytest.param(question, misconception, path, id=f"{question.id}-{Path(path).stem}")
        for question in QUESTIONS
        for misconception in question.spec.misconceptions
        for path in (misconception.solution, *misconception.also)
    ]


@pytest.mark.parametrize(("question", "misconception", "path"), wrong_ones())
def test_wrong_fails_what_it_breaks_and_nothing_else(
    engine: Engine, question: Question, misconception: Misconception, path: str, tmp_path: Path
) -> None:
    if engine.question.id != question.id:
        pytest.skip("another question's engine")
    code, answers = (path, "answers.yaml") if path.endswith(".py") else (None, path)
    report = engine.grade(submitted(question, tmp_path, code, answers))
    assert missed(report) == set(misconception.fails)
    assert [part.id for part in report.diagnosis] == [misconception.id]
    failed = [part for part in report.criteria if part.id in misconception.fails]
    assert all(evidence.seen for part in failed for evidence in part.evidence if evidence.outcome is not Outcome.PASSED)
    assert_nothing_hidden(question, feedback(report))


def assert_nothing_hidden(question: Question, told: str) -> None:
    """No line of a hidden test, no number from one, and no sentence of evidence is in what a candidate is told."""
    for line in hidden_lines(question):
        assert line not in told, f"feedback repeats a hidden line: {line}"
    public = question.read(question.spec.prompt) + " ".join(part.tell for part in question.spec.criteria)
    for number in hidden_numbers(question):
        if number not in public:
            assert number not in told.split(), f"feedback holds the hidden number {number}"


def hidden_lines(question: Question) -> list[str]:
    """Lines of hidden files that are long enough to be telling."""
    texts = [path.read_text("utf-8") for path in sorted((question.folder / "hidden").glob("*.py"))]
    return [line.strip() for text in texts for line in text.splitlines() if len(line.strip()) > 20]


def hidden_numbers(question: Question) -> set[str]:
    """Numbers of three digits and more that stand in hidden files, and expected values of answers."""
    import re

    texts = "\n".join(path.read_text("utf-8") for path in (question.folder / "hidden").glob("*.py"))
    numbers = set(re.findall(r"\d[\d_]{2,}", texts)) | {
        str(answer.expected) for answer in question.spec.answers if answer.kind == "integer"
    }
    return {number.replace("_", "") for number in numbers}


def test_every_wrong_and_unusual_file_is_used() -> None:
    for question in QUESTIONS:
        named = {path for each in question.spec.misconceptions for path in (each.solution, *each.also)}
        there = {f"wrong/{path.name}" for path in (question.solutions / "wrong").iterdir() if path.is_file()}
        assert named == there


def test_every_criterion_is_failed_by_a_wrong_submission() -> None:
    for question in QUESTIONS:
        failed = {id for misconception in question.spec.misconceptions for id in misconception.fails}
        assert failed == {criterion.id for criterion in question.spec.criteria}
