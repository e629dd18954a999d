"""Notes for a person on the answers that they have marked: grades to look at again, and guards that spoke."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal

from grader.errors import CallError
from grader.reread.guards import guards
from grader.reread.reader import Asked, Graded, SecondReading, second_reading
from grader.rubric.spec import TextAnswer

if TYPE_CHECKING:
    from grader.marks import Mark, Marks
    from grader.question import Question, Spec
    from grader.results import Results

Kind = Literal["look-again", "guard", "note"]
KINDS: Final[tuple[Kind, ...]] = ("look-again", "guard", "note")  # in the order in which they are shown


@dataclass(frozen=True)
class Note:
    """One thing to look at again.

    Attributes:
        kind: `look-again` is from the second reader; `guard` is an alarm about the form; `note` is no alarm.
        code: the code name of whose answer it is.
        answer: the answer's id.
        id: which guard spoke; `second-reader` for the second reader.
        why: the reasons, each a sentence.
        passage: the words of the answer that it is about; empty for the second reader. They are a stranger's.
    """

    kind: Kind
    code: str
    answer: str
    id: str
    why: tuple[str, ...]
    passage: str = ""


@dataclass(frozen=True)
class Rereading:
    """One text of a question, read again for one person.

    Attributes:
        answer: its id.
        marked: how many answers to it this person has marked, those that they could not assess among them.
        graded: how many of them have a level.
        nothing: why the second reader names none; empty if it does.
        notes: grades to look at again, the most suspect first; then guards by code name; notes last.
    """

    answer: str
    marked: int
    graded: int
    nothing: str
    notes: tuple[Note, ...]


def after(question: Question, answer_id: str, marks_with_texts: Iterable[tuple[Mark, str]], actor: str) -> list[Note]:
    """What may be shown to a person about the answers to one text that they have marked.

    Args:
        question: the question.
        answer_id: which of its texts.
        marks_with_texts: marks, each with the text that was given. Those of other people, on other texts, by an earlier
            rubric, or on a text that has changed since, are left out.
        actor: the person.

    Raises:
        CallError: the question asks for no such text.
    """
    return list(reread(_text(question.spec, answer_id), marks_with_texts, actor).notes)


def of_results(results: Results, marks: Marks, spec: Spec, actor: str) -> list[Rereading]:
    """Each text of a question of which a person has marked answers, read again, in the order of the spec."""
    from grader.marks import work

    found = work.find(results, spec)
    pairs = [(mark, item.given) for item in found.items if (mark := marks.own(actor, *item.key))]
    asked = [answer for answer in spec.answers if answer.kind == "text"]
    every = [reread(answer, pairs, actor) for answer in asked]
    return [each for each in every if each.marked]


def reread(answer: TextAnswer, marks_with_texts: Iterable[tuple[Mark, str]], actor: str) -> Rereading:
    """One text, read again for one person; see `after`."""
    own = {
        mark.code: (mark, text)
        for mark, text in marks_with_texts
        if mark.by == actor and mark.answer == answer.id and _holds(mark, answer, text)
    }
    graded = [
        Graded(code, text, answer.level_of(list(mark.ticked)))
        for code, (mark, text) in own.items()
        if not mark.cannot_assess
    ]
    reading = second_reading(asked_of(answer), graded)
    notes = [*_looks(answer.id, reading), *_spoke(answer, sorted((code, text) for code, (_, text) in own.items()))]
    ordered = sorted(notes, key=lambda note: KINDS.index(note.kind))
    return Rereading(answer.id, len(own), reading.read, reading.nothing, tuple(ordered))


def asked_of(answer: TextAnswer) -> Asked:
    """What the second reader has to know of a text. Terms of negative observables speak for no level."""
    terms = [term for each in answer.observables if each.kind != "negative" for term in each.terms]
    return Asked(answer.prompt, answer.expected, tuple(dict.fromkeys(terms)))


def _looks(answer: str, reading: SecondReading) -> list[Note]:
    return [Note("look-again", look.code, answer, "second-reader", look.why) for look in reading.again]


def _spoke(answer: TextAnswer, given: Sequence[tuple[str, str]]) -> list[Note]:
    return [
        Note(
            "guard" if guard.alarm else "note",
            code,
            answer.id,
            guard.id,
            (guard.reason,),
            text[guard.start : guard.end],
        )
        for code, text in given
        for guard in guards(text, answer.expected, answer.prompt)
    ]


def _holds(mark: Mark, answer: TextAnswer, text: str) -> bool:
    """Whether the mark is of this text, by the rubric of today."""
    from grader.marks import digest

    return mark.rubric == answer.rubric and mark.answer_digest == digest(text)


def _text(spec: Spec, id: str) -> TextAnswer:
    for answer in spec.answers:
        if answer.id == id and answer.kind == "text":
            return answer
    texts = ", ".join(answer.id for answer in spec.answers if answer.kind == "text")
    raise CallError("the question asks for no such text", where=spec.id, found=id, expected=texts or "none")
