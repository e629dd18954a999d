"""RESULTS/review/audit.jsonl: one line for each act in the room, each with the hash of the line before.

It names people of the team, code names and ids; never what a submission is called, nor a word of an answer or a note.
As with marks, there is no secret in the chain: it finds a line that was changed, removed or moved, and can't find a
file that was written anew from some line on. Half a line, of a machine that stopped, is dropped by the next one.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
from pathlib import Path
from typing import Any, Final

from grader import inert
from grader.errors import CallError
from grader.marks import chain
from grader.marks.book import now
from grader.marks.events import START

FOLDER: Final = "review"
NAME: Final = "audit.jsonl"
TAIL: Final = 1 << 16  # bytes; far more than one line


def path_of(results: Path) -> Path:
    """Where the lines are."""
    return results / FOLDER / NAME


def add(results: Path, by: str, act: str, **detail: str | int) -> None:
    """Append a line; it is on the disk when this returns.

    Raises:
        CallError: it can't be written, so what it would tell should not be done.
    """
    path = path_of(results)
    try:
        path.parent.mkdir(exist_ok=True)
        with os.fdopen(os.open(path, os.O_RDWR | os.O_CREAT, 0o600), "r+b") as stream:
            fcntl.flock(stream, fcntl.LOCK_EX)
            seq, previous = _last(stream, path)
            line = {"seq": seq + 1, "at": now(), "by": by, "act": act, "detail": detail, "previous": previous}
            stream.write(_written(line) + b"\n")
            stream.flush()
            os.fsync(stream.fileno())
    except OSError as error:
        raise CallError("the log can't be written", where=inert.line(str(path)), found=error.strerror) from None


def read(results: Path) -> list[dict[str, Any]]:
    """The lines, oldest first; none where nothing was done.

    Raises:
        CallError: a line is not what was written, and which.
    """
    path = path_of(results)
    lines, _ = chain.split(path.read_bytes() if path.is_file() else b"")
    found: list[dict[str, Any]] = []
    previous = START
    for number, raw in enumerate(lines, start=1):
        line = _line(raw, path, number)
        if line["seq"] != number or line["previous"] != previous:
            raise _changed(path, number, "the line before it was changed, removed or moved")
        found.append(line)
        previous = _hash(raw)
    return found


def _last(stream: Any, path: Path) -> tuple[int, str]:
    """The number and the hash of the last line, with the stream behind it."""
    end = stream.seek(0, os.SEEK_END)
    stream.seek(max(0, end - TAIL))
    lines, rest = chain.split(stream.read())
    stream.truncate(end - len(rest))
    stream.seek(end - len(rest))
    return (int(_line(lines[-1], path, None)["seq"]), _hash(lines[-1])) if lines else (0, START)


def _line(raw: bytes, path: Path, number: int | None) -> dict[str, Any]:
    try:
        line = json.loads(raw)
        if (
            not isinstance(line, dict)
            or _written(line) != raw
            or {"seq", "at", "by", "act", "detail", "previous"} - {*line}
        ):
            raise ValueError
    except (ValueError, RecursionError):
        raise _changed(path, number, "no line of the log") from None
    return line


def _changed(path: Path, number: int | None, found: str) -> CallError:
    where = inert.line(str(path)) + (f":{number}" if number else "")
    return CallError("the log is not what was written", where=where, found=found, next_step="Restore it from a copy.")


def _written(line: dict[str, Any]) -> bytes:
    return json.dumps(line, ensure_ascii=True, sort_keys=True, separators=(",", ":")).encode()


def _hash(raw: bytes) -> str:
    return hashlib.sha256(raw).hexdigest()
