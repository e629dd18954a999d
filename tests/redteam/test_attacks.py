"""Each attack bites a naive grader; here it costs its author points, and nobody anything else.

How an attack must end here, as its `# here:` line says it:

    passes                      it is right, and scores in full
    <outcome>                   it is wrong, earns nothing, and the table's criterion ends so
    <outcome> in <criterion>    all is right but this criterion, which ends so
    unloaded <words>            it does not load, and the reason holds these words
    refused <words>             it is not graded, and the reason holds these words
"""

from __future__ import annotations

import random
import re
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from statistics import median

import numpy as np
import pytest

from grader.errors import CallError
from grader.examine.candidate import Candidate
from grader.examine.errors import Lost, Raised
from grader.examine.subject import Subject
from grader.examine.zygote import Zygote
from grader.grade import Engine
from grader.outcome import Outcome, Verdict
from grader.render.feedback import feedback
from grader.report import Report
from grader.sandbox.tiers import Tier

from . import host, readers
from .attack import ATTACKS, Attack
from .bait import MARK, Bait
from .conftest import QUESTION, open_engine
from .naive import Naive, bites

CONTROL = QUESTION.reference or ""
SLACK_SECONDS = 0.5
AT_A_TIME = 3

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the attacks, and the tiers, are Linux's")
attacks = pytest.mark.parametrize("attack", ATTACKS, ids=lambda attack: attack.name)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """An empty folder for a submission."""
    folder = tmp_path / "submission"
    folder.mkdir()
    return folder


def test_every_kind_is_there() -> None:
    kinds = {attack.kind for attack in ATTACKS}
    assert kinds == {
        *("denying", "ending", "forging", "harming", "leaking", "lying", "patching", "readers", "test_design")
    }


def test_what_could_do_harm_is_armed_by_the_constants() -> None:
    """Bombs and reaches for something outside ask for a name that no file defines."""
    calls = r"os\.(kill|chmod|chown|utime|setxattr|truncate|rename)|connect|sendto"
    acts = re.compile(rf"while|sleep\(|range\(|bytes\(|{calls}")
    for attack in ATTACKS:
        words = attack.path.read_text("utf-8").partition("# here:")[2]
        if attack.kind in ("denying", "harming") and not attack.makes_files and acts.search(words):
            assert Bait.NAMES & set(re.findall(r"[A-Z_]{3,}", words)), f"{attack.name} asks for no constant"


@attacks
def test_it_bites_a_naive_grader(
    attack: Attack, naive: Naive, bait: Bait, spoilt: Callable[[], None], folder: Path, may: Callable[[Attack], None]
) -> None:
    may(attack)
    before = host.look(bait)
    try:
        attack.submit(folder, bait.constants())
        record = naive.run(folder, attack)
        changes = host.difference(before, host.look(bait))
    except BaseException:
        spoilt()
        raise
    if changes:
        spoilt()
    assert bites(attack.naive, record, changes, bait.token), (record, changes)


@attacks
def test_it_gets_nowhere(
    attack: Attack, engine: Engine, tier: str, bait: Bait, spoilt: Callable[[], None], folder: Path, control: Control
) -> None:
    before, usual = host.look(bait), control.usual(engine)
    sent = attack.submit(folder, bait.constants())
    report = engine.grade(sent)
    told = listen(engine, attack, bait)
    changes = host.changes(before, bait)
    if changes or told:
        spoilt()
    expect_end(attack, report)
    assert re.search(MARK, report.to_json() + feedback(report)) is None
    assert readers.harmful(report, bait.token) == []
    assert readers.is_plain_json(report)
    assert all(answer.outcome is None for answer in report.answers), "only a person marks a text"
    if tier not in attack.open:
        assert told == 0
        assert changes == []
    control.expect_usual(engine, usual)


def expect_end(attack: Attack, report: Report) -> None:
    """Assert that the report is what the attack's code deserves, and for the right kind of reason."""
    outcomes = {part.id: part.outcome for part in report.criteria}
    seen = [(part.id, part.outcome.value, [each.seen for each in part.evidence]) for part in report.criteria]
    message = f"{report.headline}: {[part.why for part in report.diagnosis]} {seen}"
    assert Outcome.GRADER_FAULT not in outcomes.values(), message
    match attack.here.split(" ", 2):
        case ["passes"]:
            assert set(outcomes.values()) == {Outcome.PASSED}, message
        case ["unloaded", *words]:
            assert (report.verdict, report.score.earned) == (Verdict.FAILED, 0), message
            assert report.diagnosis[0].id == "does-not-load", message
            assert " ".join(words) in report.diagnosis[0].why, message
        case ["refused", *words]:
            assert (report.verdict, report.score.earned) == (Verdict.REFUSED, 0), message
            assert " ".join(words) in report.diagnosis[0].why, message
        case [outcome, "in", criterion]:
            expected = {id: Outcome(outcome) if id == criterion else Outcome.PASSED for id in outcomes}
            assert outcomes == expected, message
        case [outcome]:
            assert (report.verdict, report.score.earned) == (Verdict.FAILED, 0), message
            assert outcomes["table"] is Outcome(outcome), message
        case _:
            raise ValueError(f"there is no such end: {attack.here}")


def listen(engine: Engine, attack: Attack, bait: Bait) -> float:
    """What the attack found, as it tells through the numbers of its table; 0 is nothing."""
    if attack.base != "tell":
        return 0.0
    subject = Subject(QUESTION.brief, attack.source(bait.constants()), engine.warm.zygote.control)
    try:
        value = Candidate(subject).sinusoidal_pe(2, 2, 10.0)
        assert isinstance(value, np.ndarray), value
        return float(np.abs(value).max())
    except (Raised, Lost) as error:
        raise AssertionError(f"it came to no end of its search: {error}") from error
    finally:
        subject.close()


class Control:
    """The right solution, and how long it takes between attacks."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.path.write_text(CONTROL, "utf-8")
        self.times: list[float] = []

    def usual(self, engine: Engine) -> float:
        """The median time of the last few runs, in seconds."""
        while len(self.times) < 3:
            self.times.append(self.run(engine))
        return median(self.times[-9:])

    def run(self, engine: Engine) -> float:
        """Grade it, expect full points, and return the seconds that this took."""
        start = time.monotonic()
        report = engine.grade(self.path)
        seconds = time.monotonic() - start
        assert report.score.earned == report.score.possible, report.headline
        return seconds

    def expect_usual(self, engine: Engine, usual: float) -> None:
        """Assert that the next run takes less than twice the usual time; a busy machine has three tries."""
        times = []
        for _ in range(3):
            times.append(self.run(engine))
            if times[-1] < 2 * usual + SLACK_SECONDS:
                self.times.append(times[-1])
                return
        raise AssertionError(f"the control took {times} s after the attack, and {usual:.2f} s before")


@pytest.fixture(scope="session")
def control(tmp_path_factory: pytest.TempPathFactory) -> Control:
    """The control of the session."""
    return Control(tmp_path_factory.mktemp("control") / "solution.py")


def test_asking_whether_it_is_graded_is_made_visible(engine: Engine, bait: Bait, folder: Path) -> None:
    """No input shows a file that is right while it is graded: a person is shown where it asks."""
    attack = next(attack for attack in ATTACKS if attack.path.stem == "only_when_graded")
    report = engine.grade(attack.submit(folder, bait.constants()))
    assert any(note.id == "environment" and "sys.modules" in note.detail for note in report.integrity)


# Three at a time


@pytest.fixture
def engines(wanted: str, tier: str) -> Iterator[list[Engine]]:
    """As many engines as are at work at once, on one zygote as a batch has it."""
    with Zygote(Tier(tier)) as zygote:
        engines = [open_engine(wanted, zygote) for _ in range(AT_A_TIME)]
        try:
            for engine in engines:
                engine.warm.isolation()
            yield engines
        finally:
            for engine in engines:
                engine.__exit__(None, None, None)


def test_three_at_a_time_in_any_order(
    engines: list[Engine], tier: str, bait: Bait, spoilt: Callable[[], None], control: Control
) -> None:
    for engine in engines:
        engine.examiner.wait()
    before = host.look(bait)
    chosen: list[Attack | None] = [None] * (len(ATTACKS) // 6)
    chosen += [attack for attack in ATTACKS if tier not in attack.open]
    random.shuffle(chosen)

    def work(engine: Engine, mine: list[Attack | None]) -> list[str]:
        return [words for attack in mine for words in one(engine, attack, bait, control)]

    with ThreadPoolExecutor(AT_A_TIME) as pool:
        shares = [chosen[place::AT_A_TIME] for place in range(AT_A_TIME)]
        troubles = [words for found in pool.map(work, engines, shares) for words in found]
    troubles += host.changes(before, bait)
    spoilt()
    assert not troubles, "\n".join([*troubles, *(attack.name if attack else "control" for attack in chosen)])


def one(engine: Engine, attack: Attack | None, bait: Bait, control: Control) -> list[str]:
    """What went wrong with one attack, or with the control, among others."""
    try:
        if attack is None:
            control.run(engine)
            return []
        with tempfile.TemporaryDirectory() as folder:
            expect_end(attack, engine.grade(attack.submit(Path(folder), bait.constants())))
        told = listen(engine, attack, bait)
        return [f"{attack.name} found something ({told:g})"] if told else []
    except (AssertionError, CallError) as error:
        return [f"{attack.name if attack else 'control'}: {str(error).partition(chr(10))[0]}"]


@pytest.fixture
def may() -> Callable[[Attack], None]:
    """Skips an attack that needs what this machine has not."""
    import os

    def may(attack: Attack) -> None:
        if attack.needs == "root" and os.geteuid() != 0:
            pytest.skip("needs root to bite")

    return may
