"""Whether what a candidate is told of a submission repeats anything of the hidden tests."""

from __future__ import annotations

import re
from typing import Final

from grader.question import Question
from grader.render.feedback import feedback
from grader.report import Report

TELLING: Final = 20  # characters of a line of code that is no coincidence
NUMBER: Final = re.compile(r"\d[\d_]{2,}")


def leaks(question: Question, report: Report) -> list[str]:
    """Each line and number of a hidden test, or expected answer, that the feedback holds."""
    told = feedback(report)
    lines, numbers = _hidden(question)
    found = [f"the feedback repeats the hidden line {line!r}" for line in lines if line in told]
    return found + [f"the feedback holds the hidden number {number}" for number in numbers if number in told.split()]


def _hidden(question: Question) -> tuple[list[str], list[str]]:
    """Lines that are long enough to be telling, and numbers of three digits and more that are not public."""
    texts = question.hidden_texts.values()
    lines = [line.strip() for text in texts for line in text.splitlines() if len(line.strip()) > TELLING]
    numbers = {number.replace("_", "") for text in texts for number in NUMBER.findall(text)}
    numbers |= {str(answer.expected) for answer in question.spec.answers if answer.kind == "integer"}
    public = question.read(question.spec.prompt) + " ".join(part.tell for part in question.spec.criteria)
    return lines, sorted(number for number in numbers if number not in public)
