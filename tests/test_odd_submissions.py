"""What people really send, and what each of it costs: exactly what is wrong with it, and nothing else.

Families of submissions that have stopped, misled or overturned graders that are in use. Each starts from the
reference and goes wrong in one way; every criterion that the fault does not touch keeps its points.
test_engine.py, test_submission.py and test_answers.py hold the first cases of most families; here are their relatives.
"""

from __future__ import annotations

import json
import os
import re
import stat
import subprocess
import sys
import time
import zipfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import replace
from functools import cache
from io import StringIO
from pathlib import Path
from typing import Final

import click.testing
import numpy as np
import pytest

from grader.bank import Bank
from grader.cli import main
from grader.errors import CallError
from grader.examine.brief import Examination
from grader.examine.zygote import Zygote
from grader.grade import Engine
from grader.outcome import Outcome, Verdict
from grader.question import Question
from grader.render import terminal
from grader.render.feedback import feedback
from grader.render.html import page
from grader.report import AnswerPart, Report
from grader.submission import read

QUESTION: Final = "swap-learned-positions"
BANK: Final = Bank.find()
REFERENCE: Final = BANK.get(QUESTION).reference or ""
GOOD_ANSWERS: Final = "parameter_delta: -786432\n"
COUNTER: Final = {"unique-counter"}
LAYOUT: Final = {"interleaved-layout", "frequency-ladder", "positions-from-zero"}
TABLE: Final = LAYOUT | {"odd-width", "angle-precision"}
FORWARD: Final = {"first-rows-added", "forward-unchanged"}
LONG: Final = pytest.mark.long
PASSED, FAILED, CRASHED = Outcome.PASSED, Outcome.FAILED, Outcome.CRASHED
TIMED_OUT, OUT_OF_MEMORY, NOT_REACHED = Outcome.TIMED_OUT, Outcome.OUT_OF_MEMORY, Outcome.NOT_REACHED


@pytest.fixture(scope="module")
def engine(zygote: Zygote) -> Iterator[Engine]:
    """A warm engine for the first question, with limits that make a hang cheap to wait for."""
    question = BANK.get(QUESTION)
    limits = replace(question.spec.limits, call_cpu_seconds=1.0, call_wall_seconds=4.0, memory_mib=600)
    brisk = Question(question.spec.model_copy(update={"limits": limits}), question.folder, question.solutions)
    with Engine(brisk, zygote) as engine:
        yield engine


Grade = Callable[..., Report]


@pytest.fixture
def grade(engine: Engine, tmp_path: Path) -> Grade:
    """Grade files: a text for solution.py, or a name and its content each."""

    def graded(source: str | bytes | None = None, /, **files: str | bytes) -> Report:
        folder = tmp_path / "sent"
        folder.mkdir(exist_ok=True)
        if source is not None:
            files["solution.py"] = source
        for name, content in files.items():
            (folder / name).write_bytes(content.encode() if isinstance(content, str) else content)
        return engine.grade(folder)

    return graded


@pytest.fixture(scope="module")
def examined(engine: Engine) -> Callable[..., Examination]:
    """Examines each text once."""
    return cache(engine.examiner.examine)


@pytest.fixture
def once(engine: Engine, examined: Callable[..., Examination], monkeypatch: pytest.MonkeyPatch) -> None:
    """The same code sent many times, with other answers, is examined once."""
    monkeypatch.setattr(engine.examiner, "examine", examined)


def outcomes(report: Report) -> dict[str, Outcome]:
    """Each criterion's outcome; that of the answer, which most of these leave out, aside."""
    return {part.id: part.outcome for part in report.criteria if part.id != "parameter_delta"}


def missed(report: Report) -> dict[str, Outcome]:
    """The outcomes of the criteria that did not pass."""
    return {id: outcome for id, outcome in outcomes(report).items() if outcome is not PASSED}


def in_full(report: Report) -> None:
    """Assert that the code lost nothing."""
    assert missed(report) == {}, [part for part in report.criteria if part.outcome is not PASSED]
    assert report.verdict is Verdict.PASSED


def costs(report: Report, ids: set[str], outcome: Outcome) -> None:
    """Assert that these criteria ended so, that all others passed, and that the points say the same."""
    assert missed(report) == dict.fromkeys(ids, outcome), [part for part in report.criteria if part.outcome != PASSED]
    kept = sum(part.points for part in report.criteria if part.id in outcomes(report) and part.id not in ids)
    assert report.score.earned == kept


def seen(report: Report, id: str) -> str:
    """What the first check of a criterion that did not pass says."""
    part = next(part for part in report.criteria if part.id == id)
    return next(evidence.seen for evidence in part.evidence if evidence.outcome is not PASSED)


def answer(report: Report, id: str) -> AnswerPart:
    """What was read of an answer."""
    return next(part for part in report.answers if part.id == id)


def refused(report: Report) -> str:
    """The reason of a refusal."""
    assert report.verdict is Verdict.REFUSED
    assert report.score.earned == 0
    assert set(outcomes(report).values()) == {NOT_REACHED}
    (cause,) = report.diagnosis
    assert cause.why in re.sub(r"`|\\(?=\W)", "", feedback(report)), "the candidate is told"
    return cause.why


# Three places to go wrong in

HEAD, _, TAIL = REFERENCE.partition("def count_parameters")
LAST_LINE: Final = "        return x + self.table[:length]  # (B, T, d_model) + (T, d_model)"


def with_counter(body: str, prelude: str = "") -> str:
    """The reference with another body for `count_parameters`."""
    return f"{prelude}\n{HEAD}def count_parameters(model):\n    {body}\n"


def with_forward(body: str, prelude: str = "") -> str:
    """The reference with another last line of `forward`."""
    assert LAST_LINE in HEAD
    changed = HEAD.replace(LAST_LINE, f"        {body}").replace("class Sin", f"{prelude}\n\n\nclass Sin")
    return f"{changed}def count_parameters{TAIL}"


def with_table(body: str, prelude: str = "") -> str:
    """The reference with another `sinusoidal_pe`, which its module does not use; `right` is the table that is due."""
    private = REFERENCE.replace("sinusoidal_pe(", "_right(")
    changed = f"def sinusoidal_pe(max_len, d_model, base):\n    right = _right(max_len, d_model, base)\n    {body}\n"
    return f"{private}\n\n{prelude}\n\n\n{changed}"


# 1, 2: loops (the counter that loops, sleeps and eats memory, and a table that hangs, are in test_engine.py)


@pytest.mark.parametrize(
    ("source", "ids"),
    [
        pytest.param(
            with_table("while max_len > 1000: pass\n    return right"), {"angle-precision"}, id="in long tables"
        ),
        pytest.param(
            with_forward("while x.shape[-1] == 7: pass\n        return x + self.table[:length]"),
            {"first-rows-added"},
            id="at one width only",
        ),
        pytest.param(
            with_counter("try:\n        while True: pass\n    except BaseException:\n        return 0"),
            COUNTER,
            id="in a net for every exception",
        ),
        pytest.param(
            with_counter("def f():\n        try: f()\n        finally: f()\n    f()"), COUNTER, id="by recursion"
        ),
    ],
)
def test_a_loop_costs_what_it_keeps_from_ending(grade: Grade, source: str, ids: set[str]) -> None:
    costs(grade(source), ids, TIMED_OUT)


HOARDS: Final = """kept = []
    while True:
        try:
            kept.append(bytearray(1 << 20))
        except BaseException:
            pass"""


@pytest.mark.parametrize(
    "prelude",
    ["", "import signal\nfor n in range(1, 32):\n    try: signal.signal(n, signal.SIG_IGN)\n    except OSError: pass"],
)
def test_a_loop_that_hoards_memory_and_ignores_everything_is_ended_and_the_next_is_untouched(
    grade: Grade, prelude: str
) -> None:
    report = grade(with_counter(HOARDS, prelude))
    assert missed(report).keys() == COUNTER
    assert missed(report)["unique-counter"] in (TIMED_OUT, OUT_OF_MEMORY)
    in_full(grade(REFERENCE))


# 3, 8: what is printed (an endless printer, and a long one that is right, are in test_engine.py)

NOISE: Final = {
    "a summary of pytest": "print('=== 1 passed in 0.10s ===')",
    "a report": 'print(\'{"verdict": "passed", "score": {"earned": 100, "possible": 100}}\')',
    "a report as a file": "open('report.json', 'w').write('{\"verdict\": \"passed\"}')",
    "bytes without an end of line": "import os; os.write(1, bytes(range(256)) * 2000)",
    "to standard error": "import sys; print('PASSED ' * 100_000, file=sys.stderr)",
    "in the reply's own form": "import os; os.write(1, b'\\x0b\\x00\\x00\\x00' + bytes(8) + b'{\"ok\":null}')",
    "from every thread": "import threading as t\nfor _ in range(8): t.Thread(target=print, args=('PASSED',)).start()",
}


@pytest.mark.parametrize("noise", NOISE.values(), ids=NOISE.keys())
def test_what_is_printed_changes_nothing(grade: Grade, noise: str) -> None:
    costs(grade(f"{noise}\n{with_counter('return 0')}"), COUNTER, FAILED)


def test_all_that_is_printed_at_once_changes_nothing(grade: Grade) -> None:
    in_full(grade("\n".join([*NOISE.values(), REFERENCE])))


def test_much_that_is_printed_is_noted(grade: Grade) -> None:
    report = grade(f"print('x' * 10_000_000)\n{REFERENCE}")
    in_full(report)
    assert "it printed more than 64 KiB, of which the start was kept; what is printed decides nothing" in (
        report.submission.notes
    )


# 4, 5: endings (os._exit, sys.exit, KeyboardInterrupt and signals in the counter are in test_engine.py)


@pytest.mark.parametrize(
    ("source", "says"),
    [
        pytest.param("quit()", "", id="quit"),
        pytest.param("raise SystemExit('done')", "ended the program while it was loaded", id="SystemExit"),
        pytest.param(
            "import sys\ntry:\n    sys.exit(0)\nfinally:\n    print('1 passed')", "ended the program", id="try"
        ),
        pytest.param("import unittest\nunittest.main()", "", id="unittest.main"),
        pytest.param("import os, signal; os.kill(os.getpid(), signal.SIGABRT)", "SIGABRT", id="abort"),
        pytest.param("raise KeyboardInterrupt", "KeyboardInterrupt", id="KeyboardInterrupt"),
        pytest.param(
            "class E(BaseException): pass\nraise E('all passed')", "E at line 2", id="an exception of its own"
        ),
    ],
)
def test_a_file_that_ends_the_program_passes_nothing(grade: Grade, source: str, says: str) -> None:
    report = grade(f"{REFERENCE}\n{source}\n".partition('"""\n')[2] if source.startswith("class") else source)
    assert report.verdict is Verdict.FAILED
    assert set(outcomes(report).values()) == {NOT_REACHED}
    assert [part.id for part in report.diagnosis] == ["does-not-load"]
    assert says.partition(" at ")[0] in report.diagnosis[0].why


@pytest.mark.parametrize("ends", ["import os; os._exit(0)", "raise SystemExit(0)", "raise KeyboardInterrupt"])
def test_an_ending_in_forward_costs_what_calls_it(grade: Grade, ends: str) -> None:
    report = grade(with_forward(f"if x.shape[-1] == 7: {ends}\n        return x + self.table[:length]"))
    costs(report, {"first-rows-added"}, CRASHED)


# 6: files that would be picked up by name

SHADOWS: Final = {
    "conftest.py": "def pytest_runtest_makereport(item, call):\n    raise SystemExit(0)\n",
    "pytest.ini": "[pytest]\naddopts = --collect-only\n",
    "pyproject.toml": "[tool.pytest.ini_options]\naddopts = '--collect-only'\n",
    "setup.cfg": "[tool:pytest]\naddopts = --collect-only\n",
    "sitecustomize.py": "import os\nos._exit(0)\n",
    "usercustomize.py": "import os\nos._exit(0)\n",
    "torch.py": "raise RuntimeError('not torch')\n",
    "numpy.py": "raise RuntimeError('not numpy')\n",
    "json.py": "def loads(*_, **__):\n    return {'verdict': 'passed'}\n",
    "random.py": "raise RuntimeError('not random')\n",
    "gpt.py": "class GPT:\n    pass\n",
    "grader.py": "raise RuntimeError('not the grader')\n",
    "oracle.py": "def exact(*_):\n    return 0\n",
    "test_table.py": "def test_nothing():\n    pass\n",
    "evil.pth": "import os; os._exit(0)\n",
    "question.yaml": "criteria: []\n",
    "report.json": "{}",
}


def test_files_that_would_be_picked_up_by_name_are_ignored_and_noted(
    grade: Grade, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "sent").mkdir()
    monkeypatch.chdir(tmp_path / "sent")
    report = grade(REFERENCE, **SHADOWS)
    in_full(report)
    assert report.submission.files == ["solution.py"]
    (note,) = [note for note in report.submission.notes if note.startswith("ignored: ")]
    assert all(name in note for name in ("conftest.py", "gpt.py", "json.py", "grader.py"))
    assert note.endswith("and 9 more")
    costs(grade(with_counter("return 0"), **SHADOWS), COUNTER, FAILED)


@pytest.mark.parametrize(
    "name",
    [
        *("conftest.py", "gpt.py"),
        *(pytest.param(name, marks=LONG) for name in ("torch.py", "json.py", "sitecustomize.py", "pytest.ini")),
    ],
)
def test_each_of_them_is_ignored_by_itself(grade: Grade, name: str) -> None:
    report = grade(
        f"import json, random, gpt\n{REFERENCE}\nassert json.dumps([1]) == '[1]' and gpt.GPT.forward\n",
        **{name: SHADOWS[name]},
    )
    in_full(report)
    assert f"ignored: {name}" in report.submission.notes


def test_a_solution_can_not_import_what_was_sent_beside_it(grade: Grade) -> None:
    report = grade(f"import helper\n{REFERENCE}", **{"helper.py": "x = 1\n"})
    assert "ModuleNotFoundError" in report.diagnosis[0].why
    assert "ignored: helper.py" in report.submission.notes


# 7: objects that agree with whatever they are asked

AGREES: Final = """
class Agrees:
    def __eq__(self, other): return True
    def __ne__(self, other): return False
    def __lt__(self, other): return True
    __le__ = __gt__ = __ge__ = __eq__
    def __hash__(self): return 0
    def __bool__(self): return True
    def __int__(self): return 28
    __index__ = __len__ = __int__
    def __float__(self): return 0.0
    def __iter__(self): return iter(())
    def __array__(self, *_, **__): return np.zeros((4, 4))
    def __getattr__(self, name): return self
    def __call__(self, *_, **__): return self
    def __instancecheck__(self, _): return True
    __class__ = property(lambda self: int)
"""
TENSOR: Final = """
class Agrees(torch.Tensor):
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        return True
"""
ARRAY: Final = """
class Agrees(np.ndarray):
    def __array_function__(self, *_, **__): return True
    def __array_ufunc__(self, *_, **__): return True
    def __eq__(self, other): return True
    __hash__ = None
"""


@pytest.mark.parametrize(
    ("source", "ids"),
    [
        pytest.param(with_counter("return Agrees()", f"import numpy as np\n{AGREES}"), COUNTER, id="count"),
        pytest.param(with_table("return Agrees()", AGREES), TABLE, id="table"),
        pytest.param(with_forward("return Agrees()", AGREES), FORWARD, id="result of forward"),
    ],
)
def test_what_agrees_with_everything_is_no_array_and_no_number(grade: Grade, source: str, ids: set[str]) -> None:
    report = grade(source)
    costs(report, ids, FAILED)
    assert all(
        re.search(r"is an object of type solution\.\w*Agrees, expected an", seen(report, id))
        for id in ids - {"forward-unchanged"}
    )


def test_an_int_of_its_own_kind_is_taken_for_the_number_that_it_is(grade: Grade) -> None:
    agrees = "type('Agrees', (int,), {'__eq__': lambda *_: True, '__hash__': None, '__index__': lambda _: 28})"
    report = grade(with_counter(f"return {agrees}(27)"))
    costs(report, COUNTER, FAILED)
    assert all("27" in seen(report, id) for id in COUNTER)


def test_a_tensor_of_its_own_kind_answers_no_question_about_itself(grade: Grade) -> None:
    report = grade(with_forward("return (x + self.table[:length]).as_subclass(Agrees)", TENSOR))
    assert FORWARD <= missed(report).keys() <= {*FORWARD, "add-not-in-place"}
    assert "an object of type solution.Agrees, expected an array of shape" in seen(report, "first-rows-added")


def test_an_array_of_its_own_kind_is_taken_for_the_numbers_that_it_holds(grade: Grade) -> None:
    costs(grade(with_table("return np.zeros_like(right).view(Agrees)", ARRAY)), TABLE - {"odd-width"}, FAILED)
    in_full(grade(with_table("return right.view(Agrees)", ARRAY)))


def test_a_plain_tensor_with_answers_of_its_own_is_read_past_them(grade: Grade) -> None:
    lies = "y = torch.zeros_like(x); y.numpy = y.detach = y.cpu = lambda *_: x + self.table[:length]; return y"
    assert {"first-rows-added"} <= missed(grade(with_forward(lies))).keys()
    lies = "y = x + self.table[:length]; y.numpy = y.detach = y.cpu = y.shape_of = None; return y"
    in_full(grade(with_forward(lies)))


# 9: libraries that warn (simplefilter("error"), a line on descriptor 2 and closed streams are in test_engine.py)


@pytest.mark.parametrize(
    "prelude",
    [
        pytest.param("import warnings; warnings.warn('old', DeprecationWarning)", id="a deprecation"),
        pytest.param(
            "import warnings; warnings.simplefilter('error'); warnings.filterwarnings('ignore')", id="filters"
        ),
        pytest.param("import logging; logging.basicConfig(level=0); logging.error('no')", id="logging", marks=LONG),
        pytest.param("import sys; sys.stderr.write('Warning: no GPU found\\n' * 5000)", id="much on stderr"),
        pytest.param("x = '\\d and \\w'", id="odd escapes"),
        pytest.param("assert (1, 'always true')\nx = 1 is 1", id="odd comparisons", marks=LONG),
        pytest.param("import faulthandler; faulthandler.enable()", id="faulthandler"),
    ],
)
def test_warnings_cost_nothing(grade: Grade, prelude: str) -> None:
    in_full(grade(f"{prelude}\n{REFERENCE}"))


# 10: input() (at import and in a call it is in test_engine.py)


@pytest.mark.parametrize("asks", ["input('rows? ')", "import sys; n = int(sys.stdin.readline())", "open(0).read()[0]"])
def test_a_file_that_waits_for_someone_to_type_reads_the_end_of_the_file(grade: Grade, asks: str) -> None:
    report = grade(f"{asks}\n{REFERENCE}")
    assert [part.id for part in report.diagnosis] == ["does-not-load"]
    assert "at line 1" in report.diagnosis[0].why


# 11, 12: bytes and characters (the places of refusals are in test_submission.py)


@pytest.mark.parametrize(
    ("content", "note"),
    [
        pytest.param(b"\xef\xbb\xbf" + REFERENCE.encode(), "byte order mark", id="a byte order mark"),
        pytest.param(REFERENCE.replace("\n", "\r\n").encode(), "CRLF", id="Windows line endings"),
        pytest.param(
            b"\xef\xbb\xbf" + REFERENCE.replace("\n", "\r\n").strip().encode(),
            "CRLF",
            id="both, no last one",
            marks=LONG,
        ),
        pytest.param(REFERENCE.replace("\n", "\r").encode(), "Macintosh", id="old Macintosh line endings"),
        pytest.param(REFERENCE.replace("    ", "\t").strip().encode(), None, id="tabs and no last line ending"),
        pytest.param(
            f"# -*- coding: utf-8 -*-\n# Größe ≥ 位置 🙂\n{REFERENCE}".encode(), None, id="a cookie and letters"
        ),
        pytest.param(f"\x0c\n{REFERENCE}\n\x0c\n".encode(), None, id="form feeds", marks=LONG),
    ],
)
def test_habits_of_editors_cost_nothing(grade: Grade, content: bytes, note: str | None) -> None:
    report = grade(content)
    in_full(report)
    assert any(note in each for each in report.submission.notes) if note else True


@pytest.mark.parametrize(
    ("content", "says"),
    [
        pytest.param(f"{REFERENCE}# Größe\n".encode("latin-1"), "line 57, column 5 of solution.py", id="latin-1"),
        pytest.param(f"# 位置\n{REFERENCE}".encode("cp932"), "Save solution.py as UTF-8: line 1", id="cp932"),
        pytest.param(f"# Größe\n{REFERENCE}".encode("utf-16"), "it is UTF-16", id="utf-16"),
        pytest.param(
            f"# -*- coding: utf-7 -*-\n{REFERENCE}".encode(), "line 1 of solution.py, which declares utf-7", id="utf-7"
        ),
        pytest.param(f"# coding: rot13\n{REFERENCE}".encode(), "declares rot13", id="rot13"),
        pytest.param(f"{REFERENCE}\x00".encode(), "line 57, column 1 of solution.py is a NUL byte", id="NUL"),
        pytest.param(f"# \u202e}}\n{REFERENCE}".encode(), "right-to-left override", id="hidden order"),
    ],
)
def test_an_encoding_that_would_be_misread_is_refused_with_its_line(grade: Grade, content: bytes, says: str) -> None:
    assert says in refused(grade(content))


# 13: names (the reading of odd names is in test_submission.py)


@pytest.mark.parametrize(
    ("folder", "name"),
    [
        ("sent", "my solution (1).py"),
        ("Téo's take-home – final (2)", "solution.py"),
        ("a b\tc", "swap_positions_FINAL.py"),
        ("deep/er/and deeper", "Lösung 位置.py"),
        ("-rf", "solution.PY"),
        ("torch", "numpy.py"),
    ],
)
def test_a_name_of_ones_own_is_graded(engine: Engine, tmp_path: Path, folder: str, name: str) -> None:
    path = tmp_path / folder / name
    path.parent.mkdir(parents=True)
    path.write_text(REFERENCE)
    alone, within = (read(each, engine.question.asked) for each in (path, path.parent))
    assert alone.source == within.source
    in_full(engine.grade(path.parent))


def test_the_same_work_under_another_name_gets_the_same_marks(engine: Engine, tmp_path: Path) -> None:
    for name in ("solution.py", "mine (3).py"):
        (tmp_path / name).write_text(with_counter("return 0"))
    one, other = engine.grade(tmp_path / "solution.py"), engine.grade(tmp_path / "mine (3).py")
    assert (one.criteria, one.score, one.diagnosis) == (other.criteria, other.score, other.diagnosis)


# 14: what the parser stops at (places are in test_submission.py)


@pytest.mark.parametrize(
    "tail",
    ["def f(:\n", "x = (1,\n", "return 1\n", "type? X = int\n", "match x:\n    case 1 | x | 2: pass\n", "“x”\n"],
)
def test_an_error_on_the_last_line_is_refused_with_line_column_and_python(grade: Grade, tail: str) -> None:
    reason = refused(grade(REFERENCE + tail))
    assert re.match(r"Mend line 5[7-9](, column \d+)? of solution\.py, which Python 3\.\d+ ", reason)


# 15: parts that do not fit (a counter that is missing or of another kind is in test_engine.py)

CLASS: Final = re.compile(r"class SinusoidalPositions.*?(?=\n\n\ndef )", re.DOTALL)


@pytest.mark.parametrize(
    ("source", "kept", "says"),
    [
        pytest.param(CLASS.sub("", REFERENCE), COUNTER | TABLE, "SinusoidalPositions is not defined", id="no class"),
        pytest.param(
            CLASS.sub("def SinusoidalPositions(x):\n    return x", REFERENCE),
            COUNTER | TABLE,
            "SinusoidalPositions takes (x), expected SinusoidalPositions(max_len, d_model, base)",
            id="a function for the class",
        ),
        pytest.param(
            REFERENCE.replace("self, max_len: int, d_model: int, base: float", "self, d_model: int"),
            COUNTER | TABLE,
            "SinusoidalPositions takes (d_model: int)",
            id="another constructor",
        ),
        pytest.param(CLASS.sub("SinusoidalPositions = None", REFERENCE), COUNTER | TABLE, "TypeError", id="None"),
        pytest.param(
            REFERENCE.replace("def forward(self, x: torch.Tensor)", "def forward(self, x, mask)"),
            COUNTER | TABLE | {"buffer-registered"},
            "",
            id="a forward of two",
        ),
    ],
)
def test_a_part_that_does_not_fit_leaves_the_others_their_points(
    grade: Grade, source: str, kept: set[str], says: str
) -> None:
    report = grade(source)
    lost = missed(report)
    assert not lost.keys() & kept - {"angle-precision"}
    assert {"first-rows-added", "add-not-in-place", "forward-unchanged"} <= lost.keys()
    first = next(id for id in outcomes(report) if lost.get(id) not in (None, NOT_REACHED))
    assert says in seen(report, first)


# 16: notebooks (cells and magics are in test_submission.py)


def cells(*sources: str) -> str:
    """A notebook with these code cells, and words and outputs in between."""
    body = [
        each
        for source in sources
        for each in (
            {"cell_type": "markdown", "source": ["# Words\n", "import nothing"]},
            {"cell_type": "code", "source": source, "outputs": [{"text": "PASSED"}], "execution_count": 3},
        )
    ]
    return json.dumps({"cells": body, "metadata": {}, "nbformat": 4, "nbformat_minor": 5})


def test_a_notebook_is_graded_and_its_magics_are_named(grade: Grade) -> None:
    split = REFERENCE.index("class Sin")
    sent = cells("%matplotlib inline\n!pip install torch", REFERENCE[:split], REFERENCE[split:], "%%bash\nrm -rf /")
    report = grade(**{"my work.ipynb": sent, "answers.yaml": GOOD_ANSWERS})
    in_full(report)
    assert report.score.earned == report.score.possible
    assert "my work.ipynb is a notebook: its 4 code cells were read in order" in report.submission.notes
    assert "magics and shell lines were left out, in code cell 1, 4" in report.submission.notes


def test_a_fault_in_a_cell_is_told_with_the_cell(grade: Grade) -> None:
    assert "cell 2, line 1, column 5" in refused(grade(**{"solution.ipynb": cells(REFERENCE, "x = )")}))


def test_a_notebook_that_shows_its_work_is_graded_on_its_definitions(grade: Grade) -> None:
    demo = "x = torch.randn(2, 3, 8)\nprint(SinusoidalPositions(16, 8, 10000.0)(x).shape)\nx"
    in_full(grade(**{"solution.ipynb": cells(REFERENCE, demo)}))


# 17: what is left running (daemons, folders and killed commands are in test_engine.py)


@pytest.mark.parametrize(
    "prelude",
    [
        pytest.param("import threading\nthreading.Thread(target=threading.Event().wait).start()", id="waits"),
        pytest.param(
            "import threading\nthreading.Timer(0.05, print, ['PASSED']).start()", id="prints later", marks=LONG
        ),
        pytest.param(
            "import threading, time\ndef _spin():\n    while True: time.sleep(0.01)\n"
            "for _ in range(4): threading.Thread(target=_spin).start()",
            id="spins",
        ),
        pytest.param(
            "import concurrent.futures as c\n_pool = c.ThreadPoolExecutor(4)\n_pool.submit(print, 1)",
            id="pool",
            marks=LONG,
        ),
        pytest.param("import atexit, time\natexit.register(time.sleep, 3600)", id="at exit"),
        pytest.param(
            "class _Late:\n    def __del__(self):\n        while True: pass\n_late = _Late()", id="a finaliser"
        ),
        pytest.param(
            "import subprocess\ntry: subprocess.Popen(['sleep', '3600'])\nexcept OSError: pass", id="another program"
        ),
        pytest.param(
            "import os\ntry:\n    if os.fork() == 0:\n        while True: pass\nexcept OSError: pass", id="fork"
        ),
        pytest.param("import torch\ntorch.set_num_threads(8)", id="threads of torch"),
    ],
)
def test_what_is_left_running_is_ended_and_costs_nothing(engine: Engine, grade: Grade, prelude: str) -> None:
    start = time.monotonic()
    in_full(grade(f"{prelude}\n{REFERENCE}"))
    assert time.monotonic() - start < 40
    until(lambda: not children(engine.warm.zygote.process.pid))


def children(pid: int) -> list[str]:
    """The processes that a process has started and not outlived."""
    return Path(f"/proc/{pid}/task/{pid}/children").read_text("ascii").split()


def until(state: Callable[[], bool]) -> None:
    """Wait for a state, for as long as a loaded machine may need."""
    for _ in range(600):
        if state():
            return
        time.sleep(0.05)
    raise AssertionError("it did not come to that")


# 18: calls that hold the interpreter


@pytest.mark.parametrize(
    "body",
    [
        pytest.param("return sum(range(10 ** 12))", id="a sum"),
        pytest.param("return len(str(3 ** (10 ** 8)))", id="a power", marks=LONG),
        pytest.param("import re; return re.match('(a+)+$', 'a' * 60 + 'b')", id="a regular expression", marks=LONG),
        pytest.param("return torch.linalg.svd(torch.randn(3000, 3000))", id="a decomposition"),
        pytest.param(
            "import collections; return collections.deque(iter(int, 1), maxlen=0)", id="an iterator", marks=LONG
        ),
        pytest.param("import threading; lock = threading.Lock(); lock.acquire(); lock.acquire()", id="a lock"),
    ],
)
def test_a_call_that_holds_the_interpreter_is_ended_from_outside(grade: Grade, body: str) -> None:
    costs(grade(with_counter(body)), COUNTER, TIMED_OUT)


# 19: a loaded machine


def test_a_loaded_machine_changes_no_mark(grade: Grade) -> None:
    source = with_counter("return 0")
    alone = grade(source)
    with ExitStack() as stack:
        for _ in range(2 * (os.cpu_count() or 1)):
            busy = stack.enter_context(subprocess.Popen([sys.executable, "-c", "while True: pass"]))
            stack.callback(busy.kill)
        loaded = grade(source)
    assert alone.model_copy(update={"timing": {}}) == loaded.model_copy(update={"timing": {}})


# 20: numbers of another kind


@pytest.mark.parametrize(
    ("source", "ids", "says"),
    [
        pytest.param(with_table("return np.zeros_like(right)"), TABLE - {"odd-width"}, "0 in every row", id="zeros"),
        pytest.param(with_table("return right * np.nan"), TABLE, "holds nan at [0, 0]", id="NaN"),
        pytest.param(with_table("return right + np.inf"), TABLE, "holds inf at [0, 0]", id="infinity", marks=LONG),
        pytest.param(with_table("return np.rint(right).astype(int)"), TABLE, "has dtype int64", id="integers"),
        pytest.param(with_table("return right > 0"), TABLE, "has dtype bool", id="booleans", marks=LONG),
        pytest.param(
            with_table("return right.astype(complex)"), TABLE, "has dtype complex128", id="complex", marks=LONG
        ),
        pytest.param(with_table("return right.astype(object)"), TABLE, "has dtype object", id="objects"),
        pytest.param(with_table("return right.astype(str)"), TABLE, "has dtype <U32", id="text", marks=LONG),
        pytest.param(with_table("return right.tolist()"), TABLE, "is a list of 120", id="a list"),
        pytest.param(with_table("return right[0, 0]"), TABLE, "is the float 0.0", id="one number"),
        pytest.param(with_table("return None"), TABLE, "is None", id="None"),
        pytest.param(with_table("return right[:, :0]"), TABLE, "has shape [120, 0]", id="nothing"),
        pytest.param(with_table("return right[None]"), TABLE, "has shape [1, 120, 8]", id="one axis more"),
        pytest.param(with_forward("return x * float('nan')"), FORWARD, "holds nan", id="NaN added"),
        pytest.param(with_counter("return float('nan')"), COUNTER, "the float nan", id="a count of NaN"),
        pytest.param(
            with_counter("return 28.0"),
            COUNTER,
            "the float 28.0",
            id="a float",
        ),
        pytest.param(with_counter("return '28'"), COUNTER, "the str '28'", id="a count as text", marks=LONG),
        pytest.param(with_counter("return True"), COUNTER, "the bool True", id="a count of True"),
    ],
)
def test_numbers_of_another_kind_fail_and_are_named(grade: Grade, source: str, ids: set[str], says: str) -> None:
    report = grade(source)
    costs(report, ids, FAILED)
    assert says in seen(report, next(id for id in outcomes(report) if id in ids - {"angle-precision"} or ids == {id}))


@pytest.mark.parametrize(
    "source",
    [
        pytest.param(with_table("return right.astype('>f8')"), id="the other byte order"),
        pytest.param(with_table("return np.asfortranarray(right)"), id="the other order in memory"),
        pytest.param(with_table("return np.ma.array(right)"), id="masked"),
        pytest.param(with_table("return np.asmatrix(right)"), id="a matrix"),
        pytest.param(with_table("return np.repeat(right, 2, axis=0)[::2]"), id="a view with gaps", marks=LONG),
        pytest.param(with_table("right.flags.writeable = False\n    return right"), id="read-only"),
        pytest.param(with_table("return torch.from_numpy(right)"), id="a tensor"),
        pytest.param(
            with_counter("return np.int64(sum(p.numel() for p in model.parameters()))"),
            id="a NumPy integer",
            marks=LONG,
        ),
        pytest.param(
            with_counter("return torch.tensor(sum(p.numel() for p in model.parameters()))"), id="a 0-d tensor"
        ),
        pytest.param(
            with_forward("return torch.add(self.table[:length], x).transpose(0, 1).contiguous().transpose(0, 1)"),
            id="a result with other strides",
        ),
    ],
)
def test_right_numbers_in_another_form_cost_nothing(grade: Grade, source: str) -> None:
    in_full(grade(source))


ODD_VALUES: Final = {
    "nothing": "None",
    "a text": "'x'",
    "lists of unequal length": "[[1], [1, 2]]",
    "an empty array": "np.zeros(0)",
    "text in an array": "np.array(['a'])",
    "no number": "float('nan')",
    "three things": "(1, None, {})",
    "an object": "object()",
}
OF_AN_ODD_KIND: Final = """

import numpy as np


def _spoilt(value):
    odd = {odd}
    if {inside} and isinstance(value, dict) and value:
        return value | dict.fromkeys(list(value)[-1:], odd)
    if {inside} and isinstance(value, list | tuple) and value:
        return type(value)([*value[:-1], odd])
    return odd


def _spoiling(right):
    return lambda *given, **named: _spoilt(right(*given, **named))


{target} = _spoiling({target})
"""


@pytest.mark.parametrize(
    ("id", "odd"),
    [
        pytest.param(id, odd, id=f"{id}, {name}", marks=[] if name.startswith("lists") and "norm" in id else LONG)
        for id in BANK.paths()
        for name, odd in ODD_VALUES.items()
    ],
)
def test_no_value_that_a_function_gives_is_a_fault_of_the_grader(zygote: Zygote, id: str, odd: str) -> None:
    """In place of a whole result, or of the last item of one, for one function or method at a time."""
    question = BANK.get(id)
    targets = [
        f"{each.name}.{method}" if method else each.name
        for each in question.spec.defines
        for method in ([""] if each.kind == "function" else each.methods)
    ]
    with Engine(question, zygote) as engine:
        for target in targets:
            for inside in (False, True):
                spoilt = OF_AN_ODD_KIND.format(target=target, odd=odd, inside=inside)
                examined = engine.examiner.examine(f"{question.reference}{spoilt}", 0)
                faults = [
                    (check.check, check.seen) for check in examined.checks if check.outcome is Outcome.GRADER_FAULT
                ]
                assert not faults, (target, inside)


# 21: state of the whole program

HARMLESS_STATE: Final = {
    "numpy errors": "np.seterr(all='raise')",
    "numpy print options": "np.set_printoptions(precision=1, threshold=2, legacy='1.13')",
    "torch print options": "torch.set_printoptions(precision=0)",
    "seeds": "import random; random.seed(0); np.random.seed(0); torch.manual_seed(0)",
    "a low recursion limit": "import sys; sys.setrecursionlimit(80)",
    "a high recursion limit": "import sys; sys.setrecursionlimit(10 ** 9)",
    "locale": "import locale; locale.setlocale(locale.LC_ALL, 'C')",
    "working directory": "import os; os.chdir('/')",
    "umask": "import os; os.umask(0o777)",
    "sys.path": "import sys; sys.path[:] = ['/nowhere']",
    "environment": "import os; os.environ.clear(); os.environ['OMP_NUM_THREADS'] = '64'",
    "time zone": "import os, time; os.environ['TZ'] = 'Asia/Tokyo'; time.tzset()",
    "collector": "import gc; gc.disable(); gc.set_threshold(0)",
    "decimals": "import decimal; decimal.getcontext().prec = 1",
    "digits": "import sys; sys.set_int_max_str_digits(640)",
    "threads": "torch.set_num_threads(4)",
    "denormals": "torch.set_flush_denormal(True)",
    "anomalies": "torch.autograd.set_detect_anomaly(True)",
    "inference": "torch.inference_mode(True).__enter__()",
    "streams": "import sys; sys.stdout = sys.stderr = open('out', 'w')",
    "hooks": "import sys; sys.excepthook = sys.displayhook = lambda *_: None; sys.tracebacklimit = 0",
    "its own name": "__name__ = 'other'; del __file__",
}
GRIPPING_STATE: Final = {
    "default dtype": ("torch.set_default_dtype(torch.float64)", {"forward-unchanged": FAILED}, "float64"),
    "half default dtype": ("torch.set_default_dtype(torch.float16)", {"forward-unchanged": CRASHED}, "dtype"),
    "no gradients": ("torch.set_grad_enabled(False)", {"forward-unchanged": FAILED}, "no gradient"),
}


# `make test` tries some of each kind: of NumPy, of torch, of Python, of the process, and of the file itself.
SHORT: Final = {
    *("numpy errors", "seeds", "a low recursion limit", "sys.path", "environment", "anomalies", "inference"),
    *("streams", "its own name"),
}
STATES: Final = [
    pytest.param(state, id=name, marks=() if name in SHORT else LONG) for name, state in HARMLESS_STATE.items()
]


@pytest.mark.parametrize("state", STATES)
def test_a_changed_state_that_changes_no_result_costs_nothing(grade: Grade, state: str) -> None:
    in_full(grade(f"{REFERENCE}\n{state}\n"))


@pytest.mark.parametrize(("state", "lost", "says"), GRIPPING_STATE.values(), ids=GRIPPING_STATE.keys())
def test_a_check_that_depends_on_changed_state_says_so_and_the_others_keep_their_points(
    grade: Grade, state: str, lost: dict[str, Outcome], says: str
) -> None:
    report = grade(f"{REFERENCE}\n{state}\n")
    assert missed(report) == lost
    assert says in seen(report, "forward-unchanged")


def test_a_default_device_without_storage_leaves_the_table_its_points(grade: Grade) -> None:
    report = grade(f"{REFERENCE}\ntorch.set_default_device('meta')\n")
    assert not missed(report).keys() & TABLE
    assert "meta" in seen(report, "add-not-in-place")


def examiner_state() -> tuple[object, ...]:
    """What a submission might have changed about the process that grades."""
    environment = {key: value for key, value in os.environ.items() if not key.startswith("PYTEST_")}
    return (
        *(np.geterr(), np.get_printoptions(), sys.getrecursionlimit(), Path.cwd(), list(sys.path), environment),
        *(np.random.get_state()[1].tolist(), time.tzname, sys.stdout, sys.excepthook, list(sys.meta_path)),  # type: ignore[index]
    )


def test_the_program_that_grades_and_the_next_submission_are_untouched(grade: Grade) -> None:
    wrong = with_counter("return 0")
    before, report = examiner_state(), grade(wrong).model_copy(update={"timing": {}})
    everything = "\n".join([*HARMLESS_STATE.values(), *(state for state, _, _ in GRIPPING_STATE.values())])
    grade(f"{REFERENCE}\n{everything}\n")
    assert examiner_state() == before
    assert grade(wrong).model_copy(update={"timing": {}}) == report


# 22: nothing

SKELETON: Final = BANK.get(QUESTION).read("skeleton.py")


@pytest.mark.parametrize(
    "source",
    [
        pytest.param("", id="empty"),
        pytest.param("\n \n\t\n", id="white space"),
        pytest.param("# I ran out of time, sorry\n", id="a comment"),
        pytest.param('"""My solution."""\n', id="a docstring"),
        pytest.param("pass\n", id="pass"),
        pytest.param(SKELETON, id="the skeleton"),
        pytest.param(f"# Jo Doe\n{SKELETON}\n\n# the end\n", id="the skeleton with comments"),
        pytest.param(SKELETON.replace("\n", "\r\n"), id="the skeleton from Windows"),
        pytest.param("import numpy as np\nimport torch\nfrom torch import nn\n", id="the skeleton's imports"),
    ],
)
def test_nothing_is_not_started_and_never_a_crash(grade: Grade, source: str) -> None:
    report = grade(source)
    assert report.verdict is Verdict.FAILED
    assert report.score.earned == 0
    assert [part.id for part in report.diagnosis] == ["not-started"]
    assert set(outcomes(report).values()) == {FAILED}


@pytest.mark.parametrize(
    "tail", ["if x: pass\n" + "elif x: pass\n" * 600, "x = 0x" + "f" * 9000 + "\n", "x = 1" + " + 1" * 900 + "\n"]
)
def test_a_start_however_odd_is_told_from_nothing(grade: Grade, tail: str) -> None:
    report = grade(f"{SKELETON}\nx = 0\n{tail}")
    assert "not-started" not in [part.id for part in report.diagnosis]


# 23: answers.yaml (how each answer is read is in test_answers.py)

ANSWERS: Final[dict[str, tuple[str | bytes | None, bool, str]]] = {
    "missing": (None, False, "not given"),
    "empty": ("", False, "there is nothing in it"),
    "only comments": ("# later\n", False, "there is nothing in it"),
    "not YAML": ("{{{{\n: : :\n\x00", False, ""),
    "a list": ("- -786432\n", False, "found a list"),
    "prose": ("The answer is 786432.\n", False, "found text"),
    "a key twice": ("parameter_delta: 1\nparameter_delta: -786432\n", False, "given 2 times, first at lines 1 and 2"),
    "tabs": ("parameter_delta:\t-786432\nwhy_interleave:\n\tBecause: of that.\n", True, ""),
    "2 MB of text": ("why_interleave: " + "word " * 400_000 + f"\n{GOOD_ANSWERS}", False, "larger than 256 KiB"),
    "commas": ('parameter_delta: "-786,432"\n', True, ""),
    "commas without a sign": ('parameter_delta: "786,432"\n', True, "after minus before"),
    "a typographic minus": ("parameter_delta: \u2212786 432\n", True, ""),
    "an unknown key": ("parameter_dleta: -786432\n", False, "not given"),
    "a key more": (f"{GOOD_ANSWERS}name: Jo Doe\n", True, ""),
    "latin-1": ("parameter_delta: -786432\nwhy_interleave: Gr\u00f6\u00dfe\n".encode("latin-1"), False, "as UTF-8"),
    "UTF-16": (GOOD_ANSWERS.encode("utf-16"), False, "UTF-16"),
    "from Windows": (b"\xef\xbb\xbf" + GOOD_ANSWERS.replace("\n", "\r\n").encode(), True, ""),
    "an alias bomb": ("a: &a [x, x]\nb: &b [*a, *a]\nc: [*b, *b]\n" + GOOD_ANSWERS, True, ""),
    "a tag": ("parameter_delta: !!python/object/apply:os.system ['true']\n", False, "found a list"),
    "a sum": ("parameter_delta: -1024 * 768\n", False, "expected an integer"),
    "nothing yet": ("parameter_delta:\nwhy_interleave: |\n", False, "not given"),
}


@pytest.mark.usefixtures("once")
@pytest.mark.parametrize(("sheet", "right", "note"), ANSWERS.values(), ids=ANSWERS.keys())
def test_whatever_is_wrong_with_the_answers_the_code_is_graded(
    grade: Grade, sheet: str | bytes | None, right: bool, note: str
) -> None:
    report = grade(REFERENCE, **({} if sheet is None else {"answers.yaml": sheet}))
    in_full(report)
    delta = answer(report, "parameter_delta")
    assert delta.outcome is (PASSED if right else FAILED)
    assert note in delta.note
    assert report.score.earned == (100 if right else 95)
    assert "786" not in feedback(report).replace(delta.given or "\0", "")
    assert all(part.outcome is None for part in report.answers if part.kind == "text")


def test_each_answer_says_what_is_wrong_with_it(grade: Grade) -> None:
    sheet = (
        "parameter_delta: about 800k\nwhy_interleave: so: that\nwhat_base_controls: [a, b]\nwhy_interleav: x\n"
        "what_is_lost: one\nwhat_is_lost: two\n"
    )
    report = grade(REFERENCE, **{"answers.yaml": sheet})
    notes = {part.id: part.note for part in report.answers}
    assert "found 'about 800k', expected an integer" in notes["parameter_delta"]
    assert notes["why_interleave"].startswith("line 2, column ")
    assert "found a list, expected text" in notes["what_base_controls"]
    assert "given 2 times" in notes["what_is_lost"]
    assert notes["next_position_scheme"] == "not given"
    assert any("'why_interleav'; did you mean 'why_interleave'?" in note for note in report.submission.notes)


# 24: zips (every kind of member that is refused is in test_submission.py)


def zipped(path: Path, members: dict[str, str | bytes], mode: int = stat.S_IFREG | 0o644) -> Path:
    """A zip with these members; `mode` is of those whose name does not end in .py."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            info = zipfile.ZipInfo(name)
            info.compress_type = zipfile.ZIP_DEFLATED
            info.external_attr = (stat.S_IFREG | 0o644 if name.endswith(".py") else mode) << 16
            archive.writestr(info, content)
    return path


@pytest.mark.parametrize(
    ("members", "mode", "says"),
    [
        pytest.param({"../x.txt": "x"}, stat.S_IFREG, "leads elsewhere", id="a way up"),
        pytest.param({"a/../../x.txt": "x"}, stat.S_IFREG, "leads elsewhere", id="a way up and further"),
        pytest.param({"/tmp/x.txt": "x"}, stat.S_IFREG, "leads elsewhere", id="an absolute path"),
        pytest.param({"answers.yaml": "/etc/passwd"}, stat.S_IFLNK | 0o777, "a symbolic link", id="a link"),
        pytest.param({"old/solution.py": REFERENCE}, stat.S_IFREG, "Send one solution.py", id="two solutions"),
        pytest.param({"zeros.bin": bytes(80 << 20)}, stat.S_IFREG, "unpacks to over 64 MiB", id="zeros"),
    ],
)
def test_a_zip_that_could_lead_astray_is_refused_and_nothing_is_written(
    engine: Engine, tmp_path: Path, members: dict[str, str | bytes], mode: int, says: str
) -> None:
    home = tmp_path / "in"
    home.mkdir()
    start = time.process_time()
    report = engine.grade(zipped(home / "sent.zip", {"solution.py": REFERENCE, **members}, mode))
    assert says in refused(report)
    assert time.process_time() - start < 5
    assert [path.name for path in tmp_path.rglob("*")] == ["in", "sent.zip"]


def test_a_good_zip_from_any_machine_is_graded(engine: Engine, tmp_path: Path) -> None:
    members: dict[str, str | bytes] = {
        "Téo Doe/solution.py": REFERENCE,
        "Téo Doe/answers.yaml": GOOD_ANSWERS,
        "Téo Doe/.DS_Store": b"\0\0\0\1",
        "__MACOSX/Téo Doe/._solution.py": b"\0\5\x16\7",
        "Téo Doe/torch.py": "raise SystemExit",
        "Téo Doe/__pycache__/solution.cpython-311.pyc": b"\0",
    }
    report = engine.grade(zipped(tmp_path / "Téo (1).zip", members))
    in_full(report)
    assert report.score.earned == report.score.possible
    assert "ignored: Téo Doe/torch.py" in report.submission.notes


# 25: paths that the caller got wrong (the reading of each is in test_submission.py; here is the command)


@pytest.mark.parametrize(
    ("make", "says"),
    [
        pytest.param(lambda home: home / "nothing.py", "there is nothing at this path", id="nothing there"),
        pytest.param(lambda home: home / "a.py" / "b", "there is nothing at this path", id="below a file"),
        pytest.param(lambda home: made(home / "folder", None), "there is no solution.py in it", id="an empty folder"),
        pytest.param(lambda home: made(home / "x.tar.gz", "x"), "this kind of file can't be graded", id="a tar"),
        pytest.param(lambda home: made(home / "solution", REFERENCE), "this kind of file", id="no suffix"),
        pytest.param(lambda home: pipe(home / "solution.py"), "a named pipe", id="a pipe"),
        pytest.param(lambda _: Path("/dev/zero"), "a device", id="a device"),
        pytest.param(lambda home: link(home / "solution.py", "gone.py"), "there is nothing", id="a broken link"),
        pytest.param(lambda home: link(home / "solution.py", "solution.py"), "too many", id="a link to itself"),
        pytest.param(lambda home: home / f"{'x' * 300}.py", "", id="too long a name"),
    ],
)
def test_a_path_that_can_not_be_graded_is_one_line_and_exit_status_2(
    tmp_path: Path, make: Callable[[Path], Path], says: str
) -> None:
    result = click.testing.CliRunner().invoke(main, ["run", str(make(tmp_path)), "-q", QUESTION])
    assert result.exit_code == 2, result.output
    assert len(result.output.strip().splitlines()) == 1
    assert says in result.output
    assert re.search(r"Pass |\.zip", result.output), "says what to pass instead"


def made(path: Path, content: str | None) -> Path:
    """A file, or a folder."""
    if content is None:
        path.mkdir()
    else:
        path.write_text(content)
    return path


def pipe(path: Path) -> Path:
    """A named pipe."""
    os.mkfifo(path)
    return path


def link(path: Path, to: str) -> Path:
    """A symbolic link."""
    path.symlink_to(to)
    return path


def test_an_unreadable_file_is_told_from_a_bad_one(
    engine: Engine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = made(tmp_path / "solution.py", REFERENCE)

    def denied(*_: object) -> int:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(os, "open", denied)
    with pytest.raises(CallError, match="permission denied"):
        engine.grade(path)


# 26: words that would come alive where they are shown

ALIVE: Final = (
    "\x1b[2J\x1b]0;owned\x07\x9b31m" + "\x1b[31m" * 2000 + "\u202e\u2066\x00\x08\ufffe\ud800"
    "<script>alert(1)</script><img src=x onerror=alert(1)>=cmd|'/C calc'!A1 ]]> &#0; [x](javascript:alert(1))"
)
VISIBLE: Final = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ufffe\ud800-\udfff]")
PLACES: Final = {
    "an exception's message": with_counter(f"raise ValueError({ALIVE!r})"),
    "an exception while loading": f"{REFERENCE}\nraise ValueError({ALIVE!r})\n",
    "the name of a type": with_counter(
        f"return type({ALIVE.replace(chr(0), '').replace(chr(0xD800), '')!r}, (), {{}})()"
    ),
    "a text for a number": with_counter(f"return {ALIVE!r}"),
    "a buffer's name": REFERENCE.replace(
        "super().__init__()", f"super().__init__(); setattr(self, {'x' + ALIVE!r}, torch.ones(2))"
    ).replace('self.register_buffer("table", table)', "self.table = table"),
    "what is printed": f"import os; os.write(1, {ALIVE.encode('utf-8', 'surrogatepass')!r})\n{REFERENCE}",
    "a signature": with_counter("return 0").replace("(model):", f"(model, other={ALIVE!r}, *, more):"),
    "an exit's reason": f"raise SystemExit({ALIVE!r})",
}


def faces(report: Report) -> dict[str, str]:
    """All that a report is shown as."""
    shown = StringIO()
    terminal.summary(report, shown, width=100)
    return {"terminal": shown.getvalue(), "page": page(report), "feedback": feedback(report), "json": report.to_json()}


@pytest.mark.parametrize("source", PLACES.values(), ids=PLACES.keys())
def test_words_in_code_are_shown_inert_everywhere(grade: Grade, source: str, tmp_path: Path) -> None:
    report = grade(source)
    assert_inert(report, tmp_path)


def assert_inert(report: Report, folder: Path) -> None:
    """Assert that nothing in what is shown is obeyed by a terminal, a browser or a reader of Markdown."""
    from grader.render.files import write

    shown = {**faces(report), **{path.name: path.read_text("utf-8") for path in write(report, folder / "out")}}
    del shown["json"]  # the file report.json is what a person may open
    for face, text in shown.items():
        assert not VISIBLE.search(text), (face, VISIBLE.search(text))
        text.encode("utf-8")
    assert "<script>alert" not in shown["page"] and "<img" not in shown["page"].replace("<img class", "")
    assert not re.search(r"(?<!\\)<\w|(?<!\\)\]\(", re.sub(r"`[^`\n]*`", "", shown["feedback"]))
    assert all(len(line) < 3000 for line in shown["terminal"].splitlines())


@pytest.mark.parametrize(
    "sheet",
    [
        f"parameter_delta: {json.dumps(ALIVE)}\nwhy_interleave: {json.dumps(ALIVE)}\n{json.dumps(ALIVE)}: 1\n",
        'why_interleave: "' + "\\e[31m" * 8000 + '"\n' + '"\\u202ekey": |\n  =1+1\n',
        "why_interleave: <b>bold</b> =HYPERLINK(1) @x\nparameter_delta: '=-786432'\n",
    ],
    ids=["everything", "8000 escapes", "markup"],
)
@pytest.mark.usefixtures("once")
def test_words_in_answers_are_shown_inert_everywhere(grade: Grade, sheet: str, tmp_path: Path) -> None:
    assert_inert(grade(REFERENCE, **{"answers.yaml": sheet}), tmp_path)


def test_words_in_names_are_shown_inert_everywhere(engine: Engine, tmp_path: Path) -> None:
    folder = tmp_path / "\x1b[31m\u202e<b>=1+1"
    folder.mkdir()
    for name in ("\x1b]0;x\x07.py", "\u202etxt.exe", "<script>.txt", "=cmd()", os.fsdecode(b"\xff\n.txt")):
        (folder / name).write_text(REFERENCE)
    assert_inert(engine.grade(folder), tmp_path)


def test_a_refusal_shows_what_it_quotes_inert(grade: Grade, tmp_path: Path) -> None:
    report = grade(f"x = '\x1b[31m\n<script>{REFERENCE}")
    refused(report)
    assert_inert(report, tmp_path)
