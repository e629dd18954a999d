"""A manifest: a .csv file that names submissions and says where they are."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from grader import inert
from grader.errors import CallError

COLUMNS: Final = ("name", "path")
SEPARATORS: Final = ",;\t"  # a spreadsheet writes what is usual in its country
CONTROL: Final = re.compile(r"[\x00-\x1f\x7f-\x9f]")
TOLD: Final = "the columns name and path, both filled in"


def rows(manifest: Path) -> Iterator[tuple[str, Path]]:
    """The name and the path of each submission; a path is relative to the file. Empty rows count for nothing.

    Raises:
        CallError: it can't be read, has no such columns, or a row is not complete.
    """
    shown = inert.line(str(manifest))
    try:
        with manifest.open(encoding="utf-8-sig", newline="") as stream:
            first = stream.readline()
            stream.seek(0)
            separator = next((each for each in SEPARATORS if each in first), ",")
            reader = csv.DictReader(stream, delimiter=separator, skipinitialspace=True, strict=True)
            reader.fieldnames = _columns(list(reader.fieldnames or ()), shown)
            for row in reader:
                if any(part and part.strip() for part in _parts(row)):
                    yield _row(row, manifest, f"{shown}:{reader.line_num}")
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise CallError(
            "this manifest can't be read",
            where=shown,
            found=inert.short(str(error), 120),
            expected="a .csv file in UTF-8",
        ) from None


def _columns(header: list[str], shown: str) -> list[str]:
    names = [name.strip().lower() for name in header]
    if any(names.count(column) != 1 for column in COLUMNS):
        raise CallError(
            "this manifest's first row is not its header",
            where=f"{shown}:1",
            found=inert.listed(header) or "nothing",
            expected="the columns name and path, once each",
        )
    return names


def _parts(row: dict[str | Any, str | Any]) -> list[str | None]:
    """What stands in a row; where it is longer than the header, DictReader has a list of the rest."""
    return [part for each in row.values() for part in (each if isinstance(each, list) else [each])]


def _row(row: dict[str | Any, str | Any], manifest: Path, where: str) -> tuple[str, Path]:
    name, path = ((row[column] or "").strip() for column in COLUMNS)
    if any(part.strip() for part in row.get(None, ())):
        raise CallError(
            "a row of the manifest is longer than its header",
            where=where,
            found=inert.listed(filter(None, _parts(row))),
            next_step="Put what has a separator in it between quotes.",
        )
    if not name or not path:
        found = f"no {' and no '.join(column for column, part in zip(COLUMNS, (name, path), strict=True) if not part)}"
        raise CallError("a row of the manifest is not complete", where=where, found=found, expected=TOLD)
    if CONTROL.search(name):
        raise CallError(
            "a row of the manifest has a name that can't be shown", where=where, found=inert.short(name, 60)
        )
    try:
        (manifest.parent / path).lstat()
    except FileNotFoundError:
        pass  # told when it is its turn, and costs that row
    except (OSError, ValueError):
        raise CallError("a row of the manifest names no path", where=where, found=inert.short(path, 60)) from None
    return name, manifest.parent / path
