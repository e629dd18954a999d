"""A mark: what one person ticked in one written answer."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

from grader.marks.events import MarkEvent


@dataclass(frozen=True)
class Mark:
    """What one person said of one answer. Its level is `TextAnswer.level_of(list(mark.ticked))`.

    Attributes:
        code: the candidate's code name.
        answer: the answer's id.
        by: who marked it.
        at: when, as ISO 8601 in UTC.
        ticked: the ids of the observables that are in the answer.
        cannot_assess: whether they found that they could not judge it; nothing is ticked then.
        quote: a part of the answer, word for word; may be empty.
        note: what they wrote about it.
        reason: why an earlier mark of theirs was changed; empty the first time.
        question_version: the version of the question.
        rubric: `TextAnswer.rubric` of what they marked by.
        answer_digest: `digest` of the text that they marked.
        blind: whether it was made while no other person's mark on the answer could be seen by them.
    """

    code: str
    answer: str
    by: str
    at: str
    ticked: tuple[str, ...]
    cannot_assess: bool
    quote: str
    note: str
    reason: str
    question_version: int
    rubric: str
    answer_digest: str
    blind: bool

    @classmethod
    def of(cls, event: MarkEvent) -> Mark:
        """The mark of a line. Where its body was taken away, quote, note and reason are empty."""
        body = event.body
        return cls(
            code=event.code,
            answer=event.answer,
            by=event.actor,
            at=event.at,
            ticked=tuple(event.ticked),
            cannot_assess=event.cannot_assess,
            quote=body.quote if body else "",
            note=body.note if body else "",
            reason=body.reason if body else "",
            question_version=event.version,
            rubric=event.rubric,
            answer_digest=event.answer_digest,
            blind=event.blind,
        )

    def says_the_same(self, other: Mark) -> bool:
        """Whether it says nothing else than another one, of the same answer by the same rubric."""
        return self._said == other._said

    @property
    def _said(self) -> tuple[object, ...]:
        marked = (self.code, self.answer, self.by, self.rubric, self.answer_digest)
        return (*marked, frozenset(self.ticked), self.cannot_assess, self.quote, self.note)


def digest(given: str) -> str:
    """SHA-256 of the text of an answer, as 64 hexadecimal digits."""
    return hashlib.sha256(given.encode("utf-8", "surrogatepass")).hexdigest()
