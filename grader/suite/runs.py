"""One run of a candidate's tests against one solution, in one worker, and what it comes to."""

from __future__ import annotations

import re
import socket
from dataclasses import dataclass
from typing import Any, Final

from grader import inert, wire
from grader.examine.errors import Lost, OutOfMemory, TimedOut
from grader.examine.subject import SOLUTION
from grader.examine.workers import OUT_OF_TIME, Usage, Worker
from grader.sandbox.limits import Limits

DURING: Final = "a run of the tests"
MOST_NAMES: Final = 20
BROKEN_OFF: Final = "the run of the tests was broken off"
NAME: Final = re.compile(r"\w{1,100}")


class OutOfAllTime(Exception):
    """All runs together used up what they may."""


@dataclass(frozen=True, slots=True)
class Run:
    """What one run came to.

    Attributes:
        tests: how many tests there are.
        passed: how many of them passed.
        failed: the names of those that did not, as far as the text of the tests has them.
        broken: why there is no result, or no whole one: a clause that may be shown to a candidate; empty for nothing.
        seen: what was seen then, for interviewers only.
    """

    tests: int = 0
    passed: int = 0
    failed: tuple[str, ...] = ()
    broken: str = ""
    seen: str = ""

    @property
    def accepted(self) -> bool:
        """At least one test passed, and nothing else happened."""
        return self.passed > 0 and not self.refused

    @property
    def refused(self) -> bool:
        """Something failed, or the run did not come to its end."""
        return bool(self.failed or self.broken)


@dataclass(frozen=True, slots=True)
class OwnTests:
    """A candidate's tests: the name of their file, and its text."""

    file: str
    text: str

    def known(self, name: str) -> str:
        """The name of a failed test as its author wrote it.

        Whoever writes a test can make its name and parameters up while it runs, out of what the reference returned.
        So a name is told on only if the text has it, and its parameters never are.
        """
        plain = name.partition("[")[0].rpartition("::")[2]
        found = NAME.fullmatch(plain) and re.search(rf"\bdef\s+{re.escape(plain)}\b", self.text)
        return inert.short(plain, 100) if found else "a test"


class Runner:
    """Runs tests, each run in a fresh worker.

    Args:
        control: the socket of the suites' zygote.
        tests: what to run.
        support: the text of each support module, by its import name.
        limits: what a run may use, and all of them.
    """

    def __init__(self, control: socket.socket, tests: OwnTests, support: dict[str, str], limits: Limits) -> None:
        self.control, self.tests, self.support, self.limits = control, tests, support, limits
        self.usage = Usage()

    def run(self, source: str) -> Run:
        """Run the tests against the text of a solution.

        Raises:
            OutOfAllTime: all runs together used up what they may.
            GraderFault: no worker could be had.
        """
        worker = Worker(self.control, self.limits, self.usage)
        sources: dict[str, wire.Value] = {SOLUTION: source, **self.support}
        request: dict[str, wire.Value] = {
            "ask": "suite",
            "sources": sources,
            "file": self.tests.file,
            "tests": self.tests.text,
        }
        try:
            return self._read(worker.ask(DURING, request))
        except Lost as loss:
            if OUT_OF_TIME in str(loss):
                raise OutOfAllTime from None
            return Run(broken=_became(loss), seen=str(loss))
        finally:
            worker.close()

    def _read(self, reply: dict[str, Any]) -> Run:
        match reply:
            case {"ok": {"tests": int(tests), "passed": int(passed), "failed": list(failed), "broken": broken, **rest}}:
                if not rest and all(type(name) is str for name in failed) and isinstance(broken, dict | None):
                    names = tuple(map(self.tests.known, failed[:MOST_NAMES]))
                    return Run(tests, passed, names, *self._broken(broken))
            case {"raised": dict(told)}:
                return Run(broken=BROKEN_OFF, seen=_seen(told))
        return Run(broken=BROKEN_OFF, seen="it did not answer in the protocol")

    def _broken(self, told: dict[str, Any] | None) -> tuple[str, str]:
        if told is None:
            return "", ""
        line = told.get("line")
        at = f" (line {line})" if type(line) is int and 0 < line <= self.tests.text.count("\n") + 1 else ""
        return f"{self.tests.file} could not be run to its end{at}", _seen(told)


def _seen(told: dict[str, Any]) -> str:
    return inert.short(f"{told.get('type')}: {told.get('message')}", 400)


def _became(loss: Lost) -> str:
    if isinstance(loss, TimedOut):
        return "the tests were still running when their time was used up"
    if isinstance(loss, OutOfMemory):
        return "the tests used more memory than they may"
    return "the tests ended the program"
