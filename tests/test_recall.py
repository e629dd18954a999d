"""Texts that are sent twice: graded once, with the report that each would have had alone."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from grader.batch import run
from grader.batch.crew import local
from grader.batch.entries import find
from grader.examine.zygote import Zygote
from grader.grade import Engine
from grader.outcome import Verdict
from grader.question import Question
from grader.recall import Recall
from grader.report import Report
from grader.results.folder import read_report
from grader.sandbox.tiers import Tier
from grader.submission import read

WRONG = "wrong/over-the-first-axis.py"


@pytest.fixture(scope="module")
def engine(small: Question, zygote: Zygote) -> Iterator[Engine]:
    with Engine(small, zygote, require=Tier.SEPARATE_PROCESS) as engine:
        yield engine


@pytest.fixture
def judged(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of what was judged, and not recalled."""
    names: list[str] = []
    judge = Engine._judge

    def noted(engine: Engine, sent: Any, *arguments: Any) -> Report:
        names.append(sent.name)
        return judge(engine, sent, *arguments)

    monkeypatch.setattr(Engine, "_judge", noted)
    return names


def file(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8")
    return path


def without_times(report: Report) -> dict[str, Any]:
    return report.model_dump(exclude={"timing"})


@pytest.mark.parametrize("model", ["reference.py", WRONG])
def test_the_second_of_two_gets_what_it_gets_alone(
    engine: Engine, small: Question, judged: list[str], tmp_path: Path, model: str
) -> None:
    """In another file, in a folder beside a file that is ignored, and with the line endings of another system."""
    text = (small.solutions / model).read_text("utf-8")
    first = file(tmp_path, "first.py", text)
    others = [
        file(tmp_path, "second.py", text),
        file(tmp_path, "third/solution.py", text).parent,
        file(tmp_path, "fourth.py", text.replace("\n", "\r\n")),
    ]
    file(tmp_path, "third/notes.txt", "What I thought.")
    known = Recall()
    engine.grade(first, recall=known)
    recalled = [engine.grade(path, recall=known) for path in others]
    assert judged == ["first.py"]
    assert [without_times(each) for each in recalled] == [without_times(engine.grade(path)) for path in others]
    assert any("notes.txt" in note for note in recalled[1].submission.notes)


def test_what_it_depends_on_makes_it_another(
    engine: Engine, small: Question, judged: list[str], tmp_path: Path
) -> None:
    text = (small.solutions / "reference.py").read_text("utf-8")
    bare, known = file(tmp_path, "bare.py", text), Recall()
    longer = file(tmp_path, "longer.py", f"{text}\n# The same but for a line.\n")
    answered = file(tmp_path, "answered/solution.py", text).parent
    file(tmp_path, "answered/answers.yaml", "a: 1\n")
    engine.grade(bare, recall=known)
    engine.grade(longer, recall=known)
    engine.grade(answered, recall=known)
    engine.grade(bare, seed=99, recall=known)
    assert len(judged) == 4
    assert engine.grade(bare, seed=99, recall=known).seed == 99
    assert len(judged) == 4


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("import os\n\ndef softmax(scores):\n    os._exit(1)\n", id="ends its process"),
        pytest.param("def softmax(scores):\n    raise MemoryError\n", id="has no memory left"),
        pytest.param("def softmax(scores):\n    raise ValueError\n", id="raises"),
        pytest.param("import os\n\nos._exit(1)\n", id="ends as it is loaded"),
        pytest.param("raise TimeoutError\n", id="can't be loaded"),
    ],
)
def test_what_a_busy_machine_may_bring_about_is_found_out_again(
    engine: Engine, judged: list[str], tmp_path: Path, text: str
) -> None:
    sent, known = file(tmp_path, "solution.py", text), Recall()
    engine.grade(sent, recall=known)
    engine.grade(sent, recall=known)
    assert len(judged) == 2


def test_a_candidates_own_tests_are_run_each_time(engine: Engine, small: Question) -> None:
    """A mutant that is noticed by chance is not noticed for everybody."""
    path, calls, known = small.solutions / "reference.py", list[None](), Recall()
    report = engine.grade(path)

    def judge() -> Report:
        calls.append(None)
        return report

    sent = read(path, small.asked)
    for each in (sent, sent, replace(sent, suite="def test(): ..."), replace(sent, suite="def test(): ...")):
        known(each, 7, judge)
    assert len(calls) == 3


def test_no_more_are_kept_than_it_may(engine: Engine, small: Question, judged: list[str], tmp_path: Path) -> None:
    """The last one recalled goes last."""
    text, known = (small.solutions / "reference.py").read_text("utf-8"), Recall(most=2)
    sent = [file(tmp_path, f"{number}.py", f"{text}# {number}\n") for number in range(3)]
    for number in (0, 1, 0, 2, 0, 1):
        engine.grade(sent[number], recall=known)
    assert judged == ["0.py", "1.py", "2.py", "1.py"]


def test_a_batch_grades_copies_once(
    small: Question, zygote: Zygote, judged: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(6):
        file(tmp_path / "sent", f"{number}.py", (small.solutions / ("reference.py", WRONG)[number % 2]).read_text())

    def graded(out: Path) -> list[Report]:
        entries = find(tmp_path / "sent", tmp_path).entries
        progress, book = run.run(small, entries, out, local(zygote, jobs=1, require=Tier.SEPARATE_PROCESS))
        assert not progress.troubles
        return [read_report(out / line["reports"]) for line in book.lines.values()]

    once = graded(tmp_path / "once")
    assert judged == ["0.py", "1.py"]
    monkeypatch.setattr(Recall.__init__, "__defaults__", (0,))
    assert [without_times(each) for each in graded(tmp_path / "each")] == [without_times(each) for each in once]
    assert len(judged) == 8
    assert [report.verdict for report in once] == [Verdict.PASSED, Verdict.FAILED] * 3
