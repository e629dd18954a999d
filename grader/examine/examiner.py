"""The command's handles on the process that holds the hidden tests, and on examiners, which are forks of it."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any, Final

from grader.closing import Closing
from grader.errors import GraderFault, QuestionError
from grader.examine.brief import Brief, Examination
from grader.examine.zygote import Zygote, has_hung_up
from grader.sandbox.limits import Limits

PACKAGE: Final = Path(__file__).resolve().parents[1]
COLLECT_SECONDS: Final = 120.0
SPARE_SECONDS: Final = 120.0


class Examiners(Closing):
    """The process that has collected a question's hidden tests, once, and forks as many examiners as are asked for.

    A context manager; leaving it ends the process and its examiners.

    Args:
        brief: the question.
        zygote: where their workers come from.
    """

    def __init__(self, brief: Brief, zygote: Zygote) -> None:
        self.brief, self.zygote = brief, zygote
        self.line, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with tempfile.TemporaryFile() as told, theirs:
            told.write(brief.to_json().encode())
            told.seek(0)
            self.process = subprocess.Popen(
                [
                    sys.executable,
                    "-P",  # the folder that the command is run in may be the candidate's
                    "-B",
                    "-m",
                    "grader.examine",
                    str(theirs.fileno()),
                    str(zygote.control.fileno()),
                ],
                stdin=told,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                env=environment(),
                pass_fds=[theirs.fileno(), zygote.control.fileno()],
                start_new_session=True,
            )
        self._ready = False

    def wait(self) -> None:
        """Return when the hidden tests are collected; at once from the second call on.

        Raises:
            QuestionError: they can't be, or are not marked with the spec's criteria.
        """
        if self._ready:
            return
        told = self._collected(time.monotonic() + COLLECT_SECONDS)
        if "problems" in told:
            found = "; ".join(told["problems"])
            raise QuestionError("the hidden tests can't be used", where=self.brief.hidden, found=found)
        self._ready = True

    def _collected(self, latest: float) -> dict[str, Any]:
        """What it says when the tests are collected. It names each file first, so that one that ends it can be told."""
        file, told = "", {}
        try:
            while True:
                self.line.settimeout(max(latest - time.monotonic(), 0.001))
                told = json.loads(self._heard() or '{"ended": true}')
                if "importing" not in told:
                    break
                file = told["importing"]
        except TimeoutError:
            told = {"ended": False}
        self.line.settimeout(None)
        if "ended" not in told:
            return dict(told)
        found = "its process ended" if told["ended"] else f"no end after {COLLECT_SECONDS:g} s"
        if not file:
            raise GraderFault("the examiner did not start", found=found)
        raise QuestionError(
            "a file of the hidden tests can't be imported",
            where=str(Path(self.brief.hidden, file)),
            found=found,
            next_step="Take out what ends the process or holds it up.",
        )

    def _heard(self) -> bytes:
        try:
            return self.line.recv(1 << 20)
        except ConnectionResetError:  # told once of a process that left something unread: what it said comes after
            return self.line.recv(1 << 20)

    def another(self) -> Examiner:
        """One more examiner, which is there as soon as the tests are collected."""
        return Examiner(self)

    @property
    def is_alive(self) -> bool:
        """Whether the process is there still."""
        return self.process.poll() is None

    def close(self) -> None:
        """End the process, its examiners, and what they forked."""
        self.line.close()
        if self.is_alive:  # otherwise its pid may be another's by now, and its forks went with it
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()


class Examiner(Closing):
    """Examines submissions to one question, one at a time. A context manager; leaving it ends its process.

    Args:
        home: the process that it is forked from.
    """

    def __init__(self, home: Examiners) -> None:
        self.home, self.brief = home, home.brief
        self.line, theirs = socket.socketpair()
        self.inbox = self.line.makefile("r", encoding="utf-8")
        self._handle = -1
        with theirs, suppress(OSError):  # if it is gone, the line is closed, and says so
            socket.send_fds(home.line, [b"\n"], [theirs.fileno()])

    def wait(self) -> None:
        """Return when it is there.

        Raises:
            QuestionError: the hidden tests can't be collected, or are not marked with the spec's criteria.
        """
        if self._handle < 0:
            self.home.wait()
            pid = self._reply(COLLECT_SECONDS)["pid"]
            try:
                self._handle = os.pidfd_open(pid)
            except ProcessLookupError:
                raise GraderFault("the examiner ended before it was asked", found="its process is gone") from None

    @property
    def is_alive(self) -> bool:
        """Whether its process is there still."""
        return not has_hung_up(self.line)

    def examine(
        self,
        source: str,
        seed: int,
        *,
        until_failure: bool = False,
        only: Sequence[str] = (),
        nudge: int = 0,
        limits: Limits | None = None,
        reference: str | None = None,
    ) -> Examination:
        """Run every check on a submission's text.

        Args:
            source: the text.
            seed: of the hidden inputs.
            until_failure: stop at the first check that does not pass.
            only: the criteria whose checks are run; all if there are none.
            nudge: move every float that comes back by so many units in its last place, to see what a check tolerates.
            limits: what it may use, where that is not what the question says.
            reference: the text of a right solution, to show beside a table that is wrong.
        """
        asked: dict[str, Any] = {"source": source, "seed": seed, "until_failure": until_failure, "nudge": nudge}
        asked["only"] = list(only)
        asked["reference"] = reference or ""
        asked["limits"] = asdict(limits or self.brief.limits)
        return Examination.from_fields(self._ask(ask="examine", **asked))

    def diagnose(self, source: str, reference: str, mistakes: dict[str, str]) -> list[str]:
        """Which of `mistakes` (wrong solutions by id) the text shows, held against the text of a right one."""
        shown = self._ask(ask="diagnose", source=source, reference=reference, mistakes=mistakes)["shown"]
        return [str(id) for id in shown]

    def _ask(self, **request: Any) -> dict[str, Any]:
        self.wait()
        with suppress(OSError):  # if it is gone, there is no reply
            self.line.sendall(json.dumps(request).encode() + b"\n")
        reply = self._reply(2 * self.brief.limits.submission_wall_seconds + SPARE_SECONDS)  # it may take two attempts
        if "fault" in reply:
            fault = GraderFault("the examination failed", found=reply["fault"])
            fault.add_note(reply.get("traceback", ""))
            raise fault
        return reply

    def _reply(self, seconds: float) -> dict[str, Any]:
        self.line.settimeout(seconds)
        try:
            line = self.inbox.readline()
        except TimeoutError:
            raise GraderFault("the examiner did not answer in time", expected=f"a reply in {seconds:g} s") from None
        except OSError:
            line = ""
        if not line:
            raise GraderFault("the examiner ended before it answered", found="its process is gone")
        reply: dict[str, Any] = json.loads(line)
        return reply

    def close(self) -> None:
        """End its process, and with it what that forked."""
        self.inbox.close()
        self.line.close()
        if self._handle >= 0:
            with suppress(ProcessLookupError):
                signal.pidfd_send_signal(self._handle, signal.SIGKILL)
            os.close(self._handle)
            self._handle = -1


def environment() -> dict[str, str]:
    """This process's environment, without what would change a run of pytest."""
    kept = {key: value for key, value in os.environ.items() if not key.startswith(("PYTEST_", "HYPOTHESIS_"))}
    path = os.pathsep.join(filter(None, [str(PACKAGE.parent), kept.get("PYTHONPATH")]))
    return {
        **kept,
        "PYTHONPATH": path,
        "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
        "OPENBLAS_NUM_THREADS": "1",
        "PYTHONHASHSEED": "0",
    }
