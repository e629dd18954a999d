"""Where the literals of a spec stand in its files, and the files with others in their place.

A literal is exchanged only as a whole token, and only where the spec says that it stands. So a number that means
something else can't be exchanged unseen: wherever else it stands, the spec has to say that it stays. The same goes for
a number of the same value in another form, such as 0xC0000 for 786,432, and for one that was rounded, such as 0.79
million.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Final

from grader.inert import short
from grader.variants.spec import Choices, Literal, Variants

TELLING: Final = 100  # smaller numbers stand everywhere, and mean everything
NUMBER: Final = re.compile(
    r"(?<![\w.])(?P<whole>0[xX][\da-fA-F_]+|\d[\d_,]*(?:\.\d+)?(?:[eE][+-]?\d{1,3})?)"
    r"(?:[ -]?(?P<unit>million|thousand|billion|[kKMBG])(?!\w)|(?!\w))"
)
UNITS: Final = {"k": 1e3, "thousand": 1e3, "m": 1e6, "million": 1e6, "b": 1e9, "billion": 1e9, "g": 1e9}
SHOWN: Final = 8  # lines in a message


@dataclass(frozen=True, order=True)
class Place:
    """Where a literal stands: from `start` to `end` in the text of a file; `literal` is its place in the spec."""

    file: str
    start: int
    end: int
    literal: int


Texts = Mapping[str, str]


def places(texts: Texts, literals: Sequence[Literal]) -> tuple[list[Place], list[str]]:
    """Where each literal stands, and what is ambiguous: two that overlap. One that holds another goes before it."""
    patterns = [re.compile(_whole(literal.text)) for literal in literals]
    found: list[Place] = []
    problems: list[str] = []
    for file, text in texts.items():
        there = [
            Place(file, match.start(), match.end(), number)
            for number, pattern in enumerate(patterns)
            if literals[number].text in text  # ten times as fast as to look for a whole token
            for match in pattern.finditer(text)
        ]
        last: Place | None = None
        for place in sorted(there, key=lambda each: (each.start, -each.end)):
            if last is None or place.start >= last.end:
                found.append(last := place)
            elif place.end > last.end:
                both = f"{literals[last.literal].text!r} and {literals[place.literal].text!r}"
                problems.append(f"{_line(texts, place)}: {both} overlap, so neither can be exchanged")
    return found, problems


def _whole(text: str) -> str:
    """The pattern of a text as a whole token: no part of a word, nor of a longer number."""
    before = r"(?<!\w)(?<!\d[.,_])" if re.match(r"\w", text) else ""
    after = r"(?!\w|[.,_]\d)" if re.search(r"\w\Z", text) else ""
    return before + re.escape(text) + after


def problems(texts: Texts, variants: Variants) -> list[str]:
    """Everything that keeps the literals from being told apart, each in a sentence; nothing if they are."""
    found, ambiguous = places(texts, variants.literals)
    return [
        *ambiguous,
        *(each for number in range(len(variants.literals)) for each in _miscounted(texts, variants, number, found)),
        *_unnamed(texts, variants, found),
    ]


def exchanged(texts: Texts, variants: Variants, choices: Choices) -> dict[str, str]:
    """The texts of a variant. Whoever calls this has seen that there are no `problems`."""
    default = choices == variants.default
    now = [literal.now(choices, default=default) for literal in variants.literals]
    made = dict(texts)
    for place in reversed(places(texts, variants.literals)[0]):  # from the end, so that the places before it stay
        text = made[place.file]
        made[place.file] = text[: place.start] + now[place.literal] + text[place.end :]
    return made


def _miscounted(texts: Texts, variants: Variants, number: int, found: Sequence[Place]) -> Iterator[str]:
    """Where a literal stands more or less often than the spec says."""
    literal = variants.literals[number]
    where: dict[str, list[Place]] = {}
    for place in found:
        if place.literal == number:
            where.setdefault(place.file, []).append(place)
    for pattern in literal.stands:
        if not any(fnmatchcase(file, pattern) for file in texts):
            yield f"{literal.text!r} is said to stand in {pattern}, which is not there"
    for file in texts:
        said = {pattern: count for pattern, count in literal.stands.items() if fnmatchcase(file, pattern)}
        if len(said) > 1:
            yield f"{literal.text!r} is counted twice in {file}: by {' and by '.join(said)}"
            continue
        there, expected = where.get(file, []), next(iter(said.values()), 0)
        if len(there) != expected:
            lines = "; ".join(_line(texts, place) for place in there[:SHOWN])
            yield (
                f"{literal.text!r} stands {_times(len(there))} in {file}, and `stands` says {_times(expected)}"
                + (f": {lines}" if lines else "")
            )


def _unnamed(texts: Texts, variants: Variants, found: Sequence[Place]) -> Iterator[str]:
    """Numbers that no literal names, and that have the value of one."""
    values = {}
    for literal in variants.literals:
        if literal.is_number and (number := _number(literal.text)) is not None and abs(number) >= TELLING:
            values[abs(number)] = literal
    taken: dict[str, list[Place]] = {}
    for place in found:
        taken.setdefault(place.file, []).append(place)
    for file, text in texts.items():
        for match in NUMBER.finditer(text):
            if any(place.start < match.end("whole") and match.start() < place.end for place in taken.get(file, [])):
                continue
            if (meant := _meant(match, values)) is not None:
                here = Place(file, match.start(), match.end(), 0)
                yield (
                    f"{_line(texts, here)}: {match[0].strip(',_')!r} may be {meant.text!r}, "
                    f"which follows {meant.follows}: name it among the literals, to follow or to stay"
                )


def _meant(match: re.Match[str], values: Mapping[float, Literal]) -> Literal | None:
    """The literal that a number has the value of, as it stands or rounded."""
    number = _number(match["whole"].strip(",_"))
    if number is None:
        return None
    unit = UNITS.get((match["unit"] or "").lower())
    if unit is None:
        return values.get(number)
    digits = len(match["whole"].partition(".")[2])
    return next((each for value, each in values.items() if round(value / unit, digits) == number), None)


def _number(text: str) -> float | None:
    plain = text.replace(",", "").replace("_", "")
    try:
        return float(int(plain, 16)) if plain[:2].lower() == "0x" else float(plain)
    except (ValueError, OverflowError):
        return None


def _line(texts: Texts, place: Place) -> str:
    text = texts[place.file]
    number = text.count("\n", 0, place.start) + 1
    line = text.split("\n")[number - 1]
    return f"{place.file}:{number} “{short(line.strip(), 80)}”"


def _times(count: int) -> str:
    return {0: "never", 1: "once"}.get(count, f"{count} times")
