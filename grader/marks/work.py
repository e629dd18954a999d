"""What there is to mark: the answers of a results folder, in the order in which one person gets them."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

from grader import inert
from grader.errors import CallError
from grader.marks.book import Marks
from grader.marks.mark import Mark, digest
from grader.rubric.spec import TextAnswer

if TYPE_CHECKING:
    from grader.question import Spec
    from grader.report import Report
    from grader.results import Results

Key = tuple[str, str]  # code name, answer id


@dataclass(frozen=True)
class Item:
    """One written answer of one candidate, and nothing that says whose it is.

    Attributes:
        code: the code name.
        answer: what was asked, and what is ticked.
        given: what was written.
        version: the version of the question.
    """

    code: str
    answer: TextAnswer
    given: str
    version: int

    @property
    def key(self) -> Key:
        """Code name and answer id."""
        return self.code, self.answer.id

    @cached_property
    def text(self) -> str:
        """What was written, safe to be shown."""
        return inert.text(self.given)

    @cached_property
    def digest(self) -> str:
        """The digest of what was written."""
        return digest(self.given)

    def outdates(self, mark: Mark) -> str:
        """Why a mark needs another look: `rubric changed`, `answer changed`, both, or nothing."""
        changed = [
            *(["rubric changed"] if mark.rubric != self.answer.rubric else []),
            *(["answer changed"] if mark.answer_digest != self.digest else []),
        ]
        return ", ".join(changed)


@dataclass(frozen=True)
class Work:
    """All that can be marked.

    Attributes:
        items: by question, in the order of the spec, and by code name.
        without_rubric: the ids of text answers that have nothing to tick.
        not_given: how many answers were left empty; there is nothing to mark in them.
        troubles: reports that can't be read, each in a sentence.
        known: every answer that is here, also where `only` has left some out.
    """

    items: tuple[Item, ...]
    without_rubric: tuple[str, ...] = ()
    not_given: int = 0
    troubles: tuple[str, ...] = ()
    known: frozenset[Key] = frozenset()

    def only(self, answers: Iterable[str]) -> Work:
        """The part of it that is of these answers; all of it if none is named."""
        wanted = set(answers)
        items = tuple(item for item in self.items if not wanted or item.answer.id in wanted)
        return replace(self, items=items)


def find(results: Results, spec: Spec, spec_of: Callable[[Report], Spec] | None = None) -> Work:
    """What there is to mark in a results folder.

    Args:
        results: the folder.
        spec: that of the question.
        spec_of: that of the variant which a report is of, for what is expected of its answers; by default `spec`. The
            points to tick are the same in all of them.
    """
    asked = [answer for answer in spec.answers if answer.kind == "text"]
    given: dict[Key, str] = {}
    theirs: dict[Key, TextAnswer] = {}
    empty, troubles = 0, []
    for candidate in results.candidates:
        try:
            parts = candidate.report.answers
        except CallError as error:
            # Where it is has the candidate's name in it, which a marker must not see.
            troubles.append(f"{candidate.code}: {error.what}. {error.next_step or ''}".strip())
            continue
        empty += sum(part.kind == "text" and not part.given.strip() for part in parts)
        given |= {(candidate.code, part.id): part.given for part in parts if part.given.strip()}
        own = spec_of(candidate.report) if spec_of else spec
        theirs |= {(candidate.code, answer.id): answer for answer in own.answers if isinstance(answer, TextAnswer)}
    codes = [candidate.code for candidate in results.candidates]
    items = [
        Item(code, theirs.get((code, answer.id), answer), given[code, answer.id], spec.version)
        for answer in asked
        if answer.observables
        for code in codes
        if (code, answer.id) in given
    ]
    bare = tuple(answer.id for answer in asked if not answer.observables)
    return Work(tuple(items), bare, empty, tuple(troubles), frozenset(item.key for item in items))


def shuffled(items: Iterable[Item], actor: str) -> list[Item]:
    """Question by question, and within one in an order of the person's own, always the same.

    Two people tire at different candidates then, and nobody is always the first to be read.
    """
    every = list(items)
    asked = list(dict.fromkeys(item.answer.id for item in every))

    def place(item: Item) -> tuple[int, str]:
        drawn = hashlib.sha256("\0".join((actor, item.answer.id, item.code)).encode()).hexdigest()
        return asked.index(item.answer.id), drawn

    return sorted(every, key=place)


def left(marks: Marks, items: Iterable[Item], actor: str) -> list[Item]:
    """Those that a person has not marked, or has to look at again."""
    return [item for item in items if not (own := marks.own(actor, *item.key)) or item.outdates(own)]


def unmarked(marks: Marks, items: Iterable[Item]) -> list[Item]:
    """Those that nobody has marked."""
    return [item for item in items if not marks.of(*item.key)]
