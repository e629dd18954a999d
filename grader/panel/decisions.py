"""What people decided of candidates, from a file that they wrote: a .csv or .yaml with code, overall and interviewer.

No machine decides: without such a file every scorecard says that nothing was decided.
"""

from __future__ import annotations

import csv
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, Final

from grader import inert
from grader.errors import CallError

OVERALL: Final = ("definitely_no", "no", "yes", "strong_yes")
KEYS: Final = ("code", "overall", "interviewer", "submitted_at")
EXPECTED: Final = "code, overall, interviewer and perhaps submitted_at"


@dataclass(frozen=True)
class Decision:
    """What one person decided of one candidate. `submitted_at` is as they wrote it, or empty."""

    code: str
    overall: str
    interviewer: str
    submitted_at: str = ""


def read(path: Path, codes: Collection[str]) -> list[Decision]:
    """The decisions of a file, in its order.

    Args:
        path: a .csv with a header, or a .yaml list of mappings.
        codes: the code names that there are.

    Raises:
        CallError: the file can't be read, or a line of it is none of a candidate, decision and person.
    """
    try:
        rows = list(_yaml(path) if path.suffix.lower() in (".yaml", ".yml") else _csv(path))
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise CallError("the decisions can't be read", where=inert.line(str(path)), found=str(error)) from None
    decisions = [_decision(row, f"{inert.line(str(path))}:{number}", codes) for number, row in rows]
    seen: set[tuple[str, str]] = set()
    for (number, _), each in zip(rows, decisions, strict=True):
        if (each.code, each.interviewer) in seen:
            raise CallError(
                "one person decided twice of a candidate",
                where=f"{inert.line(str(path))}:{number}",
                found=f"{each.code}, {inert.line(each.interviewer)}",
                next_step="Leave one of the two.",
            )
        seen.add((each.code, each.interviewer))
    return decisions


def _csv(path: Path) -> Iterable[tuple[int, Mapping[str, Any]]]:
    with path.open(encoding="utf-8-sig", newline="") as stream:
        reader = csv.DictReader(stream)
        for row in reader:
            yield reader.line_num, row


def _yaml(path: Path) -> Iterable[tuple[int, Mapping[str, Any]]]:
    from ruamel.yaml import YAML
    from ruamel.yaml.error import YAMLError

    try:
        rows = YAML(typ="rt").load(path.read_text("utf-8"))
    except YAMLError as error:
        where = inert.line(str(path))
        raise CallError("this is not YAML", where=where, found=inert.short(str(error), 160)) from None
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise CallError("the decisions are no list", where=inert.line(str(path)), expected=f"mappings of {EXPECTED}")
    for row in rows:
        yield row.lc.line + 1, row


def _decision(row: Mapping[str, Any], where: str, codes: Collection[str]) -> Decision:
    if unknown := [key for key in row if key not in KEYS]:
        raise CallError("there is no such key", where=where, found=inert.short(str(unknown[0]), 60), expected=EXPECTED)
    code, overall, interviewer, at = (_text(row.get(key)) for key in KEYS)
    if code not in codes:
        raise CallError(
            "there is no such candidate",
            where=where,
            found=inert.short(code, 60) or "nothing",
            next_step="Use the code names of the panel's pages.",
        )
    if overall not in OVERALL:
        found = inert.short(overall, 60) or "nothing"
        raise CallError("this is no decision", where=where, found=found, expected=", ".join(OVERALL))
    if not interviewer:
        raise CallError("a decision needs the person who made it", where=where, expected=EXPECTED)
    if at:
        try:
            datetime.fromisoformat(at)
        except ValueError:
            raise CallError(
                "this is no time", where=where, found=inert.short(at, 60), expected="ISO 8601, as 2026-03-01T12:00:00Z"
            ) from None
    return Decision(code, overall, interviewer, at)


def _text(value: Any) -> str:
    return "" if value is None else str(value).strip()
