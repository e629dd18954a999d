"""The `grader` command: what it prints, what it writes, and the status that it exits with."""

from __future__ import annotations

import json
import os
import pty
import re
import subprocess
import sys
from contextlib import nullcontext
from pathlib import Path
from typing import Any, Final

import pytest
from click.testing import CliRunner, Result

from grader import __version__, bank
from grader.bank import Bank
from grader.cli import COMMANDS, main
from grader.examine import examiner
from grader.examine import zygote as examine_zygote
from grader.examine.zygote import Zygote
from grader.report import Report

ROOT: Final = bank.PACKAGE.parent
ID: Final = "swap-learned-positions"
QUESTION: Final = Bank((bank.shipped(),)).get(ID)
WRONG: Final = QUESTION.solutions / "wrong" / "sines-first.py"
ESCAPE: Final = "\x1b"
HOSTILE: Final = f"{ESCAPE}[2J{ESCAPE}]0;owned\x07\x9b31m"
REPORTS: Final = ["feedback.html", "feedback.md", "report.html", "report.json"]


def call(*arguments: str | Path) -> Result:
    """The command, in this process."""
    return CliRunner().invoke(main, [str(each) for each in arguments])


def environment(**changes: str) -> dict[str, str]:
    """The environment of a command that is run from any folder."""
    kept = {key: value for key, value in os.environ.items() if key not in ("NO_COLOR", "FORCE_COLOR", "COLUMNS")}
    path = os.pathsep.join(filter(None, [str(ROOT), kept.get("PYTHONPATH", "")]))
    return {**kept, "PYTHONPATH": path, "TERM": "xterm-256color", **changes}


def command(*arguments: str | Path) -> list[str]:
    """A command line."""
    return [sys.executable, "-m", "grader", *map(str, arguments)]


def shell(*arguments: str | Path, cwd: Path) -> subprocess.CompletedProcess[str]:
    """The command, in a process of its own, its output in pipes."""
    return subprocess.run(
        command(*arguments), cwd=cwd, env=environment(), capture_output=True, encoding="utf-8", check=False
    )


def on_a_terminal(*arguments: str | Path, cwd: Path, **changes: str) -> str:
    """What the command shows on a terminal."""
    ours, theirs = pty.openpty()
    with subprocess.Popen(
        command(*arguments), cwd=cwd, env=environment(**changes), stdin=theirs, stdout=theirs, stderr=theirs
    ):
        os.close(theirs)
        shown = b""
        try:
            while data := os.read(ours, 4096):
                shown += data
        except OSError:  # how Linux says that nobody holds the other end any more
            pass
    os.close(ours)
    return shown.decode("utf-8")


def colours(shown: str) -> list[int]:
    """The codes that set a colour, for letters or behind them."""
    codes = [int(code) for each in re.findall(r"\x1b\[([0-9;]+)m", shown) for code in each.split(";")]
    return [code for code in codes if 30 <= code < 50 or 90 <= code < 108]


def names(folder: Path) -> list[str]:
    """What is in a folder."""
    return sorted(path.name for path in folder.iterdir())


def one_line(result: Result) -> str:
    """The only line of standard error, of a command that was refused without a word on standard output."""
    assert result.stdout == ""
    assert "Traceback" not in result.stderr
    assert result.stderr.startswith("grader: ") and result.stderr.endswith("\n")
    assert result.stderr.count("\n") == 1, result.stderr
    return result.stderr.removeprefix("grader: ").rstrip("\n")


def outcomes(report: dict[str, Any]) -> dict[str, str]:
    """How each criterion ended."""
    return {each["id"]: each["outcome"] for each in report["criteria"]}


# Looking around


def test_the_version_is_that_of_the_package() -> None:
    result = call("--version")
    assert (result.exit_code, result.stdout) == (0, f"grader, version {__version__}\n")


@pytest.mark.parametrize("option", ["-h", "--help"])
def test_help_lists_every_command(option: str) -> None:
    result = call(option)
    assert result.exit_code == 0
    assert all(re.search(rf"^  {name} ", result.stdout, re.MULTILINE) for name in COMMANDS)


@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_every_command_says_what_it_does(name: str) -> None:
    result = call(name, "--help")
    assert result.exit_code == 0
    assert re.search(r"\n\n  [A-Z][^\n]{15,}\n", result.stdout)


def test_list_names_each_question_on_a_line() -> None:
    result = call("list")
    assert result.exit_code == 0
    assert [line.split()[0] for line in result.stdout.splitlines()] == sorted(Bank.find().paths())
    assert QUESTION.spec.title in result.stdout


def test_list_as_json_says_what_a_program_needs() -> None:
    result = call("list", "--json")
    assert result.exit_code == 0
    row = next(each for each in json.loads(result.stdout) if each["id"] == ID)
    assert row == {
        "id": ID,
        "version": QUESTION.spec.version,
        "title": QUESTION.spec.title,
        "level": QUESTION.spec.level,
        "minutes": QUESTION.spec.minutes,
        "draft": False,
        "roles": QUESTION.spec.roles,
        "criteria": len(QUESTION.spec.criteria),
        "points": sum(criterion.points for criterion in QUESTION.spec.criteria),
        "digest": QUESTION.digest,
    }


def test_show_tells_everything_an_interviewer_looks_for() -> None:
    result = call("show", ID)
    assert result.exit_code == 0
    shown = " ".join(result.stdout.split())
    spec = QUESTION.spec
    for word in (spec.title, QUESTION.digest, str(QUESTION.folder), *(each.name for each in spec.defines)):
        assert word in shown
    for part in (*spec.criteria, *spec.answers, *spec.misconceptions):
        assert part.id in shown


def test_schema_prints_the_schema_of_specs() -> None:
    result = call("schema")
    assert result.exit_code == 0
    assert json.loads(result.stdout)["properties"].keys() >= {"id", "criteria", "answers", "misconceptions"}


# Calls that can't be used


@pytest.mark.parametrize("verb", ["show", "run"])
@pytest.mark.parametrize(
    ("id", "hint"),
    [("swap-learned-position", f"Did you mean {ID}?"), ("qqqqq", "`grader list` shows what there is.")],
)
def test_an_unknown_question_gets_a_way_out(verb: str, id: str, hint: str) -> None:
    result = call("show", id) if verb == "show" else call("run", WRONG, "--question", id)
    assert result.exit_code == 2
    assert one_line(result) == f"there is no such question: found {id!r}. {hint}"


def test_a_submission_that_is_not_there_is_named() -> None:
    result = call("run", "no/such/file.py", "--question", ID)
    assert result.exit_code == 2
    assert "no/such/file.py" in one_line(result)


def test_a_kind_of_file_that_can_not_be_graded_is_named(tmp_path: Path) -> None:
    (tmp_path / "solution.docx").write_bytes(b"x")
    result = call("run", tmp_path / "solution.docx", "--question", ID)
    assert result.exit_code == 2
    assert ".docx" in one_line(result)


def test_a_folder_of_questions_that_is_not_there_is_named(tmp_path: Path) -> None:
    result = call("list", "--questions", tmp_path / "nowhere")
    assert result.exit_code == 2
    assert str(tmp_path / "nowhere") in one_line(result)


@pytest.mark.parametrize(
    "arguments",
    [["list", "--questions", HOSTILE], ["run", HOSTILE, "-q", ID], ["show", HOSTILE]],
    ids=lambda each: each[0],
)
def test_control_characters_of_a_name_are_shown_and_not_obeyed(arguments: list[str]) -> None:
    result = call(*arguments)
    assert result.exit_code == 2, result.output
    assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]", one_line(result))


@pytest.mark.parametrize(
    "arguments",
    [["run"], ["run", "x.py"], ["run", "x.py", "-q", ID, "--seed", "-1"], ["nothing"], ["list", "--colour"]],
    ids=" ".join,
)
def test_a_misuse_of_the_command_line_is_explained(arguments: list[str]) -> None:
    result = call(*arguments)
    assert result.exit_code == 2
    assert result.stderr.startswith("Usage: ") and "Error: " in result.stderr and "Traceback" not in result.stderr


def test_an_error_shows_its_traceback_when_asked(tmp_path: Path) -> None:
    plain = shell("show", "qqqqq", cwd=tmp_path)
    told = shell("--debug", "show", "qqqqq", cwd=tmp_path)
    assert (plain.returncode, plain.stdout, plain.stderr.count("\n")) == (2, "", 1)
    assert told.returncode != 0
    assert told.stderr.startswith("Traceback") and "there is no such question" in told.stderr.splitlines()[-1]


def test_a_reader_that_leaves_is_no_error(tmp_path: Path) -> None:
    with subprocess.Popen(
        command("schema"), cwd=tmp_path, env=environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdout is not None and process.stderr is not None
        process.stdout.close()
        assert process.stderr.read() == b""


# A run on the shipped question, as an interviewer has it


@pytest.fixture(scope="module")
def places(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An empty folder to run in."""
    return tmp_path_factory.mktemp("run")


@pytest.fixture(scope="module")
def reference(places: Path) -> subprocess.CompletedProcess[str]:
    """A run on the reference with its answers; the reports are in `right`."""
    return shell("run", QUESTION.solutions, "--question", ID, "--out", "right", cwd=places)


@pytest.fixture(scope="module")
def wrong(places: Path, zygote: Zygote) -> Result:
    """A run on a wrong solution that prints JSON, in this process; the reports are in `wrong/deep`."""
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(places)
        patch.setattr(examine_zygote, "Zygote", lambda: nullcontext(zygote))
        return call("run", WRONG, "-q", ID, "--json", "-o", "wrong/deep")


@pytest.fixture
def broken(tmp_path: Path) -> Path:
    """A file that is refused."""
    path = tmp_path / "solution.py"
    path.write_text("def sinusoidal_pe(:\n")
    return path


def test_the_reference_passes(reference: subprocess.CompletedProcess[str]) -> None:
    assert (reference.returncode, reference.stderr) == (0, "")
    assert reference.stdout.startswith("passed, 100 of 100 points, 14 of 14 criteria\n")


def test_the_three_reports_are_written_and_named(reference: subprocess.CompletedProcess[str], places: Path) -> None:
    assert names(places / "right") == REPORTS
    last = reference.stdout.splitlines()[-1]
    assert last.startswith("Written: ") and all(f"right/{name}" in last for name in REPORTS)
    report = Report.from_fields(json.loads((places / "right" / "report.json").read_text("utf-8")))
    assert report.headline == "passed, 100 of 100 points, 14 of 14 criteria"
    assert report.submission.files == ["solution.py", "answers.yaml"] or "answers.yaml" in report.submission.files


def test_a_pipe_gets_no_escape_codes(reference: subprocess.CompletedProcess[str]) -> None:
    assert ESCAPE not in reference.stdout


def test_a_wrong_solution_does_not_pass(wrong: Result) -> None:
    assert (wrong.exit_code, wrong.stderr) == (1, "")
    report = json.loads(wrong.stdout)
    assert report["verdict"] == "failed"
    assert [each["id"] for each in report["diagnosis"]] == ["sines-first"]
    assert outcomes(report)["interleaved-layout"] == "failed"


def test_the_json_that_is_printed_is_the_report_that_is_written(wrong: Result, places: Path) -> None:
    assert names(places / "wrong" / "deep") == REPORTS
    assert json.loads(wrong.stdout) == json.loads((places / "wrong" / "deep" / "report.json").read_text("utf-8"))


def test_the_report_has_the_fields_that_programs_read(wrong: Result) -> None:
    report = json.loads(wrong.stdout)
    assert list(report) == [
        *(
            "schema",
            "question",
            "submission",
            "verdict",
            "score",
            "criteria",
            "diagnosis",
            "answers",
            "suite",
            "integrity",
        ),
        *("isolation", "seed", "environment", "timing"),
    ]
    assert (report["question"]["id"], report["question"]["digest"]) == (ID, QUESTION.digest)
    assert report["seed"] == QUESTION.seed
    assert set(report["criteria"][0]) == {
        *("id", "title", "points", "earned", "required", "outcome", "feedback", "evidence")
    }
    assert report["isolation"]["tier"] and all(report["isolation"]["probes"].values())


def test_a_run_leaves_nothing_but_its_reports(
    reference: subprocess.CompletedProcess[str], wrong: Result, places: Path
) -> None:
    assert (reference.returncode, wrong.exit_code) == (0, 1)
    assert names(places) == ["right", "wrong"]


def test_a_file_that_is_no_python_is_refused_with_the_place(broken: Path) -> None:
    result = shell("run", broken, "-q", ID, cwd=broken.parent)
    assert (result.returncode, result.stderr) == (1, "")
    assert result.stdout.startswith("refused, nothing was graded\n")
    assert re.search(r"solution\.py:1:\d+|line 1", result.stdout)


def test_a_refusal_is_a_report_too(broken: Path, tmp_path: Path) -> None:
    result = call("run", broken, "-q", ID, "--json", "--out", tmp_path / "out")
    assert result.exit_code == 1, result.output
    report = json.loads(result.stdout)
    assert (report["verdict"], report["score"]["earned"]) == ("refused", 0)
    assert set(outcomes(report).values()) == {"not_reached"}
    assert names(tmp_path / "out") == REPORTS


def test_a_terminal_gets_colours(broken: Path) -> None:
    shown = on_a_terminal("run", broken, "-q", ID, cwd=broken.parent)
    assert colours(shown) and "refused" in shown


def test_a_terminal_gets_no_colours_where_nobody_wants_them(broken: Path) -> None:
    shown = on_a_terminal("run", broken, "-q", ID, cwd=broken.parent, NO_COLOR="1")
    assert not colours(shown) and "refused" in shown


# A team's own question

SPEC: Final = """\
id: double
version: 1
title: Double a number
level: L1 Knowing
minutes: 5
defines:
  - {name: double, kind: function, signature: "(x)", gives: twice x}
criteria:
  - {id: doubles, title: It doubles, points: 3, required: true, tell: It should double what it is given.}
misconceptions:
  - id: squares
    title: It squares
    heard: Twice a number is its square.
    why: That holds for two alone.
    solution: wrong/squares.py
    fails: [doubles]
"""
HIDDEN: Final = """\
from grader.checks import Candidate, Mismatch, criterion


@criterion("doubles")
def test_small_numbers(candidate: Candidate) -> None:
    found = candidate.double(3)
    if found != 6:
        raise Mismatch(f"found {found}, expected 6")
"""
PROBES: Final = """\
from grader.checks import Candidate, probe


@probe
def of_five(candidate: Candidate) -> int:
    return candidate.double(5)
"""


@pytest.fixture
def team(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a bank of one question, named by grader.toml; the working directory is below it."""
    question, solutions = tmp_path / "bank" / "questions" / "double", tmp_path / "bank" / "solutions" / "double"
    for path, text in {
        tmp_path / "grader.toml": 'questions = ["bank/questions"]\n',
        question / "question.yaml": SPEC,
        question / "prompt.md": "Double it.\n",
        question / "skeleton.py": "def double(x):\n    raise NotImplementedError\n",
        question / "hidden" / "test_double.py": HIDDEN,
        question / "hidden" / "probes.py": PROBES,
        solutions / "reference.py": "def double(x):\n    return 2 * x\n",
        solutions / "wrong" / "squares.py": "def double(x):\n    return x**2\n",
        tmp_path / "work" / "solution.py": "def double(x):\n    return x + x\n",
        tmp_path / "work" / "squared.py": "def double(x):\n    return x * x\n",
    }.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    monkeypatch.chdir(tmp_path / "work")
    return question


@pytest.mark.usefixtures("team")
def test_a_teams_question_is_listed_beside_the_shipped_ones() -> None:
    rows = {row["id"]: row for row in json.loads(call("list", "--json").stdout)}
    assert {"double", ID} <= set(rows)
    assert (rows["double"]["criteria"], rows["double"]["points"]) == (1, 3)


def test_a_draft_is_shown_as_one_and_nobody_gets_a_packet_of_it(
    team: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bank, "shipped", lambda: team.parent)  # to list one question takes less than to list them all
    assert call("start", "double", "-o", str(tmp_path / "packet")).exit_code == 0
    assert "a draft" not in call("list").stdout.split("double")[1].splitlines()[0] + call("show", "double").stdout
    spec = team / "question.yaml"
    spec.write_text(spec.read_text("utf-8").replace("minutes: ", "draft: true\nminutes: ", 1), "utf-8")
    assert "a draft" in call("list").stdout.split("double")[1].splitlines()[0]
    assert "a draft: it is not proven yet" in call("show", "double").stdout
    refused = call("start", "double", "-o", str(tmp_path / "other"))
    assert refused.exit_code == 2 and "is a draft" in refused.output
    assert not (tmp_path / "other").exists()


@pytest.mark.usefixtures("team")
def test_a_teams_question_grades_a_right_solution() -> None:
    result = call("run", "solution.py", "-q", "double")
    assert result.exit_code == 0, result.output
    assert result.stdout.startswith("passed, 3 of 3 points, 1 of 1 criteria\n")


@pytest.mark.usefixtures("team")
def test_a_teams_question_names_its_own_mistake() -> None:
    result = call("run", "squared.py", "-q", "double", "--json")
    assert result.exit_code == 1, result.output
    report = json.loads(result.stdout)
    assert outcomes(report) == {"doubles": "failed"}
    assert report["diagnosis"] == [
        {"id": "squares", "title": "It squares", "why": "That holds for two alone.", "criteria": ["doubles"]}
    ]
    assert report["criteria"][0]["feedback"] == "It should double what it is given."
    assert [each["seen"] for each in report["criteria"][0]["evidence"]] == ["found 9, expected 6"]


def marked(mark: str) -> str:
    """The hidden test with a mark of pytest's that lets it off."""
    return f"import pytest\n\npytestmark = pytest.mark.{mark}\n{HIDDEN}"


@pytest.mark.parametrize(
    ("hidden", "says"),
    [
        (f"import a_module_that_is_not_there\n{HIDDEN}", "test_double.py can't be imported: "),
        (f"{HIDDEN}\n\ndef test_x(:\n", "test_double.py can't be imported: "),
        (
            f"{HIDDEN}\n\ndef test_more(candidate): ...\n",
            "test_more is marked with no criterion, expected one of doubles.",
        ),
        (HIDDEN.replace('"doubles"', '"double"'), "expected one of doubles."),
        ("", "the criterion doubles has no check"),
        (marked("xfail"), "test_small_numbers is marked with xfail, and a check always counts."),
        (marked("skipif(False, reason='')"), "test_small_numbers is marked with skipif"),
        (
            f"import pytest\nimport unittest\n{HIDDEN}\n\n@pytest.mark.criterion('doubles')\n"
            "class TestMore(unittest.TestCase):\n    def test_more(self): ...\n",
            "test_more is no plain test, expected a function or a method of a plain class",
        ),
    ],
    ids=["import fails", "no Python", "no criterion", "unknown criterion", "no check", "xfail", "skipif", "unittest"],
)
def test_hidden_tests_that_can_not_be_used_are_an_error_of_the_question(team: Path, hidden: str, says: str) -> None:
    (team / "hidden" / "test_double.py").write_text(hidden)
    result = call("run", "solution.py", "-q", "double")
    assert result.exit_code == 2, result.output
    sentence = one_line(result)
    assert sentence.startswith(f"{team / 'hidden'}: the hidden tests can't be used: ") and says in sentence


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("test_double.py", f"import os\n{HIDDEN}\nos._exit(0)\n"),
        ("test_last.py", "import sys\nsys.exit()\n"),
        ("probes.py", "import os\nos.kill(os.getpid(), 9)\n"),
        ("conftest.py", "import os\nos._exit(0)\n"),
    ],
)
def test_a_hidden_file_that_ends_the_process_is_named(team: Path, name: str, text: str) -> None:
    (team / "hidden" / name).write_text(text)
    result = call("run", "solution.py", "-q", "double")
    assert result.exit_code == 2, result.output
    told = f"{team / 'hidden' / name}: a file of the hidden tests can't be imported: found its process ended."
    assert one_line(result).startswith(told)


def test_a_hidden_file_that_is_never_done_is_named(team: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(examiner, "COLLECT_SECONDS", 8.0)
    (team / "hidden" / "test_last.py").write_text("while True: pass\n")
    result = call("run", "solution.py", "-q", "double")
    assert result.exit_code == 2, result.output
    assert f"{team / 'hidden' / 'test_last.py'}: a file of" in one_line(result) and "no end after 8 s" in result.output


@pytest.mark.parametrize("kind", ["file", "folder"])
def test_a_hidden_file_that_holds_no_check_is_named(team: Path, kind: str) -> None:
    path = team / "hidden" / "test_more.py"
    if kind == "file":
        path.write_text("def check(candidate): ...\n")
    else:
        path.mkdir()
    result = call("run", "solution.py", "-q", "double")
    assert result.exit_code == 2, result.output
    assert "test_more.py holds no check" in one_line(result) or "test_more.py is a folder" in one_line(result)


def test_a_check_that_fails_by_itself_is_our_fault_and_costs_no_other_points(team: Path) -> None:
    extra = "  - {id: halves, title: It halves, points: 2, tell: It should halve.}\nmisconceptions:"
    (team / "question.yaml").write_text(SPEC.replace("misconceptions:", extra))
    with (team / "hidden" / "test_double.py").open("a") as file:
        for name, body in {"fails": "assert candidate.double(4) == 2", "breaks": "1 / 0"}.items():
            file.write(f'\n\n@criterion("halves")\ndef test_{name}(candidate: Candidate) -> None:\n    {body}\n')
    result = call("run", "solution.py", "-q", "double", "--json")
    assert result.exit_code == 3, result.output
    report = json.loads(result.stdout)
    assert report["verdict"] == "grader_fault"
    assert outcomes(report) == {"doubles": "passed", "halves": "grader_fault"}
    assert report["score"] == {"earned": 3, "possible": 5}
    assert [each["outcome"] for each in report["criteria"][1]["evidence"]] == ["failed", "grader_fault"]
    assert "ZeroDivisionError" in report["criteria"][1]["evidence"][1]["seen"]


@pytest.mark.usefixtures("team")
def test_a_spec_that_is_wrong_is_one_sentence_with_its_place(team: Path) -> None:
    (team / "question.yaml").write_text(SPEC.replace("minutes: 5", "minutes: five"))
    result = call("run", "solution.py", "-q", "double")
    assert result.exit_code == 2
    assert one_line(result).startswith(
        f"{team / 'question.yaml'}:5:1: minutes: found 'five': input should be a valid integer"
    )


# The doctor


def test_the_doctor_says_that_this_machine_can_grade() -> None:
    result = call("doctor")
    assert result.exit_code == 0, result.output
    assert result.stdout.startswith("This machine can grade strangers' files.\n")
    assert re.search(r"^isolation +(sealed|confined), as probed", result.stdout, re.MULTILINE)
    assert "torch" in result.stdout


def test_the_doctor_tells_programs_the_same() -> None:
    result = call("doctor", "--json")
    assert result.exit_code == 0, result.output
    found = json.loads(result.stdout)
    assert (found["healthy"], found["trouble"]) == (True, "")
    assert found["probes"] and all(found["probes"].values())
    assert {"grader", "python", "torch", "numpy"} <= set(found["versions"])


# The folder that the command is run in is as untrusted as what is graded, which often lies in it


@pytest.fixture(scope="module")
def beside_strangers(tmp_path_factory: pytest.TempPathFactory) -> subprocess.CompletedProcess[str]:
    """A run, as the installed command makes it, in a folder with files called like modules that the grader imports."""
    folder = tmp_path_factory.mktemp("submission")
    for name in ("json", "numpy", "pytest", "hypothesis", "grader", "conftest", "sitecustomize"):
        (folder / f"{name}.py").write_text("raise SystemExit('a file of the working directory was run')\n")
    (folder / "pytest.ini").write_text("[pytest]\naddopts = --collect-only\n")
    (folder / "solution.py").write_text(WRONG.read_text("utf-8"))
    arguments = command("run", "solution.py", "-q", ID, "--json")
    return subprocess.run(
        [arguments[0], "-P", *arguments[1:]],
        cwd=folder,
        env=environment(),
        capture_output=True,
        encoding="utf-8",
        check=False,
    )


def test_files_of_the_working_directory_are_never_run(
    beside_strangers: subprocess.CompletedProcess[str], wrong: Result
) -> None:
    assert (beside_strangers.returncode, beside_strangers.stderr) == (1, "")
    assert outcomes(json.loads(beside_strangers.stdout)) == outcomes(json.loads(wrong.stdout))
