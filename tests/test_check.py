"""`python check.py`: what it says before a submission is sent is what the grader says after, and nothing is lost."""

from __future__ import annotations

import io
import json
import os
import re
import shutil
import subprocess
import sys
import textwrap
import zipfile
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Final

import pytest

from grader.bank import Bank
from grader.errors import CallError
from grader.examine.zygote import Zygote
from grader.grade import Engine
from grader.inert import text
from grader.outcome import Verdict
from grader.packet import check, contents, preflight, trial, zips
from grader.packet.preflight import Preflight, Weight
from grader.packet.settings import Settings
from grader.packet.task import FILES, SKELETON, SUITE, TASK, Task
from grader.report import Report
from grader.submission.manifest import Manifest

BANK: Final = Bank.find(start=Path(__file__).resolve().parents[1])
SWAP: Final = BANK.get("swap-learned-positions")
SUITE_QUESTION: Final = BANK.get("positional-encodings")
REFERENCE: Final = SWAP.reference or ""
ANSWERS: Final = SWAP.solution("answers.yaml") or ""
PACKET: Final = contents.coded(contents.contents(SWAP, Settings()), "red-owl-10")
FOLLOW: Final = """
import runpy, sys
sys.argv = ["check.py"]
try:
    runpy.run_path("check.py", run_name="__main__")
except SystemExit as ended:
    print("STATUS", ended.code)
for name in sorted(sys.modules):
    if name.split(".")[0] in ("grader", "ruamel", "pydantic", "torch", "numpy"):
        print("FROM", name, getattr(sys.modules[name], "__file__", None))
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A packet as a candidate unpacks it."""
    return unpacked(PACKET, tmp_path / "my packet, naïve")


def unpacked(files: dict[str, bytes], folder: Path) -> Path:
    """A folder with these files."""
    folder.mkdir()
    for name, content in files.items():
        (folder / name).write_bytes(content)
    return folder


def checked(folder: Path, *arguments: str, flags: tuple[str, ...] = ("-I",)) -> subprocess.CompletedProcess[str]:
    """`python check.py`, as in a machine on which no grader is installed: no path, no folder of this checkout.

    Whatever it meets, no file of the candidate's is changed, and submission.zip is all that is written.
    """
    before = shown(folder)
    ended = subprocess.run(
        [sys.executable, *flags, "check.py", *arguments],
        cwd=folder,
        capture_output=True,
        encoding="utf-8",
        errors="replace",
        stdin=subprocess.DEVNULL,
        check=False,
    )
    assert "Traceback" not in ended.stdout + ended.stderr
    after = shown(folder)
    mine = before.keys() - {"submission.zip"}
    assert {name: after[name] for name in mine} == {name: before[name] for name in mine}
    assert after.keys() - before.keys() <= {"submission.zip"}
    return ended


def solved(folder: Path, source: str = REFERENCE, answers: str = ANSWERS) -> Path:
    """The packet, filled in."""
    (folder / "solution.py").write_text(source, "utf-8")
    (folder / "answers.yaml").write_text(answers, "utf-8")
    return folder


def shown(folder: Path) -> dict[str, bytes]:
    """All files of a folder."""
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


# A newcomer's walk


def test_the_untouched_packet_is_not_started_and_stays_untouched(folder: Path) -> None:
    ended = checked(folder)
    assert ended.returncode == 1
    assert "solution.py: not started" in ended.stdout
    assert "parameter_delta: not given" in ended.stdout
    assert ended.stdout.splitlines()[-1].startswith("Not started")
    assert shown(folder) == PACKET, "nothing was written, not even a cache"


def test_a_newcomer_reads_solves_checks_and_sends_and_gets_all_points(
    engine: Engine, folder: Path, tmp_path: Path
) -> None:
    assert "python check.py" in (folder / "README.md").read_text("utf-8")
    solved(folder)
    ended = checked(folder, flags=("-I", "-c", FOLLOW))
    assert "STATUS 0" in ended.stdout, ended.stdout + ended.stderr
    assert "test_public.py: 5 of 5 tests passed" in ended.stdout
    assert "parameter_delta: read as -786,432" in ended.stdout
    assert "Ready to send: submission.zip, with solution.py, answers.yaml." in ended.stdout
    sources = dict(line.split(maxsplit=2)[1:] for line in ended.stdout.splitlines() if line.startswith("FROM "))
    assert {"grader.submission.reading", "grader.rubric.written", "ruamel.yaml.scanner"} <= set(sources)
    assert all(source.startswith(f"{folder / 'preflight.zip'}{os.sep}") for source in sources.values()), sources

    (tmp_path / "mail").mkdir()
    sent = shutil.copy(folder / "submission.zip", tmp_path / "mail" / "kestrel (1).zip")
    report, whole = engine.grade(Path(sent)), engine.grade(folder)
    assert report.verdict is Verdict.PASSED
    assert report.score.earned == report.score.possible
    assert (report.submission.files, report.submission.notes) == (["solution.py", "answers.yaml"], [])
    assert (whole.submission.notes, whole.submission.digest) == ([], report.submission.digest)
    assert whole.score == report.score


def test_the_zip_says_what_it_holds_and_where_it_comes_from(folder: Path) -> None:
    look(solved(folder), write=True)
    files = zips.unpack((folder / "submission.zip").read_bytes())
    assert set(files) == {"solution.py", "answers.yaml", "manifest.json"}
    fields = json.loads(files["manifest.json"])
    assert fields["packet"] == {
        key: value for key, value in json.loads(PACKET["packet.json"]).items() if key != "schema"
    }
    assert fields["packet"]["code"] == "red-owl-10"
    assert set(fields["environment"]) == {"python", "numpy", "torch", "pytest"}
    assert str(folder) not in files["manifest.json"].decode()
    found = Manifest.parse(files["manifest.json"])
    assert found is not None
    assert set(found.files) == {"solution.py", "answers.yaml"}


def test_a_packet_with_more_in_packet_json_hands_it_on(folder: Path) -> None:
    fields = {**json.loads(PACKET["packet.json"]), "variant": {"seed": 7, "signature": "abc"}}
    (folder / "packet.json").write_text(json.dumps(fields))
    look(solved(folder), write=True)
    files = zips.unpack((folder / "submission.zip").read_bytes())
    assert json.loads(files["manifest.json"])["packet"]["variant"] == {"seed": 7, "signature": "abc"}


def test_the_zip_is_the_same_every_time(folder: Path) -> None:
    solved(folder)
    look(folder, write=True)
    first = (folder / "submission.zip").read_bytes()
    os.utime(folder / "solution.py", (0, 0))
    look(folder, write=True)
    assert (folder / "submission.zip").read_bytes() == first
    assert [path.name for path in folder.glob("submission*")] == ["submission.zip"]


@pytest.mark.parametrize("mine", [b"PK my own", zips.pack({"manifest.json": b"{}"}), b""])
def test_a_zip_of_the_candidates_own_is_left_alone(folder: Path, mine: bytes) -> None:
    (folder / "submission.zip").write_bytes(mine)
    for _ in range(2):
        look(solved(folder), write=True)
    assert (folder / "submission.zip").read_bytes() == mine
    assert sorted(path.name for path in folder.glob("submission*")) == ["submission-2.zip", "submission.zip"]


# The same words as the grader


def look(folder: Path, path: Path | None = None, write: bool = False) -> Preflight:
    """What check.py finds, without public tests."""
    carried = zips.unpack((folder / "preflight.zip").read_bytes())
    fields = {**json.loads(carried[TASK]), "public": []}
    task = Task.from_json(json.dumps(fields).encode())
    given = {name.removeprefix(FILES): raw for name, raw in carried.items() if name.startswith(FILES)}
    suite = carried.get(SUITE, b"").decode()
    found = preflight.look(path or folder, task, given, carried[SKELETON].decode(), suite)
    if write:
        assert found.submission is not None
        check.write(folder, task, found.submission)
    return found


@pytest.fixture(scope="module")
def engine(zygote: Zygote) -> Iterator[Engine]:
    """The grader. It examines each text once: most submissions here are one solution in many wrappings."""
    with Engine(SWAP, zygote) as engine, pytest.MonkeyPatch.context() as patch:
        patch.setattr(engine.examiner, "examine", cache(engine.examiner.examine))
        yield engine


def zipped(members: dict[str, str | bytes]) -> bytes:
    """A zip as anybody might make it."""
    whole = io.BytesIO()
    with zipfile.ZipFile(whole, "w") as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return whole.getvalue()


def cells(*sources: str) -> str:
    """A notebook."""
    return json.dumps({"cells": [{"cell_type": "code", "source": source} for source in sources]})


HEAD, _, TAIL = REFERENCE.partition("def count_parameters")
NO_ANSWERS: Final[dict[str, str | bytes | None]] = {"answers.yaml": None}

# By the row of the list of what people really send: files that are written into the packet, and what is passed.
ROWS: Final[dict[str, tuple[dict[str, str | bytes | None], str]]] = {
    "6 files that would be picked up": (
        dict.fromkeys(("conftest.py", "torch.py", "json.py", "grader.py", "sitecustomize.py"), "raise SystemExit"),
        "",
    ),
    "6 a changed support file": ({"gpt.py": "x = 1\n"}, ""),
    "11 a byte order mark": ({"solution.py": b"\xef\xbb\xbf" + REFERENCE.encode()}, ""),
    "11 CRLF": ({"solution.py": REFERENCE.replace("\n", "\r\n").encode()}, ""),
    "11 CR and no newline at the end": ({"solution.py": REFERENCE.strip().replace("\n", "\r").encode()}, ""),
    "12 latin-1": ({"solution.py": f"# Gr\xfc\xdfe\n{REFERENCE}".encode("latin-1")}, ""),
    "12 cp932": ({"solution.py": f"# \u6f22\n{REFERENCE}".encode("cp932")}, ""),
    "12 a coding cookie": ({"solution.py": f"# -*- coding: utf-7 -*-\n{REFERENCE}"}, ""),
    "12 UTF-16": ({"solution.py": REFERENCE.encode("utf-16")}, ""),
    "12 a NUL byte": ({"solution.py": f"{REFERENCE}\0"}, ""),
    "13 another name": ({"solution.py": None, "my solution (1).py": REFERENCE}, ""),
    "13 a file by itself": ({"l\xf6sung.py": REFERENCE}, "l\xf6sung.py"),
    "14 a syntax error at the end": ({"solution.py": f"{REFERENCE}\nx = = 1"}, ""),
    "14 syntax that is too new": ({"solution.py": f"{REFERENCE}\ntype? X = int\n"}, ""),
    "15 a function is missing": ({"solution.py": HEAD}, ""),
    "15 a class where a function is asked": ({"solution.py": f"{HEAD}class count_parameters:\n    pass\n"}, ""),
    "15 wrong arity": ({"solution.py": f"{HEAD}def count_parameters(model, frozen):\n    return 0\n"}, ""),
    "15 a method is missing": ({"solution.py": REFERENCE.replace("def forward", "def backward")}, ""),
    "16 a notebook": ({"solution.py": None, "solution.ipynb": cells("%time", REFERENCE, "!ls\nx = 1")}, ""),
    "16 a notebook that is none": ({"solution.py": None, "solution.ipynb": "{}"}, ""),
    "22 an empty file": ({"solution.py": ""}, ""),
    "23 no answers": (NO_ANSWERS, ""),
    "23 empty answers": ({"answers.yaml": ""}, ""),
    "23 no YAML": ({"answers.yaml": "{{{{\n: :\n"}, ""),
    "23 a list": ({"answers.yaml": "- 1\n"}, ""),
    "23 a key twice": ({"answers.yaml": "parameter_delta: 1\nparameter_delta: 2\n"}, ""),
    "23 tabs": ({"answers.yaml": "parameter_delta:\t-786432\nwhy_interleave:\n\tBecause: of that.\n"}, ""),
    "23 2 MB of text": ({"answers.yaml": "why_interleave: " + "word " * 400_000}, ""),
    "23 commas": ({"answers.yaml": 'parameter_delta: "-786,432"\n'}, ""),
    "23 a typographic minus": ({"answers.yaml": "parameter_delta: \u2212786 432\n"}, ""),
    "23 words for a number": ({"answers.yaml": "parameter_delta: about 800k\n"}, ""),
    "23 a sum": ({"answers.yaml": "parameter_delta: -1024 * 768\n"}, ""),
    "23 unknown keys": ({"answers.yaml": "parameter_dleta: 1\nwhy_interleav: x\nname: Jo\n"}, ""),
    "23 latin-1": ({"answers.yaml": "why_interleave: Gr\xfc\xdfe\n".encode("latin-1")}, ""),
    "23 mappings and long texts": ({"answers.yaml": f"what_is_lost: {{a: b}}\nwhy_interleave: {'a' * 9000}\n"}, ""),
    "24 a way up": ({"x.zip": zipped({"solution.py": REFERENCE, "../x": "x"})}, "x.zip"),
    "24 two solutions": ({"x.zip": zipped({"a/solution.py": REFERENCE, "b/solution.py": "x"})}, "x.zip"),
    "24 zeros": ({"x.zip": zipped({"solution.py": REFERENCE, "zeros": bytes(80 << 20)})}, "x.zip"),
    "24 no zip": ({"x.zip": "PK"}, "x.zip"),
    "24 a good zip from a mail program": (
        {"x.zip": zipped({"Jo/solution.py": REFERENCE, "Jo/check.py": "x", "__MACOSX/Jo/._solution.py": "x"})},
        "x.zip",
    ),
    "25 nothing there": ({}, "nothing.py"),
    "25 another kind of file": ({"x.tar.gz": "x"}, "x.tar.gz"),
    "25 no solution": ({"solution.py": None}, ""),
    "26 controls everywhere": (
        {
            "\x1b[31m\u202e.txt": "x",
            "<b>=1+1.py": "x = 1",
            "answers.yaml": 'parameter_delta: "\\e[31m\\u202e"\n"\\e[2J": 1\n',
            "solution.py": f"{HEAD}def count_parameters(\u0439\u0451, \ufb01): ...\n",
        },
        "",
    ),
}


@pytest.mark.parametrize(("files", "passed"), ROWS.values(), ids=ROWS.keys())
def test_what_people_really_send_gets_the_same_answer_before_and_after(
    engine: Engine, folder: Path, files: dict[str, str | bytes | None], passed: str
) -> None:
    solved(folder)
    for name, content in files.items():
        if content is None:
            (folder / name).unlink()
        else:
            (folder / name).write_bytes(content.encode() if isinstance(content, str) else content)
    path = folder / passed
    found = look(folder, path)
    said = [remark.words for remark in found.remarks]
    assert text("".join(said)) == "".join(said), "it is safe to show"
    try:
        report = engine.grade(path)
    except CallError as error:
        reason = str(error)
    else:
        reason = ""
    if reason:
        assert said == [reason]
        assert not found.can_be_sent
        return
    if report.verdict is Verdict.REFUSED:
        of_answers = [remark.words for remark in found.remarks if remark.about.startswith("answers.yaml")]
        assert said == [*report.submission.notes, report.diagnosis[0].why, *of_answers]
        assert not found.can_be_sent
        return
    if [part.id for part in report.diagnosis] == ["not-started"]:
        assert said[0] == "not started"
        assert not found.can_be_sent
        return
    assert found.can_be_sent
    notes = [note for note in report.submission.notes if not note.startswith("it printed")]
    assert [words for words in said if words in notes] == notes
    answers = report.answers if found.submission and not found.submission.answers_problem else []
    for part in answers:
        (remark,) = [remark for remark in found.remarks if remark.about == f"answers.yaml, {part.id}"]
        assert remark.words in (part.note, f"read as {int(part.read):,}" if part.read else "it can be read"), part
        assert (remark.weight is Weight.CHANGE) == bool(part.given and part.kind == "integer" and not part.read) or (
            part.note not in ("", "not given")
        )
    assert len(found.remarks) == len(notes) + len(answers) + (not found.submission.lacks if found.submission else 0)


def test_what_is_right_is_not_told_from_what_is_wrong(folder: Path) -> None:
    lines = set()
    for number in (-786432, 786432, -111111, 999999):
        found = look(solved(folder, answers=f"parameter_delta: {number}\n"))
        lines.add(repr(found.remarks).replace(f"{number:,}", "N"))
        assert found.is_ready
    assert len(lines) == 1


@pytest.mark.parametrize(
    ("name", "ready", "sendable"),
    [
        ("23 no answers", True, True),
        ("23 empty answers", True, True),
        ("23 words for a number", False, True),
        ("23 latin-1", False, True),
        ("15 wrong arity", False, True),
        ("15 a function is missing", False, True),
        ("11 CRLF", True, True),
        ("6 a changed support file", True, True),
        ("14 a syntax error at the end", False, False),
        ("22 an empty file", False, False),
    ],
)
def test_what_is_unfinished_is_told_from_what_costs_points_and_from_what_is_refused(
    folder: Path, name: str, ready: bool, sendable: bool
) -> None:
    solved(folder)
    for file, content in ROWS[name][0].items():
        if content is None:
            (folder / file).unlink()
        else:
            (folder / file).write_bytes(content.encode() if isinstance(content, str) else content)
    found = look(folder)
    assert (found.is_ready, found.can_be_sent) == (ready, sendable)


def test_what_would_be_refused_is_not_packed(folder: Path) -> None:
    look(solved(folder), write=True)
    before = (folder / "submission.zip").read_bytes()
    ended = checked(solved(folder, "x = (\n"))
    assert ended.returncode == 1
    assert "stop  solution.py: Mend line 1, column 5 of solution.py" in ended.stdout
    assert "answers.yaml, parameter_delta: read as -786,432" in ended.stdout, "the answers are looked at all the same"
    assert "submission.zip is of an earlier run" in ended.stdout
    assert (folder / "submission.zip").read_bytes() == before


def test_a_file_that_is_changed_after_the_check_is_noted_by_the_grader(engine: Engine, folder: Path) -> None:
    look(solved(folder), write=True)
    files = zips.unpack((folder / "submission.zip").read_bytes())
    (folder / "again.zip").write_bytes(zips.pack({**files, "solution.py": files["solution.py"] + b"\n"}))
    report: Report = engine.grade(folder / "again.zip")
    assert report.submission.notes == ["solution.py was changed after check.py wrote the manifest"]
    assert report.verdict is Verdict.PASSED


# Tests, run as they would be


def tried(tests: str, solution: str = "", seconds: float = 60) -> trial.Trial:
    """How some tests go."""
    files = {"solution.py": solution.encode(), "test_public.py": textwrap.dedent(tests).encode()}
    return trial.run(files, ["test_public.py"], seconds)


def test_tests_are_told_one_by_one_with_the_reason_in_a_line() -> None:
    went = tried(
        """
        import pytest, solution
        def test_right(): assert solution.f() == 1
        def test_wrong(): assert solution.f() == 2, "it is\\x1b[31m one"
        def test_raises(): solution.g()
        @pytest.mark.parametrize("n", [1, 2])
        def test_each(n): assert n == 1
        @pytest.fixture
        def broken(): raise RuntimeError("no fixture")
        def test_with_it(broken): ...
        """,
        "def f(): return 1\n",
    )
    assert (went.passed, went.tests, went.stopped) == (2, 6, "")
    assert list(went.failed) == ["test_wrong", "test_raises", "test_each[2]", "test_with_it"]
    assert went.failed["test_wrong"] == r"AssertionError: it is\x1b[31m one"
    assert "no attribute 'g'" in went.failed["test_raises"]
    assert "no fixture" in went.failed["test_with_it"]


def test_a_test_that_hangs_is_ended_and_named() -> None:
    went = tried(
        "import time\ndef test_first(): ...\ndef test_hangs():\n    while True: time.sleep(1)\ndef test_last(): ...\n",
        seconds=6,
    )
    assert went.stopped == "still running after 6 seconds in test_hangs"
    assert went.passed == 1


def test_a_test_that_ends_the_program_or_prints_without_end_is_told() -> None:
    ends = tried("import os\ndef test_first(): ...\ndef test_ends(): os._exit(3)\n")
    assert ends.stopped == "the run ended in test_ends before its time (exit status 3)"
    went = tried("def test_prints():\n    for _ in range(200): print('x' * 1_000_000)\n")
    assert (went.passed, went.failed, went.stopped) == (1, {}, "")


def test_what_a_test_leaves_running_is_ended_with_it(tmp_path: Path) -> None:
    mark = tmp_path / "mark"
    child = f"import time; time.sleep(20); open({str(mark)!r}, 'w')"
    went = tried(f"import subprocess, sys\ndef test_leaves(): subprocess.Popen([sys.executable, '-c', {child!r}])\n")
    assert went.passed == 1
    listing = subprocess.run(["ps", "-eo", "args"], capture_output=True, text=True, check=True).stdout
    assert str(mark) not in listing


def test_a_helper_that_the_grader_would_not_have_is_missing_here_too(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "helper.py").write_text("x = 1\n")
    monkeypatch.chdir(folder)
    went = tried("import solution\ndef test_it(): assert solution.x\n", "from helper import x\n")
    assert "No module named 'helper'" in "".join(went.failed.values())
    assert went.passed == 0


def test_a_wrong_solution_is_told_and_may_be_sent_and_no_file_is_changed(folder: Path) -> None:
    wrong = SWAP.solution("wrong/sines-first.py") or ""
    (solved(folder) / "solution.py").write_bytes(wrong.replace("\n", "\r\n").encode())
    (folder / "notes.txt").write_text("mine")
    ended = checked(folder)
    assert ended.returncode == 1
    assert re.search(r"change  test_public.py: test_the_table_is_the_one_in_the_prompt: \w", ended.stdout)
    assert "To change: 2 things" in ended.stdout or "To change: 1 thing" in ended.stdout
    assert "you may also send submission.zip as it is now" in ended.stdout.replace("\n", " ")
    assert (folder / "submission.zip").is_file()


def test_a_changed_public_test_or_support_file_changes_nothing(folder: Path) -> None:
    solved(folder)
    (folder / "test_public.py").write_text("def test_nothing(): ...\n")
    (folder / "gpt.py").write_text("raise SystemExit\n")
    for name in ("json.py", "grader.py", "torch.py", "numpy.py", "inspect.py", "pytest.py", "conftest.py"):
        (folder / name).write_text("raise SystemExit('picked up')\n")
    ended = checked(folder, flags=())
    assert "5 of 5 tests passed" in ended.stdout, ended.stdout + ended.stderr
    assert "ignored: conftest.py, gpt.py, grader.py" in ended.stdout
    assert ended.returncode == 0


def test_the_candidates_own_tests_are_run_on_the_candidates_solution(tmp_path: Path) -> None:
    files = contents.contents(SUITE_QUESTION, Settings())
    folder = unpacked(files, tmp_path / "packet")
    starter = look(folder)
    assert [remark.words for remark in starter.remarks][:2] == ["not started", "not started"]
    (folder / "solution.py").write_text(SUITE_QUESTION.reference or "", "utf-8")
    assert [remark.weight for remark in look(folder).remarks if remark.about == "test_solution.py"] == [Weight.LATER]
    tests = "from solution import sinusoidal_freqs\ndef test_right(): sinusoidal_freqs(8)\ndef test_no(): assert 0\n"
    (folder / "test_solution.py").write_text(tests)
    said = [remark.words for remark in look(folder).remarks if remark.about == "test_solution.py"]
    assert said[0].startswith("test_no: ") and said[1].startswith("1 of 2 tests passed")
    (folder / "test_solution.py").write_text("def test(:\n")
    (remark,) = [remark for remark in look(folder).remarks if remark.about == "test_solution.py"]
    assert remark.weight is Weight.CHANGE and "line 1, column 10 of test_solution.py" in remark.words
    (folder / "test_solution.py").unlink()
    (remark,) = [remark for remark in look(folder).remarks if remark.about == "test_solution.py"]
    assert remark.words == "there is no such file"


# Other machines


def test_without_pytest_and_torch_it_says_how_to_install_them_and_does_the_rest(folder: Path) -> None:
    ended = checked(solved(folder), flags=("-I", "-S"))
    assert ended.returncode == 1
    assert "not run, since pytest and numpy and torch can't be imported here" in ended.stdout
    assert "python -m pip install -r requirements.txt" in ended.stdout
    assert "numpy missing here, 2." in ended.stdout
    assert (folder / "submission.zip").is_file()


WINDOWS: Final = """
import os, sys
for name in ("resource", "fcntl", "termios", "pwd", "grp"):
    sys.modules[name] = None
for name in ("O_NONBLOCK", "O_CLOEXEC", "O_NOCTTY", "O_NOFOLLOW", "O_DIRECTORY", "killpg", "setsid", "fork", "getuid"):
    if hasattr(os, name):
        delattr(os, name)
"""


def test_it_runs_where_there_is_nothing_of_unix(folder: Path) -> None:
    long = "x = 1\n" * 10_000
    ended = checked(solved(folder, REFERENCE + long), flags=("-I", "-S", "-c", WINDOWS + FOLLOW))
    assert "everything that is asked for is there" in ended.stdout, ended.stdout + ended.stderr
    assert "parameter_delta: read as -786,432" in ended.stdout
    assert (folder / "submission.zip").is_file()


def test_the_parser_works_without_limits_where_there_are_none(folder: Path) -> None:
    start = "import sys; sys.modules['resource'] = None; sys.path.insert(0, 'preflight.zip'); "
    parser = "sys.argv[1:] = ['preflight.zip', '3', '11']; from grader.submission.syntax import main; main()"
    ended = subprocess.run(
        [sys.executable, "-I", "-S", "-c", start + parser],
        cwd=folder,
        input=b"def f(x): ...\n",
        capture_output=True,
        check=True,
    )
    assert json.loads(ended.stdout)["names"] == ["f"]


@pytest.mark.parametrize("version", [(3, 6, 0), (3, 8, 18), (3, 10, 2)])
def test_an_older_python_is_told_in_one_line(folder: Path, version: tuple[int, int, int]) -> None:
    compile_for = f"import ast; ast.parse(open('check.py').read(), feature_version={version[:2]})\n"
    older = f"import sys; sys.version_info = {version}\n"
    ended = checked(folder, flags=("-I", "-c", compile_for + older + FOLLOW))
    assert "STATUS 2" in ended.stdout
    assert ended.stderr == f"check.py needs Python 3.11 or later, and this is Python {version[0]}.{version[1]}.\n"


@pytest.mark.parametrize("content", [None, b"", b"PK", PACKET["preflight.zip"][:5000]])
def test_a_packet_that_is_damaged_is_told_in_one_line(folder: Path, content: bytes | None) -> None:
    solved(folder)
    (folder / "preflight.zip").unlink()
    if content is not None:
        (folder / "preflight.zip").write_bytes(content)
    ended = checked(folder)
    assert (ended.returncode, ended.stdout) == (2, "")
    assert ended.stderr == "preflight.zip is not as it came. Unpack the packet again, and copy your files into it.\n"


@pytest.mark.parametrize("content", [None, b"", b"{", b"[1]"])
def test_a_packet_without_its_name_is_checked_all_the_same(folder: Path, content: bytes | None) -> None:
    (folder / "packet.json").unlink()
    if content is not None:
        (folder / "packet.json").write_bytes(content)
    look(solved(folder), write=True)
    fields = json.loads(zips.unpack((folder / "submission.zip").read_bytes())["manifest.json"])
    assert fields["packet"] == {"question": SWAP.id, "version": SWAP.spec.version}


def test_a_console_that_lacks_a_character_and_a_folder_that_can_not_be_written_are_no_tracebacks(folder: Path) -> None:
    solved(folder, "def f(:  # é")
    (folder / "漢字.txt").write_text("x")
    ended = subprocess.run(
        [sys.executable, "-I", "check.py"],
        cwd=folder,
        capture_output=True,
        env={**os.environ, "PYTHONIOENCODING": "ascii"},
        check=False,
    )
    assert (ended.returncode, ended.stderr) == (1, b"")
    solved(folder)
    part = folder / ".submission.zip.part"
    part.mkdir()
    ended_too = checked(folder, flags=("-I", "-S"))
    assert ended_too.returncode == 2
    assert ended_too.stderr.startswith("check.py could not do its work (")
    assert len(ended_too.stderr.splitlines()) == 1


@pytest.mark.parametrize("arguments", [["--help"], ["a", "b"]])
def test_a_call_that_is_wrong_is_told_how_it_goes(folder: Path, arguments: list[str]) -> None:
    ended = checked(folder, *arguments)
    assert ended.returncode == 2
    assert ended.stdout.startswith("Usage: python check.py")


def test_other_versions_are_noted(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    task = Task.from_json(zips.unpack((folder / "preflight.zip").read_bytes())[TASK])
    here = {
        "python": "3.11.2",
        "numpy": task.environment["numpy"],
        "torch": f"{task.environment['torch']}+cpu",
        "pytest": "",
    }
    monkeypatch.setattr(check, "versions", lambda: here)
    (remark,) = check._environment(task)
    assert remark.words == f"pytest missing here, {task.environment['pytest']} there"
    monkeypatch.setattr(sys, "version_info", (3, 13, 0))
    assert any(remark.about == "Python" and "3.11 grades" in remark.words for remark in check._environment(task))
