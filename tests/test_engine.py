"""What a submission can do to the engine: cost itself points, and nothing else.

Each case takes the reference and makes one of its parts behave badly; the parts that are left alone keep their points.
"""

from __future__ import annotations

import itertools
import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from grader.bank import Bank
from grader.errors import GraderFault
from grader.examine import probes
from grader.examine.serving import ALIKE, Serving
from grader.examine.subject import Subject
from grader.examine.zygote import Zygote
from grader.grade import Engine
from grader.outcome import Outcome, Verdict
from grader.question import Question
from grader.report import Report

QUESTION = "swap-learned-positions"
TABLE = {"interleaved-layout", "frequency-ladder", "positions-from-zero", "odd-width"}
COUNTER = {"unique-counter"}
REFERENCE = Bank.find().get(QUESTION).reference or ""


def brisk(question: Question) -> Question:
    """The question with limits that make a hang cheap to wait for."""
    limits = replace(question.spec.limits, call_cpu_seconds=1.0, call_wall_seconds=4.0, memory_mib=600)
    return Question(question.spec.model_copy(update={"limits": limits}), question.folder, question.solutions)


@pytest.fixture(scope="module")
def engine(zygote: Zygote) -> Iterator[Engine]:
    """A warm engine for the first question."""
    with Engine(brisk(Bank.find().get(QUESTION)), zygote) as engine:
        yield engine


@pytest.fixture
def grade(engine: Engine, tmp_path: Path) -> Callable[[str], Report]:
    """Grade a text."""

    def graded(source: str) -> Report:
        path = tmp_path / "solution.py"
        path.write_text(source, "utf-8")
        return engine.grade(path)

    return graded


def with_counter(body: str, prelude: str = "") -> str:
    """The reference, with another body for `count_parameters`."""
    head, found, _ = REFERENCE.partition("def count_parameters")
    assert found
    return f"{prelude}\n{head}def count_parameters(model):\n    {body}\n"


def outcomes(report: Report) -> dict[str, Outcome]:
    """Each criterion's outcome; the answers, which these submissions leave out, aside."""
    return {part.id: part.outcome for part in report.criteria if part.id != "parameter_delta"}


def only(report: Report, missed: set[str], outcome: Outcome) -> None:
    """Assert that exactly these criteria ended so, and that all others passed."""
    expected = {id: outcome if id in missed else Outcome.PASSED for id in outcomes(report)}
    assert outcomes(report) == expected, [part for part in report.criteria if part.outcome is not Outcome.PASSED]


def seen(report: Report, id: str) -> str:
    """What the first check of a criterion that did not pass says."""
    part = next(part for part in report.criteria if part.id == id)
    return next(evidence.seen for evidence in part.evidence if evidence.outcome is not Outcome.PASSED)


# One bad function, the rest right


@pytest.mark.parametrize(
    ("body", "outcome", "says"),
    [
        pytest.param("while True: pass", Outcome.TIMED_OUT, "1 s of CPU time", id="loops for ever"),
        pytest.param("import time; time.sleep(3600)", Outcome.TIMED_OUT, "without an answer", id="sleeps"),
        pytest.param("x = [0]\n    while True: x += x", Outcome.OUT_OF_MEMORY, "MemoryError", id="eats memory"),
        pytest.param("import os; os._exit(1)", Outcome.CRASHED, "exit status 1", id="leaves with os._exit"),
        pytest.param("import os; os._exit(0)", Outcome.CRASHED, "exit status 0", id="leaves with status 0"),
        pytest.param("import sys; sys.exit(0)", Outcome.CRASHED, "SystemExit", id="raises SystemExit"),
        pytest.param("raise KeyboardInterrupt", Outcome.CRASHED, "KeyboardInterrupt", id="raises KeyboardInterrupt"),
        pytest.param("raise GeneratorExit", Outcome.CRASHED, "GeneratorExit", id="raises GeneratorExit"),
        pytest.param(
            "import os, signal; os.kill(os.getpid(), signal.SIGKILL)", Outcome.CRASHED, "SIGKILL", id="is killed"
        ),
        pytest.param("import ctypes; ctypes.string_at(0)", Outcome.CRASHED, "SIGSEGV", id="dies of a bad address"),
        pytest.param("return model.no_such_thing", Outcome.CRASHED, "AttributeError", id="raises"),
        pytest.param("raise NotImplementedError", Outcome.FAILED, "NotImplementedError", id="is not written"),
        pytest.param("return input()", Outcome.CRASHED, "EOFError", id="asks for input"),
        pytest.param("return None", Outcome.FAILED, "None, expected an integer", id="returns None"),
        pytest.param("return float('nan')", Outcome.FAILED, "float nan", id="returns NaN"),
        pytest.param("return 10 ** 400", Outcome.FAILED, "of type int", id="returns a huge integer"),
        pytest.param("x = []; x.append(x); return x", Outcome.FAILED, "expected an integer", id="returns a knot"),
    ],
)
def test_one_bad_function_costs_its_own_criterion(
    grade: Callable[[str], Report], body: str, outcome: Outcome, says: str
) -> None:
    report = grade(with_counter(body))
    only(report, COUNTER, outcome)
    assert says in seen(report, "unique-counter")
    assert report.verdict is Verdict.PASSED, "unique-counter is not required"


def test_an_endless_printer_is_stopped_and_what_it_says_is_dropped(grade: Callable[[str], Report]) -> None:
    report = grade(with_counter("while True: print('PASSED ' * 1000)"))
    only(report, COUNTER, Outcome.TIMED_OUT)
    assert any("more than 64 KiB" in note for note in report.submission.notes)


def test_printing_a_lot_and_then_being_right_costs_nothing(grade: Callable[[str], Report]) -> None:
    report = grade("print('=== 1 passed in 0.10s ===\\n' * 200_000)\n" + REFERENCE)
    only(report, set(), Outcome.PASSED)


@pytest.mark.parametrize(
    ("missing", "says"),
    [
        pytest.param("", "count_parameters is not defined, expected count_parameters(model)", id="missing"),
        pytest.param(
            "def count_parameters(model, verbose): return 0",
            "count_parameters takes (model, verbose), expected count_parameters(model)",
            id="one argument too many",
        ),
        pytest.param(
            "class count_parameters: pass", "count_parameters takes (), expected count_parameters(model)", id="a class"
        ),
        pytest.param("count_parameters = 3", "raised TypeError", id="a number"),
    ],
)
def test_a_part_that_does_not_fit_is_named_with_the_signature_asked_for(
    grade: Callable[[str], Report], missing: str, says: str
) -> None:
    report = grade(REFERENCE.partition("def count_parameters")[0] + missing)
    assert {id for id, outcome in outcomes(report).items() if outcome is not Outcome.PASSED} == COUNTER
    assert says in seen(report, "unique-counter")


def test_a_table_function_that_hangs_leaves_the_module_its_points(grade: Callable[[str], Report]) -> None:
    report = grade(REFERENCE + "\n_right = sinusoidal_pe\n" + RENAMED)
    missed = {id for id, outcome in outcomes(report).items() if outcome is not Outcome.PASSED}
    assert missed == TABLE | {"angle-precision"}
    assert {outcomes(report)[id] for id in missed} == {Outcome.TIMED_OUT}


# The module keeps the right table under another name; only the public function hangs.
RENAMED = """
class SinusoidalPositions(nn.Module):
    def __init__(self, max_len, d_model, base):
        super().__init__()
        self.register_buffer("table", torch.from_numpy(_right(max_len, d_model, base)).float())

    def forward(self, x):
        if x.shape[1] > len(self.table):
            raise ValueError("too long")
        return x + self.table[: x.shape[1]]

def sinusoidal_pe(max_len, d_model, base):
    while True:
        pass
"""


# The file as a whole


@pytest.mark.parametrize(
    ("source", "says"),
    [
        pytest.param("import sys; sys.exit(0)", "ended the program", id="sys.exit"),
        pytest.param("import os; os._exit(0)", "exit status 0", id="os._exit"),
        pytest.param("raise ValueError('no')", "ValueError at line 1: no", id="raises"),
        pytest.param("import no_such_package", "ModuleNotFoundError at line 1", id="imports what is not there"),
        pytest.param("while True: pass", "CPU time", id="loops"),
        pytest.param("input('name? ')", "EOFError", id="asks for input"),
        pytest.param("x = bytearray(1 << 34)", "MemoryError", id="takes 16 GiB"),
    ],
)
def test_a_file_that_does_not_load_fails_once_with_its_reason(
    grade: Callable[[str], Report], source: str, says: str
) -> None:
    report = grade(source)
    assert report.verdict is Verdict.FAILED
    assert report.score.earned == 0
    assert set(outcomes(report).values()) == {Outcome.NOT_REACHED}
    assert [part.id for part in report.diagnosis] == ["does-not-load"]
    assert says in report.diagnosis[0].why


def test_code_for_running_the_file_as_a_script_does_not_run(grade: Callable[[str], Report]) -> None:
    only(grade(REFERENCE + "\nif __name__ == '__main__':\n    raise SystemExit(input())\n"), set(), Outcome.PASSED)


@pytest.mark.parametrize(
    "prelude",
    [
        pytest.param("import warnings; warnings.simplefilter('error')", id="warnings as errors"),
        pytest.param("import os; os.write(2, b'a library warns\\n')", id="a warning on descriptor 2"),
        pytest.param("import sys; sys.stdout = sys.stderr = None", id="no streams"),
        pytest.param("import os; os.close(1); os.close(2)", id="closed streams"),
        pytest.param("import numpy as np; np.seterr(all='raise')", id="numpy errors raise"),
        pytest.param("import random; random.seed(1)", id="seeds"),
        pytest.param("import gc; gc.disable()", id="no collector"),
        pytest.param("import threading, time\nthreading.Thread(target=time.sleep, args=(60,)).start()", id="a thread"),
        pytest.param("import torch; torch.set_grad_enabled(True)", id="gradients on"),
        pytest.param("from __future__ import annotations", id="future import"),
    ],
)
def test_habits_that_change_no_result_cost_nothing(grade: Callable[[str], Report], prelude: str) -> None:
    body = REFERENCE.partition('"""\n')[2] if prelude.startswith("from __future__") else REFERENCE
    only(grade(f"{prelude}\n{body}"), set(), Outcome.PASSED)


# What is left behind


def descendants(pid: int) -> set[int]:
    """The processes below one, at this moment."""
    parents: dict[int, int] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            with suppress(OSError, IndexError):
                fields = (entry / "stat").read_text("utf-8", errors="replace").rpartition(")")[2].split()
                if fields[0] != "Z":
                    parents[int(entry.name)] = int(fields[1])
    found = {pid}
    while more := {child for child, parent in parents.items() if parent in found} - found:
        found |= more
    return found - {pid}


@pytest.mark.parametrize(
    "reach",
    [
        pytest.param("sys.modules['grader.worker.observe']", id="by name"),
        pytest.param("next(name for name in sys.modules if name.partition('.')[0] == 'grader')", id="by search"),
        pytest.param("sys.modules['__main__'].main", id="from the top"),
    ],
)
def test_what_looks_at_a_call_is_out_of_easy_reach(grade: Callable[[str], Report], reach: str) -> None:
    tried = f"try:\n    found = {reach}\nexcept (KeyError, AttributeError, StopIteration):\n    found = None\n"
    only(grade(f"import sys\n{tried}assert found is None, found\n{REFERENCE}"), set(), Outcome.PASSED)


LEAVES = """
import os, signal, sys, time
for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
    signal.signal(number, signal.SIG_IGN)
try:
    for _ in range(3):
        if os.fork() == 0:
            os.setsid()
            if os.fork() == 0:
                while True:
                    time.sleep(60)
            os._exit(0)
except OSError:
    pass  # where it can't even fork
open("kept.txt", "w").write("here")
os.mkdir("deep"); open("deep/x", "w").write("")
try:
    os.chmod("deep", 0)
except OSError:
    pass
"""


def test_nothing_outlives_a_run(engine: Engine, grade: Callable[[str], Report]) -> None:
    zygote = engine.warm.zygote.process.pid
    only(grade(LEAVES + REFERENCE), set(), Outcome.PASSED)
    waited(lambda: not descendants(zygote))
    assert not list(Path("/tmp").glob(f"worker-{zygote}-*"))


def test_nothing_outlives_a_command_that_is_killed(tmp_path: Path) -> None:
    (tmp_path / "solution.py").write_text("import time; time.sleep(3600)")
    command = [sys.executable, "-m", "grader", "run", str(tmp_path / "solution.py"), "-q", QUESTION]
    run = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    started: set[int] = set()

    def working() -> bool:
        started.update(descendants(run.pid))
        return len(started) >= 5

    waited(working)
    run.send_signal(signal.SIGKILL)
    run.wait()
    waited(lambda: not any(map(is_alive, started)))


def is_alive(pid: int) -> bool:
    """Whether a process is there and no zombie."""
    with suppress(OSError):
        return Path(f"/proc/{pid}/stat").read_text("utf-8", errors="replace").rpartition(")")[2].split()[0] != "Z"
    return False


def waited(until: Callable[[], bool]) -> None:
    """Wait for a state, for as long as a loaded machine may need."""
    for _ in range(600):
        if until():
            return
        time.sleep(0.1)
    raise AssertionError("it did not come to that")


# The same again


def test_the_same_submission_gives_the_same_report_but_for_timing(grade: Callable[[str], Report]) -> None:
    source = (
        REFERENCE.replace("base ** ", "base ** 1.5 * ") + "\nimport random\nprint(random.random(), {'a', 'b', 'c'})\n"
    )
    first, second = (re.sub(r'"timing": \{[^}]*\}', "", grade(source).to_json()) for _ in range(2))
    assert first == second


def test_another_seed_draws_other_inputs_and_changes_no_mark(engine: Engine, tmp_path: Path) -> None:
    (tmp_path / "solution.py").write_text(REFERENCE)
    for seed in (1, 2, 3):
        report = engine.grade(tmp_path / "solution.py", seed)
        assert report.seed == seed
        only(report, set(), Outcome.PASSED)


def test_a_submission_can_not_reach_the_examiner_or_the_next(grade: Callable[[str], Report]) -> None:
    vandal = "import numpy, torch, json, builtins\nnumpy.allclose = torch.allclose = lambda *a, **k: True\n"
    vandal += "json.dumps = lambda *a, **k: '{}'\ndel builtins.open\n"
    grade(vandal + REFERENCE)
    only(grade(REFERENCE), set(), Outcome.PASSED)


def test_workers_get_no_environment_and_no_descriptors(engine: Engine) -> None:
    os.environ["SECRET_TOKEN"] = "known only here"
    with Engine(engine.question) as fresh:
        probes = fresh.warm.isolation().probes
    assert all(probes.values()), probes


def test_a_zygote_that_is_gone_is_a_fault_of_ours_and_no_word_on_the_submission() -> None:
    question = brisk(Bank.find().get(QUESTION))
    control, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    theirs.close()
    before = len(list(Path("/proc/self/fd").iterdir()))
    with control, pytest.raises(GraderFault, match="a worker could not be started"):
        probes.value(lambda candidate: candidate.anything(), Subject(question.brief, REFERENCE, control))
    assert len(list(Path("/proc/self/fd").iterdir())) < before, "what was opened for the worker is closed"


def reply(*outcomes: str, killed: int = 0) -> dict[str, Any]:
    """What a fork of the examiner says of two checks."""
    return {"checks": [{"seen": each} for each in outcomes], "killed": killed}


@pytest.mark.parametrize(
    ("replies", "taken"),
    [
        pytest.param([reply("passed", "passed")], 0, id="nobody was killed"),
        pytest.param([reply("crashed", "passed", killed=1), reply("passed", "passed")], 1, id="once, from outside"),
        pytest.param(
            [reply("crashed", "passed", killed=1), reply("passed", "crashed", killed=1), reply("passed", "passed")],
            2,
            id="twice, from outside",
        ),
        pytest.param(
            [reply("crashed", "passed", killed=1)] * (ALIKE - 1) + [reply("passed", "passed")],
            ALIKE - 1,
            id="again and again in one check",
        ),
        pytest.param([reply("crashed", "passed", killed=1)] * ALIKE, ALIKE - 1, id="by itself, each time"),
    ],
)
def test_who_is_killed_from_outside_is_asked_again_until_attempts_end_alike(
    monkeypatch: pytest.MonkeyPatch, replies: list[dict[str, Any]], taken: int
) -> None:
    left = iter([dict(each) for each in replies])
    monkeypatch.setattr(Serving, "_answer", lambda *_: next(left))
    expected = {name: value for name, value in replies[taken].items() if name != "killed"}
    assert served(wall=60).answer({}) == expected
    assert next(left, None) is None


def test_who_dies_in_another_way_each_time_is_not_asked_again_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = itertools.count(step=20.0)
    monkeypatch.setattr(
        "grader.examine.serving.time", SimpleNamespace(monotonic=lambda: next(clock), sleep=lambda _: None)
    )
    replies = [reply(*outcomes, killed=1) for outcomes in itertools.product(("passed", "crashed"), repeat=3)]
    for wall, asked in ((70, 4), (0, 1)):
        left = iter([dict(each) for each in replies])
        monkeypatch.setattr(Serving, "_answer", lambda *_, left=left: next(left))
        served(wall).answer({})
        assert len(list(left)) == len(replies) - asked


def served(wall: float) -> Serving:
    """The examiner's own end, of a question that allows so many seconds on the wall."""
    made = object.__new__(Serving)
    limits = SimpleNamespace(submission_wall_seconds=wall)
    made.examining = cast(Any, SimpleNamespace(brief=SimpleNamespace(limits=limits)))
    return made
