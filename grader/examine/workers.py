"""The examiner's end of a worker: asks one thing at a time, keeps the clocks, drains what is printed, and kills.

Theory of operation. The examiner holds three descriptors of each worker: the channel (requests and replies), the
output pipe, and the leash to its keeper. While it waits for a reply it reads all three: output is kept up to a cap
and then counted; the leash tells when the worker died. Time is the worker's own CPU clock, read from outside; the
wall clock backs it up for code that sleeps. Whatever goes wrong, the worker is killed by closing the leash's
sending side, and the keeper's last word says how it ended, for people to read.
"""

from __future__ import annotations

import json
import os
import selectors
import signal
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, ClassVar, Final

from grader import wire
from grader.errors import GraderFault
from grader.examine.errors import Babbled, Died, Lost, OutOfMemory, TimedOut
from grader.sandbox import cgroup
from grader.sandbox.limits import KIB, MIB, Limits

TICK: Final = 0.05
ENDING_SECONDS: Final = 1.0  # files are closed a moment before their process has ended, longer on a busy machine
KEEPER_SECONDS: Final = 20.0
OUT_OF_TIME: Final = "the submission used up its time as a whole"


@dataclass(slots=True)
class Usage:
    """What the workers of one submission used together, and what they printed.

    `longest_call_seconds` is the CPU time of one question to a worker, of which each has as much as the next, and
    `waited_seconds` how long the examiner did nothing but wait for them.

    `kills` counts the workers of this process that SIGKILL ended and nobody of ours: the submission itself may have
    sent it, or a machine that ran out of memory, or a person.
    """

    kills: ClassVar[int] = 0

    cpu_seconds: float = 0.0
    peak_kib: int = 0
    longest_call_seconds: float = 0.0
    waited_seconds: float = 0.0
    workers: int = 0
    printed: bytearray = field(default_factory=bytearray)
    printed_bytes: int = 0
    started: float = field(default_factory=time.monotonic)

    @contextmanager
    def waiting(self) -> Iterator[None]:
        """Count the time of what is done meanwhile as the workers'."""
        since = time.monotonic()
        try:
            yield
        finally:
            self.waited_seconds += time.monotonic() - since


class Worker:
    """One confined process. Ask it until it is lost or closed.

    Args:
        control: the zygote's socket.
        limits: what the submission may use.
        usage: the submission's running total, which this worker adds to.
    """

    def __init__(self, control: socket.socket, limits: Limits, usage: Usage) -> None:
        self.limits, self.usage = limits, usage
        with usage.waiting():
            self._start(control)

    def _start(self, control: socket.socket) -> None:
        limits, usage = self.limits, self.usage
        self.channel, channel = socket.socketpair()
        self.leash, leash = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.output, output = os.pipe()
        with channel, leash:
            ends = [channel.fileno(), leash.fileno(), output]
            try:
                socket.send_fds(control, [json.dumps(asdict(limits)).encode()], ends)
            except OSError as error:  # the zygote is gone
                raise self._unstarted(error) from error
            finally:
                os.close(output)
        os.set_blocking(self.output, False)
        self.leash.settimeout(KEEPER_SECONDS)
        self.pid, self.handle = self._introduction()
        # A little above the limit on address space, which a program can recover from.
        self.group = cgroup.Group.around(self.pid, limits.memory_mib * MIB * 9 // 8)
        self.channel.setblocking(False)
        self.selector = selectors.DefaultSelector()
        for end in (self.channel, self.output, self.leash):
            self.selector.register(end, selectors.EVENT_READ)
        usage.workers += 1

    def _introduction(self) -> tuple[int, int]:
        """The worker's pid and a pidfd for it, once it is confined."""
        handles: list[int] = []
        try:
            _, handles, _, _ = socket.recv_fds(self.leash, 4096, 1)
            self.channel.settimeout(KEEPER_SECONDS)
            if self.channel.recv(1) != wire.CONFINED:
                raise OSError("it ended before it was confined")
            return pid_of(handles[0]), handles[0]
        except (OSError, ValueError, IndexError) as error:
            raise self._unstarted(error, *handles) from error

    def _unstarted(self, error: Exception, *handles: int) -> GraderFault:
        """The fault of ours that it is to have no worker; what was opened for it is closed."""
        self.channel.close()
        self.leash.close()
        for descriptor in (self.output, *handles):
            os.close(descriptor)
        return GraderFault(
            "a worker could not be started, or not be confined", found=f"{type(error).__name__}: {error}"
        )

    def ask(self, during: str, request: dict[str, wire.Value]) -> dict[str, Any]:
        """Send a request and return the reply.

        Args:
            during: what is being asked, in words, for the sentence in case the worker is lost.
            request: the message.

        Raises:
            Lost: the worker died, ran out of time or memory, or sent what is not a reply. It is closed by then.
        """
        try:
            frame = wire.encode(request, 1 << 40)
        except wire.ProtocolError as error:
            raise GraderFault("a check asks for what can't be sent", where=during, found=str(error)) from error
        try:
            with self.usage.waiting():
                return self._ask(during, frame)
        except Lost:
            self.close()
            raise
        except wire.ProtocolError as error:
            self.close()
            raise Babbled(f"{during} did not answer in the protocol: {error}") from error

    def _ask(self, during: str, frame: list[bytes | memoryview]) -> dict[str, Any]:
        clock = _Clock(self.pid, self.limits, self.usage, during)
        unsent = self._send([memoryview(part) for part in frame], during)
        if unsent:
            self.selector.modify(self.channel, selectors.EVENT_READ | selectors.EVENT_WRITE)
        reader = wire.FrameReader(self.limits.frame_mib * MIB)
        while True:
            ready = {key.fd: events for key, events in self.selector.select(TICK)}
            if self.output in ready and not self._drain():
                self.selector.unregister(self.output)
            if ready.get(self.channel.fileno(), 0) & selectors.EVENT_WRITE:
                if unsent := self._send(unsent, during):
                    continue
                self.selector.modify(self.channel, selectors.EVENT_READ)
            if ready.get(self.channel.fileno(), 0) & selectors.EVENT_READ and self._receive(reader):
                clock.read()
                return reader.message()
            if self.leash.fileno() in ready:
                raise self._loss(during)
            clock.check()

    def _send(self, unsent: list[memoryview], during: str) -> list[memoryview]:
        try:
            while unsent:
                sent = self.channel.send(unsent[0])
                unsent[0] = unsent[0][sent:]
                if not unsent[0]:
                    unsent.pop(0)
        except BlockingIOError:
            pass
        except OSError:
            raise self._loss(during) from None
        return unsent

    def _receive(self, reader: wire.FrameReader) -> bool:
        """Read what has arrived; True when a frame is whole. The end of the stream shows on the leash."""
        while wanted := reader.wanted():
            try:
                data = self.channel.recv(min(wanted, MIB))
            except BlockingIOError:
                return False
            except OSError:
                data = b""
            if not data:
                raise wire.ProtocolError("the channel was closed") if self._alive() else self._loss("a call")
            reader.feed(data)
        return True

    def _drain(self) -> bool:
        """Take what was printed; False once the pipe has ended."""
        with suppress(BlockingIOError):
            for _ in range(64):
                data = os.read(self.output, 1 << 16)
                if not data:
                    return False
                self.usage.printed_bytes += len(data)
                self.usage.printed += data[: max(0, self.limits.output_kib * KIB - len(self.usage.printed))]
        return True

    def _alive(self) -> bool:
        with selectors.DefaultSelector() as selector:
            selector.register(self.handle, selectors.EVENT_READ)  # a pidfd is readable once its process has ended
            return not selector.select(ENDING_SECONDS)

    def _loss(self, during: str) -> Lost:
        """What became of a worker that ended in mid-call."""
        ending = self.close()
        if ending.get("cpu_seconds", 0.0) > self.limits.submission_cpu_seconds:
            return TimedOut(f"{during} was stopped: {OUT_OF_TIME}")
        number = ending.get("signal")
        if not ending.get("ran_out") and (number == signal.SIGKILL or "exit" not in ending):
            Usage.kills += 1
        if ending.get("ran_out"):
            return OutOfMemory(f"{during} was ended by the system for the memory that it took")
        if number is not None:
            return Died(f"{during} ended the process with {_signal_name(number)}")
        return Died(f"{during} ended the process with exit status {ending.get('exit', 'unknown')}")

    def close(self) -> dict[str, Any]:
        """Kill the worker and all its descendants, and say how it ended. Closing twice is allowed."""
        if self.handle < 0:
            return {}
        self.selector.close()
        self.channel.close()
        with suppress(OSError):
            self.leash.shutdown(socket.SHUT_WR)
        ending = self._last_word()
        if self.group is not None:
            ending["ran_out"] = self.group.ran_out()
            self.group.remove()
        self._drain()
        os.close(self.output)
        os.close(self.handle)
        self.leash.close()
        self.handle = -1
        self.usage.cpu_seconds += ending.get("cpu_seconds", 0.0)
        self.usage.peak_kib = max(self.usage.peak_kib, ending.get("peak_kib", 0))
        return ending

    def _last_word(self) -> dict[str, Any]:
        try:
            ending: dict[str, Any] = json.loads(self.leash.recv(4096))
        except (OSError, ValueError):  # the keeper itself was killed: the worker is ours to kill
            with suppress(ProcessLookupError):
                signal.pidfd_send_signal(self.handle, signal.SIGKILL)
            return {}
        return ending


class _Clock:
    """The time of one call: the worker's CPU clock read from outside, and the wall clock behind it."""

    def __init__(self, pid: int, limits: Limits, usage: Usage, during: str) -> None:
        self.id = (~pid << 3) | 2  # the kernel's clock id of another process's CPU time, see clock_getcpuclockid(3)
        self.limits, self.usage, self.during = limits, usage, during
        self.cpu, self.wall = self._cpu(), time.monotonic()

    def _cpu(self) -> float:
        try:
            return time.clock_gettime(self.id)
        except OSError:  # the process has ended, or the system has no such clock: the wall clock remains
            return 0.0

    def read(self) -> float:
        """The worker's CPU time; what of it this call took is noted."""
        cpu = self._cpu()
        self.usage.longest_call_seconds = max(self.usage.longest_call_seconds, cpu - self.cpu)
        return cpu

    def check(self) -> None:
        cpu, now, limits = self.read(), time.monotonic(), self.limits
        if cpu - self.cpu > limits.call_cpu_seconds:
            raise TimedOut(f"{self.during} was stopped after {limits.call_cpu_seconds:g} s of CPU time")
        if now - self.wall > limits.call_wall_seconds:
            raise TimedOut(f"{self.during} was stopped after {limits.call_wall_seconds:g} s without an answer")
        whole = self.usage.cpu_seconds + cpu > limits.submission_cpu_seconds
        if whole or now - self.usage.started > limits.submission_wall_seconds:
            raise TimedOut(f"{self.during} was stopped: {OUT_OF_TIME}")


def pid_of(handle: int) -> int:
    """The pid, as this process sees it, of the process that a pidfd stands for."""
    lines = Path(f"/proc/self/fdinfo/{handle}").read_text("ascii").splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("Pid:"))


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
