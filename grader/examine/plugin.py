"""The pytest plugin: orders the hidden tests, gives them their fixtures, and turns how they ended into outcomes."""

from __future__ import annotations

import time
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import numpy as np
import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis.errors import FlakyFailure

from grader.examine import cases
from grader.examine.brief import Brief, CheckResult, Table
from grader.examine.calls import Call, Calls
from grader.examine.candidate import Candidate
from grader.examine.errors import Lost, Mismatch, Raised
from grader.examine.subject import Subject
from grader.outcome import Outcome

LONGEST_SENTENCE: Final = 300
ESCAPES: Final = ("skip", "skipif", "xfail")  # marks by which pytest lets a test off

# A property repeats from run to run, and stops at the first counterexample: a smaller one is not worth the calls.
settings.register_profile(
    "hidden",
    database=None,
    deadline=None,
    derandomize=True,
    max_examples=3,
    phases=[Phase.explicit, Phase.generate],
    print_blob=False,
    report_multiple_bugs=False,
    suppress_health_check=list(HealthCheck),
)


class Examining:
    """Runs the collected tests for whichever subject is set. `consume` is called once, after collection.

    Args:
        brief: the question.
        consume: what to do with the collected tests; pytest ends when it returns.
        importing: told of each file of tests before it is imported.
    """

    def __init__(
        self, brief: Brief, consume: Callable[[Examining], None], importing: Callable[[Path], None] = lambda _: None
    ) -> None:
        self.brief, self.consume, self.importing = brief, consume, importing
        self.items: list[pytest.Item] = []
        self.subject: Subject | None = None
        self.seed = 0
        self.problems: list[str] = []
        self._running = ""  # the check of the moment
        self._ended: tuple[Outcome, str] | None = None
        self._table: Table | None = None
        self.slowest = 0.0, ""  # the most seconds that a check took for itself, and which
        self.tables: dict[str, list[Call]] = {}  # what each failed check got from functions of the submission

    # Fixtures for hidden tests

    @pytest.fixture
    def candidate(self) -> Candidate:
        """The submission under examination."""
        assert self.subject is not None
        return Candidate(self.subject)

    @pytest.fixture
    def rng(self) -> np.random.Generator:
        """A generator of the check's own, from the run's seed."""
        return np.random.default_rng([self.seed, zlib.crc32(self._running.encode())])

    @pytest.fixture
    def parameters(self) -> dict[str, Any]:
        """The question's parameters."""
        return self.brief.parameters

    # Hooks

    def pytest_configure(self, config: pytest.Config) -> None:
        """Make the criterion marker known, and properties repeatable."""
        config.addinivalue_line("markers", "criterion(id): the criterion that a check is evidence for")
        settings.load_profile("hidden")
        config.option.tbstyle = "no"  # a traceback is never shown, and takes longer to draw than a check to run

    def pytest_collectstart(self, collector: pytest.Collector) -> None:
        """Tell of a file before it is imported, which may end this process."""
        if isinstance(collector, pytest.Module):
            self.importing(collector.path)

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Order the checks by criterion, in the order of the spec, and within one as they were written."""
        order = {id: place for place, id in enumerate(self.brief.criteria)}
        for item in items:
            ids = [marker.args[0] for marker in item.iter_markers("criterion")]
            if len(ids) != 1 or ids[0] not in order:
                known = ", ".join(order)
                self.problems.append(f"{item.name} is marked with {ids or 'no criterion'}, expected one of {known}")
            if type(item) is not pytest.Function:
                self.problems.append(f"{item.name} is no plain test, expected a function or a method of a plain class")
            marks = dict.fromkeys(mark.name for mark in item.iter_markers() if mark.name in ESCAPES)
            self.problems += [f"{item.name} is marked with {mark}, and a check always counts" for mark in marks]
        if not self.problems:
            items.sort(key=lambda item: order[criterion_of(item)])
            unchecked = set(order) - {criterion_of(item) for item in items}
            self.problems += [f"the criterion {id} has no check" for id in sorted(unchecked)]
            idle = sorted(set(Path(self.brief.hidden).glob("test_*.py")) - {item.path for item in items})
            self.problems += [f"{path.name} {'is a folder' if path.is_dir() else 'holds no check'}" for path in idle]
            cases.fix(items)
        self.items = items

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """Keep what went wrong while the tests were imported."""
        if report.failed:
            lines = str(report.longrepr).strip().splitlines()
            self.problems.append(f"{report.nodeid} can't be imported: {lines[-1].removeprefix('E').strip()}")

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Hand over to the examiner instead of running everything once."""
        del session
        self.consume(self)
        return True

    # Running

    def run(self, *, until_failure: bool = False, only: Sequence[str] = ()) -> list[CheckResult]:
        """Run every check for the present subject, or those of some criteria, and say how each ended."""
        results: list[CheckResult] = []
        for item in self.items if not only else [item for item in self.items if criterion_of(item) in only]:
            results.append(self._result(item, results))
            if until_failure and results[-1].outcome is not Outcome.PASSED:
                break
        return results

    def _result(self, item: pytest.Item, results: list[CheckResult]) -> CheckResult:
        named = item.name, title_of(item), criterion_of(item)
        if unreached := self._unreached(criterion_of(item), results):
            return CheckResult(*named, *unreached)
        outcome, seen = self._run(item)
        if outcome is Outcome.PASSED:
            return CheckResult(*named, outcome)
        assert self.subject is not None
        self.tables[item.name] = list(self.subject.calls.tables)
        return CheckResult(*named, outcome, seen, [*self.subject.calls.names], self._table)

    def _unreached(self, criterion: str, results: list[CheckResult]) -> tuple[Outcome, str] | None:
        """Why a check is not asked: something it rests on failed, or its criterion has already cost a time-out."""
        for result in results:
            if result.criterion in self.brief.criteria[criterion] and result.outcome is not Outcome.PASSED:
                return Outcome.NOT_REACHED, f"rests on {result.criterion}, which did not pass"
            if result.criterion == criterion and result.outcome is Outcome.TIMED_OUT:
                return Outcome.NOT_REACHED, "an earlier check of this criterion used up its time"
        return None

    def _run(self, item: pytest.Item) -> tuple[Outcome, str]:
        """Run one test from setup to the last teardown: no check inherits a fixture from another.

        These are pytest's own steps; its reports of them, of which nobody would be told, cost as much as the steps.
        """
        assert self.subject is not None
        self._running, self._ended, self._table, self.subject.calls = item.name, None, None, Calls()
        usage = self.subject.usage
        since, waited = time.monotonic(), usage.waited_seconds
        assert isinstance(item, pytest.Function)  # others were refused as they were collected
        item._initrequest()  # what was run before in this process is run anew
        with self._noting():
            item.ihook.pytest_runtest_setup(item=item)
            item.ihook.pytest_runtest_call(item=item)
        with self._noting():
            item.ihook.pytest_runtest_teardown(item=item, nextitem=None)
        own = time.monotonic() - since - (usage.waited_seconds - waited)
        self.slowest = max(self.slowest, (own, title_of(item)))
        return self._ended or (Outcome.PASSED, "")

    @contextmanager
    def _noting(self) -> Iterator[None]:
        """Note the first thing that goes wrong in setup, call or teardown."""
        try:
            yield
        except (pytest.exit.Exception, KeyboardInterrupt):
            raise
        except BaseException as error:  # noqa: BLE001 - whatever a check raises is how it ended
            if self._ended is None:
                self._ended, self._table = judged(error), getattr(error, "table", None)


def criterion_of(item: pytest.Item) -> str:
    """The id in an item's criterion marker."""
    marker = item.get_closest_marker("criterion")
    assert marker is not None
    return str(marker.args[0])


def title_of(item: pytest.Item) -> str:
    """The check in plain words: its docstring's first line, or its name."""
    doc = getattr(getattr(item, "function", None), "__doc__", None)
    if doc:
        return str(doc).strip().splitlines()[0].rstrip(".")
    words, _, case = item.name.removeprefix("test_").partition("[")
    return words.replace("_", " ") + (f" ({case.removesuffix(']').replace('-', ', ')})" if case else "")


def judged(error: BaseException) -> tuple[Outcome, str]:
    """The outcome that an exception in a check stands for, and the sentence that says what was seen."""
    match error:
        case Raised() | Lost() | Mismatch():
            return error.outcome, sentence(error)
        case FlakyFailure():
            return Outcome.FAILED, "the same call gave different results when it was repeated"
        case AssertionError() | pytest.fail.Exception():
            return Outcome.FAILED, sentence(error)
    return Outcome.GRADER_FAULT, f"the check itself raised {type(error).__name__}: {sentence(error)}"


def sentence(error: BaseException) -> str:
    """The first line of an exception's message, cut to a readable length."""
    lines = str(error).strip().splitlines() or [type(error).__name__]
    return lines[0] if len(lines[0]) <= LONGEST_SENTENCE else lines[0][: LONGEST_SENTENCE - 1] + "…"
