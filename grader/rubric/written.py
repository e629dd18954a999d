"""What was written in answers.yaml: the value of each fact, the text of each text, and what is wrong with either.

Nothing here knows a right answer, and each packet carries a copy: so a candidate is told how an answer was read in the
very words of the report, and never whether it is right.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Final, TypeVar

from grader.inert import short
from grader.rubric import answersheet, numerals
from grader.rubric.answersheet import Entry, Sheet
from grader.rubric.choosing import choose
from grader.rubric.numerals import Unread, spelled

FILE: Final = "answers.yaml"
TEXT_CHARACTERS: Final = 8000
MOST_NOTES: Final = 8
NOT_GIVEN: Final = "not given"

T = TypeVar("T")


@dataclass(frozen=True)
class Form:
    """What an answer has to be.

    Attributes:
        id: its key.
        kind: "integer", "number", "choice" or "text".
        words: what has to be written, as `an integer such as -123`.
        unit: of a number, what it counts; empty for a bare one.
        sizes: every unit that may be written, each with its size in `unit`, as a fraction.
        choices: of a choice, the text of each, by its id.
    """

    id: str
    kind: str
    words: str = "text"
    unit: str = ""
    sizes: Mapping[str, str] = field(default_factory=dict)
    choices: Mapping[str, str] = field(default_factory=dict)

    def told(self, read: str) -> str:
        """A value that was read, for people: `-786,432`, `0.005 s` or `b (its text)`."""
        if self.kind == "integer":
            return f"{int(read):,}"
        if self.kind == "choice":
            return f"{read} ({short(' '.join(self.choices[read].split()), 120)})"
        return f"{read} {self.unit}".rstrip()


@dataclass(frozen=True)
class Written:
    """What stands under one key.

    Attributes:
        given: as it was written; empty where nothing was.
        read: the value of a fact in the one form that compares, digits or a choice's id; empty where it is none.
        value: of a number, exactly.
        notes: how it was read, or what is wrong with it, in clauses.
    """

    given: str
    read: str = ""
    value: Fraction | None = None
    notes: tuple[str, ...] = ()


def read(text: str | None, problem: str, forms: Sequence[Form]) -> tuple[list[Written], list[str]]:
    """What was written for each answer, and notes on the file as a whole. Never raises.

    Args:
        text: the text of answers.yaml; None if there is none, or it can't be read.
        problem: why it can't be read; empty if it can, or there is none.
        forms: what is asked for.
    """
    ids = [form.id for form in forms]
    sheet = Sheet(problem=problem) if text is None else answersheet.read(text, ids)
    notes = [f"{FILE}: {sheet.problem}"] if sheet.problem and text is not None else [problem] if problem else []
    if text is None and not problem:
        notes = [f"there is no {FILE}"]
    unknown = [key for key in sheet.entries if key not in ids]
    notes += [stray(key, ids) for key in unknown[:MOST_NOTES]]
    if len(unknown) > MOST_NOTES:
        notes.append(f"{FILE}: there are {len(unknown) - MOST_NOTES} more keys that no answer has")
    absent = (not sheet.entries and sheet.problem) or NOT_GIVEN
    return [written(form, sheet.entries.get(form.id, []), absent) for form in forms], notes


def stray(key: str, ids: Iterable[str]) -> str:
    """The note on a key that no answer has."""
    close = difflib.get_close_matches(key[:64], ids, n=1)
    hint = f"; did you mean '{close[0]}'?" if close else ""
    return f"{FILE}: no answer is called '{short(key, 60)}'{hint}"


def written(form: Form, entries: Sequence[Entry], absent: str) -> Written:
    """What the entries of one key come to; `absent` is what to say if there is none."""
    given = "\n\n".join(entry.text.strip() for entry in entries)
    if not given:
        return Written("", notes=(NOT_GIVEN if entries else absent,))
    if len(entries) > 1:
        wrong = f"given {len(entries)} times, first at lines {entries[0].line} and {entries[1].line}; keep one"
        return Written(given, notes=(wrong, *(_cut(given) if form.kind == "text" else ())))
    if form.kind == "text":
        return Written(given, notes=(*_as_written(entries[0]), *_cut(given)))
    return fact(form, entries[0])


def fact(form: Form, entry: Entry) -> Written:
    """The value of a fact that was given once."""
    given = entry.text.strip()
    try:
        if form.kind == "integer":
            number = str(_read(entry, numerals.integer))
            return Written(given, number, notes=() if given == number else (f"read as {number}",))
        if form.kind == "choice":
            chosen = _read(entry, lambda text: choose(text, form.choices), lists=True)
            return Written(given, chosen, notes=(f"read as {form.told(chosen)}",))
        sizes = {name: Fraction(size) for name, size in form.sizes.items()}
        found = _read(entry, lambda text: numerals.quantity(text, sizes))
        digits = spelled(found.value)
        told = form.told(digits)
        return Written(given, digits, found.value, () if given in (digits, told) else (f"read as {told}",))
    except Unread as reason:
        there = entry.kind or f"'{short(given, 60)}'"
        why = f": {reason}" if str(reason) else ""
        said = f"found {there}, expected {form.words}{why}"
        return Written(given, notes=(*filter(None, [entry.trouble]), said))


def _read(entry: Entry, reader: Callable[[str], T], *, lists: bool = False) -> T:
    """What the reader makes of an entry; where the YAML around it is broken, of its first line.

    Raises:
        Unread: nothing.
    """
    if entry.kind and not (lists and entry.kind == "a list"):
        raise Unread
    text = entry.text.strip()
    try:
        return reader(text)
    except Unread:
        if entry.trouble:  # what follows may be all that is wrong
            with suppress(Unread):
                return reader(re.split(r"\n|\s#", text)[0].strip(" \t\"'"))
        raise


def _as_written(entry: Entry) -> tuple[str, ...]:
    """A note on a text that is no plain text in YAML."""
    trouble = entry.trouble or (f"found {entry.kind}, expected text" if entry.kind else "")
    return (trouble, "kept as it was written") if trouble else ()


def _cut(given: str) -> tuple[str, ...]:
    """A note on a text that is longer than anybody reads."""
    return (
        (f"cut to the first {TEXT_CHARACTERS:,} of {len(given):,} characters",) if len(given) > TEXT_CHARACTERS else ()
    )
