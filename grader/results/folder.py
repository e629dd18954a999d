"""Reading a results folder: its candidates, each with a code name, a report and the code."""

from __future__ import annotations

import difflib
import json
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Final

from grader import inert, submission
from grader.errors import CallError
from grader.report import Report
from grader.results import ledger, manifest
from grader.results.ledger import Line
from grader.results.manifest import Manifest

REPORTS: Final = "reports"
SUBMISSIONS: Final = "submissions"
MARKS: Final = "marks.jsonl"


@dataclass(frozen=True)
class Candidate:
    """One submission of a results folder.

    Attributes:
        code: its code name, which is all that a marker sees.
        line: its line in results.jsonl.
        results: the folder that it is in.
    """

    code: str
    line: Line
    results: Path

    @property
    def name(self) -> str:
        """What was sent was called this."""
        return str(self.line["name"])

    @property
    def folder(self) -> Path:
        """Where its reports are."""
        return self.results / str(self.line["reports"])

    @property
    def sent(self) -> Path:
        """The folder that holds what was sent."""
        return self.results / SUBMISSIONS / self.folder.name

    @cached_property
    def report(self) -> Report:
        """Its report.

        Raises:
            CallError: report.json is not there, or is none.
        """
        return read_report(self.folder)

    @cached_property
    def source(self) -> str:
        """The code that was sent; empty where there is none to be read."""
        kept = next(self.sent.iterdir(), None) if self.sent.is_dir() else None
        if kept is None:
            return ""
        try:
            return submission.read(kept).source
        except (CallError, submission.Refused):
            return ""


@dataclass(frozen=True)
class Results:
    """A results folder; `candidates` are in the order of their code names."""

    folder: Path
    manifest: Manifest
    candidates: tuple[Candidate, ...]

    @classmethod
    def open(cls, folder: Path) -> Results:
        """Read what a batch left.

        Raises:
            CallError: this is no results folder, or a file of it can't be read.
        """
        found = manifest.read(folder)
        codes = manifest.read_codes(folder)
        lines = ledger.read(folder / ledger.NAME)
        manifest.refuse_lost_codes(folder, lines)
        candidates = [Candidate(codes.get(line["name"], line["key"][:12]), line, folder) for line in lines]
        return cls(folder, found, tuple(sorted(candidates, key=lambda each: each.code)))

    def find(self, who: str) -> Candidate:
        """The candidate of a code name, or of a name.

        Raises:
            CallError: there is none, or it is one's name and another's code name.
        """
        theirs = [each for each in self.candidates if who in (each.code, each.name)]
        if len(theirs) > 1:
            raise two_are_called(self.folder, who)
        if theirs:
            return theirs[0]
        close = difflib.get_close_matches(who, [each.code for each in self.candidates], n=1)
        raise CallError(
            "there is no such candidate",
            where=str(self.folder),
            found=inert.line(who),
            next_step=f"Did you mean {close[0]}?" if close else "",
        )


def read_report(folder: Path) -> Report:
    """The report in a folder of reports.

    Raises:
        CallError: report.json is not there, or is none.
    """
    path = folder / "report.json"
    try:
        return Report.from_fields(json.loads(path.read_bytes()))
    except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
        raise CallError(
            "this report can't be read",
            where=inert.line(str(path)),
            found=inert.short(str(error).split("\n")[0], 120),
            next_step="Run the same `grader batch` again.",
        ) from None


def two_are_called(folder: Path, who: str) -> CallError:
    """The error for what is one candidate's code name and the name of what another sent."""
    return CallError(
        "two candidates are called that: it is the code name of one, and what another's submission is called",
        where=inert.line(str(folder)),
        found=inert.line(who),
        next_step="Say it by the code name of the one, or by what the other sent; codes.json has both.",
    )
