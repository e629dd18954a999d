"""Python code as a row of tokens, in which names, literals, comments, docstrings and layout make no difference."""

from __future__ import annotations

import io
import keyword
import token
import tokenize
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

NAME: Final = "n"
NUMBER: Final = "0"
STRING: Final = "s"
LAYOUT: Final = frozenset(
    (token.INDENT, token.DEDENT, tokenize.NL, tokenize.COMMENT, tokenize.ENCODING, token.ENDMARKER, token.TYPE_COMMENT)
)


@dataclass(frozen=True, slots=True)
class Token:
    """A token: what is compared of it, and the first and last line that it stands on, from 1."""

    kind: str
    line: int
    last: int


def tokens(source: str) -> list[Token]:
    """The tokens of a source; those before the place where it is no longer Python.

    A keyword or operator is itself; all names are one token, all numbers another, all strings a third. Statements that
    are a string alone, as docstrings are, are left out.
    """
    found: list[Token] = []
    statement: list[Token] = []
    for each in _read(source):
        if each.type == token.NEWLINE:
            found += _code(statement)
            statement = []
        elif each.type not in LAYOUT:
            statement.append(Token(_kind(each), each.start[0], each.end[0]))
    return found + _code(statement)


def _read(source: str) -> Iterator[tokenize.TokenInfo]:
    try:
        yield from tokenize.generate_tokens(io.StringIO(source).readline)
    except (tokenize.TokenError, SyntaxError):
        return


def _kind(each: tokenize.TokenInfo) -> str:
    match each.type:
        case token.NAME:
            return each.string if keyword.iskeyword(each.string) else NAME
        case token.NUMBER:
            return NUMBER
        case token.STRING:
            return STRING
    return each.string


def _code(statement: Iterable[Token]) -> list[Token]:
    kept = list(statement)
    return [] if all(each.kind == STRING for each in kept) else kept
