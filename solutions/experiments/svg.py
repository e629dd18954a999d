"""Pictures as SVG text: a page, lines, words and a scale with round numbers.

Blue, orange and grey are told apart by every kind of colour vision, and each line has a dash of its own, so that grey
paper is enough. A picture says in words what it shows.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final
from xml.sax.saxutils import escape, quoteattr

from grader import inert

INK, QUIET, GRID, PAPER = "#1b1b1b", "#5a5a5a", "#e3e3e3", "#ffffff"
COLOURS: Final = ("#5a5a5a", "#08306b", "#d95f0e", "#2b8cbe", "#7a3b00", "#9e9e9e")
DASHES: Final = ("2 3", "", "7 3", "1 2", "10 3 2 3", "5 2")
SANS: Final = "system-ui, -apple-system, 'Segoe UI', sans-serif"
MONO: Final = "ui-monospace, 'SF Mono', Menlo, Consolas, monospace"


def page(width: float, height: float, title: str, says: str, parts: Iterable[str]) -> str:
    """A whole picture, with what it shows for those who don't see it."""
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}" width="{width:g}" '
            f'height="{height:g}" role="img" font-family={quoteattr(SANS)} font-size="13" fill="{INK}">',
            f"<title>{plain(title)}</title>",
            f"<desc>{plain(says)}</desc>",
            f'<rect width="{width:g}" height="{height:g}" fill="{PAPER}"/>',
            *parts,
            "</svg>\n",
        ]
    )


def plain(text: str) -> str:
    """A text as XML takes it, with what can't be seen made visible."""
    return escape(inert.line(text))


def words(
    x: float,
    y: float,
    text: str,
    *,
    anchor: str = "start",
    size: float = 13,
    fill: str = INK,
    bold: bool = False,
    mono: bool = False,
    turned: bool = False,
) -> str:
    """One line of text; `turned` reads upwards."""
    extra = f" font-family={quoteattr(MONO)}" if mono else ""
    extra += ' font-weight="600"' if bold else ""
    extra += f' transform="rotate(-90 {x:g} {y:g})"' if turned else ""
    space = ' xml:space="preserve"' if mono else ""
    return (
        f'<text x="{x:g}" y="{y:g}" text-anchor="{anchor}" font-size="{size:g}" fill="{fill}"{extra}{space}>'
        f"{plain(text)}</text>"
    )


def line(points: Sequence[tuple[float, float]], stroke: str, *, width: float = 2, dash: str = "") -> str:
    """A line through some points."""
    dashed = f' stroke-dasharray="{dash}"' if dash else ""
    along = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    return f'<polyline points="{along}" fill="none" stroke="{stroke}" stroke-width="{width:g}"{dashed}/>'


def area(points: Sequence[tuple[float, float]], fill: str) -> str:
    """A pale area."""
    along = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    return f'<polygon points="{along}" fill="{fill}" fill-opacity="0.18"/>'


def box(x: float, y: float, width: float, height: float, fill: str, *, stroke: str = "none") -> str:
    """A rectangle."""
    return f'<rect x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" fill="{fill}" stroke="{stroke}"/>'


def dot(x: float, y: float, fill: str) -> str:
    """A point."""
    return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4.5" fill="{fill}"/>'


@dataclass(frozen=True)
class Axis:
    """Numbers from `low` to `high` on pixels from `start` to `end`."""

    low: float
    high: float
    start: float
    end: float

    def at(self, value: float) -> float:
        """The pixel of a number."""
        share = (value - self.low) / (self.high - self.low) if self.high > self.low else 0.5
        return self.start + share * (self.end - self.start)

    def ticks(self, about: int = 5) -> list[float]:
        """Round numbers along the axis."""
        step = rounded((self.high - self.low) / about) if self.high > self.low else 1.0
        first = math.ceil(self.low / step - 1e-9)
        return [step * place for place in range(first, math.floor(self.high / step + 1e-9) + 1)]


def rounded(size: float) -> float:
    """1, 2, 2.5 or 5 times a power of ten, and about as large."""
    power: float = 10.0 ** math.floor(math.log10(size))
    return next(each * power for each in (1, 2, 2.5, 5, 10) if each * power >= size * 0.999)
