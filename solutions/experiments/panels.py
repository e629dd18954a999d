"""Pictures that are no charts: texts side by side, and a table as a heat map."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence

from grader import inert
from solutions.experiments.svg import GRID, INK, PAPER, QUIET, box, page, words

COLUMN, LINE, CHARACTERS = 330.0, 15.0, 40
FRAME = 16.0
DARK, PALE = (8, 48, 107), (247, 247, 247)  # the lowest loss and the highest


def texts(title: str, below: str, samples: Mapping[str, str], *, prompt: str) -> str:
    """What each model wrote after the same prompt, side by side, line breaks and mistakes as they are.

    Args:
        title: what is shown.
        below: under which conditions.
        samples: the text of each model by its heading.
        prompt: what all of them went on from.
    """
    columns = {heading: folded(text) for heading, text in samples.items()}
    begin = folded(prompt, CHARACTERS * len(columns))
    top = 76.0 + LINE * len(begin)
    height = top + 44 + LINE * max(len(lines) for lines in columns.values()) + FRAME
    width = FRAME + COLUMN * len(columns) + FRAME
    parts = [words(20, 26, title, size=16, bold=True), words(20, 44, below, fill=QUIET)]
    parts += [words(20, 68 + LINE * row, each, size=12, mono=True, fill=QUIET) for row, each in enumerate(begin)]
    for place, (heading, lines) in enumerate(columns.items()):
        x = FRAME + COLUMN * place
        parts.append(box(x, top, COLUMN - 10, height - top - FRAME, PAPER, stroke=GRID))
        parts.append(words(x + 12, top + 22, heading, bold=True))
        parts += [words(x + 12, top + 46 + LINE * row, each, size=12, mono=True) for row, each in enumerate(lines)]
    says = " ".join(f"{heading}: {text}" for heading, text in samples.items())
    return page(width, height, title, f"After the prompt “{prompt}”: {says}", parts)


def heat_map(title: str, below: str, table: Sequence[Sequence[float | None]], names: Sequence[int]) -> str:
    """A table of losses, darker where they are lower; a cell without a number stays empty.

    Args:
        title: what is shown.
        below: how to read it.
        table: a row for each training context and a column for each length.
        names: the contexts, in order.
    """
    cell, left, top = 92.0, 150.0, 110.0
    width, height = max(left + cell * len(names) + 30, 560.0), top + cell * len(names) * 0.62 + 30
    known = [value for row in table for value in row if value is not None]
    low, high = min(known), max(known)
    parts = [words(20, 26, title, size=16, bold=True), words(20, 44, below, fill=QUIET)]
    parts.append(words(left + cell * len(names) / 2, 76, "evaluated with so many tokens", anchor="middle", fill=QUIET))
    parts += [
        words(left + cell * (place + 0.5), 98, f"{name}", anchor="middle", bold=True)
        for place, name in enumerate(names)
    ]
    for row, (name, values) in enumerate(zip(names, table, strict=True)):
        y = top + cell * 0.62 * row
        parts.append(words(left - 12, y + 34, f"trained at {name}", anchor="end", bold=True))
        for place, value in enumerate(values):
            x = left + cell * place
            share = 0.0 if value is None or high == low else (high - value) / (high - low)
            fill = PAPER if value is None else shade(share)
            parts.append(box(x, y, cell - 3, cell * 0.62 - 3, fill, stroke=GRID))
            if value is not None:
                ink = PAPER if share > 0.5 else INK
                parts.append(words(x + cell / 2 - 1, y + 34, f"{value:.3f}", anchor="middle", fill=ink))
    says = "; ".join(
        f"trained at {name}: "
        + ", ".join(f"{value:.3f} at {at}" for at, value in zip(names, row, strict=True) if value is not None)
        for name, row in zip(names, table, strict=True)
    )
    return page(width, height, title, says, parts)


def shade(share: float) -> str:
    """Pale at 0, dark blue at 1."""
    return "#" + "".join(f"{round(pale + (dark - pale) * share):02x}" for pale, dark in zip(PALE, DARK, strict=True))


def folded(text: str, most: int = CHARACTERS) -> list[str]:
    """A text as lines of at most `most` characters; its own line breaks stay."""
    return [
        part
        for each in inert.text(text).split("\n")
        for part in (textwrap.wrap(each, most, drop_whitespace=False, replace_whitespace=False) or [""])
    ]
