"""Our own Markdown, for a page: the few forms that prompts are written in. All else stays as it was typed.

It makes data and no HTML, so a template escapes every word of it. It is for the files of a question, which its author
wrote, and never for what a candidate sent.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

FENCE: Final = re.compile(r"^\s*(`{3,}|~{3,})")
HEADING: Final = re.compile(r"^(#{1,6})\s+(.*?)\s*#*$")
POINT: Final = re.compile(r"^(\s*)([-*+]|\d+[.)])\s+(.*)$")
ROW: Final = re.compile(r"^\s*\|(.*)\|\s*$")
RULE: Final = re.compile(r"^\s*\|?[\s:|-]+\|[\s:|-]*$")
INLINE: Final = re.compile(
    r"(?P<ticks>`+)(?P<code>.+?)(?P=ticks)|\*\*(?P<strong>.+?)\*\*|(?<![\w*])\*(?P<em>[^*\s](?:[^*\n]*[^*\s])?)\*(?!\w)"
)


@dataclass(frozen=True)
class Piece:
    """Words within a line; `kind` is `code`, `strong`, `em` or empty."""

    text: str
    kind: str = ""


Words = tuple[Piece, ...]


@dataclass(frozen=True)
class Block:
    """A block of prose.

    Attributes:
        kind: `heading`, `paragraph`, `list`, `numbered`, `code` or `table`.
        level: of a heading, from 1.
        words: of a heading or a paragraph.
        items: of a list, each of them words.
        rows: of a table, the head first; each cell is words.
        text: of code.
    """

    kind: str
    level: int = 0
    words: Words = ()
    items: tuple[Words, ...] = ()
    rows: tuple[tuple[Words, ...], ...] = ()
    text: str = ""


def blocks(text: str) -> Iterator[Block]:
    """The blocks of a text, in order."""
    lines = text.replace("\r\n", "\n").split("\n")
    at = 0
    while at < len(lines):
        line = lines[at]
        if fence := FENCE.match(line):
            end = next((n for n in range(at + 1, len(lines)) if lines[n].strip().startswith(fence[1])), len(lines))
            yield Block("code", text="\n".join(lines[at + 1 : end]))
            at = end + 1
        elif heading := HEADING.match(line):
            yield Block("heading", len(heading[1]), pieces(heading[2]))
            at += 1
        elif ROW.match(line) and at + 1 < len(lines) and RULE.match(lines[at + 1]):
            rows = [at, *_while(lines, at + 2, ROW)]
            yield Block("table", rows=tuple(_cells(lines[n]) for n in rows))
            at = rows[-1] + 1 if len(rows) > 1 else at + 2
        elif POINT.match(line):
            found, at = _points(lines, at)
            yield found
        elif line.strip():
            end = at + 1
            while end < len(lines) and lines[end].strip() and not _begins(lines[end]):
                end += 1
            yield Block("paragraph", words=pieces(" ".join(each.strip() for each in lines[at:end])))
            at = end
        else:
            at += 1


def pieces(line: str) -> Words:
    """The words of a line, with code, strong and emphasised ones apart."""
    found, at = [], 0
    for match in INLINE.finditer(line):
        kind = next(name for name in ("code", "strong", "em") if match[name] is not None)
        found += [Piece(line[at : match.start()]), Piece(match[kind].strip(), kind)]
        at = match.end()
    return tuple(each for each in (*found, Piece(line[at:])) if each.text)


def _points(lines: list[str], at: int) -> tuple[Block, int]:
    """A list, each point with the lines that go on with it; a point within a point is one of the list."""
    items: list[list[str]] = []
    first = POINT.match(lines[at])
    assert first
    while at < len(lines):
        point = POINT.match(lines[at])
        if point:
            items.append([point[3]])
        elif lines[at].strip() and (lines[at][:1] == " " or not _begins(lines[at])) and lines[at - 1].strip():
            items[-1].append(lines[at].strip())
        elif lines[at].strip() or not _goes_on(lines, at):
            break
        at += 1
    kind = "numbered" if first[2][0].isdigit() else "list"
    return Block(kind, items=tuple(pieces(" ".join(each)) for each in items)), at


def _goes_on(lines: list[str], at: int) -> bool:
    """Whether the first line that is not empty from here on is a point of the same list."""
    line = next((each for each in lines[at:] if each.strip()), "")
    return POINT.match(line) is not None


def _begins(line: str) -> bool:
    return any(form.match(line) for form in (FENCE, HEADING, POINT, ROW))


def _cells(line: str) -> tuple[Words, ...]:
    row = ROW.match(line)
    assert row
    return tuple(pieces(cell.strip()) for cell in re.split(r"(?<!\\)\|", row[1]))


def _while(lines: list[str], at: int, form: re.Pattern[str]) -> Iterator[int]:
    while at < len(lines) and form.match(lines[at]):
        yield at
        at += 1
