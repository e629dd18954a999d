"""What a machine says of a fact: what was read, whether it is right, and why it could not be read.

Nothing here tells the expected value, whatever was written: a candidate may come to see it.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from grader.outcome import Outcome
from grader.rubric import written
from grader.rubric.answersheet import Entry
from grader.rubric.spec import ChoiceAnswer, FactAnswer, IntegerAnswer, NumberAnswer, exact
from grader.rubric.written import Written


@dataclass(frozen=True)
class Judged:
    """A fact that was given once.

    Attributes:
        outcome: whether it is right.
        read: the value that was read, in the one form that compares; empty where it is none.
        notes: what to say of it, in clauses.
    """

    outcome: Outcome
    read: str = ""
    notes: tuple[str, ...] = ()


def judged(entry: Entry, answer: FactAnswer) -> Judged:
    """What a machine says of the entry that was given for a fact."""
    return judge(written.fact(answer.asked, entry), answer)


def judge(found: Written, answer: FactAnswer) -> Judged:
    """Whether what was read is right."""
    if not found.read:
        return Judged(Outcome.FAILED, notes=found.notes)
    accepted = None
    match answer:
        case IntegerAnswer():
            right = int(found.read) == answer.expected
            accepted = next((each.note for each in answer.accepted if each.value == int(found.read)), None)
        case NumberAnswer():
            value = found.value or Fraction(0)
            right = answer.are_near(value, exact(answer.expected))
            accepted = next((each.note for each in answer.accepted if answer.are_near(value, exact(each.value))), None)
        case ChoiceAnswer():
            right = found.read == answer.expected
    if accepted is not None and not right:
        return Judged(Outcome.PASSED, found.read, (accepted,))
    return Judged(Outcome.PASSED if right else Outcome.FAILED, found.read, found.notes)


def same(answer: FactAnswer, one: str, other: str) -> bool:
    """Whether two readings come to the same: numbers within the tolerance, and all that could not be read alike."""
    if one and other and isinstance(answer, NumberAnswer):
        return answer.are_near(Fraction(one), Fraction(other))
    return one == other
