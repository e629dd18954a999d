"""Whatever arrives, from a worker or from a candidate, ends soon and in words: the short run of benchmarks/fuzz.py.

The peers below stand where a worker's process stands: they take the three descriptors that the zygote would hand on,
introduce themselves as a keeper does, and then say what a hostile program could say.
"""

from __future__ import annotations

import json
import os
import socket
import struct
import subprocess
import sys
import threading
import time
import tracemalloc
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, Final

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks import fuzz
from grader import wire
from grader.bank import Bank
from grader.examine.errors import Babbled, Died, Lost, TimedOut
from grader.examine.workers import Usage, Worker
from grader.examine.zygote import Zygote
from grader.grade import Engine
from grader.sandbox.limits import MIB, Limits
from grader.worker.keeper import STARTED

FRAMES: Final = 500
SUBMISSIONS: Final = 30
SEED: Final = 20_170_612
LIMITS: Final = replace(Limits(), call_wall_seconds=1.5, call_cpu_seconds=30.0, frame_mib=1)
REQUEST: Final[dict[str, wire.Value]] = {"ask": "call", "on": "solution", "path": "f", "args": [], "kwargs": {}}


# The decoder


def test_damaged_frames_are_messages_or_protocol_errors() -> None:
    outcomes: Counter[str] = Counter()
    for frame in fuzz.frames(FRAMES, SEED):
        with nothing_is_looked_up():
            outcomes[fuzz.outcome_of_frame(frame)] += 1
    assert sum(outcomes.values()) == FRAMES
    assert len(outcomes) > 10, "too few of the decoder's refusals are reached"
    assert outcomes["a message"] > 10


def test_the_same_seed_gives_the_same_damage() -> None:
    sources = fuzz.sources(Bank.find().get(fuzz.QUESTION))
    assert list(fuzz.frames(50, 3)) == list(fuzz.frames(50, 3)) != list(fuzz.frames(50, 4))
    assert list(fuzz.submissions(50, 3, sources)) == list(fuzz.submissions(50, 3, sources))


@given(st.binary(max_size=300), st.lists(st.integers(1, 40), max_size=20))
@settings(deadline=None, max_examples=150, database=None)
def test_a_reader_that_is_fed_in_pieces_does_what_it_does_with_the_whole(data: bytes, pieces: list[int]) -> None:
    body = data if len(data) < 12 else struct.pack("<IQ", len(data) % 97, len(data) % 13) + data
    whole, apart = fed(body, []), fed(body, pieces)
    assert whole == apart


def fed(data: bytes, pieces: list[int]) -> str:
    """What a reader makes of bytes that arrive in pieces of these lengths, then one by one."""
    reader = wire.FrameReader(fuzz.ROOM)
    lengths = iter(pieces)
    try:
        while wanted := reader.wanted():
            if not data:
                return "cut short"
            taken = min(wanted, next(lengths, 1))
            reader.feed(data[:taken])
            data = data[taken:]
        return str(reader.message())
    except wire.ProtocolError as error:
        return str(error)


_watched: list[str] | None = None
LOOKUPS: Final = {
    "import",
    "exec",
    "compile",
    "open",
    "pickle.find_class",
    "marshal.loads",
    "ctypes.dlopen",
    "os.system",
}


def _audit(event: str, arguments: tuple[object, ...]) -> None:
    if _watched is not None and event in LOOKUPS and not str(arguments[0]).startswith(("/sys/fs/cgroup", "/proc/")):
        _watched.append(f"{event} {arguments!r}")


sys.addaudithook(_audit)


@contextmanager
def nothing_is_looked_up() -> Iterator[None]:
    """Fail if anything is imported, compiled, opened or unpickled meanwhile; control groups aside."""
    global _watched
    seen: list[str] = []
    _watched = seen
    try:
        yield
    finally:
        _watched = None
    assert seen == []


# A hostile peer in the worker's place

Say = Callable[[bytes], None]
LAST_WORD: Final = b'{"exit": null, "signal": 9, "cpu_seconds": 0.25, "peak_kib": 64}'


class Peer:
    """A worker's process that does nothing, and a thread that speaks for it.

    Args:
        speak: says things on the channel, by a function that does not mind whether anybody still listens.
        last_word: what the keeper says at the end.
        dies: whether the process ends by itself after that, instead of when the leash closes.
    """

    def __init__(self, speak: Callable[[Say], None], last_word: bytes = LAST_WORD, dies: bool = False) -> None:
        self.speak, self.last_word, self.dies = speak, last_word, dies
        self.control, self.theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.body = subprocess.Popen(["sleep", "600"])
        self.thread = threading.Thread(target=self._live)
        self.thread.start()

    def _live(self) -> None:
        _, (channel, leash, output), _, _ = socket.recv_fds(self.theirs, 4096, 3)
        handle = os.pidfd_open(self.body.pid)
        with socket.socket(fileno=leash) as line, socket.socket(fileno=channel) as speaking:
            socket.send_fds(line, [STARTED], [handle])
            speaking.sendall(wire.CONFINED)

            def say(words: bytes) -> None:
                with suppress(OSError):
                    speaking.sendall(words)

            self.speak(say)
            if not self.dies:
                line.recv(1)  # returns when the leash closes
            self.body.kill()
            with suppress(OSError):
                line.send(self.last_word)
        os.close(handle)
        os.close(output)

    def __enter__(self) -> Worker:
        return Worker(self.control, LIMITS, Usage())

    def __exit__(self, *_: object) -> None:
        self.body.kill()
        self.body.wait()
        self.thread.join(30)
        self.control.close()
        self.theirs.close()
        assert not self.thread.is_alive()


def answer_to(speak: Callable[[Say], None]) -> tuple[dict[str, Any] | Lost, float]:
    """The reply that a worker got, or how it was lost, and the memory in MiB that this took at most."""
    with Peer(speak) as worker:
        descriptors = open_descriptors()
        start = time.monotonic()
        tracemalloc.start()
        try:
            with nothing_is_looked_up():
                reply: dict[str, Any] | Lost = worker.ask("the call", REQUEST)
        except Lost as lost:
            reply = lost
        finally:
            peak = tracemalloc.get_traced_memory()[1] / MIB
            tracemalloc.stop()
            worker.close()
        assert time.monotonic() - start < 15
        assert open_descriptors() < descriptors, "a lost worker's descriptors are closed"
    return reply, peak


def open_descriptors() -> int:
    """How many this process holds."""
    return sum(1 for _ in Path("/proc/self/fd").iterdir())


def spelled(header: bytes, payload: bytes = b"") -> bytes:
    """A frame around any header and payload."""
    return fuzz.framed(header, payload)


ARRAY: Final = {"k": "array", "of": "ndarray", "dtype": "int8", "shape": [4], "grad": False}


def holding(**changes: Any) -> bytes:
    """A frame that holds one array of four bytes, spelled in another way."""
    return spelled(json.dumps({"ok": {**ARRAY, **changes}}).encode(), bytes(4))


BABBLE: Final[dict[str, bytes]] = {
    "a key twice": spelled(b'{"ok": 1, "ok": 2}'),
    "a key twice further down": spelled(b'{"ok": {"k": "ref", "id": 1, "id": 2, "type": ""}}'),
    "a payload length beyond the limit": struct.pack("<IQ", 2, MIB + 1) + b"{}",
    "a payload length beyond everything": struct.pack("<IQ", 2, (1 << 64) - 1) + b"{}",
    "a header length beyond the limit": struct.pack("<IQ", 0xFFFF_FFFF, 0),
    "a payload that nobody claims": spelled(b'{"ok": null}', bytes(MIB)),
    "an array longer than the payload": holding(shape=[5]),
    "an array shorter than the payload": holding(shape=[3]),
    "an array beyond any memory": holding(shape=[1 << 62]),
    "an array whose length wraps around": holding(shape=[1 << 32, 1 << 32]),
    "an empty array that none can have": holding(shape=[0, 1 << 62, 1 << 62]),
    "NaN": spelled(b'{"ok": NaN}'),
    "Infinity": spelled(b'{"ok": -Infinity}'),
    "a JSON float": spelled(b'{"ok": 1e5}'),
    "deep lists": spelled(b'{"ok": ' + b"[" * 100_000 + b"]" * 100_000 + b"}"),
    "deep values": spelled(b'{"ok": ' + b'{"k":"list","v":[' * 200 + b"1" + b"]}" * 200 + b"}"),
    "a huge integer": spelled(b'{"ok": ' + b"9" * 1_000_000 + b"}"),
    "an integer of 65 bits": spelled(b'{"ok": 9223372036854775808}'),
    "an unknown dtype": holding(dtype="object"),
    "a dtype with a name to import": holding(dtype="os.system"),
    "a dtype of another order": holding(dtype=">i1"),
    "an unknown kind": spelled(b'{"ok": {"k": "pickle", "v": "gASVKQ=="}}'),
    "a pickle": spelled(b"\x80\x04\x8c\x05posix\x8c\x06system\x93\x8c\x02id\x85R."),
    "two hundred thousand parts": spelled(json.dumps({"ok": {"k": "list", "v": [1] * 200_000}}).encode()),
    "half an UTF-8 character": spelled(b'{"ok": "\xc3"}'),
    "a list": spelled(b"[1]"),
    "nothing": spelled(b""),
    "words": b"=== 1 passed in 0.10s ===\n" * 10,
    "zeros": bytes(4096),
}


@pytest.mark.parametrize("words", BABBLE.values(), ids=BABBLE.keys())
def test_a_peer_that_speaks_another_language_is_lost(words: bytes) -> None:
    reply, peak = answer_to(lambda say: say(words))
    assert isinstance(reply, Babbled), reply
    assert str(reply).startswith("the call did not answer in the protocol: ")
    assert str(reply).isprintable() and len(str(reply)) < 200
    assert peak < 24


CUT: Final = fuzz.frame_of({"ok": [1, 2, 3]})


@pytest.mark.parametrize(
    "speak",
    [
        pytest.param(lambda say: say(b""), id="says nothing"),
        pytest.param(lambda say: say(CUT[:5]), id="stops within the lengths"),
        pytest.param(lambda say: say(CUT[:-1]), id="stops before the last byte"),
        pytest.param(
            lambda say: say(struct.pack("<IQ", 2, MIB) + b"{}" + bytes(MIB - 1)), id="stops within the payload"
        ),
        pytest.param(
            lambda say: say(struct.pack("<IQ", wire.MAX_HEADER, 0) + b'"' * MIB), id="stops within the header"
        ),
    ],
)
def test_a_peer_that_stops_is_waited_for_as_long_as_the_limit_says(speak: Callable[[Say], None]) -> None:
    start = time.monotonic()
    reply, peak = answer_to(speak)
    assert isinstance(reply, TimedOut), reply
    assert "1.5 s without an answer" in str(reply)
    assert LIMITS.call_wall_seconds <= time.monotonic() - start < LIMITS.call_wall_seconds + 10
    assert peak < 24


def test_a_drip_of_a_byte_a_second_does_not_move_the_deadline() -> None:
    over = threading.Event()

    def drip(say: Say) -> None:
        for byte in CUT:
            say(bytes([byte]))
            if over.wait(1.0):
                return

    timer = threading.Timer(LIMITS.call_wall_seconds + 2, over.set)
    timer.start()
    reply, _ = answer_to(drip)
    timer.cancel()
    over.set()
    assert isinstance(reply, TimedOut), reply


def test_a_peer_that_floods_is_read_no_further_than_its_frame() -> None:
    def flood(say: Say) -> None:
        for _ in range(200):
            say(b"{" * 65_536)

    reply, peak = answer_to(flood)
    assert isinstance(reply, Babbled)
    assert peak < 24


@pytest.mark.parametrize("said", [b"", CUT[:7], CUT[:-2]], ids=["nothing", "half the lengths", "half a frame"])
def test_a_peer_that_dies_is_lost_and_its_ending_is_told(said: bytes) -> None:
    with Peer(lambda say: say(said), dies=True) as worker, pytest.raises(Died, match="ended the process with SIGKILL"):
        worker.ask("the call", REQUEST)


@pytest.mark.parametrize("word", [b"", b"{", b'{"exit": 0}', b"\xff"], ids=repr)
def test_a_keeper_without_a_last_word_leaves_the_loss_as_it_was(word: bytes) -> None:
    with Peer(lambda say: say(b"no frame, twelve"), word) as worker, pytest.raises(Babbled):
        worker.ask("the call", REQUEST)


def test_a_frame_that_is_right_is_believed_and_the_worker_is_asked_again() -> None:
    def answer(say: Say) -> None:
        say(CUT)
        time.sleep(0.2)
        say(CUT[:6])
        say(CUT[6:])

    with Peer(answer) as worker:
        assert worker.ask("the call", REQUEST) == {"ok": [1, 2, 3]}
        assert worker.ask("the call", REQUEST) == {"ok": [1, 2, 3]}
        worker.close()


def say_once(words: bytes, say: Say) -> None:
    """Speak for a peer."""
    say(words)


def test_random_damage_at_the_socket_is_a_message_or_a_loss() -> None:
    outcomes: Counter[str] = Counter()
    for frame in fuzz.frames(20, SEED + 1):
        reply, peak = answer_to(partial(say_once, frame))
        outcomes[type(reply).__name__] += 1
        assert peak < 24
    assert outcomes.keys() <= {"dict", "Babbled", "TimedOut", "Died"}
    assert outcomes["Babbled"] > 3


# Whole submissions


@pytest.fixture(scope="module")
def engine(zygote: Zygote) -> Iterator[Engine]:
    """A warm engine that is brisk: low limits, and without the wrong solutions that a mistake is named by."""
    question = fuzz.brisk(Bank.find().get(fuzz.QUESTION))
    with Engine(replace(question, solutions=question.folder / "none"), zygote) as engine:
        yield engine


def test_damaged_submissions_get_a_report_or_a_refusal(engine: Engine, tmp_path: Path) -> None:
    outcomes: Counter[str] = Counter()
    for content in fuzz.submissions(SUBMISSIONS, SEED, fuzz.sources(Bank.find().get(fuzz.QUESTION))):
        outcomes.update(fuzz.outcomes_of_submission(engine, content, tmp_path))
    verdicts = {name: count for name, count in outcomes.items() if name.startswith("verdict ")}
    assert sum(verdicts.values()) + outcomes["call error"] == SUBMISSIONS
    assert {"verdict refused", "verdict failed"} <= verdicts.keys()


def test_the_long_run_says_what_it_found_and_by_its_status(
    zygote: Zygote, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(fuzz, "Engine", partial(Engine, zygote=zygote))
    assert fuzz.main(["--frames", "40", "--submissions", "1"]) == 0
    assert "0 bad frames, 0 bad submissions, seed 1" in capsys.readouterr().out


def test_the_long_run_fails_on_what_must_not_happen(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def breaks(*_: object) -> None:
        raise KeyError("a traceback")

    monkeypatch.setattr(wire, "decode", breaks)
    assert fuzz.main(["--frames", "10", "--submissions", "0"]) == 1
    assert "KeyError: 'a traceback'" in capsys.readouterr().out
