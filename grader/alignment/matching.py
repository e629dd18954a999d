"""Which definition of a submission stands beside which of the reference: by name, else by likeness, else alone."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from grader.alignment.definitions import Definition

ALIKE: Final = 0.5  # the share of words in common from which on two definitions of different names are taken for one
WORD: Final = re.compile(r"\w+|[^\w\s]")


class Match(StrEnum):
    """What brought two definitions together."""

    NAME = "name"
    LIKENESS = "likeness"
    ALONE = "alone"


@dataclass(frozen=True, slots=True)
class Pair:
    """A definition of the reference and one of the submission; one of the two may be missing."""

    reference: Definition | None
    submission: Definition | None
    match: Match


def pairs(reference: Definition, submission: Definition) -> list[Pair]:
    """All definitions of two modules, in the order of the reference.

    What only the submission has comes after what it follows there.
    """
    return list(_paired([reference], [submission]))


def likeness(first: str, second: str) -> float:
    """How much two texts have in common, from 0 to 1: the Dice coefficient of their words and signs."""
    ours, theirs = Counter(WORD.findall(first)), Counter(WORD.findall(second))
    total = ours.total() + theirs.total()
    return 2 * (ours & theirs).total() / total if total else 1.0


def _paired(ours: Sequence[Definition], theirs: Sequence[Definition]) -> Iterator[Pair]:
    for pair in _siblings(ours, theirs):
        yield pair
        left, right = pair.reference, pair.submission
        # The methods of two classes are held together even where the classes have different names.
        yield from _paired(left.children if left else (), right.children if right else ())


def _siblings(ours: Sequence[Definition], theirs: Sequence[Definition]) -> list[Pair]:
    partner = _by_name(ours, theirs)
    named = set(partner)
    partner |= _by_likeness(ours, theirs, partner)
    made: list[tuple[int | None, Pair]] = []  # the place among `theirs`, and the pair
    for place, definition in enumerate(ours):
        other = partner.get(place)
        match = Match.ALONE if other is None else Match.NAME if place in named else Match.LIKENESS
        made.append((other, Pair(definition, None if other is None else theirs[other], match)))
    for place in sorted(set(range(len(theirs))) - set(partner.values())):
        follows = next((n for n, (other, _) in enumerate(made) if place and other == place - 1), -1)
        made.insert(follows + 1, (place, Pair(None, theirs[place], Match.ALONE)))
    return [pair for _, pair in made]


def _by_name(ours: Sequence[Definition], theirs: Sequence[Definition]) -> dict[int, int]:
    """Places that have a name in common. Of several definitions of a name the last counts, as it does in Python."""
    last = {definition.short_name: place for place, definition in enumerate(theirs)}
    final = {definition.short_name: place for place, definition in enumerate(ours)}
    return {place: last[name] for name, place in final.items() if name in last}


def _by_likeness(ours: Sequence[Definition], theirs: Sequence[Definition], taken: dict[int, int]) -> dict[int, int]:
    """Places of definitions that are much alike, the most alike first."""
    left = [place for place in range(len(ours)) if place not in taken]
    right = [place for place in range(len(theirs)) if place not in taken.values()]
    alike = [(i, j) for i in left for j in right if ours[i].kind == theirs[j].kind]
    scores = {(i, j): likeness(_text(ours[i]), _text(theirs[j])) for i, j in alike}
    found: dict[int, int] = {}
    for (i, j), score in sorted(scores.items(), key=lambda item: (-item[1], item[0])):
        if score >= ALIKE and i not in found and j not in found.values():
            found[i] = j
    return found


def _text(definition: Definition) -> str:
    """All lines of a definition, its children's too."""
    return "\n".join([*(line.text for line in definition.lines), *map(_text, definition.children)])
