"""One submission under examination: it asks the worker of the moment, and gets a new one after a loss."""

from __future__ import annotations

import socket
from typing import Any, Final

from grader import wire
from grader.examine.brief import Brief
from grader.examine.calls import Calls
from grader.examine.errors import Babbled, Lost, Raised, TimedOut, Undefined
from grader.examine.workers import OUT_OF_TIME, Usage, Worker
from grader.sandbox.limits import MIB

SOLUTION: Final = "solution"


class Subject:
    """One submission under examination: its source, its worker of the moment, and what its workers used.

    Args:
        brief: the question.
        source: the submission's text.
        control: the zygote's socket, to ask for workers.
    """

    def __init__(self, brief: Brief, source: str, control: socket.socket) -> None:
        self.brief, self.source, self.control = brief, source, control
        self.usage = Usage()
        self.nudge = 0  # see `compare.nudged`
        self.calls = Calls()  # of the check of the moment
        self._worker: Worker | None = None

    def load(self) -> None:
        """Start a worker and have it import the submission.

        Raises:
            Raised: the file raised an exception.
            Lost: the file ended the process, or used up its time or memory.
        """
        if self.usage.cpu_seconds > self.brief.limits.submission_cpu_seconds:
            raise TimedOut(OUT_OF_TIME)
        self._worker = Worker(self.control, self.brief.limits, self.usage)
        request: dict[str, wire.Value] = {
            "ask": "load",
            "sources": {SOLUTION: self.source, **self.brief.support},
            "frame_bytes": self.brief.limits.frame_mib * MIB,
        }
        try:
            self._ask("loading the file", request)
        except Raised as error:
            if error.type == "SystemExit":
                error.args = (f"the file ended the program while it was loaded (SystemExit at line {error.line})",)
            raise

    def ask(self, during: str, verb: str, **request: wire.Value) -> Any:
        """Ask the worker, a new one if the last was lost, and return the value that it answers with."""
        if request.get("on") == SOLUTION:
            self.calls.names[str(request.get("path")).partition(".")[0]] = None
        if self._worker is None:
            self.load()
        return self._ask(during, {"ask": verb, **request})

    def _ask(self, during: str, request: dict[str, wire.Value]) -> Any:
        assert self._worker is not None
        try:
            reply = self._worker.ask(during, request)
        except Lost:
            self._worker = None
            raise
        match reply:
            case {"ok": value, **rest} if not rest:
                return value
            case {"undefined": str(path), **rest} if not rest:
                raise Undefined(f"{path} is not defined")
            case {"raised": dict(told), **rest} if not rest:
                raise raised_from(told, during)
        self.close()
        raise Babbled(f"{during} did not answer in the protocol")

    def close(self) -> None:
        """End the worker of the moment."""
        if self._worker is not None:
            self._worker.close()
            self._worker = None


def raised_from(told: dict[str, Any], during: str) -> Raised:
    """The exception that a worker told of, in types that we chose."""
    line = told.get("line")
    return Raised(
        str(told.get("type")).rpartition(".")[2],
        str(told.get("message")),
        line if type(line) is int else None,
        during,
    )
