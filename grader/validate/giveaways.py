"""Whether a text that a candidate sees holds the right answer of a fact.

A number is given away where it stands, if it has three digits and is not round: a 5 or a 100 stands everywhere. A
packet has to name all choices, so the right one is given away where it is named and no other is: by its text, or by its
id in quotation marks, since an id may be any word. Any fact is given away behind its own id, as in `count: 110`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Final

from grader.inert import short
from grader.outcome import Outcome
from grader.rubric.answersheet import Entry
from grader.rubric.choosing import alike
from grader.rubric.judging import judged
from grader.rubric.numerals import BETWEEN
from grader.rubric.spec import Answer, ChoiceAnswer, FactAnswer, IntegerAnswer, NumberAnswer, TextAnswer, exact

TELLING: Final = 3  # digits that are no coincidence, unless all but the first are zeros
NUMBER: Final = re.compile(rf"(?<![\w.])\d+(?:{BETWEEN}\d{{3}})*(?:\.\d+)?(?:[eE][+-]?\d{{1,3}})?(?!\w)")
QUOTES: Final = "[`\"'“”‘’]"


def given_away(text: str, answers: Sequence[Answer]) -> Iterator[str]:
    """What gives the right answer of a fact away, as `the answer count: “786,432”`."""
    for answer in answers:
        if not isinstance(answer, TextAnswer):
            found = _behind_its_id(text, answer) or _standing(text, answer)
            if found:
                yield f"the answer {answer.id}: “{found}”"


def unoffered(text: str, answers: Sequence[Answer]) -> Iterator[str]:
    """The choices that a candidate would have to guess, since the packet does not name both their id and text."""
    for answer in answers:
        if isinstance(answer, ChoiceAnswer):
            for id, says in answer.says.items():
                if not re.search(rf"(?<![\w-]){re.escape(id)}(?![\w-])", text) or alike(says) not in alike(text):
                    yield f"nothing offers the choice {id!r} of the answer {answer.id}, by its id and its text"


def _behind_its_id(text: str, answer: FactAnswer) -> str:
    for found in re.finditer(rf"(?<!\w){re.escape(answer.id)}\W{{0,3}}[:=][ \t]*(?=(.+))", text):
        written = found[1].split("#")[0].strip(" \t\"'`*.,;(){}[]")
        if judged(Entry(written), answer).outcome is Outcome.PASSED:
            return short(f"{found[0]}{found[1]}", 80)
    return ""


def _standing(text: str, answer: FactAnswer) -> str:
    match answer:
        case ChoiceAnswer():
            named = [id for id, says in answer.says.items() if _names(text, id, says)]
            return answer.told(answer.expected) if named == [answer.expected] else ""
        case IntegerAnswer():
            right = [(abs(Fraction(each)), Fraction(0)) for each in _values(answer)]
        case NumberAnswer():
            right = [
                (abs(exact(each)) / size, exact(answer.tolerance) / size)
                for each in _values(answer)
                for size in (answer.sizes or {"": Fraction(1)}).values()
            ]
    for written in NUMBER.findall(text):
        value = _value(written)
        if _is_telling(written) and any(abs(value - centre) <= margin for centre, margin in right):
            return str(written)
    return ""


def _values(answer: IntegerAnswer | NumberAnswer) -> list[int] | list[float]:
    return [answer.expected, *(each.value for each in answer.accepted)]


def _value(written: str) -> Fraction:
    return Fraction(re.sub(BETWEEN, "", written))


def _is_telling(written: str) -> bool:
    digits = re.split("[eE]", re.sub(BETWEEN, "", written))[0].replace(".", "").lstrip("0")
    return len(digits) >= TELLING and len(digits.rstrip("0")) > 1


def _names(text: str, id: str, says: str) -> bool:
    quoted = re.search(rf"{QUOTES}{re.escape(id)}\\?{QUOTES}", text, re.IGNORECASE)
    return quoted is not None or alike(says) in alike(text)
