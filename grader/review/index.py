"""An index in sqlite of who got what, so that a page of many candidates asks for those of one outcome alone.

It holds code names, ids and outcomes; never a name, an answer, or what somebody ticked. It says nothing that the folder
does not: it is made anew, in the part that has changed, whenever a file has, and thrown away if it can't be read.
"""

from __future__ import annotations

import json
import sqlite3
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from grader.outcome import Outcome, Verdict

if TYPE_CHECKING:
    from grader.marks import Marks
    from grader.results import Results

SCHEMA: Final = """
CREATE TABLE IF NOT EXISTS stamps (part TEXT PRIMARY KEY, stamp TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS candidates (code TEXT PRIMARY KEY, verdict TEXT, earned REAL, possible REAL, notes INTEGER);
CREATE TABLE IF NOT EXISTS outcomes (code TEXT, criterion TEXT, outcome TEXT, PRIMARY KEY (code, criterion));
CREATE INDEX IF NOT EXISTS by_criterion ON outcomes (criterion, outcome);
CREATE TABLE IF NOT EXISTS mistakes (code TEXT, mistake TEXT, PRIMARY KEY (code, mistake));
CREATE TABLE IF NOT EXISTS marks (code TEXT, answer TEXT, actor TEXT, PRIMARY KEY (code, answer, actor));
"""
FOLDER: Final = "review"
NAME: Final = "index.sqlite"
GRADED: Final = ("candidates", "outcomes", "mistakes")
WAIT_SECONDS: Final = 30.0
_ONE: Final = threading.Lock()  # one thread fills it, and others wait


@dataclass(frozen=True)
class Part:
    """A part of the index: what changes with the files that it is of, and how to read them."""

    stamp: object
    read: Callable[[], Any]


@dataclass(frozen=True)
class Wanted:
    """Which candidates are asked for; what is empty asks for nothing.

    Attributes:
        code: a part of a code name.
        verdict: how the run ended.
        criterion: an id, and `outcome` how it ended; without an outcome all who did not pass it.
        mistake: the id of a misconception that was met.
    """

    code: str = ""
    verdict: str = ""
    criterion: str = ""
    outcome: str = ""
    mistake: str = ""


@dataclass(frozen=True)
class Row:
    """One candidate of the index; `outcomes` by criterion."""

    code: str
    verdict: Verdict
    earned: float
    possible: float
    notes: int
    outcomes: Mapping[str, Outcome] = field(default_factory=dict)
    mistakes: tuple[str, ...] = ()


class Index:
    """What an open index answers."""

    def __init__(self, base: sqlite3.Connection) -> None:
        self._base = base

    def find(self, wanted: Wanted) -> list[Row]:
        """The candidates that are asked for, in the order of their code names."""
        clauses, values = _where(wanted)
        outcomes: dict[str, dict[str, Outcome]] = {}
        for code, criterion, outcome in self._base.execute("SELECT code, criterion, outcome FROM outcomes"):
            outcomes.setdefault(code, {})[criterion] = Outcome(outcome)
        mistakes: dict[str, list[str]] = {}
        for code, mistake in self._base.execute("SELECT code, mistake FROM mistakes ORDER BY mistake"):
            mistakes.setdefault(code, []).append(mistake)
        found = self._base.execute(
            f"SELECT code, verdict, earned, possible, notes FROM candidates {clauses} ORDER BY code", values
        )
        return [
            Row(code, Verdict(verdict), earned, possible, notes, outcomes.get(code, {}), tuple(mistakes.get(code, ())))
            for code, verdict, earned, possible, notes in found
        ]

    def count(self) -> int:
        """How many candidates there are."""
        return int(self._base.execute("SELECT count(*) FROM candidates").fetchone()[0])

    def marked(self, actor: str) -> dict[str, tuple[int, int]]:
        """By code name: how many answers this person has marked, and how many somebody has."""
        rows = self._base.execute(
            "SELECT code, count(DISTINCT CASE WHEN actor = ? THEN answer END), count(DISTINCT answer) "
            "FROM marks GROUP BY code",
            [actor],
        )
        return {code: (own, every) for code, own, every in rows}


def path_of(results: Path) -> Path:
    """Where the index of a results folder is."""
    return results / FOLDER / NAME


def forget(results: Path) -> None:
    """Remove the index, with whatever it says of anybody."""
    for path in results.glob(f"{FOLDER}/{NAME}*"):
        path.unlink(missing_ok=True)


@contextmanager
def opened(results: Path, graded: Part, marked: Part) -> Iterator[Index]:
    """The index of a results folder, made anew in what has changed. It stays as it is while it is open."""
    base = _fresh(path_of(results), graded, marked)
    try:
        yield Index(base)
    finally:
        base.close()


def _fresh(path: Path, graded: Part, marked: Part) -> sqlite3.Connection:
    """In its file; in a new one if that is damaged, for nothing is lost with it; in memory if none can be written."""
    with _ONE:
        with suppress(OSError):
            path.parent.mkdir(exist_ok=True)
        for place in (path, path):
            base = None
            try:
                base = sqlite3.connect(place, timeout=WAIT_SECONDS)
                return _refreshed(base, graded, marked)
            except sqlite3.DatabaseError:
                if base:
                    base.close()
                with suppress(OSError):
                    path.unlink(missing_ok=True)
        return _refreshed(sqlite3.connect(":memory:"), graded, marked)


def _refreshed(base: sqlite3.Connection, graded: Part, marked: Part) -> sqlite3.Connection:
    base.executescript(SCHEMA)
    with base:
        base.execute("BEGIN IMMEDIATE")
        there = dict(base.execute("SELECT part, stamp FROM stamps"))
        for name, part, fill in (("graded", graded, _fill_graded), ("marked", marked, _fill_marked)):
            if there.get(name) != json.dumps(part.stamp):
                fill(base, part.read())
                base.execute("REPLACE INTO stamps VALUES (?, ?)", [name, json.dumps(part.stamp)])
    return base


def _fill_graded(base: sqlite3.Connection, results: Results) -> None:
    for table in GRADED:
        base.execute(f"DELETE FROM {table}")
    for each in results.candidates:
        line = each.line
        about = (each.code, line["verdict"], line["earned"], line["possible"], line["integrity"])
        base.execute("INSERT INTO candidates VALUES (?, ?, ?, ?, ?)", about)
        outcomes = [(each.code, criterion, outcome) for criterion, outcome in line["criteria"].items()]
        base.executemany("INSERT INTO outcomes VALUES (?, ?, ?)", outcomes)
        base.executemany("INSERT OR IGNORE INTO mistakes VALUES (?, ?)", [(each.code, id) for id in line["diagnosis"]])


def _fill_marked(base: sqlite3.Connection, marks: Marks) -> None:
    base.execute("DELETE FROM marks")
    said = [(mark.code, mark.answer, mark.by) for mark in marks.all]
    base.executemany("INSERT INTO marks VALUES (?, ?, ?)", said)


def _where(wanted: Wanted) -> tuple[str, Sequence[str]]:
    clauses, values = [], []
    if wanted.code:
        clauses.append("instr(code, ?)")
        values.append(wanted.code.strip().lower())
    if wanted.verdict:
        clauses.append("verdict = ?")
        values.append(wanted.verdict)
    if wanted.criterion and wanted.outcome:
        clauses.append("code IN (SELECT code FROM outcomes WHERE criterion = ? AND outcome = ?)")
        values += [wanted.criterion, wanted.outcome]
    elif wanted.criterion:
        clauses.append("code IN (SELECT code FROM outcomes WHERE criterion = ? AND outcome != 'passed')")
        values.append(wanted.criterion)
    elif wanted.outcome:
        clauses.append("code IN (SELECT code FROM outcomes WHERE outcome = ?)")
        values.append(wanted.outcome)
    if wanted.mistake:
        clauses.append("code IN (SELECT code FROM mistakes WHERE mistake = ?)")
        values.append(wanted.mistake)
    return f"WHERE {' AND '.join(clauses)}" if clauses else "", values
