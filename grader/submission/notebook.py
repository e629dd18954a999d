"""The code of a notebook: its code cells in order, with what only a notebook understands taken out.

Each cell starts with a comment, `# cell N`, counting code cells from 1. A magic or shell line becomes a
`pass` with the line as its comment, so that the block around it stays whole and no line moves. Lines inside
strings and brackets are left alone.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, Final

from grader.inert import short
from grader.sandbox.limits import MIB
from grader.submission.sourcetext import SOURCE_BYTES, Script, decoded
from grader.submission.unfit import Unfit

NOTEBOOK_BYTES: Final = 16 * MIB  # pictures in the output are most of it
SPECIAL: Final = re.compile(r"[%!?]|[\w.\[\]]+\?{1,2}$|[\w., ]+= *[!%]")
FIRST: Final = 200  # characters that tell what a cell is; on a whole line the pattern takes quadratic time
PYTHON_CELLS: Final = re.compile(r"^%%(time|timeit|capture|prun|python3?|writefile\s+.*\.py)\b")
TOKEN: Final = re.compile(r"""#.*|\"{3}|'{3}|"(?:\\.|[^"\\])*"?|'(?:\\.|[^'\\])*'?|[()\[\]{}]""")
CLOSING: Final = {quotes: re.compile(rf"(?:\\.|[^\\])*?{quotes}") for quotes in ('"""', "'''")}


def script(raw: bytes, name: str) -> Script:
    """The code of a notebook's bytes.

    Raises:
        Unfit: too large, or not a notebook.
    """
    if len(raw) > NOTEBOOK_BYTES:
        raise Unfit(f"Clear the output of {name}, which is larger than {NOTEBOOK_BYTES // MIB} MiB.")
    lines: list[str] = []
    starts: list[int] = []
    special: list[int] = []
    for number, source in enumerate(code_cells(decoded(raw, name).removeprefix("\ufeff"), name), start=1):
        lines.append(f"# cell {number}")
        starts.append(len(lines))
        plain = source.replace("\r\n", "\n").replace("\r", "\n").split("\n")
        quiet = without_magics(plain)
        special += [number] if quiet != plain else []
        lines += quiet
    text = "\n".join(lines)
    try:
        size = len(text.encode())
    except UnicodeEncodeError as error:
        place = Script(name, text, cells=tuple(starts)).place_at(error.start)
        raise Unfit(f"Take out the broken character at {place}, which is half of a surrogate pair.") from None
    if size > SOURCE_BYTES:
        raise Unfit(f"Make the code in {name} shorter: its cells hold more than {SOURCE_BYTES >> 10} KiB.")
    notes = [f"{name} is a notebook: its {len(starts)} code cells were read in order"]
    if special:
        cells = ", ".join(str(number) for number in special[:8]) + (" and others" if len(special) > 8 else "")
        notes.append(f"magics and shell lines were left out, in code cell {cells}")
    return Script(name, text, tuple(notes), tuple(starts))


def code_cells(text: str, name: str) -> list[str]:
    """The sources of a notebook's code cells."""
    try:
        notebook = json.loads(text)
    except (ValueError, RecursionError) as error:
        at = f" at line {error.lineno}, column {error.colno}" if isinstance(error, json.JSONDecodeError) else ""
        raise Unfit(f"Save {name} again from Jupyter: it is not JSON{at}.") from None
    cells = notebook.get("cells") if isinstance(notebook, dict) else None
    if not isinstance(cells, list):
        raise Unfit(f"Save {name} again from a recent Jupyter: it has no list of cells.")
    return [source(cell, name) for cell in cells if isinstance(cell, dict) and cell.get("cell_type") == "code"]


def source(cell: dict[str, Any], name: str) -> str:
    """One cell's text, which a notebook keeps as a string or as a list of them."""
    kept = cell.get("source", "")
    pieces = kept if isinstance(kept, list) else [kept]
    if not all(isinstance(piece, str) for piece in pieces):
        raise Unfit(f"Save {name} again from Jupyter: a code cell's source is {short(repr(kept), 40)}, not text.")
    return "".join(pieces)


def without_magics(lines: list[str]) -> list[str]:
    """A cell's lines, with magics and shell lines replaced."""
    first = next((line for line in lines if line.strip()), "")
    if first.startswith("%%") and not PYTHON_CELLS.match(first[:FIRST]):
        return [f"# {line}" for line in lines]  # a cell in another language
    return list(_quieted(lines))


def _quieted(lines: list[str]) -> Iterator[str]:
    inside, goes_on, special, indent = Inside(), False, False, ""
    for line in lines:
        body = line.lstrip()
        if not goes_on:
            special = inside.nothing and SPECIAL.match(body.rstrip()) is not None
            indent = line[: len(line) - len(body)]
        goes_on = line.endswith("\\")
        if special:
            yield f"{indent}pass  # {body}".rstrip("\\")
        else:
            inside.read(line)
            yield line


class Inside:
    """How many brackets are open after the lines read so far, and which long string."""

    def __init__(self) -> None:
        self.depth = 0
        self.quotes = ""

    @property
    def nothing(self) -> bool:
        """Whether the next line starts a statement."""
        return self.depth <= 0 and not self.quotes

    def read(self, line: str) -> None:
        """Take one more line into account."""
        at = 0
        while at < len(line):
            found = (CLOSING[self.quotes].match if self.quotes else TOKEN.search)(line, at)
            if found is None:
                return
            at = found.end()
            token = found[0]
            if self.quotes:
                self.quotes = ""
            elif token in CLOSING:
                self.quotes = token
            elif token in "([{":
                self.depth += 1
            elif token in ")]}":
                self.depth -= 1
