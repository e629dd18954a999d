"""Two definitions as rows: lines that are the same, lines that differ a little, and lines that only one of them has."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from enum import StrEnum
from itertools import zip_longest
from typing import Final

from grader.alignment.definitions import Line
from grader.alignment.matching import likeness

ALIKE: Final = 0.5  # the likeness from which on two lines are one that was changed
MOST_CELLS: Final = 10_000  # of a table of lines by lines; larger blocks are paired in order
MOST_CHARACTERS: Final = 400  # of a line whose words are compared
PIECE: Final = re.compile(r"\w+|\s+|.", re.DOTALL)

Piece = tuple[str, bool]  # a part of a line, and whether it differs from the other side


class Mark(StrEnum):
    """What a row says; its glyph stands beside the line, so that colour is never alone in saying it."""

    SAME = "same"
    CHANGED = "changed"
    REFERENCE = "only in the reference"
    SUBMISSION = "only in the submission"

    @property
    def glyph(self) -> str:
        """One character."""
        return {"same": " ", "changed": "~", "only in the reference": "-", "only in the submission": "+"}[self]


@dataclass(frozen=True, slots=True)
class Row:
    """A line of the reference, one of the submission, or both beside each other."""

    mark: Mark
    reference: Line | None
    submission: Line | None


def rows(ours: Sequence[Line], theirs: Sequence[Line]) -> list[Row]:
    """The lines of the reference and those of the submission, each once and in order."""
    made: list[Row] = []
    # The matcher leaves out lines that repeat over and over: without that, a long file could keep it busy for minutes.
    matcher = SequenceMatcher(None, list(map(_plain, ours)), list(map(_plain, theirs)))
    for tag, i, i_end, j, j_end in matcher.get_opcodes():
        left, right = ours[i:i_end], theirs[j:j_end]
        if tag == "equal":
            made += (Row(Mark.SAME, a, b) for a, b in zip(left, right, strict=True))
        else:
            made += _replaced(left, right)
    return made


def _plain(line: Line) -> str:
    """The text without what nobody sees: tabs for blanks, and blanks at the end."""
    return line.text.expandtabs(4).rstrip()


def pieces(row: Row) -> tuple[list[Piece], list[Piece]]:
    """The two lines of a row in parts, of which those that differ are marked in a row that was changed."""
    left, right = (line.text if line else "" for line in (row.reference, row.submission))
    if row.mark is not Mark.CHANGED or max(len(left), len(right)) > MOST_CHARACTERS:
        return [(left, False)], [(right, False)]
    before, after = PIECE.findall(left), PIECE.findall(right)
    ours: list[Piece] = []
    theirs: list[Piece] = []
    for tag, i, i_end, j, j_end in SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        ours.append(("".join(before[i:i_end]), tag != "equal"))
        theirs.append(("".join(after[j:j_end]), tag != "equal"))
    return [piece for piece in ours if piece[0]], [piece for piece in theirs if piece[0]]


def _replaced(left: Sequence[Line], right: Sequence[Line]) -> Iterator[Row]:
    """Lines in place of others: those that are much alike beside each other, the rest on rows of their own."""
    i = j = 0
    for a, b in [*_alike(left, right), (len(left), len(right))]:
        yield from (Row(Mark.REFERENCE, line, None) for line in left[i:a])
        yield from (Row(Mark.SUBMISSION, None, line) for line in right[j:b])
        if a < len(left):
            yield Row(Mark.CHANGED, left[a], right[b])
        i, j = a + 1, b + 1


def _alike(left: Sequence[Line], right: Sequence[Line]) -> list[tuple[int, int]]:
    """The places of lines that belong together, in order, so that their likeness adds up to the most."""
    if len(left) * len(right) > MOST_CELLS or not left or not right:
        return []
    best = [[0.0] * (len(right) + 1) for _ in range(len(left) + 1)]  # best[i][j]: of left[i:] and right[j:]
    score = [[_score(a, b) for b in right] for a in left]
    for i in reversed(range(len(left))):
        for j in reversed(range(len(right))):
            best[i][j] = max(best[i + 1][j], best[i][j + 1], score[i][j] + best[i + 1][j + 1])
    found: list[tuple[int, int]] = []
    i = j = 0
    while i < len(left) and j < len(right):
        if score[i][j] and best[i][j] == score[i][j] + best[i + 1][j + 1]:
            found.append((i, j))
            i, j = i + 1, j + 1
        elif best[i][j] == best[i + 1][j]:
            i += 1
        else:
            j += 1
    return found


def _score(one: Line, other: Line) -> float:
    if not one.text.strip() or not other.text.strip() or max(len(one.text), len(other.text)) > MOST_CHARACTERS:
        return 0.0
    alike = likeness(one.text, other.text)
    return alike if alike >= ALIKE else 0.0


def side_by_side(made: Sequence[Row]) -> list[Row]:
    """The rows with what only one side has moved up beside what only the other has, to take less room."""
    packed: list[Row] = []
    left: list[Row] = []
    right: list[Row] = []
    for row in [*made, None]:
        if row is not None and row.mark in (Mark.REFERENCE, Mark.SUBMISSION):
            (left if row.mark is Mark.REFERENCE else right).append(row)
            continue
        for ours, theirs in zip_longest(left, right):
            mark = Mark.REFERENCE if ours else Mark.SUBMISSION
            packed.append(Row(mark, ours.reference if ours else None, theirs.submission if theirs else None))
        left, right = [], []
        if row is not None:
            packed.append(row)
    return packed
