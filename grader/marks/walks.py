"""The walks through what there is to mark: which answers one person gets, in an order of their own."""

from __future__ import annotations

from enum import StrEnum

from grader.marks import second, work
from grader.marks.book import Marks
from grader.marks.work import Item, Work


class Walk(StrEnum):
    """What a walk has."""

    LEFT = "left"
    FIRST = "first"
    SECOND = "second"
    AGAIN = "again"

    @property
    def words(self) -> str:
        """It, as a person reads it."""
        return WORDS[self]


WORDS = {
    Walk.LEFT: "what you have not marked, and what needs another look",
    Walk.FIRST: "what nobody has marked",
    Walk.SECOND: "what is marked twice, where somebody else has",
    Walk.AGAIN: "all of it",
}


def walk(marks: Marks, found: Work, actor: str, which: Walk) -> list[Item]:
    """The answers of a walk, in the order in which this person gets them."""
    items = work.shuffled(found.items, actor)
    match which:
        case Walk.LEFT:
            return work.left(marks, items, actor)
        case Walk.FIRST:
            return work.unmarked(marks, items)
        case Walk.SECOND:
            return second.left(marks, items, actor)
        case Walk.AGAIN:
            return items
