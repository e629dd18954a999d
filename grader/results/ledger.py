"""results.jsonl: one line for each submission that was graded, synced as it is written, and read back to resume."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any, Final

from grader.errors import CallError
from grader.report import Report

NAME: Final = "results.jsonl"

Line = dict[str, Any]


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


class Ledger:
    """The file of a results folder. A line that was cut off as the machine stopped is dropped, and graded again."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / NAME
        self.lines: dict[str, Line] = {line["name"]: line for line in read(self.path)}
        self._rewrite()

    def add(self, line: Line) -> None:
        """Append a line, and return when it is on the disk."""
        self.lines[line["name"]] = line
        with self.path.open("ab") as stream:
            stream.write(_text(line))
            stream.flush()
            os.fsync(stream.fileno())

    def finish(self, names: list[str]) -> None:
        """Put the lines in the order of the batch, one for each name, and leave out what is no longer in it."""
        self.lines = {name: self.lines[name] for name in names if name in self.lines}
        self._rewrite()

    def _rewrite(self) -> None:
        fresh = self.path.with_suffix(".new")
        with fresh.open("wb") as stream:
            stream.writelines(map(_text, self.lines.values()))
            stream.flush()
            os.fsync(stream.fileno())
        fresh.replace(self.path)


def read(path: Path) -> list[Line]:
    """The whole lines of a ledger; none where there is no file.

    Raises:
        CallError: it holds something else.
    """
    if not path.is_file():
        return []
    lines: list[Line] = []
    texts = path.read_bytes().split(b"\n")
    for number, text in enumerate(texts, start=1):
        if not text:
            continue
        try:
            line = json.loads(text)
            lines.append({**line, "name": str(line["name"]), "key": str(line["key"])})
        except (ValueError, TypeError, KeyError):
            if number == len(texts):
                break  # the last one was being written when everything stopped
            raise CallError(
                "this is no line of results",
                where=f"{path}:{number}",
                next_step="Restore the file, or name another --out.",
            ) from None
    return lines


def _text(line: Line) -> bytes:
    return json.dumps(line, ensure_ascii=True).encode() + b"\n"
