"""A regrade says who changed and why before anything is replaced, replaces all or nothing, and loses no old report."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from grader import environment
from grader.bank import Bank
from grader.batch import entries
from grader.batch import run as running
from grader.batch.crew import local
from grader.cli import main
from grader.errors import CallError
from grader.examine.zygote import Zygote
from grader.outcome import Outcome, Verdict
from grader.question import Question
from grader.regrade import again, apply, command, record
from grader.regrade.changes import compare, rubrics
from grader.regrade.record import Record, Version
from grader.render import regrade as render
from grader.report import Report
from grader.results import Results, manifest, places
from grader.results.ledger import Ledger
from grader.sandbox.tiers import Tier
from grader.scaffold import make

SENT = {"reference": "reference.py", "first": "wrong/over-the-first-axis.py", "plain": "wrong/overflows.py"}
NAMES = ["broken.py", "first.py", "plain.py", "reference.py"]
STRICT, LENIENT = "rng.uniform(0, 2000", "rng.uniform(0, 2"


def load(home: Path) -> Question:
    """The question of a team's bank, read anew."""
    return Bank((home / "questions",)).get("row-softmax")


def soften(home: Path) -> Question:
    """The same question with a kinder check, so that one submission gets more and no other does."""
    path = home / "questions" / "row-softmax" / "hidden" / "test_softmax.py"
    path.write_text(path.read_text("utf-8").replace(STRICT, LENIENT), "utf-8")
    spec = home / "questions" / "row-softmax" / "question.yaml"
    spec.write_text(spec.read_text("utf-8").replace("version: 1", "version: 2"), "utf-8")
    return load(home)


@pytest.fixture(scope="module")
def graded(zygote: Zygote, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a bank, and the results of a batch with marks beside them."""
    home = tmp_path_factory.mktemp("graded")
    make("row-softmax", home / "questions")
    question = load(home)
    source = home / "submissions"
    source.mkdir()
    for name, path in SENT.items():
        shutil.copy(question.solutions / path, source / f"{name}.py")
    (source / "broken.py").write_text("def broken(:\n", "utf-8")
    found = entries.find(source, home / "unused").entries
    running.run(question, found, home / "results", local(zygote, jobs=2, require=Tier.SEPARATE_PROCESS))
    (home / "results" / "marks.jsonl").write_text("what people said\n", "utf-8")
    return home


@pytest.fixture
def home(graded: Path, tmp_path: Path) -> Path:
    """A copy of it, to be changed."""
    return shutil.copytree(graded, tmp_path / "home")


@pytest.fixture(scope="module")
def regraded(graded: Path, zygote: Zygote, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same after the question changed and was graded with again; nothing is applied."""
    home = shutil.copytree(graded, tmp_path_factory.mktemp("regraded") / "home")
    regrade(soften(home), home, zygote)
    return home


def regrade(question: Question, home: Path, zygote: Zygote, **options: Any) -> int:
    """What the command does, on a warm zygote."""
    given = {"applied": False, "partly": False, "as_json": False}
    hire = local(zygote, jobs=2, require=Tier.SEPARATE_PROCESS)
    return command.run(question, home / "results", hire, **{**given, **options})


def tree(folder: Path) -> dict[str, bytes]:
    """Every file under a folder."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def old_tree(folder: Path) -> dict[str, bytes]:
    """All but what a regrade adds."""
    return {name: raw for name, raw in tree(folder).items() if not name.startswith((places.REGRADES, places.HISTORY))}


def found_in(home: Path) -> Record:
    """The one record there."""
    (folder,) = (home / "results" / places.REGRADES).iterdir()
    found = record.read(folder)
    assert found is not None
    return found


def test_it_says_who_changed_and_why_and_who_did_not(regraded: Path) -> None:
    found = found_in(regraded)
    (change,) = found.changed
    assert change.name == "plain.py"
    assert change.verdict == (Verdict.PASSED, Verdict.PASSED), "the criterion is not a required one"
    assert change.earned[1] - change.earned[0] == 30
    (criterion,) = change.criteria
    assert (criterion.id, criterion.before, criterion.after) == ("large-scores", Outcome.FAILED, Outcome.PASSED)
    assert (criterion.earned, criterion.points) == ((0, 30), (30, 30))
    assert [(each.before, each.after) for each in criterion.checks] == [(Outcome.FAILED, Outcome.PASSED)]
    assert (change.gained, change.lost) == ([], ["overflows"])
    assert [each.name for each in found.same] == ["broken.py", "first.py", "reference.py"]
    assert (found.before.version, found.after.version) == (1, 2)
    assert found.troubles == {}


def test_nothing_is_replaced_and_nothing_is_kept_twice(graded: Path, regraded: Path) -> None:
    assert old_tree(regraded / "results") == old_tree(graded / "results")
    (folder,) = (regraded / "results" / places.REGRADES).iterdir()
    assert folder.name == load(regraded).digest[:12]
    assert {path.name for path in folder.iterdir()} == {"reports", "results.jsonl", "changes.json", "changes.html"}
    codes = manifest.read_codes(regraded / "results")
    assert {change.name: change.code for change in found_in(regraded).changes} == codes


def test_the_page_and_the_table_tell_the_same(regraded: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder,) = (regraded / "results" / places.REGRADES).iterdir()
    page = (folder / "changes.html").read_text("utf-8")
    render.summary(found_in(regraded))
    table = capsys.readouterr().out
    for words in ("plain.py", "large-scores", "overflows", "reference.py"):
        assert words in page
        assert words in table
    assert "Changed: 1 of 4" in table
    assert "failed → passed, 0/30 → 30/30 points" in table
    assert "seen before: the result for large scores" in table
    assert "Seen before: the result for large scores" in page
    assert not any(code in page + table for code in manifest.read_codes(regraded / "results").values())
    assert "<script" not in page
    for link in ("../../reports/plain.py/report.html", "reports/plain.py/report.html"):
        assert f'href="{link}"' in page
        assert (folder / link).is_file()


def test_a_second_run_grades_only_what_is_missing(regraded: Path, zygote: Zygote, tmp_path: Path) -> None:
    home = shutil.copytree(regraded, tmp_path / "home")
    question = load(home)
    results = Results.open(home / "results")
    shutil.rmtree(again.folder_of(question, results.folder) / "reports" / "first.py")
    hire = local(zygote, jobs=1, require=Tier.SEPARATE_PROCESS)
    _, progress = again.grade(question, results, hire, seed=None)
    assert (progress.graded, progress.kept) == (1, 3)


def test_what_is_applied_is_in_place_and_the_old_is_in_history(
    graded: Path, regraded: Path, zygote: Zygote, tmp_path: Path
) -> None:
    home = shutil.copytree(regraded, tmp_path / "home")
    before, now = tree(graded / "results"), load(home)
    assert regrade(now, home, zygote, applied=True) == 0
    after = tree(home / "results")
    history = f"{places.HISTORY}/{load(graded).digest[:12]}"
    for name, raw in before.items():
        if name.startswith("reports/") or name == "results.jsonl":
            assert after[f"{history}/{name}"] == raw
        if name.startswith("submissions/") or name in ("marks.jsonl", "codes.json"):
            assert after[name] == raw
    results = Results.open(home / "results")
    assert (results.manifest.version, results.manifest.digest) == (2, now.digest)
    assert results.manifest.retain_until == manifest.read(graded / "results").retain_until
    assert {each.report.question.digest for each in results.candidates} == {now.digest}
    assert [line["name"] for line in Ledger(results.folder).lines.values()] == NAMES
    assert results.find("plain.py").line["diagnosis"] == []
    assert "overflows" not in after["summary.html"].decode()
    folder = again.folder_of(now, results.folder)
    assert {path.name for path in folder.iterdir()} == {"changes.json", "changes.html"}
    for link in (f"../../{history}/reports/plain.py/report.html", "../../reports/plain.py/report.html"):
        assert f'href="{link}"' in (folder / "changes.html").read_text("utf-8")
        assert (folder / link).is_file()


def test_a_batch_after_it_grades_nothing_again(regraded: Path, zygote: Zygote, tmp_path: Path) -> None:
    home = shutil.copytree(regraded, tmp_path / "home")
    regrade(load(home), home, zygote, applied=True)
    found = entries.find(home / "submissions", home / "unused").entries
    progress, _ = running.run(load(home), found, home / "results", local(zygote, jobs=1, require=Tier.SEPARATE_PROCESS))
    assert (progress.kept, progress.graded) == (4, 0)


class Killed(BaseException):
    """The machine stopped."""


def test_wherever_it_is_killed_the_next_call_finishes(
    regraded: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    question = load(regraded)

    def begun(name: str) -> tuple[Path, Path]:
        home = shutil.copytree(regraded, tmp_path / name)
        folder = again.folder_of(question, home / "results")
        apply.begin(home / "results", folder, found_in(home))
        return home / "results", folder

    results, folder = begun("whole")
    apply.finish(results, folder, question.spec)
    whole = tree(results)
    assert not apply.pending(results)
    stops = 0
    for count in range(100):
        results, folder = begun(f"killed-{count}")
        with monkeypatch.context() as patch:
            _stop_after(patch, count)
            try:
                apply.finish(results, folder, question.spec)
            except Killed:
                stops += 1
            else:
                break
        assert apply.pending(results) == folder
        apply.finish(results, folder, question.spec)
        assert tree(results) == whole
    assert stops > 12, "two moves a submission, and every file that is written"


def _stop_after(patch: pytest.MonkeyPatch, count: int) -> None:
    """Stop at a move of a file or folder, after so many, or at a removal."""
    left = [count]

    def stopping(real: Callable[..., Any]) -> Callable[..., Any]:
        def step(self: Path, *args: Any, **kwargs: Any) -> Any:
            if left[0] == 0:
                raise Killed
            left[0] -= 1
            return real(self, *args, **kwargs)

        return step

    patch.setattr(Path, "replace", stopping(Path.replace))
    patch.setattr(shutil, "rmtree", stopping(shutil.rmtree))


def test_a_report_that_was_made_in_between_does_not_replace_the_old_one_in_history(
    graded: Path, regraded: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = shutil.copytree(regraded, tmp_path / "home")
    results, question = home / "results", load(home)
    folder = again.folder_of(question, results)
    apply.begin(results, folder, found_in(home))
    with monkeypatch.context() as patch:
        patch.setattr(shutil, "rmtree", _killed)  # after the first of the old reports was moved
        with pytest.raises(Killed):
            apply.finish(results, folder, question.spec)
    (moved,) = (results / places.HISTORY).glob("*/reports/*")
    (results / "reports" / moved.name).mkdir()
    (results / "reports" / moved.name / "report.json").write_text("of a batch", "utf-8")
    found = apply.finish(results, folder, question.spec)
    assert tree(results / found.history / "reports") == tree(graded / "results" / "reports")
    assert "of a batch" not in (results / "reports" / moved.name / "report.json").read_text("utf-8")


def _killed(*_: object, **__: object) -> None:
    raise Killed


def test_what_was_interrupted_is_told_and_finished(
    regraded: Path, zygote: Zygote, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    home = shutil.copytree(regraded, tmp_path / "home")
    question = load(home)
    apply.begin(home / "results", again.folder_of(question, home / "results"), found_in(home))
    with pytest.raises(CallError, match="new reports were being put in place"):
        regrade(question, home, zygote)
    assert regrade(question, home, zygote, applied=True) == 0
    assert "Finished what had been interrupted" in capsys.readouterr().out
    assert found_in(home).history


def test_nothing_is_applied_where_some_could_not_be_graded_unless_they_say_so(
    home: Path, zygote: Zygote, capsys: pytest.CaptureFixture[str]
) -> None:
    shutil.rmtree(home / "results" / "submissions" / "first.py")
    question = soften(home)
    before = old_tree(home / "results")
    assert regrade(question, home, zygote, applied=True) == 3
    assert old_tree(home / "results") == before
    assert "Nothing was applied" in capsys.readouterr().out
    assert regrade(question, home, zygote, applied=True, partly=True) == 3
    results = Results.open(home / "results")
    current = {each.name: each.report.question.digest == question.digest for each in results.candidates}
    assert current == {"broken.py": True, "first.py": False, "plain.py": True, "reference.py": True}
    assert list(found_in(home).troubles) == ["first.py"]


def test_where_nothing_changed_it_says_so(home: Path, zygote: Zygote, capsys: pytest.CaptureFixture[str]) -> None:
    before = tree(home / "results")
    assert regrade(load(home), home, zygote, applied=True) == 0
    assert "Nothing to regrade" in capsys.readouterr().out
    assert tree(home / "results") == before


def test_another_environment_is_told_and_gets_a_history_of_its_own(
    home: Path, zygote: Zygote, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = environment.versions()
    for number, torch in enumerate(("98.0", "99.0"), start=1):
        monkeypatch.setattr(environment, "versions", lambda torch=torch: {**real, "torch": torch})
        assert regrade(load(home), home, zygote, applied=True) == 0
        found = found_in(home)
        assert (len(found.changed), len(found.same)) == (0, 4)
        assert any(words.startswith("torch") and words.endswith(torch) for words in found.differences)
        assert len(list((home / "results" / places.HISTORY).iterdir())) == number


def test_the_seed_that_a_batch_was_given_is_used_again(regraded: Path) -> None:
    reports, _ = again.old_reports(Results.open(regraded / "results"))
    assert again.seed_of(reports) is None, "the question's own seed changes with the question"
    given = {name: report.model_copy(update={"seed": 7}) for name, report in reports.items()}
    assert again.seed_of(given) == 7


def test_every_place_of_a_candidate_is_known(regraded: Path, zygote: Zygote, tmp_path: Path) -> None:
    home = shutil.copytree(regraded, tmp_path / "home")
    results, name = home / "results", "plain.py"
    regrade(load(home), home, zygote, applied=True)
    path = home / "questions" / "row-softmax" / "prompt.md"
    path.write_text(path.read_text("utf-8") + "\nA word more.\n", "utf-8")
    regrade(load(home), home, zygote)
    for folder in places.content(results, name):
        shutil.rmtree(folder, ignore_errors=True)
    for folder, lines in places.ledgers(results):
        assert name in [line["name"] for line in lines]
        Ledger(folder).finish([line["name"] for line in lines if line["name"] != name])
    record.forget(results, name)
    left = {where for where, raw in tree(results).items() if name.encode() in raw or name in where}
    assert left == {"codes.json", "summary.html"}, "which `grader purge` has written anew since before there were these"


def report_of(home: Path, name: str) -> Report:
    """One of the reports there."""
    return Results.open(home / "results").find(name).report


def test_a_criterion_that_comes_or_goes_is_told(graded: Path) -> None:
    before = report_of(graded, "reference.py")
    gone = before.model_copy(update={"criteria": before.criteria[:-1]})
    for pair, outcomes in (((before, gone), (Outcome.FAILED, None)), ((gone, before), (None, Outcome.FAILED))):
        (criterion,) = compare("a", "a", "a", *pair).criteria
        assert (criterion.id, criterion.before, criterion.after) == ("largest-score", *outcomes)
    assert not compare("a", "a", "a", before, before).changed


def test_a_rubric_that_changed_is_told(graded: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = report_of(graded, "reference.py")
    answers = [each.model_copy(update={"rubric": "new"}) if each.kind == "text" else each for each in before.answers]
    assert rubrics(before, before.model_copy(update={"answers": answers})) == ["why_subtract"]
    assert rubrics(before, before) == []
    render.summary(made(graded, rubrics=["why_subtract"]))
    assert "Their rubric changed" in capsys.readouterr().out


def made(home: Path, **fields: Any) -> Record:
    """A record of one submission that did not change."""
    report = report_of(home, "reference.py")
    which = Version(version=1, digest="0" * 64, environment={})
    change = compare("a\x1b[2J<script>", "red-wren-10", "a", report, report)
    given = {"changes": [change], "rubrics": [], "troubles": {"b\x1b]0;x": "why <b>"}, **fields}
    return Record(question="row-softmax", title="Rows", before=which, after=which, **given)


def test_names_of_strangers_are_shown_and_do_nothing(graded: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = made(graded)
    render.summary(found)
    for text in (capsys.readouterr().out, render.page(found)):
        assert "\x1b" not in text
        assert "\\x1b[2J" in text
    assert "<script" not in render.page(found)


def test_a_damaged_record_is_told(tmp_path: Path) -> None:
    (tmp_path / record.NAME).write_text('{"schema": "takehome-grader/changes/1"}', "utf-8")
    with pytest.raises(CallError, match="this record of a regrade can't be read"):
        record.read(tmp_path)


def test_the_command_prints_json_and_regrades_nothing_without_a_batch(home: Path, tmp_path: Path) -> None:
    options = ["--questions", str(home / "questions"), "--allow-unsandboxed"]
    question = soften(home)
    result = CliRunner().invoke(main, ["regrade", str(home / "results"), "--json", *options])
    assert result.exit_code == 0, result.output
    fields = json.loads(result.stdout)
    assert fields["after"]["digest"] == question.digest
    assert [each["name"] for each in fields["changes"] if each["criteria"]] == ["plain.py"]
    none = CliRunner().invoke(main, ["regrade", str(tmp_path), *options])
    assert none.exit_code == 2
    assert "this is no results folder" in none.output
    alone = CliRunner().invoke(main, ["regrade", str(home / "results"), "--partly", *options])
    assert alone.exit_code == 2
