"""results.jsonl: one line for each submission that was graded, synced as it is written, and read back to resume."""

from __future__ import annotations

import json
import os
import zlib
from collections.abc import Iterable, Iterator, MutableMapping
from pathlib import Path
from typing import Annotated, Any, Final

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from grader import inert
from grader.errors import CallError
from grader.outcome import Outcome, Verdict
from grader.report import Report

NAME: Final = "results.jsonl"

BEGINNING: Final = b'{"name": "'
RAW: Final = -zlib.MAX_WBITS  # without a header, which says nothing here
ADDED: Final = "added"  # in the line of what came by itself: a batch that does not have it leaves it where it is

Line = dict[str, Any]


class Fields(BaseModel):
    """What a line has to have, and may have more than; see `line_of`."""

    model_config = ConfigDict(strict=True)

    name: str
    key: str
    reports: str = Field(pattern=r"^reports/[^/.\x00][^/\x00]*$")
    verdict: Annotated[Verdict, Field(strict=False)]
    earned: float
    possible: float
    criteria: dict[str, Annotated[Outcome, Field(strict=False)]]
    diagnosis: list[str]
    integrity: int
    tier: str


def line_of(name: str, key: str, folder: str, report: Report) -> Line:
    """What is kept of one submission: the same, whenever and wherever it was graded."""
    return {
        "name": name,
        "key": key,
        "reports": folder,
        "verdict": report.verdict.value,
        "earned": report.score.earned,
        "possible": report.score.possible,
        "criteria": {part.id: part.outcome.value for part in report.criteria},
        "diagnosis": [part.id for part in report.diagnosis],
        "integrity": len(report.integrity),
        "tier": report.isolation.tier,
    }


class Lines(MutableMapping[str, Line]):
    """Lines by name, in the order in which they came. They are alike, and take a twentieth of the memory packed so."""

    def __init__(self, lines: Iterable[Line] = ()) -> None:
        self._packed: dict[str, bytes] = {}
        self._like = b""  # the first line, which the others are packed against
        for line in lines:
            self[line["name"]] = line

    def __getitem__(self, name: str) -> Line:
        unpacking = zlib.decompressobj(RAW, zdict=self._like)
        line: Line = json.loads(unpacking.decompress(self._packed[name]) + unpacking.flush())
        return line

    def __setitem__(self, name: str, line: Line) -> None:
        text = _text(line)
        self._like = self._like or text
        packing = zlib.compressobj(wbits=RAW, zdict=self._like)
        self._packed[name] = packing.compress(text) + packing.flush()

    def __delitem__(self, name: str) -> None:
        del self._packed[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._packed)

    def __len__(self) -> int:
        return len(self._packed)


class Ledger:
    """The file of a results folder. A line that was cut off as the machine stopped is dropped, and graded again."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / NAME
        self.lines: MutableMapping[str, Line] = Lines(each(self.path))
        self._rewrite()

    def add(self, line: Line) -> None:
        """Append a line, and return when it is on the disk. On a full disk, nothing of it is there."""
        text = memoryview(_text(line))
        with self.path.open("ab", buffering=0) as stream:
            end = stream.seek(0, os.SEEK_END)
            try:
                while text:
                    text = text[stream.write(text) :]
                os.fsync(stream.fileno())
            except BaseException:
                stream.truncate(end)
                raise
        self.lines[line["name"]] = line

    def added(self) -> list[str]:
        """The names of what came by itself, and not in a batch."""
        return [name for name, line in self.lines.items() if line.get(ADDED)]

    def finish(self, names: list[str]) -> None:
        """Put the lines in the order of the batch, one for each name, and leave out what is no longer in it."""
        self.lines = Lines(self.lines[name] for name in names if name in self.lines)
        self._rewrite()

    def _rewrite(self) -> None:
        fresh = self.path.with_suffix(".new")
        with fresh.open("wb") as stream:
            stream.writelines(map(_text, self.lines.values()))
            stream.flush()
            os.fsync(stream.fileno())
        fresh.replace(self.path)


def renewed(old: Line, new: Line) -> Line:
    """A new line in the place of an old one; whatever came by itself has still done so."""
    return {**new, ADDED: True} if old.get(ADDED) else new


def read(path: Path) -> list[Line]:
    """The whole lines of a ledger; none where there is no file.

    Raises:
        CallError: it holds something else.
    """
    return list(each(path))


def each(path: Path) -> Iterator[Line]:
    """As `read`, one after the other."""
    try:
        with path.open("rb") as stream:
            for number, text in enumerate(stream, start=1):
                if (line := _parsed(text, f"{path}:{number}")) is not None:
                    yield line
    except FileNotFoundError:
        return
    except OSError as error:
        raise CallError("the results can't be read", where=str(path), found=error.strerror) from None


def _parsed(text: bytes, where: str) -> Line | None:
    """The line; None for an empty one, and for the last one if it was being written when everything stopped."""
    if text == b"\n":
        return None
    try:
        line: Line = json.loads(text)
        Fields.model_validate(line)
    except (ValueError, RecursionError) as error:
        if not text.endswith(b"\n") and text.startswith(BEGINNING[: len(text)]):
            return None
        raise CallError(
            "this is no line of results",
            where=where,
            found=_wrong(error),
            next_step="Restore the file, or name another --out.",
        ) from None
    return line


def _wrong(error: Exception) -> str:
    if not isinstance(error, ValidationError):
        return "no JSON"
    first = error.errors()[0]
    return inert.short(f"{'.'.join(map(str, first['loc']))}: {first['msg']}".lstrip(": "), 120)


def _text(line: Line) -> bytes:
    return json.dumps(line, ensure_ascii=True).encode() + b"\n"
