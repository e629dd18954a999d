"""The marks of a results folder: what each person said last, who may see it, and adding to it.

Until one's own mark on an answer is in, nobody else's can be seen. A mark that was made then is blind.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Final

from grader import inert
from grader.errors import CallError
from grader.marks import events
from grader.marks.events import START, Body, MarkEvent, PurgeEvent
from grader.marks.ledger import AnyEvent, Ledger
from grader.marks.mark import Mark

if TYPE_CHECKING:
    from grader.results import Results

LONGEST_NAME: Final = 60


class Marks:
    """The marks of one results folder.

    Attributes:
        question: the id of the question that they are of.
        purged: the code names of the candidates who were removed; none of them is given again.
    """

    def __init__(self, folder: Path, question: str) -> None:
        self.ledger = Ledger(folder)
        self.question = question
        self._take(self.ledger.read())

    @classmethod
    def open(cls, results: Results) -> Marks:
        """The marks of a results folder; none where nobody has marked.

        Raises:
            CallError: a line of marks.jsonl can't be read.
        """
        return cls(results.folder, results.manifest.question)

    def _take(self, there: Iterable[AnyEvent]) -> None:
        self._history: dict[tuple[str, str], list[Mark]] = {}
        self.purged: set[str] = set()
        for event in there:
            if isinstance(event, PurgeEvent):
                self.purged.add(event.code)
            else:
                self._history.setdefault((event.code, event.answer), []).append(Mark.of(event))
        self._history = {key: marks for key, marks in self._history.items() if key[0] not in self.purged}

    def history(self, code: str, answer: str) -> list[Mark]:
        """Every mark on an answer, the earlier ones of each person too, in the order in which they were made."""
        return list(self._history.get((code, answer), []))

    def of(self, code: str, answer: str) -> list[Mark]:
        """Each person's current mark on an answer, in the order of their first."""
        return list({mark.by: mark for mark in self._history.get((code, answer), [])}.values())

    def own(self, actor: str, code: str, answer: str) -> Mark | None:
        """A person's current mark on an answer; None if there is none."""
        return next((mark for mark in self.of(code, answer) if mark.by == actor), None)

    def visible_to(self, actor: str, code: str, answer: str) -> list[Mark]:
        """The marks on an answer that a person may see: everybody's once their own is in, and none before."""
        return self.of(code, answer) if self.own(actor, code, answer) else []

    @property
    def all(self) -> list[Mark]:
        """Every current mark."""
        return [mark for code, answer in self._history for mark in self.of(code, answer)]

    @property
    def actors(self) -> list[str]:
        """Who has marked, in the order of their names."""
        return sorted({mark.by for mark in self.all})

    @property
    def marked(self) -> list[tuple[str, str]]:
        """The answers that somebody has marked, by code name and id, in the order of their first marks."""
        return list(self._history)

    def add(self, *marks: Mark) -> list[Mark]:
        """Keep marks, all of them or none; they are on the disk when this returns.

        Whether a mark is blind is found out here, whatever it says. One that says what its person said before, of the
        same answer by the same rubric, is not written again.

        Returns:
            What was written.

        Raises:
            CallError: a mark changes an earlier one of its person without a reason; its candidate was purged; the marks
                can't be written, or are not what was written before.
        """
        fresh: list[Mark] = []

        def make(there: Sequence[AnyEvent]) -> list[AnyEvent]:
            self._take(there)
            fresh[:] = [new for mark in marks if (new := self.checked(mark)) is not None]
            return [self._event(mark) for mark in fresh]

        self.ledger.append(make)
        self._take(self.ledger.read())
        return fresh

    def checked(self, mark: Mark) -> Mark | None:
        """The mark as `add` writes it; None if its person has said the same before. Raises what `add` raises."""
        if mark.code in self.purged:
            raise CallError("what was kept of this candidate was removed, so there is nothing to mark", found=mark.code)
        old = self.own(mark.by, mark.code, mark.answer)
        if old and mark.says_the_same(old):
            return None
        if old and not mark.reason.strip():
            if (old.rubric, old.answer_digest) == (mark.rubric, mark.answer_digest):
                raise CallError(
                    "a changed mark needs a reason",
                    where=f"{mark.code}, {mark.answer}",
                    next_step="Say why it was changed; the earlier mark stays on record.",
                )
            changed = "rubric" if old.rubric != mark.rubric else "answer"
            mark = replace(mark, reason=f"the {changed} has changed")
        others = any(other.by != mark.by for other in self.visible_to(mark.by, mark.code, mark.answer))
        return replace(mark, at=now(), blind=not others, reason=mark.reason if old else "")

    def _event(self, mark: Mark) -> MarkEvent:
        body = Body(quote=mark.quote, note=mark.note, reason=mark.reason)
        return MarkEvent(
            seq=0,
            previous=START,
            actor=mark.by,
            at=mark.at,
            code=mark.code,
            answer=mark.answer,
            question=self.question,
            version=mark.question_version,
            rubric=mark.rubric,
            answer_digest=mark.answer_digest,
            ticked=list(mark.ticked),
            cannot_assess=mark.cannot_assess,
            blind=mark.blind,
            body_digest=events.digest_of(body),
            body=body,
        )

    def person(self, name: str) -> str:
        """A name to mark under, without spaces around it.

        Raises:
            CallError: it is empty, too long, or can't be seen in full; or differs from another one in capitals alone,
                which would make two people of one.
        """
        plain = unicodedata.normalize("NFC", name).strip()
        if not plain or len(plain) > LONGEST_NAME or inert.line(plain) != plain:
            raise CallError(
                "this is no name to mark under",
                found=inert.short(name, 40) or "nothing",
                expected=f"1 to {LONGEST_NAME} characters that can be seen",
                next_step="Give one with --as.",
            )
        twin = next((each for each in self.actors if each != plain and each.casefold() == plain.casefold()), None)
        if twin:
            raise CallError(
                "somebody has marked under nearly the same name", found=plain, next_step=f"Did you mean {twin}?"
            )
        return plain


def now() -> str:
    """The time, as ISO 8601 in UTC with seconds."""
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
