"""Submissions two by two: how many fingerprints they share, and which lines are alike.

What everybody has counts for nothing: tokens in a run of k that is in the question's skeleton or a support file too, or
in many of the submissions, are taken out before anything is compared, and no run goes across the gap that they leave.
What many have can also be one text that they copied. So how much was taken out as common is told, and so are those who
have sent the same, whether or not others have it too.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Final

from grader.similarity import winnowing
from grader.similarity.tokens import Token, tokens
from grader.similarity.winnowing import K, winnow

THRESHOLD: Final = 0.5
FEWEST: Final = 4  # fingerprints that a pair has to share; fewer are an accident of a short solution
MANY: Final = 3  # submissions; a run is common that more than this have, and more than a third
GAP: Final = ""  # stands where tokens were taken out; no run goes across it
REPEATS: Final = 8  # places of one fingerprint that are followed, in each of two submissions


@dataclass(frozen=True)
class Region:
    """A run of tokens that two submissions share: its length, and the first and last line of it in each."""

    tokens: int
    a: tuple[int, int]
    b: tuple[int, int]


@dataclass(frozen=True)
class Pair:
    """Two submissions, by code name.

    Attributes:
        shared: fingerprints of `a` that `b` has too, and the other way round.
        of: fingerprints of each that are its own work.
        regions: the runs that they share, the longest first.
    """

    a: str
    b: str
    shared: tuple[int, int]
    of: tuple[int, int]
    regions: tuple[Region, ...] = ()

    @property
    def share(self) -> float:
        """The shared fingerprints among all of both, from 0 to 1."""
        return sum(self.shared) / sum(self.of)


@dataclass(frozen=True)
class Prints:
    """A submission's own tokens, with gaps, and its fingerprints by hash; `total` is how many there are."""

    tokens: list[Token]
    places: Mapping[int, list[int]]

    @property
    def total(self) -> int:
        """How many fingerprints there are."""
        return sum(map(len, self.places.values()))


@dataclass(frozen=True)
class Compared:
    """Submissions that were compared.

    Attributes:
        pairs: those at or above the threshold, the largest share first.
        same: those with the same tokens, in groups by code name, the largest first; what the question gives apart.
        set_aside: the share of their own tokens that was taken out since many have them, from 0 to 1.
    """

    pairs: list[Pair]
    same: list[list[str]]
    set_aside: float


def compare(
    sources: Mapping[str, str],
    given: Iterable[str] = (),
    *,
    threshold: float = THRESHOLD,
    keep_common: bool = False,
) -> Compared:
    """The pairs that share at least `threshold` of their fingerprints, and what else there is to know.

    Args:
        sources: the code of each submission, by code name.
        given: what the question gives to everybody.
        threshold: from 0 to 1.
        keep_common: whether runs count that more than a third of the submissions have, and more than three.
    """
    rows = {name: tokens(source) for name, source in sources.items()}
    base = {run for text in given for run in _grams(tokens(text))}
    whole = {name: own(row, base) for name, row in rows.items()}
    kept = whole
    if not keep_common:
        base |= _common(rows.values(), len(rows))
        kept = {name: own(row, base) for name, row in rows.items()}
    prints = {name: _prints(row) for name, row in kept.items()}
    found = []
    for a, b in _meeting(prints):
        pair = _pair(a, b, prints)
        if min(pair.shared) >= FEWEST and pair.share >= threshold:
            regions = tuple(_regions(prints[a], prints[b]))
            found.append(Pair(a, b, pair.shared, pair.of, regions))
    found.sort(key=lambda pair: (-pair.share, pair.a, pair.b))
    return Compared(found, _same(whole), 1 - _size(kept) / max(_size(whole), 1))


def _same(whole: Mapping[str, list[Token]]) -> list[list[str]]:
    """Who has the same tokens; an accident of a short solution is none."""
    groups: dict[tuple[str, ...], list[str]] = defaultdict(list)
    for name in sorted(whole):
        groups[tuple(token.kind for token in whole[name])].append(name)
    found = [names for names in groups.values() if len(names) > 1 and _prints(whole[names[0]]).total >= FEWEST]
    return sorted(found, key=lambda names: (-len(names), names))


def _size(rows: Mapping[str, list[Token]]) -> int:
    return sum(token.kind != GAP for row in rows.values() for token in row)


def own(row: Sequence[Token], base: set[int]) -> list[Token]:
    """The tokens of a submission that are in no run of `base`, with a gap in the place of the others."""
    theirs: set[int] = set()
    for start, run in enumerate(_grams(row)):
        if run in base:
            theirs.update(range(start, start + K))
    kept: list[Token] = []
    for place, each in enumerate(row):
        if place not in theirs:
            kept.append(each)
        elif kept and kept[-1].kind != GAP:
            kept.append(Token(GAP, each.line, each.line))
    return kept


def _prints(row: list[Token]) -> Prints:
    places: dict[int, list[int]] = defaultdict(list)
    for first, piece in _pieces(row):
        for each in winnow([token.kind for token in piece]):
            places[each.hash].append(first + each.start)
    return Prints(row, dict(places))


def _pieces(row: list[Token]) -> Iterable[tuple[int, list[Token]]]:
    first = 0
    for place, each in enumerate([*row, Token(GAP, 0, 0)]):
        if each.kind == GAP:
            yield first, row[first:place]
            first = place + 1


def _common(rows: Iterable[list[Token]], count: int) -> set[int]:
    times = Counter(run for row in rows for run in set(_grams(row)))
    return {run for run, times in times.items() if times > max(count / 3, MANY)}


def _grams(row: Iterable[Token]) -> list[int]:
    return winnowing.grams([each.kind for each in row])


def _meeting(prints: Mapping[str, Prints]) -> list[tuple[str, str]]:
    """The pairs that share a fingerprint at all."""
    having: dict[int, list[str]] = defaultdict(list)
    for name in sorted(prints):
        for run in prints[name].places:
            having[run].append(name)
    return sorted({pair for names in having.values() for pair in combinations(names, 2)})


def _pair(a: str, b: str, prints: Mapping[str, Prints]) -> Pair:
    one, other = prints[a], prints[b]
    both = one.places.keys() & other.places.keys()
    shared = sum(len(one.places[run]) for run in both), sum(len(other.places[run]) for run in both)
    return Pair(a, b, shared, (one.total, other.total))


def _regions(a: Prints, b: Prints) -> list[Region]:
    """The runs around the shared fingerprints, as far as they go, the longest first; no token is in two of them."""
    meetings = sorted(
        (i, j)
        for run in a.places.keys() & b.places.keys()
        for i in a.places[run][:REPEATS]
        for j in b.places[run][:REPEATS]
    )
    runs: set[tuple[int, int, int]] = set()
    ends: dict[int, int] = {}  # by how far two places are apart: where the last run with that distance ends in `a`
    for i, j in meetings:
        if i >= ends.get(i - j, 0):
            length, first, other = _grown(a.tokens, b.tokens, i, j)
            runs.add((length, first, other))
            ends[i - j] = first + length
    taken: tuple[set[int], set[int]] = set(), set()
    regions = []
    for length, i, j in sorted(runs, key=lambda each: (-each[0], each[1:])):
        here = range(i, i + length), range(j, j + length)
        if length and not (taken[0].intersection(here[0]) or taken[1].intersection(here[1])):
            taken[0].update(here[0])
            taken[1].update(here[1])
            regions.append(Region(length, _lines(a.tokens, here[0]), _lines(b.tokens, here[1])))
    return regions


def _grown(a: Sequence[Token], b: Sequence[Token], i: int, j: int) -> tuple[int, int, int]:
    """The longest common run through two places: its length, and where it begins in each."""
    first = 0
    while i - first > 0 and j - first > 0 and _alike(a[i - first - 1], b[j - first - 1]):
        first += 1
    last = 0
    while i + last < len(a) and j + last < len(b) and _alike(a[i + last], b[j + last]):
        last += 1
    return first + last, i - first, j - first


def _alike(a: Token, b: Token) -> bool:
    return a.kind == b.kind != GAP


def _lines(row: Sequence[Token], places: range) -> tuple[int, int]:
    return row[places[0]].line, row[places[-1]].last
