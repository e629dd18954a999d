"""An index in sqlite of who got what, so that a page of many candidates asks for those of one outcome alone.

It holds code names, ids and outcomes; never a name, an answer, or what somebody ticked. It says nothing that the folder
does not: it is made anew, in the part that has changed, whenever a file has, and thrown away if it can't be read.
"""

from __future__ import annotations

import json
import sqlite3
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Final

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
GRADED: Final = ("candidates", "outcomes", "mistakes")
WAIT_SECONDS: Final = 30.0


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
    """The index of one results folder."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lock = threading.Lock()

    def refresh(
        self, graded: object, results: Callable[[], Results], marked: object, marks: Callable[[], Marks]
    ) -> None:
        """Make anew what is not of these stamps."""
        with self._lock:
            try:
                self._refresh(graded, results, marked, marks)
            except sqlite3.DatabaseError:
                self.path.unlink(missing_ok=True)  # it was damaged, and nothing is lost with it
                self._refresh(graded, results, marked, marks)

    def _refresh(
        self, graded: object, results: Callable[[], Results], marked: object, marks: Callable[[], Marks]
    ) -> None:
        with self._open() as base:
            base.executescript(SCHEMA)
            there = dict(base.execute("SELECT part, stamp FROM stamps"))
            with base:
                if there.get("graded") != json.dumps(graded):
                    _fill_graded(base, results())
                    base.execute("REPLACE INTO stamps VALUES ('graded', ?)", [json.dumps(graded)])
                if there.get("marked") != json.dumps(marked):
                    base.execute("DELETE FROM marks")
                    said = [(mark.code, mark.answer, mark.by) for mark in marks().all]
                    base.executemany("INSERT INTO marks VALUES (?, ?, ?)", said)
                    base.execute("REPLACE INTO stamps VALUES ('marked', ?)", [json.dumps(marked)])

    def find(self, wanted: Wanted) -> list[Row]:
        """The candidates that are asked for, in the order of their code names."""
        clauses, values = _where(wanted)
        with self._open() as base:
            found = base.execute(
                f"SELECT code, verdict, earned, possible, notes FROM candidates {clauses} ORDER BY code", values
            ).fetchall()
            outcomes: dict[str, dict[str, Outcome]] = {}
            for code, criterion, outcome in base.execute("SELECT code, criterion, outcome FROM outcomes"):
                outcomes.setdefault(code, {})[criterion] = Outcome(outcome)
            mistakes: dict[str, list[str]] = {}
            for code, mistake in base.execute("SELECT code, mistake FROM mistakes ORDER BY mistake"):
                mistakes.setdefault(code, []).append(mistake)
        return [
            Row(code, Verdict(verdict), earned, possible, notes, outcomes.get(code, {}), tuple(mistakes.get(code, ())))
            for code, verdict, earned, possible, notes in found
        ]

    def count(self) -> int:
        """How many candidates there are."""
        with self._open() as base:
            return int(base.execute("SELECT count(*) FROM candidates").fetchone()[0])

    def marked(self, actor: str) -> dict[str, tuple[int, int]]:
        """By code name: how many answers this person has marked, and how many somebody has."""
        with self._open() as base:
            rows = base.execute(
                "SELECT code, count(DISTINCT CASE WHEN actor = ? THEN answer END), count(DISTINCT answer) "
                "FROM marks GROUP BY code",
                [actor],
            )
            return {code: (own, every) for code, own, every in rows}

    @contextmanager
    def _open(self) -> Iterator[sqlite3.Connection]:
        base = sqlite3.connect(self.path, timeout=WAIT_SECONDS)
        try:
            yield base
        finally:
            base.close()


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
