"""Whether anything was written into the skeleton, told from the text alone."""

from __future__ import annotations

import ast
import warnings
from typing import Any


def is_unstarted(source: str, skeleton: str) -> bool:
    """Whether a submission has no statement that the skeleton has not; comments and bare strings are none."""
    return _statements(source) <= _statements(skeleton)


def _statements(source: str) -> set[tuple[Any, ...]]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a candidate's odd escapes are no warnings of ours
        tree = ast.parse(source)
    return {_spelled(statement) for statement in tree.body if not _says_nothing(statement)}


def _says_nothing(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Pass) or (
        isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)
    )


def _spelled(statement: ast.stmt) -> tuple[Any, ...]:
    """A statement in a form that compares, however deep it is: `ast.dump` calls itself, and repeats long integers."""
    parts: list[Any] = []
    waiting: list[Any] = [statement]
    while waiting:
        thing = waiting.pop()
        if isinstance(thing, ast.AST):
            parts.append(type(thing))
            waiting += [getattr(thing, name, None) for name in thing._fields]
        elif isinstance(thing, list):
            parts.append((list, len(thing)))
            waiting += thing
        else:
            parts.append((type(thing), thing))
    return tuple(parts)
