"""marks.jsonl and marks.head on disk: one writer at a time, and on the disk before anybody is told that it is.

A line is appended and synced first, and marks.head replaced then. Killed between the two, the file is one step ahead of
its head, which the next writer sees and puts right. Killed within the first, half a line is left; it is nobody's mark
yet, and the next writer drops it.
"""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from grader.errors import CallError
from grader.marks import chain, events
from grader.marks.chain import Head, Proof
from grader.marks.events import MarkEvent, PurgeEvent
from grader.render import files
from grader.results.folder import MARKS

HEAD: Final = "marks.head"
LOCK: Final = "marks.lock"
VERIFY: Final = "`grader mark RESULTS --verify` says what is wrong; restore marks.jsonl and marks.head from a copy."

AnyEvent = MarkEvent | PurgeEvent
Writer = Callable[[Sequence[AnyEvent]], Sequence[AnyEvent]]


class Ledger:
    """The marks of a results folder, as lines."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / MARKS
        self.head = folder / HEAD

    def read(self) -> list[AnyEvent]:
        """Its events. Half a line at the end is left out.

        Raises:
            CallError: a line is no event.
        """
        lines, _ = chain.split(self._raw())
        return [self._event(number, line) for number, line in enumerate(lines, start=1)]

    def prove(self) -> Proof:
        """What is wrong with it. No lock is needed: the head is read first, and the file is never behind it."""
        head = self._head()
        return chain.prove(self._raw(), head)

    def append(self, make: Writer) -> list[AnyEvent]:
        """Add the events that `make` gives for those that are there: all of them, or none.

        `make` is called while nobody else can write, and numbers and hashes are filled in after it.

        Raises:
            CallError: the chain does not hold, so nothing may be built on it; or the folder can't be written.
        """
        with only_writer(self.path.parent):
            raw = self._raw()
            proof = chain.prove(raw, self._head())
            if not proof.holds:
                number, what = proof.problems[0]
                raise CallError(what, where=f"{self.path}:{number}", next_step=VERIFY)
            there = self.read()
            fresh = _linked(make(there), proof.count, proof.head)
            if fresh:
                self._write(raw, fresh)
            return fresh

    def rewrite(self, make: Writer) -> list[AnyEvent]:
        """Put what `make` gives in the place of all events, in one step; what is new has to be at the end.

        A chain that did not hold is kept as broken as it was, so that this hides nothing.

        Raises:
            CallError: a line is no event; or the folder can't be written.
        """
        with only_writer(self.path.parent):
            self.path.with_suffix(".new").unlink(missing_ok=True)  # of a writer that was killed
            there = self.read()
            proof = self.prove()
            wanted = list(make(there))
            kept, fresh = wanted[: len(there)], _linked(wanted[len(there) :], len(there), proof.head)
            if [*kept, *fresh] != there:
                self._replace([*kept, *fresh])
                if proof.holds:
                    self._write_head([*kept, *fresh][-1])
            return fresh

    def _write(self, raw: bytes, fresh: list[AnyEvent]) -> None:
        whole = raw[: raw.rfind(b"\n") + 1]
        if len(fresh) > 1:  # several at once are all there, or none is
            self._replace([*self.read(), *fresh])
        else:
            with _told(self.path), self.path.open("r+b" if self.path.exists() else "x+b") as stream:
                stream.truncate(len(whole))
                stream.seek(len(whole))
                stream.write(events.written(fresh[0]) + b"\n")
                stream.flush()
                os.fsync(stream.fileno())
        self._write_head(fresh[-1])

    def _replace(self, every: list[AnyEvent]) -> None:
        part = self.path.with_suffix(".new")
        with _told(self.path):
            with part.open("wb") as stream:
                stream.writelines(events.written(event) + b"\n" for event in every)
                stream.flush()
                os.fsync(stream.fileno())
            part.replace(self.path)
            _sync(self.path.parent)

    def _write_head(self, last: AnyEvent) -> None:
        files.replace(self.head, json.dumps({"count": last.seq, "hash": events.hash_of(last)}) + "\n")

    def _head(self) -> Head | None:
        if not self.head.is_file():
            return None
        try:
            fields = json.loads(self.head.read_bytes())
            match fields:
                case {"count": int(count), "hash": str(hash)} if count > 0 and type(count) is int:
                    return Head(count, hash)
            raise ValueError("a head is a count and a hash")
        except (OSError, ValueError, RecursionError):
            raise CallError(
                "this head of the marks can't be read", where=str(self.head), next_step="Restore it from a copy."
            ) from None

    def _raw(self) -> bytes:
        try:
            return self.path.read_bytes()
        except FileNotFoundError:
            return b""
        except OSError as error:
            raise CallError("the marks can't be read", where=str(self.path), found=error.strerror) from None

    def _event(self, number: int, line: bytes) -> AnyEvent:
        event = chain.look(line).event
        if event is None:
            raise CallError("this is no line of marks", where=f"{self.path}:{number}", next_step=VERIFY)
        return event


@contextmanager
def only_writer(folder: Path) -> Iterator[None]:
    """Nobody else writes marks or drafts in this results folder while this lasts; whoever wants to waits.

    Raises:
        CallError: the folder can't be written.
    """
    lock = folder / LOCK
    with _told(lock), lock.open("ab") as stream:
        fcntl.flock(stream, fcntl.LOCK_EX)
        yield


def _linked(wanted: Sequence[AnyEvent], count: int, previous: str) -> list[AnyEvent]:
    linked: list[AnyEvent] = []
    for seq, event in enumerate(wanted, start=count + 1):
        linked.append(event.model_copy(update={"seq": seq, "previous": previous}))
        previous = events.hash_of(linked[-1])
    return linked


def _sync(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


@contextmanager
def _told(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise CallError("the marks can't be written", where=str(path), found=error.strerror or str(error)) from None
