"""A source as a tree of definitions: functions, classes and their methods, each with the lines that are its own."""

from __future__ import annotations

import ast
import copy
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from grader.submission.syntax import SHORT

Kind = Literal["module", "class", "function"]
Defining = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


@dataclass(frozen=True, slots=True)
class Line:
    """A line of a source, and its number from 1."""

    number: int
    text: str


@dataclass(frozen=True, slots=True)
class Definition:
    """A part of a source that has a name.

    Attributes:
        name: qualified, as `Class.method`; empty for what stands at the top level.
        kind: what it is.
        lines: its own lines. A class's methods, and a module's functions and classes, have theirs.
        code: its own code in one way of writing, without comments and docstrings; empty where it was not parsed.
        children: what is defined directly inside a class or a module, in order.
    """

    name: str
    kind: Kind
    lines: tuple[Line, ...]
    code: str = ""
    children: tuple[Definition, ...] = ()

    @property
    def short_name(self) -> str:
        """The last part of the name."""
        return self.name.rpartition(".")[2]


def outline(source: str) -> Definition:
    """The module, and in it all else.

    A source that is too long to be parsed in this process (see grader/submission/syntax.py) is one definition.
    """
    lines = [Line(number, text) for number, text in enumerate(source.split("\n"), start=1)]
    tree = _parsed(source)
    if tree is None:
        return Definition("", "module", tuple(lines))
    return _definition(tree, "", lines, 1, len(lines))


def _parsed(source: str) -> ast.Module | None:
    if len(source) > SHORT:
        return None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # a candidate's odd escapes are no warnings of ours
            return ast.parse(source)
    except (RecursionError, MemoryError):  # too deep, though the parser of the preflight had room for it
        return None


def _definition(node: ast.Module | Defining, name: str, lines: list[Line], first: int, last: int) -> Definition:
    """The definition that takes the lines from `first` to `last`."""
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        return Definition(name, "function", tuple(lines[first - 1 : last]), _code(node))
    children = []
    free = first  # the first line that no child has taken
    own: list[Line] = []
    for statement in node.body:
        if isinstance(statement, Defining):
            start, end = _extent(statement, lines, free)
            own += lines[free - 1 : start - 1]
            children.append(_definition(statement, f"{name}.{statement.name}".lstrip("."), lines, start, end))
            free = end + 1
    own += lines[free - 1 : last]
    kind: Kind = "module" if isinstance(node, ast.Module) else "class"
    return Definition(name, kind, _tidy(own), _code(node), tuple(children))


def _code(node: ast.Module | Defining) -> str:
    """The code of a node; in that of a class or a module, what it defines is left out."""
    bare = _Bare().visit(copy.deepcopy(node))
    if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        bare.body = [each for each in bare.body if not isinstance(each, Defining)] or [ast.Pass()]
    return ast.unparse(bare)


class _Bare(ast.NodeTransformer):
    """Takes out docstrings."""

    def generic_visit(self, node: ast.AST) -> ast.AST:
        super().generic_visit(node)
        if isinstance(node, ast.Module | Defining) and ast.get_docstring(node, clean=False) is not None:
            node.body = node.body[1:] or [ast.Pass()]
        return node


def _extent(node: Defining, lines: list[Line], free: int) -> tuple[int, int]:
    """The first and the last line of a definition, with its decorators and the comment right above it."""
    start = min([node.lineno, *(each.lineno for each in node.decorator_list)])
    while start > free and lines[start - 2].text.lstrip().startswith("#"):
        start -= 1
    return max(start, free), max(node.end_lineno or node.lineno, free)


def _tidy(lines: Sequence[Line]) -> tuple[Line, ...]:
    """The lines without the blank ones at both ends, and with one where children left several."""
    kept: list[Line] = []
    for line in lines:
        if line.text.strip() or (kept and kept[-1].text.strip()):
            kept.append(line)
    while kept and not kept[-1].text.strip():
        kept.pop()
    return tuple(kept)
