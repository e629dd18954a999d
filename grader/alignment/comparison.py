"""A question and a submission in, a comparison out: the one model that the terminal, the page and the JSON read."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from grader import submission
from grader.alignment.definitions import Definition, Line, outline
from grader.alignment.matching import Match, Pair, pairs
from grader.alignment.rows import Mark, Row, rows
from grader.errors import QuestionError
from grader.question import Question

SCHEMA: Final = "takehome-grader/diff/1"
TOP: Final = "top level"  # stands for the name of what no definition holds


@dataclass(frozen=True, slots=True)
class Part:
    """One definition on both sides.

    Attributes:
        reference: its name in the reference; None if it is not there.
        submission: its name in the submission; None if it is not there.
        match: what brought the two together.
        rows: their lines.
        same_code: whether they do the same, word for word, whatever comments and docstrings say.
    """

    reference: str | None
    submission: str | None
    match: Match
    rows: tuple[Row, ...]
    same_code: bool

    @property
    def same(self) -> bool:
        """Whether the two have the same lines."""
        return all(row.mark is Mark.SAME for row in self.rows)

    @property
    def title(self) -> str:
        """Both names, or the one that there is."""
        if self.submission is None or self.reference is None:
            return _shown(self.reference if self.submission is None else self.submission)
        if self.reference == self.submission:
            return _shown(self.reference)
        return f"{_shown(self.reference)}, here {_shown(self.submission)}"

    @property
    def remark(self) -> str:
        """In one phrase, how the two relate."""
        if self.submission is None:
            return "only in the reference"
        if self.reference is None:
            return "only in the submission"
        if self.same:
            return "the same"
        if self.same_code:
            return "the same code; comments or layout differ"
        return "matched by likeness" if self.match is Match.LIKENESS else "differs"


@dataclass(frozen=True, slots=True)
class Comparison:
    """A submission beside the reference.

    Attributes:
        question: the question's id.
        title: the question's title.
        name: the submission's name.
        digest: SHA-256 of what was read of it.
        notes: what a person should know of how it was read.
        parts: every definition, in the order of the reference.
    """

    question: str
    title: str
    name: str
    digest: str
    notes: tuple[str, ...]
    parts: tuple[Part, ...]

    def to_json(self) -> dict[str, Any]:
        """The comparison as plain data."""
        return {
            "schema": SCHEMA,
            "question": {"id": self.question, "title": self.title},
            "submission": {"name": self.name, "digest": self.digest, "notes": list(self.notes)},
            "definitions": [
                {
                    "reference": part.reference,
                    "submission": part.submission,
                    "match": part.match,
                    "same": part.same,
                    "same_code": part.same_code,
                    "rows": [
                        {"mark": row.mark, "reference": _plain(row.reference), "submission": _plain(row.submission)}
                        for row in part.rows
                    ],
                }
                for part in self.parts
            ],
        }


def compare(question: Question, path: Path) -> Comparison:
    """Hold a submission against the question's reference.

    Raises:
        QuestionError: there is no reference.
        CallError: there is nothing at the path that can be read.
        Refused: the submission is not Python, or unfit in another way; its reason is for the candidate.
    """
    reference = question.reference
    if reference is None:
        where = str(question.solutions / "reference.py")
        raise QuestionError("the question has no reference to compare with", where=where, next_step="Add it.")
    sent = submission.read(path, question.asked)
    parts = [_part(pair) for pair in pairs(outline(reference), outline(sent.source))]
    return Comparison(
        question=question.id,
        title=question.spec.title,
        name=sent.name,
        digest=sent.digest,
        notes=sent.notes,
        parts=tuple(part for part in parts if part.rows),
    )


def _part(pair: Pair) -> Part:
    ours, theirs = pair.reference, pair.submission
    made = rows(ours.lines if ours else (), theirs.lines if theirs else ())
    same_code = ours is not None and theirs is not None and ours.code == theirs.code != ""
    return Part(_name(ours), _name(theirs), pair.match, tuple(made), same_code)


def _name(definition: Definition | None) -> str | None:
    return None if definition is None else definition.name


def _shown(name: str | None) -> str:
    return name or TOP


def _plain(line: Line | None) -> dict[str, Any] | None:
    return None if line is None else {"line": line.number, "text": line.text}
