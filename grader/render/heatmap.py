"""Heat maps of a table that is wrong, of the right one and of their difference, as PNG pictures inside a page.

Blue is below zero and orange above it, which every kind of colour vision tells apart; on grey paper blue prints darker.
What is no finite number is black with a white cross. All three pictures have one scale.
"""

from __future__ import annotations

import base64
import math
import struct
import zlib
from dataclasses import dataclass
from typing import Final

from grader.report import TablePart

Colour = tuple[int, int, int]
Grid = list[list[float | None]]

BLUE: Final = (8, 48, 107)
WHITE: Final = (247, 247, 247)
ORANGE: Final = (217, 95, 14)
BLACK: Final = (20, 20, 20)
SIDE: Final = 240  # pixels, at most, from one side of a picture to the other
CELL: Final = (4, 20)  # pixels of a side of a cell, at least and at most
BEYOND: Final = 4.0  # times the largest right number: what is further out has the last colour of the scale
FAINT: Final = 0.05  # of the scale: a difference that is never larger is drawn larger than it is


@dataclass(frozen=True)
class Panel:
    """One picture: what it shows, in words too, its size in pixels, and the PNG as a data: URI."""

    title: str
    alt: str
    width: int
    height: int
    png: str


@dataclass(frozen=True)
class Picture:
    """Three panels, the scale they share, and what they show in a sentence.

    Attributes:
        panels: the submission's, the right one, the difference.
        scale: the number that has the last colour; its negative has the first.
        legend: the colours from one end of the scale to the other, as a data: URI.
        caption: what the panels show.
    """

    panels: tuple[Panel, Panel, Panel]
    scale: float
    legend: str
    caption: str


def picture(table: TablePart) -> Picture:
    """The picture of a table that is wrong."""
    off = difference(table.got, table.wanted)
    scale = _scale(table)
    largest = max((abs(number) for number in _finite(off)), default=0.0)
    times = 10 ** math.floor(math.log10(scale / largest)) if 0 < largest < FAINT * scale else 1
    larger: Grid = [[None if number is None else number * times for number in row] for row in off]
    right = "Right" if table.source == "check" else "Reference"
    panels = (
        _panel("Submission", table.got, table.got, scale),
        _panel(right, table.wanted, table.wanted, scale),
        _panel(f"Difference, {times:,} times as large" if times > 1 else "Difference", off, larger, scale),
    )
    return Picture(panels, scale, png([[scale * (step / 24 - 1) for step in range(49)]], scale), caption(table))


def difference(got: Grid, wanted: Grid) -> Grid:
    """What was given less what is right; None where either is no finite number."""
    return [
        [None if a is None or b is None else a - b for a, b in zip(ours, theirs, strict=True)]
        for ours, theirs in zip(got, wanted, strict=True)
    ]


def caption(table: TablePart) -> str:
    """The table in words: what and how much of it is shown, how far it is off, and where it is worst."""
    rows, columns = table.shape[-2:]
    scale, apart = _scale(table), difference(table.got, table.wanted)
    shown = f"{table.of}: {_span('row', table.rows, rows)}, {_span('column', table.columns, columns)}."
    broken = sum(number is None for row in table.got for number in row)
    told = f" {broken} of its numbers {'is' if broken == 1 else 'are'} not finite." if broken else ""
    places = [
        (abs(off), place, column)
        for place, row in enumerate(apart)
        for column, off in enumerate(row)
        if off is not None
    ]
    far = sum(off > 0.01 * scale for off, _, _ in places)
    if any(abs(number) > scale for number in _finite([*table.got, *apart])):
        told += " What is beyond the scale has its last colour."
    if not places or not max(places)[0]:
        return shown + told
    _, place, column = max(places, key=lambda each: each[0])
    count = len(table.rows) * len(table.columns)
    return (
        f"{shown}{told} {far} of {count} numbers are off by more than a hundredth of the scale. "
        f"The largest difference is at row {table.rows[place]}, column {table.columns[column]}: "
        f"{table.got[place][column]:g} instead of {table.wanted[place][column]:g}."
    )


def png(grid: Grid, scale: float) -> str:
    """A grid of numbers as a data: URI of a PNG: a rectangle for each, rows from the top, columns from the left."""
    wide, high = _side(len(grid[0])), _side(len(grid))
    lines = []
    for row in grid:
        cells = [_cell(number, scale, wide, high) for number in row]
        lines += [b"\0" + b"".join(cell[line] for cell in cells) for line in range(high)]
    head = struct.pack(">IIBBBBB", len(grid[0]) * wide, len(lines), 8, 2, 0, 0, 0)  # RGB, eight bits each
    body = b"".join((_chunk(b"IHDR", head), _chunk(b"IDAT", zlib.compress(b"".join(lines), 9)), _chunk(b"IEND", b"")))
    return "data:image/png;base64," + base64.b64encode(b"\x89PNG\r\n\x1a\n" + body).decode("ascii")


def colour(number: float, scale: float) -> Colour:
    """White at zero, blue at `-scale` and orange at `scale`."""
    share = max(-1.0, min(1.0, number / scale))
    end = ORANGE if share > 0 else BLUE
    red, green, blue = (round(zero + (full - zero) * abs(share)) for zero, full in zip(WHITE, end, strict=True))
    return red, green, blue


def _side(count: int) -> int:
    least, most = CELL
    return max(least, min(most, SIDE // count))


def _cell(number: float | None, scale: float, wide: int, high: int) -> list[bytes]:
    """The rows of pixels of one cell."""
    if number is not None:
        return [bytes(colour(number, scale)) * wide] * high
    lines = []
    for line in range(high):
        across = line * wide // high
        crossed = (across, wide - 1 - across)
        lines.append(b"".join(bytes(WHITE if at in crossed else BLACK) for at in range(wide)))
    return lines


def _panel(title: str, grid: Grid, drawn: Grid, scale: float) -> Panel:
    numbers = _finite(grid)
    reach = f"numbers from {min(numbers):.4g} to {max(numbers):.4g}" if numbers else "no finite number"
    rows, columns = len(grid), len(grid[0])
    alt = f"{title}: heat map of {rows} by {columns}, {reach}."
    return Panel(title, alt, columns * _side(columns), rows * _side(rows), png(drawn, scale))


def _scale(table: TablePart) -> float:
    wanted = max(map(abs, _finite(table.wanted)), default=0.0)
    far = max(map(abs, [*_finite(table.got), *_finite(difference(table.got, table.wanted))]), default=0.0)
    found = max(wanted, min(far, BEYOND * wanted) if wanted else far)
    return found if math.isfinite(found) and found > 0 else 1.0


def _finite(grid: Grid) -> list[float]:
    return [number for row in grid for number in row if number is not None and math.isfinite(number)]


def _span(what: str, places: list[int], length: int) -> str:
    if len(places) == length:
        return f"all {length} {what}s" if length > 1 else f"the one {what}"
    return f"{what}s {places[0]} to {places[-1]} of {length}"


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
