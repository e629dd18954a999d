"""Many submissions: each costs itself at most, nothing is done twice, and lost isolation ends the batch."""

from __future__ import annotations

import json
import os
import shutil
import signal
import stat
import subprocess
import sys
import textwrap
import time
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner

from grader.batch import entries, run
from grader.batch.crew import local
from grader.cli import main
from grader.errors import CallError
from grader.examine.zygote import Zygote
from grader.outcome import Verdict
from grader.question import Question
from grader.results import Results, ledger
from grader.sandbox.tiers import Tier

SENT = {"reference": "reference.py", "first": "wrong/over-the-first-axis.py", "unusual": "unusual/torch-softmax.py"}


@pytest.fixture
def folder(small: Question, tmp_path: Path) -> Path:
    """Three submissions that can be graded, one that is refused, and one that is none."""
    source = tmp_path / "submissions"
    source.mkdir()
    for name, path in SENT.items():
        shutil.copy(small.solutions / path, source / f"{name}.py")
    (source / "broken.py").write_text("def broken(:\n", "utf-8")
    (source / "nothing").mkdir()
    return source


Graded = Callable[[Path, Path], tuple[run.Progress, list[ledger.Line]]]


@pytest.fixture
def graded(small: Question, zygote: Zygote) -> Graded:
    """Runs a batch over a folder."""

    def graded(source: Path, out: Path) -> tuple[run.Progress, list[ledger.Line]]:
        found = entries.find(source, out / "unused").entries
        progress, book = run.run(small, found, out, local(zygote, jobs=2, require=Tier.SEPARATE_PROCESS))
        return progress, list(book.lines.values())

    return graded


def test_each_submission_gets_what_it_gets_alone(graded: Graded, folder: Path, tmp_path: Path) -> None:
    progress, lines = graded(folder, tmp_path / "results")
    verdicts = {line["name"]: line["verdict"] for line in lines}
    assert verdicts == {
        "broken.py": "refused",
        "first.py": "failed",
        "reference.py": "passed",
        "unusual.py": "passed",
    }
    assert list(progress.troubles) == ["nothing"]
    by_name = {line["name"]: line for line in lines}
    assert by_name["first.py"]["diagnosis"] == ["over-the-first-axis"]
    for line in lines:
        report = json.loads((tmp_path / "results" / line["reports"] / "report.json").read_text("utf-8"))
        assert report["submission"]["name"] == line["name"]
        assert (tmp_path / "results" / line["reports"] / "feedback.md").is_file()


def test_a_second_run_grades_only_what_is_new_or_changed(
    graded: Graded, small: Question, folder: Path, tmp_path: Path
) -> None:
    out = tmp_path / "results"
    (folder / "nothing").rmdir()
    graded(folder, out)
    before = (out / ledger.NAME).read_bytes()
    assert graded(folder, out)[0].graded == 0
    assert (out / ledger.NAME).read_bytes() == before
    shutil.copy(small.solutions / "wrong/overflows.py", folder / "unusual.py")
    shutil.rmtree(out / "reports" / "first.py")
    progress, lines = graded(folder, out)
    assert (progress.graded, progress.kept) == (2, 2)
    assert {line["name"]: line["diagnosis"] for line in lines}["unusual.py"] == ["overflows"]


DAMAGED = {
    "half of it": ("reports/first.py/report.json", '{"half'),
    "too deep": ("reports/first.py/report.json", "[" * 100_000),
    "empty": ("reports/first.py/report.html", ""),
    "lost": ("reports/first.py/feedback.md", None),
    "lost as it was sent": ("submissions/first.py/first.py", None),
    "half as it was sent": ("submissions/first.py/first.py", "def"),
}


def test_what_was_damaged_or_lost_since_is_made_again(graded: Graded, folder: Path, tmp_path: Path) -> None:
    out = tmp_path / "results"
    (folder / "nothing").rmdir()
    for name in ("reference.py", "unusual.py"):
        (folder / name).unlink()
    graded(folder, out)
    for how, (place, text) in DAMAGED.items():
        size = (out / place).stat().st_size
        (out / place).unlink()
        if text is not None:
            (out / place).write_text(text, "utf-8")
        progress, _ = graded(folder, out)
        assert (progress.graded, progress.kept) == (1, 1), how
        assert (out / place).stat().st_size > size / 2, how
    shutil.copy(out / "reports/broken.py/report.json", out / "reports/first.py/report.json")
    assert graded(folder, out)[0].graded == 1, "a report that its line is not of is damaged too"
    assert Results.open(out).find("first.py").report.verdict is Verdict.FAILED


def test_what_left_the_batch_leaves_the_results(graded: Graded, folder: Path, tmp_path: Path) -> None:
    graded(folder, tmp_path / "results")
    (folder / "first.py").unlink()
    _, lines = graded(folder, tmp_path / "results")
    assert [line["name"] for line in lines] == ["broken.py", "reference.py", "unusual.py"]


def test_a_line_that_was_cut_off_is_graded_again(graded: Graded, folder: Path, tmp_path: Path) -> None:
    out = tmp_path / "results"
    _, lines = graded(folder, out)
    whole = (out / ledger.NAME).read_bytes()
    (out / ledger.NAME).write_bytes(whole[:-20])
    progress, again = graded(folder, out)
    assert progress.graded == 1
    assert again == lines
    assert (out / ledger.NAME).read_bytes() == whole


def test_a_line_that_is_none_is_told_and_kept(tmp_path: Path) -> None:
    (tmp_path / ledger.NAME).write_bytes(b'{"name": "a"}\n{"name": "b", "key": ""}\n')
    with pytest.raises(CallError, match=r"results\.jsonl:1: this is no line of results"):
        ledger.Ledger(tmp_path)
    assert (tmp_path / ledger.NAME).read_bytes().startswith(b'{"name": "a"}')


def options(question: Question) -> list[str]:
    """What `grader batch` is told of a question that is not shipped."""
    return ["-q", question.id, "--questions", str(question.folder.parent), "--allow-unsandboxed"]


def test_a_killed_batch_goes_on_where_it_was(small: Question, folder: Path, tmp_path: Path) -> None:
    out, lines = tmp_path / "results", tmp_path / "results" / ledger.NAME
    command = [sys.executable, "-m", "grader", "batch", str(folder), "-o", str(out), "-j", "1", *options(small)]
    first = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
    while first.poll() is None and not (lines.is_file() and lines.read_bytes()):
        time.sleep(0.005)
    os.killpg(first.pid, signal.SIGKILL)
    first.wait()
    kept = len(lines.read_bytes().splitlines())
    second = CliRunner().invoke(main, command[3:])
    assert second.exit_code == 3, "the empty folder is told"
    assert [json.loads(line)["name"] for line in lines.read_bytes().splitlines()] == [
        "broken.py",
        "first.py",
        "reference.py",
        "unusual.py",
    ]
    assert f"kept {kept} of 5" in second.stdout


@pytest.mark.parametrize("pack", ["flat", "nested"])
def test_an_archive_is_read_as_the_folder_that_it_holds(folder: Path, tmp_path: Path, pack: str) -> None:
    archive = tmp_path / "all.zip"
    with zipfile.ZipFile(archive, "w") as packed:
        for path in sorted(folder.glob("*.py")):
            packed.write(path, f"cohort/{path.name}" if pack == "nested" else path.name)
        packed.writestr("__MACOSX/._first.py", "x")
    found = entries.find(archive, tmp_path / "unpacked").entries
    assert [entry.name for entry in found] == ["broken.py", "first.py", "reference.py", "unusual.py"]


@pytest.mark.filterwarnings("ignore:Duplicate name")
@pytest.mark.parametrize(
    ("members", "told"),
    [
        (["alice.py", "bob.py", "alice.py"], "it holds alice.py twice"),
        (["alice.py", "../alice.py"], r"\.\./alice.py has a path that leads elsewhere"),
        (["/alice.py", "bob.py"], "/alice.py has a path that leads elsewhere"),
        (["alice", "alice/solution.py"], "alice/solution.py and another are one on this disk"),
        (["alice", "alice/a/solution.py"], "alice/a/solution.py and another are one on this disk"),
        ([f"{'x' * 300}.py"], "can't be unpacked"),
    ],
)
def test_an_archive_loses_no_submission_and_writes_nothing_outside(
    tmp_path: Path, members: list[str], told: str
) -> None:
    archive = tmp_path / "all.zip"
    with zipfile.ZipFile(archive, "w") as packed:
        for number, name in enumerate(members):
            packed.writestr(name, f"x = {number}")
    with pytest.raises(CallError, match=rf"all\.zip: this archive can't be unpacked.*{told}") as error:
        entries.find(archive, tmp_path / "unpacked" / "deep")
    assert str(tmp_path / "unpacked") not in str(error.value)
    assert not [path for path in tmp_path.rglob("*.py") if "deep" not in path.parts]


@pytest.mark.parametrize(
    ("method", "spoil", "told"),
    [
        (zipfile.ZIP_DEFLATED, slice(45, 90), "can't be read"),
        (zipfile.ZIP_STORED, slice(45, 90), "can't be read"),
        (zipfile.ZIP_LZMA, slice(60, 80), "ordinary compression"),
        (zipfile.ZIP_BZIP2, slice(60, 80), "ordinary compression"),
    ],
)
def test_an_archive_that_is_damaged_is_told_and_no_fault_of_ours(
    small: Question, tmp_path: Path, method: int, spoil: slice, told: str
) -> None:
    archive = tmp_path / "all.zip"
    with zipfile.ZipFile(archive, "w", method) as packed:
        packed.writestr("alice.py", "def softmax(scores):\n    return scores\n" * 20)
        packed.writestr("bob.py", "x = 1\n")
    raw = bytearray(archive.read_bytes())
    raw[spoil] = b"\xff" * (spoil.stop - spoil.start)
    archive.write_bytes(raw)
    result = CliRunner().invoke(main, ["batch", str(archive), "-o", str(tmp_path / "out"), *options(small)])
    assert result.exit_code == 2, result.output
    assert "this archive can't be unpacked" in result.output and told in " ".join(result.output.split())


def test_what_is_left_out_of_a_batch_is_named(tmp_path: Path) -> None:
    for name in ("ann.tar.gz", "bob.rar", "cy.txt", "di.py", ".DS_Store"):
        (tmp_path / name).write_text("x = 1\n", "utf-8")
    (tmp_path / "eva").symlink_to("/etc")
    found = entries.find(tmp_path, tmp_path / "unused")
    assert [entry.name for entry in found.entries] == ["di.py"]
    kinds, links = found.notes
    assert kinds.startswith("left out: ann.tar.gz, bob.rar, cy.txt; a submission is a folder")
    assert links.startswith("left out: eva; links are not followed")
    (tmp_path / "di.py").unlink()
    with pytest.raises(CallError, match=r"there is no submission in it: found left out: ann\.tar\.gz.*; left out: eva"):
        entries.find(tmp_path, tmp_path / "unused")


def test_a_link_in_an_archive_is_left_out_and_named(tmp_path: Path) -> None:
    link = zipfile.ZipInfo("ann/venv/lib64")
    link.external_attr = (stat.S_IFLNK | 0o777) << 16
    with zipfile.ZipFile(tmp_path / "all.zip", "w") as packed:
        packed.writestr("ann/solution.py", "x = 1\n")
        packed.writestr("bob.py", "x = 1\n")
        packed.writestr(link, "/etc")
    found = entries.find(tmp_path / "all.zip", tmp_path / "unpacked")
    assert [entry.name for entry in found.entries] == ["ann", "bob.py"]
    assert not (tmp_path / "unpacked/ann/venv/lib64").exists()
    assert found.notes == ["left out: ann/venv/lib64; links are not followed, and a .csv can say where they lead"]


def test_what_is_left_out_is_told_beside_the_table(small: Question, tmp_path: Path) -> None:
    source = tmp_path / "sent"
    source.mkdir()
    (source / "ann.tar.gz").write_text("x", "utf-8")
    (source / "broken.py").write_text("def broken(:\n", "utf-8")
    result = CliRunner().invoke(main, ["batch", str(source), "-o", str(tmp_path / "out"), "-j", "1", *options(small)])
    assert result.exit_code == 0, result.output
    assert "Note: left out: ann.tar.gz; a submission is a folder" in result.output


@pytest.mark.parametrize(
    ("files", "names"),
    [
        (["alice/submission.zip"], ["alice"]),
        (["alice/submission.zip", "alice/README.md", "alice/check.py"], ["alice"]),
        (["alice/softmax.py", "alice/answers.yaml"], ["alice"]),
        (["alice/solution.py"], ["alice"]),
        (["cohort/alice/solution.py"], ["alice"]),
        (["cohort/alice.py"], ["alice.py"]),
        (["cohort/submission-1.zip", "cohort/submission-2.zip"], ["submission-1.zip", "submission-2.zip"]),
    ],
)
def test_whoever_is_alone_in_a_batch_keeps_their_name(tmp_path: Path, files: list[str], names: list[str]) -> None:
    for file in files:
        (tmp_path / "all" / file).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "all" / file).write_text("x = 1\n", "utf-8")
    assert [entry.name for entry in entries.find(tmp_path / "all", tmp_path / "unused").entries] == names


def test_a_manifest_names_its_submissions(tmp_path: Path) -> None:
    manifest = tmp_path / "all.csv"
    manifest.write_text("name,path\nNo. 7/a,seven.py\nNo. 7 a,seven.py\n", "utf-8")
    found = entries.find(manifest, tmp_path).entries
    assert [entry.path for entry in found] == [tmp_path / "seven.py"] * 2
    assert len({entry.folder for entry in found}) == 2
    assert all("/" not in entry.folder and " " not in entry.folder for entry in found)


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("name,path\n\nann,a.py\n,\n\n", ["ann"]),
        ("name;path\nDoe, Jane;a.py\n;\n", ["Doe, Jane"]),
        ("name\tpath\nann\ta.py\n", ["ann"]),
        ("Name , Path\nann, a.py\n", ["ann"]),
        ("path,mail,name\na.py,x,ann,,\n", ["ann"]),
        ('name,path\n"Doe, Jane",a.py\n', ["Doe, Jane"]),
    ],
)
def test_a_manifest_is_read_as_a_spreadsheet_writes_it(tmp_path: Path, text: str, names: list[str]) -> None:
    (tmp_path / "all.csv").write_text(text, "utf-8")
    found = entries.find(tmp_path / "all.csv", tmp_path).entries
    assert [entry.name for entry in found] == names
    assert [entry.path for entry in found] == [tmp_path / "a.py"]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("who,file\nann,a.py\n", r"all\.csv:1: this manifest's first row is not its header: found who, file, expected"),
        ("ann,a.py\nbo,b.py\n", r"all\.csv:1: this manifest's first row is not its header: found ann, a\.py, expected"),
        ("", r"all\.csv:1: this manifest's first row is not its header: found nothing"),
        ("name,path,name\nann,a.py,bo\n", "the columns name and path, once each"),
        ("name,path\n\nann,\n", r"all\.csv:3: a row of the manifest is not complete: found no path"),
        ("name,path\n \t ,a.py\n", r"all\.csv:2: a row of the manifest is not complete: found no name"),
        (
            "name,path\nDoe, Jane,a.py\n",
            r"all\.csv:2: a row of the manifest is longer than its header: found Doe, Jane",
        ),
        (
            "name,path\na\0nn,a.py\n",
            r"csv:2: a row of the manifest has a name that can't be shown: found a\\x00nn",
        ),
        ('name,path\n"ann,a.py\n', "this manifest can't be read"),
        ("name,path\nJos\udce9,a.py\n", "can't be read.*expected a .csv file in UTF-8"),
    ],
)
def test_what_is_wrong_with_a_manifest_is_told_as_it_is(tmp_path: Path, text: str, told: str) -> None:
    (tmp_path / "all.csv").write_bytes(text.encode("utf-8", "surrogateescape"))
    with pytest.raises(CallError, match=told):
        entries.find(tmp_path / "all.csv", tmp_path)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda path: (path / "solution.py").write_text("x = 1"), "this is one submission"),
        (lambda path: (path / "notes.txt").write_text("x"), "there is no submission in it"),
        (lambda path: (path / "all.csv").write_text("name,path\nann\n"), "a row of the manifest is not complete"),
        (lambda path: (path / "all.csv").write_text("name,path\nann,a\nann,b\n"), "two submissions have one name"),
        (lambda path: (path / "all.zip").write_bytes(b"PK"), "this archive can't be unpacked"),
        (lambda path: (path / "all.tar").write_bytes(b""), "this is no batch"),
    ],
)
def test_what_is_no_batch_is_told(small: Question, tmp_path: Path, make: object, words: str) -> None:
    make(tmp_path)  # type: ignore[operator]
    inside = list(tmp_path.glob("all.*"))
    source = str(inside[0] if inside else tmp_path)
    result = CliRunner().invoke(main, ["batch", source, "-o", str(tmp_path / "out"), *options(small)])
    assert result.exit_code == 2
    assert words in result.output


def test_lost_isolation_ends_the_batch_and_keeps_what_was_graded(small: Question, folder: Path, tmp_path: Path) -> None:
    """The real thing: in a user namespace of its own, no more process namespaces can be made once one is graded."""
    unshare = shutil.which("unshare")
    if unshare is None or subprocess.run([unshare, "-Ur", "true"], check=False, capture_output=True).returncode:
        pytest.skip("not shown here: user namespaces of one's own are refused")
    script = textwrap.dedent(
        f"""
        import sys
        from pathlib import Path
        from grader.bank import Bank
        from grader.batch import entries, run
        from grader.batch.crew import local
        from grader.examine.zygote import Zygote
        from grader.sandbox.tiers import Tier

        def moved(progress):
            Path("/proc/sys/user/max_pid_namespaces").write_text("0")

        source, out = map(Path, sys.argv[1:])
        with Zygote() as zygote:
            found = entries.find(source, out).entries
            question = Bank.find([Path({str(small.folder.parent)!r})]).get({small.id!r})
            progress, book = run.run(question, found, out, local(zygote, jobs=1, require=Tier.SEALED), moved=moved)
        print(progress.stopped)
        print(*(line["name"] for line in book.lines.values()))
        """
    )
    (folder / "nothing").rmdir()
    command = [unshare, "-Ur", sys.executable, "-c", script, str(folder), str(tmp_path / "results")]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    if "workers are not kept apart well enough" in ended.stderr:
        pytest.skip("not shown here: the sealed tier is not offered inside a user namespace")
    assert ended.returncode == 0, ended.stderr
    stopped, names = ended.stdout.splitlines()
    assert "a worker could not be started" in stopped
    kept = names.split()
    assert kept in (["broken.py"], ["broken.py", "first.py"]), "whoever had a worker by then is graded, and nobody else"
    again = CliRunner().invoke(main, ["batch", str(folder), "-o", str(tmp_path / "results"), *options(small)])
    assert again.exit_code == 0, again.output
    assert f"kept {len(kept)} of 4" in again.output
