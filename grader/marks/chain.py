"""Proving marks.jsonl: each line follows the one before, each body is the one that was written, and none is missing.

There is no secret in the chain. It finds a line that was changed, removed, inserted or moved, and an end that was cut
off. It can't find a file that somebody wrote anew from that line to the end, `marks.head` with it; who has to rule that
out writes the last hash down somewhere else, and asks for it again.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache

from pydantic import ValidationError

from grader.marks import events
from grader.marks.events import START, MarkEvent, PurgeEvent


@dataclass(frozen=True)
class Head:
    """How many lines there are, and the hash of the last one."""

    count: int = 0
    hash: str = START


@dataclass(frozen=True)
class Proof:
    """What is wrong with a file of marks.

    Attributes:
        count: its whole lines.
        head: the hash of the last one.
        problems: line numbers, and what is wrong there, in the order of lines.
        notes: what a crash may leave, and is no sign of a change.
        hashes: the hash of each line that could be read.
    """

    count: int
    head: str
    problems: list[tuple[int, str]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    hashes: list[str] = field(default_factory=list)

    @property
    def holds(self) -> bool:
        """Whether nothing is wrong."""
        return not self.problems


def split(raw: bytes) -> tuple[list[bytes], bytes]:
    """The whole lines of a file, and what follows the last line break: a line that was being written, or nothing."""
    *lines, rest = raw.split(b"\n")
    return lines, rest


def prove(raw: bytes, head: Head | None) -> Proof:
    """Look at every line of a file of marks.

    Args:
        raw: the file.
        head: what marks.head says; None where there is none.
    """
    lines, rest = split(raw)
    read = [look(line) for line in lines]
    hashes = [each.hash for each in read]
    problems = [*_unfit(read), *_broken(read), *_bodies(read), *_end(lines, hashes, head)]
    firsts = dict(reversed(problems))  # one line has one thing wrong with it
    notes = []
    if head and len(lines) > head.count and not firsts:
        notes.append(f"line {head.count + 1} to the last were written as the machine stopped, and are whole")
    if rest and not (head and len(lines) < head.count):
        notes.append(
            f"line {len(lines) + 1} was being written as the machine stopped; the next mark drops what is there"
        )
    last = hashes[-1] if hashes else START
    return Proof(len(lines), last, sorted(firsts.items()), notes, [each for each in hashes if each])


@dataclass(frozen=True)
class Look:
    """What one line is, by itself.

    Attributes:
        event: its event; None if it is none.
        hash: its hash; empty without an event.
        wrong: why it is no event, or what does not fit within it; else empty.
    """

    event: MarkEvent | PurgeEvent | None = None
    hash: str = ""
    wrong: str = ""


@lru_cache(maxsize=1 << 14)  # a session reads the same lines again with each mark
def look(line: bytes) -> Look:
    """Read a line, without its line break."""
    try:
        event = events.parse(line)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(step) for step in first["loc"] if step not in ("mark", "purge"))
        said = f"{first['msg'][:1].lower()}{first['msg'][1:]}"
        return Look(wrong=f"this is no event: {where + ': ' if where else ''}{said}")
    except ValueError as error:
        return Look(wrong=str(error))
    body = event.body if isinstance(event, MarkEvent) else None
    fits = body is None or events.digest_of(body) == event.body_digest  # type: ignore[union-attr]
    changed = "" if fits else "its quote, note or reason was changed after it was written"
    return Look(event, events.hash_of(event), changed)


def _unfit(read: list[Look]) -> Iterator[tuple[int, str]]:
    for number, each in enumerate(read, start=1):
        if each.wrong:
            yield number, each.wrong


def _broken(read: list[Look]) -> Iterator[tuple[int, str]]:
    wanted, before = 1, START
    for number, each in enumerate(read, start=1):
        if each.event is None:
            wanted, before = wanted + 1, ""
            continue
        if each.event.seq != wanted:
            yield number, f"found event {each.event.seq}, expected {wanted}: a line was removed, inserted or moved"
        elif before and each.event.previous != before:
            yield number - 1 or 1, "it was changed after it was written, or is not the line that was here"
        wanted, before = each.event.seq + 1, each.hash


def _bodies(read: list[Look]) -> Iterator[tuple[int, str]]:
    events = [(number, each.event) for number, each in enumerate(read, start=1)]
    purged = {event.code: number for number, event in events if isinstance(event, PurgeEvent)}
    for number, event in events:
        if not isinstance(event, MarkEvent):
            continue
        purge = purged.get(event.code, 0)
        if event.body is None and purge < number:
            yield number, "its quote, note and reason were taken away, and no later line says that it was purged"
        elif event.body is not None and purge > number:
            yield number, f"line {purge} says that it was purged, and its quote, note and reason are still there"
        elif 0 < purge < number:
            yield number, f"it is a mark of somebody who was purged in line {purge}"


def _end(lines: list[bytes], hashes: list[str], head: Head | None) -> Iterator[tuple[int, str]]:
    if head is None:
        if len(lines) > 1:  # after one line, the machine may have stopped before there was a head
            yield len(lines), "marks.head is missing, so lines after this one may be, too"
    elif len(lines) < head.count:
        yield len(lines) + 1, f"lines {len(lines) + 1} to {head.count} were cut off"
    elif head.count and hashes[head.count - 1] not in ("", head.hash):
        yield head.count, "it was changed after it was written, or is not the line that was here"
