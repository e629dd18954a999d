"""Which answers get a second, blind mark: a random fifth, drawn anew for nobody and never taken back.

A set can't have a fifth drawn from it so that the draw stays as the set grows: with one answer it would have to be
that one, whichever it is. A sequence can. So answers are taken in the order in which they were first marked, which the
ledger keeps: one is drawn if the digest of its code name and id falls into the lowest fifth, or if less than a fifth is
drawn.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from grader.marks.book import Marks
    from grader.marks.work import Item, Key

ONE_IN: Final = 5


def sample(marked: Iterable[Key]) -> set[Key]:
    """What is drawn of the answers that were marked, given in the order of their first marks.

    Of each question it is at least a fifth at any time, and what is drawn once stays drawn as more are marked.
    """
    drawn: set[Key] = set()
    counts: dict[str, tuple[int, int]] = {}  # by answer: those that were marked, those that were drawn
    for code, answer in marked:
        seen, taken = counts.get(answer, (0, 0))
        is_in = _lowest_fifth(code, answer) or ONE_IN * taken < seen + 1
        counts[answer] = seen + 1, taken + is_in
        if is_in:
            drawn.add((code, answer))
    return drawn


def left(marks: Marks, items: Iterable[Item], actor: str) -> list[Item]:
    """Those in the sample that somebody else has marked, and this person has not."""
    drawn = sample(marks.marked)
    return [item for item in items if item.key in drawn and marks.of(*item.key) and not marks.own(actor, *item.key)]


def _lowest_fifth(code: str, answer: str) -> bool:
    return int.from_bytes(hashlib.sha256(f"{code}\0{answer}".encode()).digest()[:8]) * ONE_IN < 1 << 64
