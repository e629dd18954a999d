"""What `grader diff` prints, and its page: a submission beside the reference.

Side by side where a terminal is wide enough; else, and in a pipe, one line under the other. What differs is marked by a
sign as well as by colour: `~` changed, `-` only in the reference, `+` only in the submission.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final, TextIO

from grader import inert
from grader.alignment.comparison import Comparison, Part
from grader.alignment.definitions import Line
from grader.alignment.rows import Mark, Piece, Row, pieces, side_by_side
from grader.render import pages
from grader.render.paper import Paper

if TYPE_CHECKING:
    from rich.text import Text

NARROWEST: Final = 100  # columns; below, two listings beside each other would break every other line
WIDEST: Final = 220
AROUND: Final = 3  # unchanged lines that are shown before and after what differs
MOST: Final = 2000  # rows of one part that are shown; a solution has some dozens, and --json holds all
CUT: Final = 2000  # characters of one line that a terminal shows
STYLES: Final = {Mark.SAME: "", Mark.CHANGED: "yellow", Mark.REFERENCE: "red", Mark.SUBMISSION: "green"}
LEGEND: Final = "~ changed   - only in the reference   + only in the submission"
SHORT_LEGEND: Final = "- in the reference   + in the submission"


def summary(comparison: Comparison, stream: TextIO | None = None, *, width: int | None = None) -> None:
    """Print a comparison.

    Args:
        comparison: what to show.
        stream: where to; standard output by default.
        width: the columns that there are; by default a terminal's own, and no limit elsewhere.
    """
    paper = Paper(stream or sys.stdout, width)
    columns = min(paper.console.width, WIDEST) if paper.width else 0
    beside = columns >= NARROWEST
    _head(paper, comparison, LEGEND if beside else SHORT_LEGEND)
    for part in comparison.parts:
        paper.put()
        paper.put((inert.line(part.title), "bold"), (f"  {part.remark}", "dim"))
        if not part.same and not part.same_code:
            for line in _beside(part, columns) if beside else _under(part):
                line.rstrip()
                paper.console.print(line, soft_wrap=True)
            if len(part.rows) > MOST:
                paper.put(
                    (f"{len(part.rows)} lines, of which {MOST} are shown here; --json holds all", "dim"), indent=7
                )
    paper.deliver()


def page(comparison: Comparison) -> str:
    """The comparison as one HTML page."""
    return pages.template("diff.html.j2").render(
        comparison=comparison, Mark=Mark, pieces=pieces, side_by_side=side_by_side, legend=LEGEND, most=MOST
    )


def _head(paper: Paper, comparison: Comparison, legend: str) -> None:
    same = sum(part.same or part.same_code for part in comparison.parts)
    count = f"{same} of {len(comparison.parts)} parts have the same code as the reference"
    paper.put((count, "bold"))
    paper.put(f"{comparison.question}: {inert.line(comparison.title)}", lead=(("question    ", "dim"),))
    paper.put(inert.line(comparison.name), lead=(("submission  ", "dim"),))
    for note in comparison.notes:
        paper.put(inert.line(note), lead=(("note        ", "dim"),))
    paper.put(legend, lead=(("signs       ", "dim"),))


def _under(part: Part) -> Iterator[Text]:
    """One line under the other: a changed line as it was, then as it is."""
    for row in _near_changes(part.rows[:MOST]):
        if isinstance(row, int):
            yield _left_out(row)
            continue
        ours, theirs = pieces(row)
        if row.mark is not Mark.SUBMISSION:
            yield _numbered(row.reference, " " if row.mark is Mark.SAME else "-", ours, _style(row, Mark.REFERENCE))
        if row.mark in (Mark.SUBMISSION, Mark.CHANGED):
            yield _numbered(row.submission, "+", theirs, _style(row, Mark.SUBMISSION))


def _beside(part: Part, columns: int) -> Iterator[Text]:
    """The reference on the left, the submission on the right; lines that are too long go on below themselves."""
    from rich.text import Text

    half = (columns - 3) // 2
    for row in _near_changes(side_by_side(part.rows[:MOST])):
        if isinstance(row, int):
            yield _left_out(row)
            continue
        glyphs = ("~", "~") if row.mark is Mark.CHANGED else (" ", " ") if row.mark is Mark.SAME else ("-", "+")
        ours, theirs = pieces(row)
        left = _folded(_numbered(row.reference, glyphs[0], ours, _style(row, Mark.REFERENCE)), half)
        right = _folded(_numbered(row.submission, glyphs[1], theirs, _style(row, Mark.SUBMISSION)), half)
        for number in range(max(len(left), len(right))):
            line = left[number].copy() if number < len(left) else Text()
            line.append(" " * (half - line.cell_len))
            line.append(" │ ", "dim")
            yield line + right[number] if number < len(right) else line


def _near_changes(rows: Sequence[Row]) -> Iterator[Row | int]:
    """The rows that differ and those around them; a number stands for that many others."""
    differ = [place for place, row in enumerate(rows) if row.mark is not Mark.SAME]
    shown = {near for place in differ for near in range(place - AROUND, place + AROUND + 1)}
    hidden = 0
    for place, row in enumerate(rows):
        if place not in shown:
            hidden += 1
            continue
        if hidden:
            yield hidden
        hidden = 0
        yield row
    if hidden:
        yield hidden


def _left_out(count: int) -> Text:
    from rich.text import Text

    return Text(f"       ⋯ {count} {'line' if count == 1 else 'lines'} the same", "dim")


def _style(row: Row, side: Mark) -> str:
    return STYLES[side if row.mark in (Mark.REFERENCE, Mark.SUBMISSION) else row.mark]


def _numbered(line: Line | None, glyph: str, parts: list[Piece], style: str) -> Text:
    """A line with its number and sign; nothing where there is no line."""
    from rich.text import Text

    if line is None:
        return Text()
    numbered = Text.assemble((f"{line.number:>4} ", "dim"), (f"{glyph} ", f"bold {style}".strip()))
    room = CUT
    for words, differs in parts:
        shown = inert.text(words[: max(room, 0)])
        room -= len(words)
        numbered.append(shown, f"bold underline {style}" if differs else style)
    if room < 0:
        numbered.append(f"… ({-room:,} more characters)", "dim")
    return numbered


def _folded(line: Text, width: int) -> list[Text]:
    """A line in pieces of at most that many columns; those after the first are set in."""
    from rich.cells import chop_cells
    from rich.text import Text

    if line.cell_len <= width:
        return [line]
    margin = 7
    first, rest = line.divide([len(chop_cells(line.plain, width)[0])])
    made = [first]
    for chunk in chop_cells(rest.plain, width - margin):
        piece, rest = rest.divide([len(chunk)]) if len(chunk) < len(rest) else (rest, Text())
        made.append(Text(" " * margin) + piece)
    return made
