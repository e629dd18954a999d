"""A submission's code as lines for a page: numbered, coloured on our side, and with some of them marked.

What a stranger wrote is made visible first and coloured second, so that no colouring is decided by what can't be seen.
"""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from grader import inert

LONGEST: Final = 400  # characters of a line that are shown
MOST: Final = 4000  # lines that are shown
COLOURED: Final = 200_000  # characters; what is longer is shown without colours

# A few classes are enough to read by, and each has its own look on paper too.
CLASSES: Final = (
    ("Comment", "co"),
    ("Literal.String", "st"),
    ("Literal.Number", "nu"),
    ("Keyword", "kw"),
    ("Operator.Word", "kw"),
    ("Name.Function", "df"),
    ("Name.Class", "df"),
    ("Name.Decorator", "de"),
)


@dataclass(frozen=True)
class Line:
    """A line of code: its number from 1, its pieces as (class, text), and why it is marked; empty if it is not."""

    number: int
    pieces: tuple[tuple[str, str], ...]
    why: str = ""

    @property
    def text(self) -> str:
        """The line without colours."""
        return "".join(piece for _, piece in self.pieces)


@dataclass(frozen=True)
class Place:
    """Where a definition is: the first and last line, decorators included."""

    name: str
    first: int
    last: int

    @property
    def words(self) -> str:
        """`line 4` or `lines 4 to 9`."""
        return f"line {self.first}" if self.first == self.last else f"lines {self.first} to {self.last}"


def lines(source: str, marked: Mapping[int, str] | None = None) -> list[Line]:
    """The lines of a submission, at most 4,000; `marked` says why some are marked, by number."""
    why = marked or {}
    shown = [inert.line(line.expandtabs(4), LONGEST) for line in _split(source)[:MOST]]
    return [Line(number, pieces, why.get(number, "")) for number, pieces in enumerate(_coloured(shown), start=1)]


def places(source: str, names: Iterable[str]) -> dict[str, Place]:
    """Where the names are defined at the top level; the last definition of a name is the one that counts."""
    wanted = set(names)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            body = ast.parse(source).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return {}
    found = {}
    for statement in _statements(body):
        for name in _names(statement) & wanted:
            first = min([statement.lineno, *(each.lineno for each in getattr(statement, "decorator_list", []))])
            found[name] = Place(name, first, statement.end_lineno or statement.lineno)
    return found


def _split(source: str) -> list[str]:
    """Lines as Python counts them: a form feed or a Unicode separator ends none."""
    return re.split(r"\r\n|\r|\n", source.rstrip("\r\n")) if source.strip() else []


def _statements(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    for statement in body:
        yield statement
        if isinstance(statement, ast.If | ast.Try):
            yield from _statements([*statement.body, *statement.orelse])


def _names(statement: ast.stmt) -> set[str]:
    match statement:
        case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
            return {statement.name}
        case ast.Assign():
            return {target.id for target in statement.targets if isinstance(target, ast.Name)}
        case ast.AnnAssign(target=ast.Name(id=name)):
            return {name}
        case ast.Import() | ast.ImportFrom():
            return {alias.asname or alias.name for alias in statement.names}
    return set()


def _coloured(shown: list[str]) -> Iterator[tuple[tuple[str, str], ...]]:
    text = "\n".join(shown)
    if len(text) > COLOURED:
        yield from ((("", line),) for line in shown)
        return
    from pygments.lexers.python import PythonLexer  # type: ignore[import-untyped]

    row: list[tuple[str, str]] = []
    for kind, value in PythonLexer(stripnl=False, ensurenl=False).get_tokens(text):
        first, *rest = value.split("\n")
        _add(row, _class(kind), first)
        for piece in rest:
            yield tuple(row)
            row = []
            _add(row, _class(kind), piece)
    if shown:
        yield tuple(row)


def _add(row: list[tuple[str, str]], kind: str, piece: str) -> None:
    if piece and row and row[-1][0] == kind:
        row[-1] = (kind, row[-1][1] + piece)
    elif piece:
        row.append((kind, piece))


def _class(kind: Any) -> str:
    name = str(kind).removeprefix("Token.")
    return next((short for prefix, short in CLASSES if name == prefix or name.startswith(f"{prefix}.")), "")
