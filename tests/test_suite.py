"""A candidate's own tests, graded by mutation: what they are worth, and that only behaviour can earn it.

The question is a tiny one. Its mutants leave the base out, start at one, hang, and end the process.
"""

from __future__ import annotations

import hashlib
import json
import random
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from types import CodeType
from typing import Any, Final

import numpy as np
import pytest

from grader.errors import QuestionError, TooLittleIsolation
from grader.examine.zygote import Zygote
from grader.grade import Engine
from grader.outcome import Outcome, Verdict
from grader.question import Question, Suite
from grader.render.feedback import feedback
from grader.render.html import page
from grader.render.terminal import summary
from grader.report import Report, SuitePart
from grader.sandbox.limits import Limits
from grader.sandbox.tiers import Tier
from grader.submission import Asked, Submission, read
from grader.suite import SuiteGrader, grading
from grader.suite.disguise import disguise
from grader.suite.grading import limits_of
from grader.suite.runs import OwnTests
from grader.suite.schedule import AMONG, REFERENCE, a_round, chance

SPEC: Final = """\
id: angles
version: 1
title: Angles
level: L1 Knowing
minutes: 5
support: [helper.py]
defines:
  - {name: angles, kind: function, signature: "(T, d, base)", gives: the angles}
limits: {call_cpu_seconds: 2, call_wall_seconds: 4}
criteria:
  - {id: right, title: Angles are right, points: 5, required: true, tell: Angles should be right.}
  - {id: own-tests, title: Own tests, points: 3, tell: Your tests should notice mistakes.}
suite:
  criterion: own-tests
  threshold: 0.5
  run_cpu_seconds: 1
  mutants:
    - {id: s01, pitfall: The base is left out, solution: mutants/s01.py}
    - {id: s02, pitfall: Positions start at one, solution: mutants/s02.py}
    - {id: s03, pitfall: An odd width hangs, required: false, solution: mutants/s03.py}
    - {id: s04, pitfall: No positions end the program, required: false, solution: mutants/s04.py}
"""
REFERENCE_TEXT: Final = '''\
"""The reference."""

import numpy as np


def frequencies(d, base):
    """Right."""
    pairs = np.arange(0, d, 2)
    return base ** (-pairs / d)


def angles(T, d, base):
    """Right."""
    first = 0
    return np.array([[p * f for f in frequencies(d, base)] for p in range(first, first + T)])
'''
MUTANTS: Final = {
    "s01": ("base ** (", "10_000.0 ** ("),
    "s02": ("first = 0", "first = 1"),
    "s03": ("    pairs =", "    while d % 2:\n        pass\n    pairs ="),
    "s04": ("    first =", "    if T == 0:\n        import os\n\n        os._exit(0)\n    first ="),
}
HIDDEN: Final = """\
from grader.checks import criterion


@criterion("right")
def test_two_rows(candidate):
    assert candidate.angles(2, 4, 100.0).shape == (2, 2)
"""
GOOD: Final = """\
import numpy as np
import pytest

from helper import HUNDRED
from solution import angles


@pytest.fixture
def rows():
    return angles(2, 4, HUNDRED)


def test_first_row(rows):
    assert np.allclose(rows[0], 0)


class TestSecond:
    @pytest.mark.parametrize("column", [0, 1])
    def test_row(self, rows, column):
        assert np.isclose(rows[1, column], 0.1**column)
"""
THOROUGH: Final = f"""\
{GOOD}

def test_odd():
    assert angles(1, 3, 10.0).shape == (1, 2)


def test_none():
    assert len(angles(0, 4, 10.0)) == 0
"""


def mutant(id: str) -> str:
    """The text of a mutant, with a docstring that gives it away."""
    old, new = MUTANTS[id]
    assert REFERENCE_TEXT.count(old) == 1
    return REFERENCE_TEXT.replace(old, new).replace("The reference", f"The mutant {id}")


def written(root: Path, spec: str = SPEC) -> Question:
    """The question, in a folder."""
    folder, solutions = root / "questions" / "angles", root / "solutions" / "angles"
    texts = {
        folder / "question.yaml": spec,
        folder / "prompt.md": "Write it.\n",
        folder / "skeleton.py": "def angles(T, d, base): ...\n",
        folder / "helper.py": "HUNDRED = 100.0\n",
        folder / "hidden" / "test_angles.py": HIDDEN,
        solutions / "reference.py": REFERENCE_TEXT,
        **{solutions / "mutants" / f"{id}.py": mutant(id) for id in MUTANTS},
    }
    for path, text in texts.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return Question.load(folder, solutions)


def sent(tests: str | None, problem: str = "", source: str = REFERENCE_TEXT) -> Submission:
    """A submission with these tests."""
    digest = hashlib.sha256(str(tests).encode()).hexdigest()
    return Submission("kestrel", source, None, "", digest, (), (), suite=tests, suite_problem=problem)


@pytest.fixture(scope="module")
def question(tmp_path_factory: pytest.TempPathFactory) -> Question:
    """The tiny question."""
    return written(tmp_path_factory.mktemp("bank"))


@pytest.fixture(scope="module")
def engine(question: Question, zygote: Zygote) -> Iterator[Engine]:
    """A warm engine."""
    with Engine(question, zygote) as engine:
        yield engine


@pytest.fixture(scope="module")
def grader(engine: Engine) -> SuiteGrader:
    """Its grader of suites."""
    return engine.warm.suites


Grade = Callable[..., SuitePart]


@pytest.fixture
def grade(grader: SuiteGrader) -> Grade:
    """Grade a text of tests."""

    def graded(tests: str | None, seed: int = 7, **fields: Any) -> SuitePart:
        part = grader.grade(sent(tests, **fields), seed)
        assert part is not None
        return part

    return graded


def killed(part: SuitePart) -> list[str]:
    """The mutants that were noticed."""
    return [each.id for each in part.pitfalls if each.killed]


# What tests are worth


def test_good_tests_pass_and_each_pitfall_is_told(grade: Grade) -> None:
    part = grade(GOOD)
    assert (part.outcome, part.reason, part.own_solution) == ("passed", "", "passed")
    assert killed(part) == ["s01", "s02"]
    assert (part.killed, part.mutants, part.needed) == (2, 4, 2)


def test_a_mutant_that_hangs_or_dies_is_noticed_by_tests_that_the_reference_survives(grade: Grade) -> None:
    assert killed(grade(THOROUGH)) == ["s01", "s02", "s03", "s04"]


def test_weak_tests_are_told_what_they_miss(grade: Grade) -> None:
    part = grade("from solution import angles\n\n\ndef test_shape():\n    assert angles(2, 4, 9.0).shape == (2, 2)\n")
    assert (part.outcome, part.killed) == ("failed", 0)
    assert part.reason == "They notice 0 of 4 mistakes, and 2 are needed."
    assert part.pitfalls[0].pitfall == "The base is left out"


def test_a_required_pitfall_has_to_be_noticed_however_many_others_are(grade: Grade) -> None:
    part = grade(THOROUGH.replace("def test_row", "def look_at_row"))
    assert killed(part) == ["s02", "s03", "s04"]
    assert part.outcome == "failed"
    assert part.reason == "They miss a mistake that they have to notice: The base is left out."


def test_properties_repeat_and_need_no_database(grade: Grade) -> None:
    part = grade(
        "import numpy as np\nfrom hypothesis import given, strategies as st\nfrom solution import angles\n\n\n"
        "@given(st.integers(1, 9), st.sampled_from([2, 4, 8]), st.floats(2.0, 1e4))\n"
        "def test_rows(T, d, base):\n"
        "    wanted = np.outer(np.arange(T), base ** (-np.arange(0, d, 2) / d))\n"
        "    assert np.allclose(angles(T, d, base), wanted)\n"
    )
    assert (part.outcome, killed(part)) == ("passed", ["s01", "s02"])


def test_the_usual_fixtures_are_there(grade: Grade) -> None:
    part = grade(
        GOOD + "\n\ndef test_fixtures(tmp_path, capsys, monkeypatch, recwarn, request, caplog):\n"
        "    (tmp_path / 'kept').write_text('x')\n    print('said')\n"
        "    assert capsys.readouterr().out == 'said\\n'\n"
    )
    assert part.outcome == "passed"


def test_a_solution_that_is_loaded_again_is_the_same_with_its_names_as_they_were(grade: Grade) -> None:
    part = grade(
        "import importlib, sys, solution\n\n\n" + GOOD + "\n\ndef test_again():\n"
        "    right, solution.angles, solution.more = solution.angles, None, 1\n"
        "    assert importlib.reload(solution) is solution and solution.angles is right and solution.more == 1\n"
        "    solution.angles = None\n"
        "    del sys.modules['solution']\n"
        "    assert importlib.import_module('solution') is solution and solution.angles is right\n"
    )
    assert (part.outcome, killed(part)) == ("passed", killed(grade(GOOD)))


@pytest.mark.parametrize(
    ("tests", "says"),
    [
        pytest.param(
            GOOD + "\n\ndef test_wrong():\n    assert angles(1, 2, 3.0) == 5\n",
            "On right code, test_wrong fails: tests have to pass on every right solution.",
            id="fails on the reference",
        ),
        pytest.param(
            "import numpy\n", "There is no test that passes in test_solution.py: write at least one.", id="empty"
        ),
        pytest.param(
            "import pytest\n\n\n@pytest.mark.skip\ndef test_it(): ...\n",
            "There is no test that passes in test_solution.py: write at least one.",
            id="all skipped",
        ),
        pytest.param(
            "import numpy\nimport nothing_there\n",
            "On right code, test_solution.py could not be run to its end (line 2).",
            id="can't be loaded",
        ),
        pytest.param(
            "def test_it():\n    while True: pass\n",
            "On right code, the tests were still running when their time was used up.",
            id="loops",
        ),
        pytest.param(
            "import time\n\n\ndef test_it():\n    time.sleep(3600)\n",
            "On right code, the tests were still running when their time was used up.",
            id="sleeps",
        ),
        pytest.param(
            "import os\n\n\ndef test_it():\n    os._exit(0)\n",
            "On right code, the tests ended the program.",
            id="os._exit",
        ),
        pytest.param(
            "import os\n\n\ndef test_it():\n    os.kill(os.getpid(), 9)\n",
            "On right code, the tests ended the program.",
            id="killed",
        ),
        pytest.param(
            "import sys\n\nsys.exit(0)\n",
            "On right code, test_solution.py could not be run to its end (line 3).",
            id="sys.exit while it is loaded",
        ),
        pytest.param(
            "import sys\n\n\ndef test_it():\n    sys.exit(0)\n",
            "On right code, test_it fails: tests have to pass on every right solution.",
            id="sys.exit in a test",
        ),
        pytest.param(
            "import pytest\n\n\ndef test_it():\n    pytest.exit('done', 0)\n",
            "On right code, test_solution.py could not be run to its end.",
            id="pytest.exit",
        ),
    ],
)
def test_tests_that_do_not_count_are_told_why(
    grade: Grade, monkeypatch: pytest.MonkeyPatch, tests: str, says: str
) -> None:
    if "sleep" in tests:  # then the clock on the wall is what ends them, however busy the machine
        monkeypatch.setattr(grading, "limits_of", impatient)
    part = grade(tests)
    assert (part.outcome, part.reason, part.killed, part.pitfalls) == ("invalid", says, 0, [])


def impatient(suite: Suite, limits: Limits) -> Limits:
    """The limits of a run, but for little patience."""
    return replace(limits_of(suite, limits), call_wall_seconds=2.0)


def test_what_fails_on_the_candidates_own_solution_is_a_fact_and_costs_nothing(grade: Grade) -> None:
    part = grade(GOOD, source=mutant("s02"))
    assert (part.outcome, part.own_solution) == ("passed", "test_first_row, test_row failed")


def test_the_same_submission_and_seed_give_the_same_part(grade: Grade) -> None:
    assert grade(GOOD) == grade(GOOD)


def test_tests_that_are_missing_or_unreadable_are_not_run(grade: Grade) -> None:
    assert grade(None).outcome == "missing"
    assert grade(None).reason == "There is no test_solution.py: send it beside solution.py."
    assert grade(None, problem="Mend line 1.").model_dump(include={"outcome", "reason"}) == {
        "outcome": "invalid",
        "reason": "Mend line 1.",
    }


# What earns nothing. `clue()` is true where the cheat takes the solution for a mutant.

CHEATS: Final = {
    "reads its source": (
        "import inspect, solution\ndef clue(): return '10_000' in inspect.getsource(solution.frequencies)"
    ),
    "opens its file": "import solution\ndef clue(): return '10_000' in open(solution.__file__).read()",
    "asks linecache": (
        "import linecache\ndef clue(): return any('10_000' in line for line in linecache.getlines('solution.py'))"
    ),
    "asks its loader": (
        "import solution\ndef clue(): return '10_000' in solution.__spec__.loader.get_source('solution')"
    ),
    "looks through frames": (
        "import sys\n"
        "def clue():\n"
        "    frame = sys._getframe()\n"
        "    while frame:\n"
        "        held = [value for name, value in frame.f_locals.items() if name in ('request', 'sources')]\n"
        "        if '10_000.0 **' in repr(held): return True\n"
        "        frame = frame.f_back\n"
    ),
    "looks through the heap": (
        "import gc\n"
        "def clue():\n"
        "    return any(type(x) is dict and any(type(v) is str and '10_000.0 **' in v and 'clue' not in v\n"
        "               for v in list(x.values())) for x in gc.get_objects())\n"
    ),
    "reads the docstring": "import solution\ndef clue(): return 'mutant' in (solution.__doc__ or '')",
    "counts lines": "import solution\ndef clue(): return solution.angles.__code__.co_firstlineno != 12",
    "reads the names of variables": (
        "import solution\ndef clue(): return 'pairs' not in solution.frequencies.__code__.co_varnames"
    ),
    "counts its runs in a file": (
        "from pathlib import Path\n"
        "def clue():\n"
        "    places = [Path('count'), Path('/tmp/count'), Path('/dev/shm/count'), Path('/var/tmp/count')]\n"
        "    seen = any(place.exists() for place in places)\n"
        "    for place in places:\n"
        "        try: place.write_text('x')\n"
        "        except OSError: pass\n"
        "    return seen\n"
    ),
    "counts its runs in a variable": (
        "import os, sys\n"
        "def clue():\n"
        "    seen = 'RUN' in os.environ or hasattr(sys, 'run')\n"
        "    os.environ['RUN'] = '1'; sys.run = 1\n"
        "    return seen\n"
    ),
    "prints a failure": (
        "import os\ndef clue(): print('=== 1 failed in 0.01s ==='); os.write(1, b'=== 1 failed ===\\n')"
    ),
    "takes all runs for mutants": ("import logging, time\ndef clue(): return time.time() - logging._startTime > 1e-3"),
    "goes by the clock": "import time\ndef clue(): return time.time_ns() // 1000 % 2",
    "goes by its process": "import os\ndef clue(): return os.getpid() > 2 and os.getpid() % 2",
    "is random": "import os\ndef clue(): return os.urandom(1)[0] % 2",
    "starts a process": "import os\ndef clue(): return os.fork() == 0",
    "tampers with the solution": (
        "import solution\nsolution.angles = lambda *a: 1\ndef clue(): return solution.angles(1, 2, 3) != 1"
    ),
    "tampers with pytest": (
        "import gc\n"
        "def clue():\n"
        "    for thing in gc.get_objects():\n"
        "        if type(thing).__name__ == 'Tally':\n"
        "            thing.failed.append('test_it'); thing.passed = 99\n"
    ),
    "has pytest always pass": "import pytest\ndef clue(): pytest.main = lambda *a, **k: 0",
}


@pytest.mark.parametrize("cheat", CHEATS.values(), ids=CHEATS)
def test_what_is_not_behaviour_earns_nothing(
    question: Question, grader: SuiteGrader, grade: Grade, monkeypatch: pytest.MonkeyPatch, cheat: str
) -> None:
    whole = question.spec.suite
    assert whole is not None
    # A look at one mutant tells as much as a look at four.
    spec = question.spec.model_copy(update={"suite": whole.model_copy(update={"mutants": whole.mutants[:1]})})
    monkeypatch.setattr(grader, "question", Question(spec, question.folder, question.solutions))
    part = grade(
        f"{cheat}\n\n\ndef suspects():\n    try:\n        return clue()\n    except Exception:\n        return False\n"
        "\n\ndef test_it():\n    assert not suspects()\n"
    )
    assert part.outcome in ("failed", "invalid")
    assert part.killed == 0


def code_hash(code: CodeType) -> str:
    """What a test could compute of a function, and compare with what it was told of the reference."""
    consts = [c for c in code.co_consts if not isinstance(c, CodeType)]
    return hashlib.sha256(repr((code.co_code, consts, code.co_names, code.co_varnames)).encode()).hexdigest()


def bytecode_cheat() -> str:
    """Tests of somebody who was told the hashes of the reference's functions."""
    space: dict[str, Any] = {}
    exec(compile(REFERENCE_TEXT, "solution.py", "exec"), space)
    known = {name: code_hash(space[name].__code__) for name in ("frequencies", "angles")}
    return (
        "import hashlib\nimport solution\nfrom types import CodeType\n\n\n"
        "def code_hash(code):\n"
        "    consts = [c for c in code.co_consts if not isinstance(c, CodeType)]\n"
        "    text = repr((code.co_code, consts, code.co_names, code.co_varnames))\n"
        "    return hashlib.sha256(text.encode()).hexdigest()\n\n\n"
        f"def test_it():\n    for name, known in {known!r}.items():\n"
        "        assert code_hash(getattr(solution, name).__code__) == known\n"
    )


DOCSTRING_CHEAT: Final = "import solution\n\n\ndef test_it():\n    assert 'mutant' not in (solution.__doc__ or '')\n"


@pytest.mark.parametrize(
    ("cheat", "guarded"),
    [
        pytest.param(bytecode_cheat(), "invalid", id="hashes bytecode"),
        pytest.param(DOCSTRING_CHEAT, "failed", id="reads the docstring"),
    ],
)
def test_a_look_at_the_code_would_tell_everything_if_it_were_not_disguised(
    grade: Grade, monkeypatch: pytest.MonkeyPatch, cheat: str, guarded: str
) -> None:
    part = grade(cheat)
    assert (part.outcome, part.killed) == (guarded, 0)
    monkeypatch.setattr(grading, "disguise", undisguised)
    part = grade(cheat)
    assert (part.outcome, part.killed) == ("passed", 4)


def test_a_suite_that_guesses_by_its_turn_would_pass_if_the_order_were_known(
    grade: Grade, monkeypatch: pytest.MonkeyPatch
) -> None:
    turns = iter(range(1000))

    def numbered(source: str, rng: random.Random, names: list[str]) -> str:
        return f"{disguise(source, rng, names)}\nTURN = {next(turns)}\n"

    cheat = "import solution\n\n\ndef test_it():\n    assert solution.TURN in (0, 1, 2, 7, 8)\n"
    monkeypatch.setattr(grading, "disguise", numbered)
    assert grade(cheat).outcome == "invalid", "even a suite that knows its turn does not know what is run then"
    turns = iter(range(1000))
    monkeypatch.setattr(grading, "a_round", in_a_known_order)
    part = grade(cheat)
    assert (part.outcome, part.killed) == ("passed", 4)


def in_a_known_order(ids: list[str], rng: random.Random) -> list[str]:
    """The reference first, then the mutants."""
    del rng
    return [*[REFERENCE] * AMONG, *ids]


def undisguised(source: str, rng: random.Random, names: list[str]) -> str:
    """The text as it is."""
    del rng, names
    return source


# The order


def test_the_reference_stands_at_places_that_differ_by_seed_and_submission() -> None:
    ids = [f"s{number}" for number in range(10)]
    orders = [tuple(a_round(ids, chance(seed, digest))) for seed in range(5) for digest in "ab"]
    assert len(set(orders)) == 10
    assert all(sorted(order) == sorted([*ids, *[REFERENCE] * AMONG]) for order in orders)
    assert a_round(ids, chance(1, "a")) == a_round(ids, chance(1, "a"))


# What a failed test is called


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("test_it[3.14159]", "test_it"),
        ("TestIt::test_it", "test_it"),
        ("test_made_up_314159", "a test"),
        ("test_\x1b[31m", "a test"),
        ("", "a test"),
    ],
)
def test_a_name_that_was_made_up_while_the_tests_ran_is_not_told_on(name: str, told: str) -> None:
    assert OwnTests("test_solution.py", "class TestIt:\n    def test_it(self): ...\n").known(name) == told


def test_the_disguised_reference_computes_the_same_numbers() -> None:
    for seed in range(20):
        space: dict[str, Any] = {}
        exec(compile(disguise(REFERENCE_TEXT, random.Random(seed)), "solution.py", "exec"), space)
        assert np.allclose(space["angles"](2, 4, 100.0), np.array([[0, 0], [1, 0.1]]))


# Spec and submission


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("id: s02", "id: s01", "the mutant 's01' is there twice"),
        ("criterion: own-tests", "criterion: own-test", "'own-test' is not a criterion; the closest is 'own-tests'"),
        ("mutants/s03.py", "mutants/s33.py", "the mutant's file is missing"),
        ("threshold: 0.5", "threshold: 1.5", "less than or equal to 1"),
    ],
)
def test_a_suite_that_does_not_fit_is_told_with_its_place(tmp_path: Path, old: str, new: str, says: str) -> None:
    assert SPEC.count(old) == 1
    with pytest.raises(QuestionError, match=r"question\.yaml:\d+:\d+") as caught:
        written(tmp_path, SPEC.replace(old, new))
    assert says in str(caught.value)


def test_hidden_tests_do_not_decide_the_suites_criterion(question: Question) -> None:
    assert [criterion.id for criterion in question.spec.checked] == ["right"]


def test_the_tests_are_read_beside_the_solution_and_not_ignored(tmp_path: Path) -> None:
    (tmp_path / "solution.py").write_text(REFERENCE_TEXT)
    (tmp_path / "test_solution.py").write_bytes(GOOD.replace("\n", "\r\n").encode())
    with_tests, without = read(tmp_path, Asked(suite="test_solution.py")), read(tmp_path)
    assert (with_tests.suite, with_tests.files) == (GOOD, ("solution.py", "test_solution.py"))
    assert with_tests.notes == ("test_solution.py has Windows line endings (CRLF)",)
    assert (without.suite, without.notes) == (None, ("ignored: test_solution.py",))
    assert with_tests.digest != without.digest


@pytest.mark.parametrize(
    ("raw", "says"),
    [
        (b"def test_it(:\n", "Mend line 1, column 13 of test_solution.py"),
        (b"\xff\xfe", "Save test_solution.py as UTF-8"),
        (b"x = 1\0\n", "Save test_solution.py as plain text"),
        (b"#" * (600 << 10), "Make test_solution.py smaller"),
    ],
)
def test_tests_that_cannot_be_read_leave_the_rest_graded(tmp_path: Path, raw: bytes, says: str) -> None:
    (tmp_path / "solution.py").write_text(REFERENCE_TEXT)
    (tmp_path / "test_solution.py").write_bytes(raw)
    taken = read(tmp_path, Asked(suite="test_solution.py"))
    assert (taken.source, taken.suite) == (REFERENCE_TEXT, None)
    assert taken.suite_problem.startswith(says)
    assert taken.notes[0].startswith(f"test_solution.py can't be used: {says}")


# The whole way


@pytest.fixture(scope="module")
def reports(engine: Engine, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Report]:
    """A report on good tests, on weak ones, and on none."""
    weak = "from solution import angles\n\n\ndef test_it():\n    assert angles(2, 4, 9.0)[0, 0] == 0\n"
    made = {}
    for name, tests in {"good": GOOD, "weak": weak, "none": None}.items():
        folder = tmp_path_factory.mktemp(name)
        (folder / "solution.py").write_text(REFERENCE_TEXT)
        if tests is not None:
            (folder / "test_solution.py").write_text(tests)
        made[name] = engine.grade(folder)
    return made


def test_the_suite_decides_its_criterion_and_no_other(reports: dict[str, Report]) -> None:
    outcomes = {name: [part.outcome for part in report.criteria] for name, report in reports.items()}
    assert outcomes == {
        "good": [Outcome.PASSED, Outcome.PASSED],
        "weak": [Outcome.PASSED, Outcome.FAILED],
        "none": [Outcome.PASSED, Outcome.FAILED],
    }
    assert [report.score.earned for report in reports.values()] == [8, 5, 5]
    assert all(report.verdict is Verdict.PASSED for report in reports.values()), "own-tests is not required"
    assert Report.from_fields(json.loads(reports["weak"].to_json())) == reports["weak"]


def test_the_candidate_is_told_the_pitfalls_and_never_the_mutants(reports: dict[str, Report]) -> None:
    text = feedback(reports["weak"])
    assert "1 of 4 mistakes noticed, 2 needed" in text
    assert "✓ noticed: Positions start at one" in text
    assert "✗ missed, required: The base is left out" in text
    assert "10_000" not in text and "frequencies" not in text
    assert "There is no `test_solution.py`" in feedback(reports["none"])


def test_the_panel_sees_each_mutant(reports: dict[str, Report], capsys: pytest.CaptureFixture[str]) -> None:
    html = page(reports["weak"])
    assert "+    return 10_000.0 ** (-pairs / d)" in html
    assert html.count("<summary>The mutant") == 4
    summary(reports["weak"])
    printed = capsys.readouterr().out
    assert "Own tests in test_solution.py" in printed and "✗ missed, required  The base is left out (s01)" in printed


def test_tests_are_never_run_in_less_isolation_than_is_required(question: Question) -> None:
    with SuiteGrader(question, Tier.SEPARATE_PROCESS, Tier.SEALED) as grader:
        for _ in range(2):  # the second finds what the first has started
            with pytest.raises(TooLittleIsolation):
                grader.grade(sent(GOOD), 1)


def test_a_question_without_a_suite_has_no_such_part(question: Question) -> None:
    spec = question.spec.model_copy(update={"suite": None})
    plain = SuiteGrader(Question(spec, question.folder, question.solutions), Tier.SEALED, Tier.CONFINED)
    assert plain.grade(sent(GOOD), 1) is None
