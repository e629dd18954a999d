"""The written answers beside the spec: an integer is compared, a text is kept for the people who read it.

Each answer gets a line of its own, whatever is wrong with the others. What is said here may be shown to a
candidate, so it never holds the expected value.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Sequence
from decimal import Decimal
from typing import Final

from grader.inert import short
from grader.inert import text as inert_text
from grader.outcome import Outcome
from grader.report import AnswerPart
from grader.rubric import answersheet
from grader.rubric.answersheet import Entry, Sheet
from grader.rubric.spec import Answer, IntegerAnswer

FILE: Final = "answers.yaml"
TEXT_CHARACTERS: Final = 8000
NUMBER_CHARACTERS: Final = 40
MOST_NOTES: Final = 8
NOT_GIVEN: Final = "not given"

SIGNS: Final = str.maketrans(dict.fromkeys("\u2012\u2013\u2212\ufe63\uff0d", "-") | {"\uff0b": "+"})
BETWEEN: Final = "[, _'\u2019\u00a0\u2009\u202f]"  # what people put between thousands
GROUPED: Final = rf"[1-9][0-9]{{0,2}}(?:{BETWEEN}[0-9]{{2,3}})*{BETWEEN}[0-9]{{3}}"
INTEGER: Final = re.compile(rf"([+-]?) ?([0-9]+(?:_[0-9]+)*|{GROUPED})(?:\.0*)?")
OTHER_BASE: Final = re.compile(r"[+-]?0(?:x[0-9a-fA-F]+|o[0-7]+)")
EXPONENT: Final = re.compile(r"[+-]?[0-9]+(?:\.[0-9]*)?[eE][+-]?[0-9]{1,2}")


def read_answers(text: str | None, problem: str, answers: Sequence[Answer]) -> tuple[list[AnswerPart], list[str]]:
    """A part of the report for each answer of the spec, and notes on the file as a whole.

    Args:
        text: the text of answers.yaml; None if there is none, or it can't be read.
        problem: why it can't be read; empty if it can, or there is none.
        answers: what the spec asks for.
    """
    ids = [answer.id for answer in answers]
    sheet = Sheet(problem=problem) if text is None else answersheet.read(text, ids)
    notes = [f"{FILE}: {sheet.problem}"] if sheet.problem and text is not None else [problem] if problem else []
    if text is None and not problem:
        notes = [f"there is no {FILE}"]
    unknown = [key for key in sheet.entries if key not in ids]
    notes += [stray(key, ids) for key in unknown[:MOST_NOTES]]
    if len(unknown) > MOST_NOTES:
        notes.append(f"{FILE}: there are {len(unknown) - MOST_NOTES} more keys that no answer has")
    absent = (not sheet.entries and sheet.problem) or NOT_GIVEN
    return [part(answer, sheet.entries.get(answer.id, []), absent) for answer in answers], notes


def stray(key: str, ids: Iterable[str]) -> str:
    """The note on a key that no answer has."""
    close = difflib.get_close_matches(key[:64], ids, n=1)
    hint = f"; did you mean '{close[0]}'?" if close else ""
    return f"{FILE}: no answer is called '{short(key, 60)}'{hint}"


def part(answer: Answer, entries: list[Entry], absent: str) -> AnswerPart:
    """One answer's line of the report; `absent` is what to say if there is no entry for it."""
    outcome = Outcome.FAILED if answer.kind == "integer" else None
    given, notes = "\n\n".join(entry.text.strip() for entry in entries), []
    if not given:
        notes = [NOT_GIVEN if entries else absent]
    elif len(entries) > 1:
        notes = [f"given {len(entries)} times, first at lines {entries[0].line} and {entries[1].line}; keep one"]
    elif answer.kind == "integer":
        outcome, notes = judged(entries[0], answer)
    elif entries[0].kind or entries[0].trouble:
        notes = [entries[0].trouble or f"found {entries[0].kind}, expected text", "kept as it was written"]
    most = NUMBER_CHARACTERS * 2 if answer.kind == "integer" else TEXT_CHARACTERS
    if answer.kind == "text" and len(given) > most:
        notes.append(f"cut to the first {most:,} of {len(given):,} characters")
    return AnswerPart(
        id=answer.id,
        kind=answer.kind,
        prompt=answer.prompt,
        given=inert_text(given[:most]),
        outcome=outcome,
        note="; ".join(notes),
    )


def judged(entry: Entry, answer: IntegerAnswer) -> tuple[Outcome, list[str]]:
    """The outcome of an integer that was given once, and what to say of it."""
    written = entry.text.strip()
    number = None if entry.kind else integer(written)
    if number is None and entry.trouble:  # what follows the number may be all that is wrong
        number = integer(re.split(r"\n|\s#", written)[0].strip(" \t\"'"))
    if number is None:
        found = entry.kind or f"'{short(written, 60)}'"
        return Outcome.FAILED, [
            *filter(None, [entry.trouble]),
            f"found {found}, expected an integer such as -123",
        ]
    notes = [] if written == str(number) else [f"read as {number}"]
    if number == answer.expected:
        return Outcome.PASSED, notes
    accepted = next((each.note for each in answer.accepted if each.value == number), None)
    return (Outcome.FAILED, notes) if accepted is None else (Outcome.PASSED, [accepted])


def integer(written: str) -> int | None:
    """The integer that was written, in any of the usual ways; None if it is something else.

    `-1234567`, `1,234,567`, `-1 234 567`, `+1_234_567`, `-1234567.0`, `-1.25e4` and `0xFF` are integers,
    whichever minus and space they have. `0.8M`, `about 5` and `0,786` are not.
    """
    text = written.translate(SIGNS)
    if len(text) > NUMBER_CHARACTERS:
        return None
    if found := INTEGER.fullmatch(text):
        return int(found[1] + re.sub("[^0-9]", "", found[2]))
    if OTHER_BASE.fullmatch(text):
        return int(text, 0)
    if EXPONENT.fullmatch(text):
        number = Decimal(text)
        return int(number) if number == number.to_integral_value() else None
    return None
