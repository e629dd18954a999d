"""Markdown tables as a reader finds them, in whatever form: their cells, their numbers, and what they claim."""

import re
from typing import Final

from grader.checks import Mismatch

# What a range is not, unless it is said not to be.
CLAIMS: Final = re.compile(
    r"(?<!\bnot a )(?<!\bnot )(?<!\bno )"
    r"(confidence|\bc\.?i\.?\b|\b9\d\s*%|±|standard (error|deviation)|margin of error|error (bar|range)|significan)",
    re.IGNORECASE,
)
DASH: Final = re.compile(r"(?<![\w.)])\s*[\N{MINUS SIGN}\N{EN DASH}](?=\d)")  # one that makes a number negative
SPACE: Final = re.compile(r"(?<=\d)[\s_'’](?=\d{3}\b)")  # between thousands


def lines(text: str) -> list[list[str]]:
    """The cells of each line of a Markdown table, rules left out."""
    found = [line.strip() for line in text.splitlines() if line.count("|") >= 2]
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in found]
    return [each for each in cells if not re.fullmatch(r"[-: ]*", "".join(each))]


def expect_tables(text: str) -> None:
    """Raise a Mismatch unless there are two tables, each with a header, a rule, and as many cells in every line."""
    blocks = re.findall(r"(?m)(?:^.*\|.*\|.*(?:\n|\Z))+", text)
    if len(blocks) != 2:
        raise Mismatch(f"the text holds {len(blocks)} tables, expected 2")
    for block in blocks:
        rows = [line.strip().removeprefix("|").removesuffix("|").split("|") for line in block.splitlines()]
        if len(rows) < 3 or not all(re.fullmatch(r"\s*:?-+:?\s*", cell) for cell in rows[1]):
            raise Mismatch("a table has no header, or no rule below it")
        if len(set(map(len, rows))) != 1:
            raise Mismatch(f"the lines of a table have {sorted(set(map(len, rows)))} cells, expected equally many")


def numbers_of(cells: list[str]) -> list[float]:
    """Every number in a row, whatever minus it has and whatever stands around it."""
    plain = (re.sub(r"\.{2,}", " … ", cell) for cell in cells[1:])  # a range may be written 2.1..2.4
    text = " | ".join(SPACE.sub("", DASH.sub(" -", cell)) for cell in plain)
    return [float(each.replace(",", "")) for each in re.findall(r"(?<![\w.])[-+]?\d[\d,]*(?:\.\d+)?", text)]


def row(text: str, name: str) -> list[str]:
    """The cells of the row of that name."""

    def plain(cell: str) -> str:
        return re.sub(r"\s*-\s*", " - ", cell.strip("*`_ ").replace("\N{MINUS SIGN}", "-"))

    for cells in lines(text):
        if plain(cells[0]) == name:
            return cells
    raise Mismatch(f"no row of the tables begins with {name}")


def under(text: str, name: str, word: str, other: str) -> list[float] | None:
    """The numbers in the row of that name, in columns whose titles hold one word and not the other; None if none do."""
    cells, rows = row(text, name), lines(text)
    header = [each for each in rows[: rows.index(cells)] if "range" in " ".join(each).lower()][-1:]
    titles = [title.lower() for each in header for title in each]
    places = [at for at, title in enumerate(titles) if word in title and other not in title]
    found = [number for at in places if 0 < at < len(cells) for number in numbers_of(["", cells[at]])]
    return found if places else None


def expect_words(text: str) -> None:
    """Raise a Mismatch unless the text names its unit, and its tables call means and ranges so and claim no more.

    What stands around the tables may speak of confidence intervals: to say that ranges are none, for instance.
    """
    if "nats per token" not in " ".join(text.split()).lower():
        raise Mismatch("the tables name no unit, expected nats per token")
    for cells in lines(text):
        claim = CLAIMS.search(" | ".join(cells))
        if claim:
            raise Mismatch(f"a table speaks of {claim.group()!r}, expected a range")
    for word in ("range", "mean"):
        named = [cells for cells in lines(text) if any(word in cell.lower() for cell in cells)]
        if len(named) < 2:
            raise Mismatch(f"{len(named)} of the tables call something a {word}, expected both")
