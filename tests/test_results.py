"""A results folder is read with care: what is damaged or forged in it is told, and nobody's files become another's."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import NoReturn

import pytest
from click.testing import CliRunner

from grader.batch import entries
from grader.batch import run as running
from grader.batch.entries import Entry
from grader.cli import main
from grader.errors import CallError
from grader.marks import Marks, work
from grader.marks.judging import judge
from grader.panel import earlier
from grader.question import Question
from grader.results import Results, ledger, manifest
from tests import marking

ANA, BO = "ana", "bo"


@pytest.fixture
def there(tmp_path: Path) -> tuple[Question, Results]:
    """A question, and results of two people."""
    return marking.folder(tmp_path, ANA, BO)


def call(there: tuple[Question, Results], *arguments: str) -> tuple[int, str]:
    """Run a command on the results."""
    bank = str(there[0].folder.parent)
    result = CliRunner().invoke(main, [*arguments, "--questions", bank])
    return result.exit_code, result.output


def test_no_name_leads_to_the_folder_of_another() -> None:
    forged = f"Ann-B-{hashlib.sha256(b'Ann B').hexdigest()[:8]}"
    names = ["Ann B", forged, "ann", "Ann", "ANN", "a/b", "a-b", ".", "..", "", "x" * 300, "é", "e\u0301"]
    folders = [Entry(name, Path("x")).folder.lower() for name in names]
    assert len(set(folders)) == len(names)
    assert Entry("ann", Path("x")).folder == "ann", "a plain name stays readable"
    assert all("/" not in folder and folder not in ("", ".", "..") for folder in folders)


@pytest.mark.parametrize(
    "spoil",
    [
        lambda line: line.pop("diagnosis"),
        lambda line: line.pop("reports"),
        lambda line: line.update(reports="../../etc"),
        lambda line: line.update(reports="reports/.."),
        lambda line: line.update(earned="x"),
        lambda line: line.update(verdict="excellent"),
        lambda line: line.update(criteria=[1]),
    ],
)
def test_a_line_that_is_not_whole_is_told_before_anything_is_done(
    there: tuple[Question, Results], spoil: Callable[[dict[str, object]], object]
) -> None:
    path = there[1].folder / ledger.NAME
    first, second = map(json.loads, path.read_text("utf-8").splitlines())
    spoil(first)
    path.write_text(f"{json.dumps(first)}\n{json.dumps(second)}\n", "utf-8")
    before = sorted(there[1].folder.rglob("*"))
    for arguments in (["purge", str(there[1].folder), BO, "--yes"], ["agreement", str(there[1].folder)]):
        code, output = call(there, *arguments)
        assert code == 2 and "results.jsonl:1: this is no line of results" in output
    assert sorted(there[1].folder.rglob("*")) == before


@pytest.mark.parametrize("content", ["[" * 100_000, "\x00\x01", "{}", '{"name": 1}'])
def test_what_is_no_results_is_no_fault_of_ours(there: tuple[Question, Results], content: str) -> None:
    for name in (manifest.NAME, manifest.CODES, ledger.NAME):
        path = there[1].folder / name
        kept = path.read_bytes()
        path.write_text(content, "utf-8")
        code, output = call(there, "mark", str(there[1].folder), "--status")
        assert code == 2 or (code == 0 and name == manifest.CODES and content == "{}"), output
        path.write_bytes(kept)


@pytest.mark.parametrize("codes", [{ANA: "../../x", BO: "amber-owl-12"}, {ANA: "amber-owl-12", BO: "amber-owl-12"}])
def test_code_names_that_were_not_drawn_are_told(there: tuple[Question, Results], codes: dict[str, str]) -> None:
    (there[1].folder / manifest.CODES).write_text(json.dumps(codes), "utf-8")
    with pytest.raises(CallError, match=r"no code name|one code name"):
        Results.open(there[1].folder)


def test_a_folder_in_the_place_of_a_file_is_told(there: tuple[Question, Results]) -> None:
    path = there[1].folder / ledger.NAME
    path.unlink()
    path.mkdir()
    assert call(there, "agreement", str(there[1].folder))[0] == 2


def test_a_name_that_is_anothers_code_name_is_nobodys(tmp_path: Path) -> None:
    asked, results = marking.folder(tmp_path, ANA, BO)
    code = results.find(ANA).code
    results = marking.make(asked, results.folder, {ANA: marking.GIVEN, code: marking.GIVEN})
    with pytest.raises(CallError, match="two candidates are called that"):
        results.find(code)
    status, output = call((asked, results), "purge", str(results.folder), code, "--yes")
    assert status == 2 and "two candidates are called that" in output
    assert len(Results.open(results.folder).candidates) == 2
    assert results.find(ANA).name == ANA


def test_whoever_is_in_marks_alone_takes_nobodys_files_along(there: tuple[Question, Results]) -> None:
    asked, results = there
    marks = Marks.open(results)
    item = next(each for each in work.find(results, asked.spec).items if each.code == results.find(ANA).code)
    marks.add(judge(item, "eva", ticked=[]))
    book = ledger.Ledger(results.folder)
    book.finish([BO])
    manifest.write_codes(results.folder, {BO: results.find(BO).code})
    status, output = call(there, "purge", str(results.folder), item.code, "--yes")
    assert status == 0, output
    left = Results.open(results.folder)
    assert [each.name for each in left.candidates] == [BO]
    assert left.candidates[0].report.submission.name == BO and left.candidates[0].source


def test_results_are_no_submission_of_a_batch_around_them(there: tuple[Question, Results]) -> None:
    source = there[1].folder.parent / "sent"
    source.mkdir()
    (source / "a.py").write_text("x = 1\n", "utf-8")
    there[1].folder.rename(source / "results")
    assert [entry.name for entry in entries.find(source, source / "unused").entries] == ["a.py"]


def test_what_is_no_file_is_never_opened(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "x.py")
    (tmp_path / "y.py").symlink_to("/dev/zero")
    (tmp_path / "z").symlink_to("/")
    (tmp_path / "all.csv").write_text("name,path\nx,x.py\ny,y.py\nz,z\n", "utf-8")
    digests = {entry.digest for entry in entries.find(tmp_path / "all.csv", tmp_path / "unused").entries}
    assert len(digests) == 3
    assert [entry.name for entry in entries.find(tmp_path, tmp_path / "unused").entries] == ["x.py"]


@pytest.mark.parametrize("path", ["x" * 5000, "a\x00b"])
def test_a_row_that_names_no_path_is_told(tmp_path: Path, path: str) -> None:
    (tmp_path / "all.csv").write_text(f"name,path\nann,{path}\n", "utf-8")
    with pytest.raises(CallError, match=r"all\.csv:2: a row of the manifest names no path") as told:
        entries.find(tmp_path / "all.csv", tmp_path)
    assert len(str(told.value)) < 400


def test_a_changed_question_replaces_nothing_by_the_way(there: tuple[Question, Results]) -> None:
    asked, results = there
    manifest.unchanged(results.folder, asked.spec.version, asked.digest)
    with pytest.raises(CallError, match=r"the question has changed since these results were graded.*grader regrade"):
        manifest.unchanged(results.folder, 2, "0" * 64)


def test_lost_code_names_are_told_and_never_drawn_anew(there: tuple[Question, Results]) -> None:
    asked, results = there
    (results.folder / manifest.CODES).unlink()
    before = {path: path.read_bytes() for path in results.folder.rglob("*") if path.is_file()}
    sent = [Entry(ANA, results.find(ANA).sent / ANA)]
    for again in (lambda: running.run(asked, sent, results.folder, never), lambda: Results.open(results.folder)):
        with pytest.raises(CallError, match=r"codes\.json: the code names of these results are lost.*Restore the file"):
            again()
    assert {path: path.read_bytes() for path in results.folder.rglob("*") if path.is_file()} == before


def never(*_: object) -> NoReturn:
    """Grades nothing."""
    raise AssertionError("nothing was to be graded")


def test_who_is_who_is_for_its_owner_alone(there: tuple[Question, Results]) -> None:
    assert (there[1].folder / manifest.CODES).stat().st_mode & 0o077 == 0


def test_a_panel_made_again_keeps_no_page_of_who_is_gone(tmp_path: Path) -> None:
    out = tmp_path / "panel"
    for name in ("index.html", "feedback/q/amber-owl-12.html", "mine.txt"):
        (out / name).parent.mkdir(parents=True, exist_ok=True)
        (out / name).write_text("x", "utf-8")
    earlier.replace(out, earlier.read(out), [out / "index.html", out / "feedback/q/amber-owl-12.html"])
    earlier.replace(out, earlier.read(out), [out / "index.html"])
    assert {path.name for path in out.rglob("*")} == {"index.html", "mine.txt", earlier.NAME}
    (out / earlier.NAME).write_text(json.dumps({"files": ["../outside", "/etc/passwd", 3, ""]}), "utf-8")
    assert earlier.read(out) == ()
