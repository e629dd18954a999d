"""Who is purged is gone from every byte of a results folder, and the marks can still be proven."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import textwrap
from datetime import timedelta
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from grader.bank import Bank
from grader.batch import entries
from grader.batch import run as running
from grader.batch.crew import local
from grader.batch.entries import Entry
from grader.cli import main
from grader.errors import CallError
from grader.examine.zygote import Zygote
from grader.marks import Marks, drafts, work
from grader.marks import purge as purging
from grader.marks.events import MarkEvent, PurgeEvent
from grader.marks.judging import judge
from grader.marks.saving import Draft
from grader.marks.session import Session
from grader.marks.terminal import step
from grader.question import Question
from grader.regrade import record
from grader.regrade.changes import compare
from grader.regrade.record import Record, Version
from grader.render import files
from grader.results import Results, codenames, manifest
from grader.results.ledger import Ledger
from grader.sandbox.tiers import Tier
from tests import marking

ROOT = Path(__file__).resolve().parents[1]
ANA = "ana-lopez.py"
MARKER = "ZEBRA-IN-THE-ANSWER"
NOTE = "GIRAFFE-IN-THE-NOTE"
PEOPLE = {
    ANA: {"why_interleave": f"{MARKER} one angle. Else.", "what_base_controls": f"{MARKER} too"},
    "bo": marking.GIVEN,
    "Zoë B.zip": marking.GIVEN,
}


@pytest.fixture
def there(tmp_path: Path) -> tuple[Question, Results]:
    """A results folder of three people, marked by two, with a draft, and with what killed writers leave."""
    return prepared(tmp_path)


def prepared(folder: Path) -> tuple[Question, Results]:
    """The same, in a folder."""
    question = marking.question(marking.bank(folder))
    results = marking.make(question, folder / "results", PEOPLE)
    marks = Marks.open(results)
    items = work.find(results, question.spec).items
    for actor in ("eva", "max"):
        for item in items:
            theirs = MARKER in item.text
            marks.add(judge(item, actor, quote=MARKER if theirs else "", note=NOTE if theirs else "kept note"))
    path = drafts.path_of(results.folder, "eva")
    drafts.write(path, items, {item.key: Draft(note=NOTE if MARKER in item.text else "kept draft") for item in items})
    (results.folder / ".codes.json.0123abcd").write_text(ANA, "utf-8")
    (results.folder / "results.new").write_text(ANA, "utf-8")
    (results.folder / "marks.new").write_text(NOTE, "utf-8")
    regraded(question, results)
    part = results.folder / "submissions" / f".{ANA}.part"
    part.mkdir()
    (part / "answers.yaml").write_text(MARKER, "utf-8")
    return question, results


def regraded(question: Question, results: Results) -> None:
    """What a regrade that was applied, and one that was not, leave in the folder."""
    version = Version(version=1, digest="0" * 64, environment={})
    for within in ("history/0123456789ab", "regrades/ba9876543210"):
        folder = results.folder / within
        folder.mkdir(parents=True)
        ledger = Ledger(folder)
        for each in results.candidates:
            files.write(each.report, folder / "reports" / each.folder.name)
            ledger.add(each.line)
    changes = [compare(each.name, each.code, each.folder.name, each.report, each.report) for each in results.candidates]
    Record(
        question=question.id,
        title=question.spec.title,
        before=version,
        after=version,
        changes=changes,
        rubrics=[],
        troubles={ANA: MARKER, "bo": "kept trouble"},
    ).write(results.folder / "regrades/ba9876543210")


def call(there: tuple[Question, Results], *arguments: str, answer: str = "") -> Result:
    """Run `grader purge` on the folder."""
    bank = str(there[0].folder.parent)
    command = ["purge", str(there[1].folder), "--questions", bank, "--as", "eva", *arguments]
    return CliRunner().invoke(main, command, input=answer)


def mentions(folder: Path, *words: str) -> list[str]:
    """Files of a folder that have one of the words, in their path or in any byte."""
    return [
        str(path)
        for path in folder.rglob("*")
        for word in words
        if word in str(path.relative_to(folder)) or (path.is_file() and word.encode() in path.read_bytes())
    ]


def test_nothing_of_the_content_is_left_and_the_chain_holds(there: tuple[Question, Results]) -> None:
    folder = there[1].folder
    code = there[1].find(ANA).code
    before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file() and "bo" in path.parts}
    hashes = Marks.open(there[1]).ledger.prove().hashes
    theirs = there[1].find(ANA).sent, there[1].find(ANA).folder
    assert len(mentions(folder, MARKER, NOTE, ANA)) > 8
    sent, reports = (sum(each.is_file() for each in path.rglob("*")) for path in theirs)
    reports *= 3  # here, before a regrade, and after another
    result = call(there, ANA, "--yes")
    assert result.exit_code == 0, result.output
    assert (
        result.output == f"Removed {code}: {sent + reports} files, and what was said in 4 marks.\n"
        and result.stderr == ""
    )
    assert mentions(folder, MARKER, NOTE, ANA, "ana-lopez") == []
    assert all(path.read_bytes() == content for path, content in before.items()) and before
    proof = Marks.open(there[1]).ledger.prove()
    assert proof.holds and proof.hashes[:-1] == hashes and not proof.notes
    *marked, last = Marks.open(there[1]).ledger.read()
    assert isinstance(last, PurgeEvent) and (last.code, last.actor) == (code, "eva")
    assert last.counts == {"submission_files": sent, "report_files": reports, "marks": 4}
    blank = [event.code for event in marked if isinstance(event, MarkEvent) and event.body is None]
    assert blank == [code] * 4
    assert CliRunner().invoke(main, ["mark", str(folder), "--verify"]).exit_code == 0


def test_the_others_are_as_they_were(there: tuple[Question, Results]) -> None:
    folder = there[1].folder
    codes = manifest.read_codes(folder)
    call(there, there[1].find(ANA).code, "--yes")
    left = Results.open(folder)
    assert [each.name for each in left.candidates] == sorted(PEOPLE.keys() - {ANA}, key=codes.__getitem__)
    assert manifest.read_codes(folder) == {name: code for name, code in codes.items() if name != ANA}
    marks = Marks.open(left)
    assert len(marks.all) == 8 and {mark.note for mark in marks.all} == {"kept note"}
    items = work.find(left, there[0].spec).items
    assert len(drafts.read(drafts.path_of(folder, "eva"), items)) == 4
    page = (folder / "summary.html").read_text("utf-8")
    assert "2 submissions" in page and "bo/report.html" in page
    for within in ("history/0123456789ab", "regrades/ba9876543210"):
        assert set(Ledger(folder / within).lines) == PEOPLE.keys() - {ANA}
    found = record.read(folder / "regrades/ba9876543210")
    assert found and {change.name for change in found.changes} == PEOPLE.keys() - {ANA}
    assert found.troubles == {"bo": "kept trouble"}


def test_twice_is_told_and_changes_nothing(there: tuple[Question, Results]) -> None:
    folder, code = there[1].folder, there[1].find(ANA).code
    call(there, ANA, "--yes")
    before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    result = call(there, code, "--yes")
    assert result.exit_code == 0 and f"{code} was removed earlier." in result.output
    result = call(there, ANA, "--yes")
    assert result.exit_code == 2 and "there is nobody of that name, and nothing was removed" in result.output
    assert {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()} == before


def test_it_asks_and_no_means_no(there: tuple[Question, Results]) -> None:
    folder = there[1].folder
    before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    result = call(there, ANA, answer="n\n")
    assert result.exit_code == 1 and "can't be undone" in result.output and ANA in result.output
    assert {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()} == before
    assert call(there, ANA, answer="y\n").exit_code == 0 and mentions(folder, MARKER) == []


@pytest.mark.parametrize("arguments", [[], ["--due", ANA]])
def test_it_is_some_or_all_who_are_due(there: tuple[Question, Results], arguments: list[str]) -> None:
    assert call(there, *arguments).exit_code == 2 and mentions(there[1].folder, MARKER)


def test_several_at_once_and_a_name_of_any_kind(there: tuple[Question, Results]) -> None:
    before = {path: path.read_bytes() for path in there[1].folder.rglob("*") if path.is_file()}
    assert call(there, "Zoë B.zip", "nobody", "--yes").exit_code == 2, "a name that is not there stops all of it"
    assert {path: path.read_bytes() for path in there[1].folder.rglob("*") if path.is_file()} == before
    result = call(there, "Zoë B.zip", there[1].find("bo").code, "bo", "--yes")
    assert result.exit_code == 0 and result.output.count("Removed") == 2
    left = Results.open(there[1].folder)
    assert [each.name for each in left.candidates] == [ANA]
    assert mentions(there[1].folder, "Zo\\u00eb", "Zoë", "kept note") == []
    assert mentions(there[1].folder, NOTE) and Marks.open(left).ledger.prove().holds


# What is due.


def due(there: tuple[Question, Results], days: int) -> None:
    """Have what was sent be kept until so many days from now."""
    found = manifest.read(there[1].folder)
    found.model_copy(update={"retain_until": manifest.today() + timedelta(days=days)}).write(there[1].folder)


@pytest.mark.parametrize("days", [0, 30])
def test_nothing_is_due_before_its_day_has_passed(there: tuple[Question, Results], days: int) -> None:
    due(there, days)
    result = call(there, "--due", "--yes")
    assert result.exit_code == 0 and "Nothing is due: what was sent may be kept until" in result.output
    assert len(Results.open(there[1].folder).candidates) == 3


def test_everything_is_removed_that_is_due(there: tuple[Question, Results]) -> None:
    folder = there[1].folder
    (folder / "submissions" / "left-the-batch").mkdir()
    (folder / "submissions" / "left-the-batch" / "solution.py").write_text(MARKER, "utf-8")
    due(there, -1)
    result = call(there, "--due", "--yes")
    assert result.exit_code == 0 and "3 removed; nobody is left." in result.output
    assert mentions(folder, MARKER, NOTE, "kept note", "kept draft", "one angle", ANA, "Zo") == []
    assert Results.open(folder).candidates == () and manifest.read_codes(folder) == {}
    proof = Marks.open(there[1]).ledger.prove()
    assert proof.holds and proof.count == 12 + 3
    again = call(there, "--due", "--yes")
    assert again.exit_code == 0 and "Nothing is kept here." in again.output


def test_marks_of_somebody_who_is_in_no_list_are_removed_too(there: tuple[Question, Results]) -> None:
    folder, code = there[1].folder, there[1].find(ANA).code
    codes = manifest.read_codes(folder)
    for name in ("history", "regrades"):
        shutil.rmtree(folder / name)
    ledger = Ledger(folder)
    ledger.finish(["bo", "Zoë B.zip"])
    manifest.write_codes(folder, {name: other for name, other in codes.items() if name != ANA})
    assert call(there, code, "--yes").exit_code == 0
    assert NOTE.encode() not in (folder / "marks.jsonl").read_bytes() and Marks.open(there[1]).ledger.prove().holds


def test_somebody_who_could_not_be_graded_is_removed_too(there: tuple[Question, Results]) -> None:
    folder = there[1].folder
    Ledger(folder).finish(["bo", "Zoë B.zip"])  # kept, with a code name, and without a line
    assert call(there, ANA, "--yes").exit_code == 0
    assert mentions(folder, MARKER, NOTE, ANA) == []


# Trouble.


def test_killed_at_any_point_it_is_finished_by_the_same_call(tmp_path: Path) -> None:
    """A child dies at the n-th change to the file system, for every n; what is left is purged again."""
    script = textwrap.dedent("""
        import os, shutil, sys
        from pathlib import Path
        from tests import marking, test_purge
        from grader.marks import Marks, purge
        from grader.results import Results

        top = Path(sys.argv[1])
        CHANGES = {"os.rename", "os.remove", "os.rmdir", "os.truncate", "shutil.rmtree"}
        left, armed = 0, False

        def hook(event, arguments):
            global left
            if armed and (event in CHANGES or (event == "open" and arguments[1] and set(arguments[1]) & set("wax+"))):
                left -= 1
                if left == 0:
                    os._exit(77)

        sys.addaudithook(hook)
        deaths = 0
        question, whole = test_purge.prepared(top)
        for number in range(1, 500):
            results = Results.open(shutil.copytree(whole.folder, top / str(number)))
            target = next(each for each in purge.everybody(results.folder) if each.name == test_purge.ANA)
            child = os.fork()
            if child == 0:
                left, armed = number, True
                purge.purge(results.folder, target, "eva", question.spec)
                os._exit(0)
            status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
            assert status in (0, 77), status
            deaths += status == 77
            again = [each for each in purge.everybody(results.folder) if test_purge.ANA == each.name]
            assert status == 77 or not again
            for each in again:
                purge.purge(results.folder, each, "eva", question.spec)
            words = (test_purge.MARKER, test_purge.NOTE, test_purge.ANA)
            left_over = test_purge.mentions(results.folder, *words)
            assert not left_over, (number, left_over)
            marks = Marks.open(results)
            assert marks.ledger.prove().holds and len(marks.all) == 8, number
            assert sum(event.event == "purge" for event in marks.ledger.read()) == 1, number
            assert len(Results.open(results.folder).candidates) == 2
            if status == 0:
                break
        print("deaths", deaths)
    """)
    done = subprocess.run(
        [sys.executable, "-c", script, str(tmp_path)], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert int(done.stdout.split()[-1]) > 20


def test_on_a_broken_chain_it_purges_and_hides_nothing(there: tuple[Question, Results]) -> None:
    path = there[1].folder / "marks.jsonl"
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(lines[:-1]))
    problems = Marks.open(there[1]).ledger.prove().problems
    assert call(there, ANA, "--yes").exit_code == 0
    assert mentions(there[1].folder, MARKER, NOTE) == [] and problems
    assert not Marks.open(there[1]).ledger.prove().holds


def test_a_line_that_is_nobodys_stops_it_before_anything_is_removed(there: tuple[Question, Results]) -> None:
    path = there[1].folder / "marks.jsonl"
    path.write_bytes(path.read_bytes().replace(b'"seq":2', b'"seq":"two"'))
    result = call(there, ANA, "--yes")
    assert result.exit_code == 2 and "marks.jsonl:2: this is no line of marks" in result.stderr
    assert there[1].find(ANA).sent.is_dir()


def test_half_a_line_goes_with_it(there: tuple[Question, Results]) -> None:
    path = there[1].folder / "marks.jsonl"
    path.write_bytes(path.read_bytes() + f'{{"body":{{"quote":"{MARKER}'.encode())
    assert call(there, ANA, "--yes").exit_code == 0
    assert mentions(there[1].folder, MARKER, NOTE) == [] and Marks.open(there[1]).ledger.prove().holds


def test_files_that_still_name_them_are_told(there: tuple[Question, Results]) -> None:
    folder, code = there[1].folder, there[1].find(ANA).code
    (folder / "panel.html").write_text(f"<p>{ANA}</p>", "utf-8")
    (folder / "clusters.json").write_text(json.dumps([code]), "utf-8")
    (folder / "other.txt").write_text(f"not-{ANA}, {code}-x", "utf-8")
    result = call(there, ANA, "--yes")
    assert result.exit_code == 1
    assert "panel.html still names them" in result.stderr and "clusters.json still names" in result.stderr
    assert "other.txt" not in result.stderr


def test_without_the_question_the_page_goes_and_that_is_told(there: tuple[Question, Results]) -> None:
    command = ["purge", str(there[1].folder), ANA, "--yes", "--as", "eva"]
    result = CliRunner().invoke(main, command)
    assert result.exit_code == 0 and "summary.html was removed" in result.stderr
    assert mentions(there[1].folder, MARKER, NOTE, ANA) == [] and not (there[1].folder / "summary.html").exists()


def test_a_link_is_removed_and_not_followed(there: tuple[Question, Results], tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "precious").write_text("kept", "utf-8")
    sent = there[1].find("bo").sent
    sent.rename(tmp_path / "moved")
    sent.symlink_to(outside)
    assert call(there, "bo", "--yes").exit_code == 0
    assert (outside / "precious").exists() and not sent.is_symlink()


def test_a_folder_that_is_none_is_told(tmp_path: Path) -> None:
    result = CliRunner().invoke(main, ["purge", str(tmp_path), "x", "--yes"])
    assert result.exit_code == 2 and "this is no results folder" in result.stderr and not any(tmp_path.iterdir())


# What comes after.


def test_somebody_who_is_purged_while_they_are_marked_leaves_nothing(there: tuple[Question, Results]) -> None:
    marks = Marks.open(there[1])
    items = tuple(item for item in work.find(there[1], there[0].spec).items if MARKER in item.text)
    session = Session("zoe", items)
    call(there, ANA, "--yes")
    for key in ("1", "q", *MARKER, "enter", "enter"):
        session = step(session, key, marks)
        drafts.write(drafts.path_of(there[1].folder, "zoe"), session.items, session.drafts)
    assert "removed" in session.message and session.saved == 0
    assert mentions(there[1].folder, MARKER) == []


def test_a_code_name_is_never_given_again(there: tuple[Question, Results]) -> None:
    code = there[1].find(ANA).code
    call(there, ANA, "--yes")
    marks = there[1].folder / "marks.jsonl"
    assert code in codenames.retired(marks)
    words = code.split("-")
    with pytest.MonkeyPatch.context() as patch:
        drawn = iter([*words, "amber", "wren", 10])
        patch.setattr("secrets.choice", lambda _: next(drawn))
        assert codenames.draw(["new"], {}, codenames.retired(marks)) == {"new": "amber-wren-10"}


def test_a_batch_leaves_gone_who_is_gone_and_keeps_marks(zygote: Zygote, tmp_path: Path) -> None:
    """With a real, small batch: marked, graded again, purged, graded again."""
    bank, source, out = marking.bank(tmp_path), tmp_path / "sent", tmp_path / "results"
    question = Bank.find([bank]).get("why-interleave")
    for name in ("ana", "bo"):
        (source / name).mkdir(parents=True)
        (source / name / "solution.py").write_text("def double(x):\n    return 2 * x\n", "utf-8")
        (source / name / "answers.yaml").write_text(f"why_interleave: {MARKER} by {name}, one angle\n", "utf-8")

    def grade() -> Results:
        found = entries.find(source, tmp_path).entries
        running.run(question, found, out, local(zygote, jobs=1, require=Tier.SEPARATE_PROCESS))
        return Results.open(out)

    results = grade()
    marks = Marks.open(results)
    items = work.find(results, question.spec).items
    assert [item.code for item in items] == [each.code for each in results.candidates] and len(items) == 2
    for item in items:
        marks.add(judge(item, "eva", ticked=["one-angle"], quote="one angle", note=NOTE))
    written = (out / "marks.jsonl").read_bytes()
    (source / "bo" / "answers.yaml").write_text("why_interleave: Other words.\n", "utf-8")
    results = grade()
    assert (out / "marks.jsonl").read_bytes() == written  # a mark outlives a re-grade
    code = results.find("bo").code
    left = work.left(marks, work.find(results, question.spec).items, "eva")
    assert [item.key for item in left] == [(code, "why_interleave")]
    assert call((question, results), "ana", "--yes").exit_code == 0
    (source / "ana" / "solution.py").unlink()
    (source / "ana" / "answers.yaml").unlink()
    (source / "ana").rmdir()
    results = grade()
    assert [each.name for each in results.candidates] == ["bo"] and results.find("bo").code == code
    assert mentions(out, f"{MARKER} by ana", "reports/ana", '"ana"') == []
    assert Marks.open(results).ledger.prove().holds and len(Marks.open(results).all) == 1


def test_where_the_folder_of_a_name_is_agrees_with_the_batch(there: tuple[Question, Results]) -> None:
    for target in purging.everybody(there[1].folder):
        assert target.folder == Entry(target.name, Path("x")).folder == there[1].find(target.name).folder.name


def test_what_cant_be_removed_is_told(there: tuple[Question, Results], monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(path: Path) -> None:
        raise PermissionError(13, "Permission denied", str(path))

    target = next(each for each in purging.everybody(there[1].folder) if each.name == ANA)
    with monkeypatch.context() as patch:
        patch.setattr("shutil.rmtree", refuse)
        with pytest.raises(CallError, match="this can't be removed: found Permission denied"):
            purging.purge(there[1].folder, target, "eva", there[0].spec)
    assert call(there, ANA, "--yes").exit_code == 0 and mentions(there[1].folder, MARKER, NOTE, ANA) == []
