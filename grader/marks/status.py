"""How far the marking is: who has marked how many, and what needs another look. Nobody's marks are in it."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from grader.marks import second
from grader.marks.book import Marks
from grader.marks.work import Work


@dataclass(frozen=True)
class Asked:
    """One question: how many answers there are, and how many were marked by somebody, and by two or more."""

    answer: str
    given: int
    marked: int
    twice: int


@dataclass(frozen=True)
class Person:
    """Somebody who marks: how many they have marked, of how many, and how many of those need another look."""

    name: str
    marked: int
    of: int
    again: int


@dataclass(frozen=True)
class Look:
    """A mark that was made for another rubric, or another answer, than there is now."""

    by: str
    code: str
    answer: str
    why: str


@dataclass(frozen=True)
class Status:
    """The state of the marking.

    Attributes:
        drawn: how many answers are to be marked a second time, blind; `drawn_done` how many of them were.
        gone: marks on answers that are not here any more, as when a submission left the batch.
    """

    asked: list[Asked]
    people: list[Person]
    again: list[Look]
    drawn: int
    drawn_done: int
    not_given: int
    without_rubric: list[str]
    gone: int
    troubles: list[str]

    def fields(self) -> dict[str, Any]:
        """It, for JSON."""
        return asdict(self)

    def lines(self) -> list[str]:
        """It, to be read."""
        if not self.asked:
            told = ["There is no written answer to be marked."]
        else:
            width = max(len(each.answer) for each in self.asked)
            told = [f"{each.answer:<{width}}  {_progress(each)}" for each in self.asked]
        told += [f"{each.name}: {each.marked} of {each.of} marked{_again(each.again)}" for each in self.people]
        told += [f"look again, {each.by}: {each.code}, {each.answer}: {each.why}" for each in self.again]
        if self.drawn:
            told.append(f"second marks: {self.drawn_done} of {self.drawn} drawn ones are in (`--second` walks them)")
        if self.not_given:
            told.append(f"not given: {self.not_given}")
        if self.without_rubric:
            told.append(f"no observables to tick, so not for marking: {', '.join(self.without_rubric)}")
        if self.gone:
            told.append(f"marks on answers that are not here any more: {self.gone}")
        return [*told, *self.troubles]


def status(marks: Marks, work: Work) -> Status:
    """The state of the marking of these answers."""
    items = {item.key: item for item in work.items}
    here = [mark for mark in marks.all if (mark.code, mark.answer) in items]
    again = [
        Look(mark.by, mark.code, mark.answer, why)
        for mark in here
        if (why := items[mark.code, mark.answer].outdates(mark))
    ]
    drawn = second.sample(marks.marked) & set(items)
    return Status(
        asked=[_asked(answer, marks, work) for answer in dict.fromkeys(item.answer.id for item in work.items)],
        people=[
            Person(name, sum(mark.by == name for mark in here), len(items), sum(look.by == name for look in again))
            for name in marks.actors
        ],
        again=again,
        drawn=len(drawn),
        drawn_done=sum(len(marks.of(*key)) > 1 for key in drawn),
        not_given=work.not_given,
        without_rubric=list(work.without_rubric),
        gone=sum((mark.code, mark.answer) not in work.known for mark in marks.all),
        troubles=list(work.troubles),
    )


def _asked(answer: str, marks: Marks, work: Work) -> Asked:
    counts = [len(marks.of(*item.key)) for item in work.items if item.answer.id == answer]
    return Asked(answer, len(counts), sum(count > 0 for count in counts), sum(count > 1 for count in counts))


def _progress(asked: Asked) -> str:
    return f"{asked.marked} of {asked.given} marked, {asked.twice} by two or more"


def _again(count: int) -> str:
    return f", {count} to look at again" if count else ""
