"""A candidate's code as text: bytes to characters, with what is accepted and noted, and what is refused.

Accepted: a UTF-8 byte order mark, any of the three line endings, tabs, form feeds, no newline at the end.
Refused, with the place: any other encoding or a declaration of one, NUL bytes, and invisible characters that
make code look unlike what it does.
"""

from __future__ import annotations

import bisect
import codecs
import re
import unicodedata
from dataclasses import dataclass
from typing import Final

from grader.inert import short
from grader.sandbox.limits import KIB
from grader.submission.unfit import Unfit

SOURCE_BYTES: Final = 512 * KIB
UTF16_MARKS: Final = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
COOKIE: Final = re.compile(r"^[ \t\f]*#.*?coding[:=][ \t]*([-\w.]+)")  # PEP 263
BLANK: Final = re.compile(r"^[ \t\f]*(#.*)?$")
UTF8_NAMES: Final = re.compile(r"^(utf[-_]?8|u8|utf|cp65001)([-_](sig|unix|dos|mac))?$", re.IGNORECASE)
REORDERING: Final = re.compile("[\u202a-\u202e\u2066-\u2069]")


@dataclass(frozen=True)
class Script:
    """Code that knows how to name its places.

    Attributes:
        name: the file's name, safe to show.
        text: the code, with `\\n` line endings and no byte order mark.
        notes: what a person should know of how it was read.
        cells: for a notebook, the line before each cell's first, in order.
    """

    name: str
    text: str
    notes: tuple[str, ...] = ()
    cells: tuple[int, ...] = ()

    def place(self, line: int, column: int | None = None) -> str:
        """A place as the candidate finds it: `line 3, column 7 of solution.py`, or with a notebook's cell."""
        where = f"column {column} of {self.name}" if column else f"of {self.name}"
        comma = ", " if column else " "
        cell = bisect.bisect_left(self.cells, line)
        if not cell:
            return f"line {line}{comma}{where}"
        return f"cell {cell}, line {line - self.cells[cell - 1]}{comma}{where}"

    def place_at(self, offset: int) -> str:
        """The place of the character at an offset into the text."""
        before = self.text[:offset]
        return self.place(before.count("\n") + 1, offset - (before.rfind("\n") + 1) + 1)


def script(raw: bytes, name: str) -> Script:
    """The code in a file's bytes.

    Raises:
        Unfit: too large, not UTF-8, or not what it seems to a reader.
    """
    if len(raw) > SOURCE_BYTES:
        raise Unfit(f"Make {name} smaller than {SOURCE_BYTES // KIB} KiB, which is far more than a solution needs.")
    text = decoded(raw, name)
    notes = []
    if text.startswith("\ufeff"):
        notes.append(f"{name} starts with a byte order mark")
        text = text[1:]
    if "\r\n" in text:
        notes.append(f"{name} has Windows line endings (CRLF)")
        text = text.replace("\r\n", "\n")
    if "\r" in text:
        notes.append(f"{name} has old Macintosh line endings (CR)")
        text = text.replace("\r", "\n")
    return Script(name, text, tuple(notes))


def decoded(raw: bytes, name: str) -> str:
    """The characters of UTF-8 bytes, a byte order mark among them; an Unfit says which byte is wrong."""
    if raw.startswith(UTF16_MARKS):
        raise Unfit(f"Save {name} as UTF-8: its first bytes say that it is UTF-16.")
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError as error:
        before = raw[: error.start].decode("utf-8-sig").replace("\r\n", "\n").replace("\r", "\n")
        place = Script(name, before).place_at(len(before))
        raise Unfit(f"Save {name} as UTF-8: {place} is the byte 0x{raw[error.start]:02x}, which is not.") from None


def refuse_disguises(code: Script) -> None:
    """Raise an Unfit for code that another reader would take for something else."""
    nul = code.text.find("\0")
    if nul >= 0:
        raise Unfit(f"Save {code.name} as plain text: {code.place_at(nul)} is a NUL byte.")
    for number, line in enumerate(code.text.split("\n", 2)[:2], start=1):
        cookie = COOKIE.match(line)
        if cookie and not UTF8_NAMES.match(cookie[1]):
            declared = short(cookie[1], 40)
            raise Unfit(f"Save {code.name} as UTF-8 and take out {code.place(number)}, which declares {declared}.")
        if not BLANK.match(line):
            break
    hidden = REORDERING.search(code.text)
    if hidden:
        what = f"U+{ord(hidden[0]):04X} ({unicodedata.name(hidden[0]).lower()})"
        raise Unfit(f"Take out the invisible character {what} at {code.place_at(hidden.start())}.")
