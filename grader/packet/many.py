"""A packet for each candidate of a list, named by code name. Who is who stands in names.csv, and nowhere else.

names.csv is written before any packet, so no code name is ever out of which nobody knows whose it is. A later run with
more rows keeps what is there: code names, and packets, which may have been sent.
"""

from __future__ import annotations

import csv
import io
import os
import secrets
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from grader import inert
from grader.errors import CallError
from grader.packet.contents import Signed, coded, contents
from grader.packet.settings import Settings
from grader.packet.start import write_zip
from grader.question import Question
from grader.results import codenames, lock

NAMES: Final = "names.csv"
COLUMNS: Final = ("name", "code")
FORMULA: Final = ("=", "+", "-", "@", "\t", "\r")  # a spreadsheet would work out what starts so
PRIVATE: Final = 0o600
LONGEST: Final = 200  # characters of a name


@dataclass(frozen=True)
class Made:
    """What a run came to: the packets that it wrote, and how many were there before."""

    written: list[Path]
    kept: int


def write(
    question: Question,
    settings: Settings,
    candidates: Path,
    out: Path,
    varied: Callable[[str], Question] | None = None,
    signed: Signed | None = None,
) -> Made:
    """Write a zip for each candidate who has none yet.

    Args:
        question: what they are asked.
        settings: what the team says of itself.
        candidates: a .csv file with the column `name`; other columns are left alone.
        out: the folder of the packets and of names.csv.
        varied: the variant for the candidate of a code name; by default all get the question as it is.
        signed: the team's signature of which variant a packet is of.

    Raises:
        CallError: the list can't be read or names somebody twice, or the folder can't be written.
    """
    names = listed(candidates)
    codes = _drawn(names, out)
    paths = {name: out / f"{question.id}-{codes[name]}.zip" for name in names}
    missing = {name: path for name, path in paths.items() if not path.exists()}
    made: dict[str, dict[str, bytes]] = {}  # by the question's digest, which is another one for each variant
    for name, path in missing.items():
        theirs = varied(codes[name]) if varied else question
        if theirs.digest not in made:
            made[theirs.digest] = contents(theirs, settings, signed)
        write_zip(coded(made[theirs.digest], codes[name], signed), path, question.id)
    return Made(list(missing.values()), len(names) - len(missing))


def _drawn(names: list[str], out: Path) -> dict[str, str]:
    """The code name of each, drawn and written down for those who have none; one call at a time does so."""
    make_folder(out)
    with lock.held(out):
        taken = read_names(out / NAMES)
        codes = codenames.draw(names, taken)
        if codes != taken:
            write_names(out / NAMES, codes)
    return codes


def listed(path: Path) -> list[str]:
    """The names in a list of candidates, in its order."""
    where = inert.line(str(path))
    rows = _rows(path)
    if not rows or "name" not in rows[0]:
        found = inert.listed(rows[0]) if rows else "no row"
        raise CallError("this list has no column `name`", where=where, found=found, expected="name")
    column = rows[0].index("name")
    names: dict[str, int] = {}
    for number, row in enumerate(rows[1:], start=2):
        name = unicodedata.normalize("NFC", inert.line(" ".join(row[column].split()))) if len(row) > column else ""
        if not any(cell.strip() for cell in row):
            continue
        if not name:
            raise CallError("a row has no name", where=f"{where}, row {number}", next_step="Fill it in.")
        if len(name) > LONGEST:
            raise CallError(
                "a name is too long",
                where=f"{where}, row {number}",
                found=f"{len(name):,} characters",
                expected=f"at most {LONGEST}",
            )
        if name in names:
            raise CallError(
                "two rows have one name",
                where=f"{where}, rows {names[name]} and {number}",
                found=inert.line(name),
                next_step="Add something that tells them apart.",
            )
        names[name] = number
    if not names:
        raise CallError("there is nobody in this list", where=where)
    return list(names)


def read_names(path: Path) -> dict[str, str]:
    """The code name of each candidate, as `write_names` wrote them; none where there is no file."""
    if not path.exists():
        return {}
    rows = _rows(path)
    if not rows or tuple(rows[0]) != COLUMNS or any(len(row) != len(COLUMNS) for row in rows):
        raise CallError(
            "this is not as it was written",
            where=inert.line(str(path)),
            expected="the columns name and code",
            next_step="Restore it, or name another --out.",
        )
    codes = {name[1:] if is_quoted(name) else name: code for name, code in rows[1:]}
    if wrong := next((code for code in codes.values() if not codenames.is_code(code)), None):
        raise CallError("this is no code name", where=inert.line(str(path)), found=inert.short(wrong, 60))
    if len(set(codes.values())) < len(rows) - 1:
        raise CallError("two rows have one code name", where=inert.line(str(path)), next_step="Restore the file.")
    return codes


def is_quoted(name: str) -> bool:
    """Whether a name has a quote in front, so that a spreadsheet takes it for text."""
    return name.startswith("'") and name.lstrip("'").startswith(FORMULA)


def make_folder(path: Path) -> None:
    """Make a folder, if it is not there."""
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        why = error.strerror or str(error)
        raise CallError(f"this can't be written ({why})", where=inert.line(str(path))) from None


def write_names(path: Path, codes: dict[str, str]) -> None:
    """Write who is who into a folder that is there, for nobody but its owner to read."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(COLUMNS)
    writer.writerows((f"'{name}" if is_quoted(f"'{name}") else name, code) for name, code in codes.items())
    part = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    try:
        with open(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, PRIVATE), "w", encoding="utf-8") as stream:
            stream.write(text.getvalue())
        part.replace(path)
    except OSError as error:
        why = error.strerror or str(error)
        raise CallError(f"this can't be written ({why})", where=inert.line(str(path))) from None
    finally:
        part.unlink(missing_ok=True)


def _rows(path: Path) -> list[list[str]]:
    try:
        with path.open(encoding="utf-8-sig", newline="") as stream:
            return list(csv.reader(stream, strict=True))
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        why = error.strerror if isinstance(error, OSError) else str(error)
        raise CallError("this list can't be read", where=inert.line(str(path)), found=why) from None
