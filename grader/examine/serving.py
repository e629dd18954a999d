"""An examiner's own end: it serves each request in a fork, so that nothing a test leaves behind meets the next.

Theory of operation. Its line to the command holds lines of JSON: its pid first, then one reply for each request. A
check that takes its process down costs that examination only. While a fork names mistakes it asks its examiner what the
question's own solutions do, which finds that out once and keeps it for all forks to come.
"""

from __future__ import annotations

import importlib
import json
import os
import pickle
import random
import signal
import socket
import sys
import time
import traceback
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import asdict, replace
from functools import cache, partial
from typing import Any, Final, NoReturn

from grader.examine import probes, tables
from grader.examine.brief import Examination
from grader.examine.errors import Lost, Raised
from grader.examine.plugin import Examining
from grader.examine.subject import Subject
from grader.examine.workers import Usage
from grader.sandbox.confine import PR_SET_PDEATHSIG
from grader.sandbox.hugepages import HugePages
from grader.sandbox.kernel import prctl
from grader.sandbox.limits import Limits

MOST_PAUSE: Final = 0.4  # seconds
MOST_CALLS: Final = 64  # of the reference's, that are kept
ALIKE: Final = 5  # attempts at one request that have to end alike, where workers are killed: fewer come about by chance


class Serving:
    """Serves requests, each in a fork."""

    def __init__(self, examining: Examining, collected: dict[str, probes.Probe], control: socket.socket) -> None:
        self.examining, self.probes, self.control = examining, collected, control
        self.known: dict[tuple[str, str], bytes] = {}  # pickled, by a text of the question's own and a probe or call
        self.calls_known: deque[tuple[str, str]] = deque()  # those of them that are calls, the oldest first
        self.memory = HugePages()
        self.parent: socket.socket  # in a fork: the line to the process that forked it

    def serve(self, line: socket.socket) -> NoReturn:
        """In a fork: answer on `line` until it closes."""
        try:
            prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            say(line, {"pid": os.getpid()})
            with line.makefile("r", encoding="utf-8") as inbox:
                for request in inbox:
                    say(line, self.answer(json.loads(request)))
        finally:
            os._exit(0)

    def answer(self, request: dict[str, Any]) -> dict[str, Any]:
        """The reply to a request; `{"fault": why}` if the child that had to find it failed.

        Where a worker was killed meanwhile, all is done once more after a moment, until an attempt meets no kill or
        five of them end alike, in the same call. A submission that ends itself does so each time; one that met
        somebody else's kill, or a few of them, does not pay for it. None begins later than the submission's own time on
        the wall, so that one that dies in another way each time holds nobody up for longer than two attempts.
        """
        endings, latest = [], time.monotonic() + self.examining.brief.limits.submission_wall_seconds
        while True:
            reply = self._answer(request)
            endings.append(([check["seen"] for check in reply.get("checks", [])], reply.get("shown")))
            alike = endings.count(endings[-1]) == ALIKE
            if not reply.pop("killed", 0) or alike or time.monotonic() > latest:
                return reply
            # As long as half an attempt, by chance: what kills at regular intervals would meet the same call each time.
            time.sleep(random.uniform(0, MOST_PAUSE))

    def _answer(self, request: dict[str, Any]) -> dict[str, Any]:
        ours, theirs = socket.socketpair()
        child = os.fork()
        if child == 0:
            self._serve(theirs, request)
        theirs.close()
        self.memory.gather()
        reply: dict[str, Any] = {}
        with ours, ours.makefile("r", encoding="utf-8") as inbox, ExitStack() as opened:
            subjects: dict[str, Subject] = {}
            for line in inbox:
                reply = json.loads(line)
                if "of" not in reply:
                    break
                text = reply["of"]
                if text not in subjects:
                    subjects[text] = opened.enter_context(self._watched(text))
                told = self._known(subjects[text], **reply["want"])
                ours.sendall(len(told).to_bytes(8, "little") + told)
        _, status = os.waitpid(child, 0)
        for name in reply.pop("imported", []):
            with suppress(ImportError):
                importlib.import_module(name)
        return reply if reply and "of" not in reply else {"fault": f"the examination ended with status {status}"}

    def _known(self, subject: Subject, probe: str = "", call: str = "") -> bytes:
        """What a probe, or a call, gives for the reference or for a wrong solution of the question's."""
        key = subject.source, probe or call
        if key not in self.known:
            for _ in range(ALIKE):  # it is kept for all submissions to come, so no kill may be in it
                before = Usage.kills
                value = probes.value(self.probes[probe], subject) if probe else tables.again(subject, call)
                if Usage.kills == before:
                    break
            self.known[key] = pickle.dumps(value)
            if call:
                self.calls_known.append(key)
        told = self.known[key]
        while len(self.calls_known) > MOST_CALLS:
            del self.known[self.calls_known.popleft()]
        return told

    def _serve(self, line: socket.socket, request: dict[str, Any]) -> NoReturn:
        try:
            prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
            self.parent = line
            verbs: dict[str, Callable[..., dict[str, Any]]] = {"examine": self.examine, "diagnose": self.diagnose}
            verb, known, before = verbs[request.pop("ask")], set(sys.modules), Usage.kills
            reply = verb(**request)
            # What the checks imported late, the process that forks imports once for all that follow.
            say(line, {**reply, "imported": sorted(set(sys.modules) - known), "killed": Usage.kills - before})
        except BaseException as error:  # noqa: BLE001 - told to the command, which reports a fault of ours
            say(line, {"fault": f"{type(error).__name__}: {error}", "traceback": traceback.format_exc()})
        finally:
            os._exit(0)

    def examine(
        self,
        source: str,
        seed: int,
        until_failure: bool,
        nudge: int,
        limits: dict[str, Any],
        reference: str,
        only: Sequence[str] = (),
    ) -> dict[str, Any]:
        """Load a submission and run checks on it: as far as the first that does not pass, or of some criteria only."""
        subject = Subject(replace(self.examining.brief, limits=Limits(**limits)), source, self.control)
        subject.nudge = nudge
        try:
            subject.load()
        except (Raised, Lost) as error:
            return asdict(examined(subject, [], str(error) or type(error).__name__))
        self.examining.subject, self.examining.seed = subject, seed
        checks = self.examining.run(until_failure=until_failure, only=only)
        subject.close()
        told = partial(self._told, reference) if reference else None
        whole = examined(subject, tables.illustrated(checks, self.examining.tables, told), "")
        seconds, check = self.examining.slowest
        return asdict(replace(whole, slowest_check=check, slowest_seconds=seconds))

    def diagnose(self, source: str, reference: str, mistakes: dict[str, str]) -> dict[str, Any]:
        """Which of the named mistakes, by their wrong solutions, a submission shows."""

        @cache
        def known(text: str, probe: str) -> Any:
            return self._told(text, probe=probe)

        with self._watched(source) as subject:
            seen = probes.run(self.probes, subject)
        shown = {}
        for id, text in mistakes.items():
            names = probes.telling(self.probes, seen, partial(known, reference), partial(known, text))
            if names is not None:
                shown[id] = names
        return {"shown": probes.most_telling(shown)}

    def _told(self, text: str, **want: str) -> Any:
        """In a fork: what the parent knows of a text of the question's own."""
        say(self.parent, {"of": text, "want": want})
        size = int.from_bytes(self.parent.recv(8, socket.MSG_WAITALL), "little")
        return pickle.loads(self.parent.recv(size, socket.MSG_WAITALL))

    @contextmanager
    def _watched(self, source: str) -> Iterator[Subject]:
        subject = self._subject(source)
        try:
            yield subject
        finally:
            subject.close()

    def _subject(self, source: str) -> Subject:
        return Subject(self.examining.brief, source, self.control)


def examined(subject: Subject, checks: list[Any], unloaded: str) -> Examination:
    """The examination as it stands, with what the workers used."""
    usage = subject.usage
    return Examination(
        checks=checks,
        unloaded=unloaded,
        printed=usage.printed.decode("utf-8", "replace"),
        printed_bytes=usage.printed_bytes,
        cpu_seconds=round(usage.cpu_seconds, 3),
        peak_kib=usage.peak_kib,
        longest_call_seconds=usage.longest_call_seconds,
        workers=usage.workers,
    )


def say(line: socket.socket, message: dict[str, Any]) -> None:
    """Write one line of JSON."""
    line.sendall(json.dumps(message).encode() + b"\n")
