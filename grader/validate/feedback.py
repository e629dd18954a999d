"""Whether what a candidate is told of a submission repeats anything of the hidden tests."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from grader.question import Question
from grader.render.feedback import feedback
from grader.report import Report
from grader.rubric.spec import Answer, TextAnswer
from grader.validate.giveaways import given_away

TELLING: Final = 20  # characters of a line of code that is no coincidence
FEW: Final = 4  # words and one more are no coincidence, where they are those of a rubric
NUMBER: Final = re.compile(r"\d[\d_]{2,}")


def leaks(question: Question, report: Report) -> list[str]:
    """Each line and number of a hidden test, right answer of a fact, or word of a rubric, that the feedback holds."""
    # How a fact was read is the candidate's own words and the grader's, and may well list every choice.
    unread = [part.model_copy(update={"note": ""}) for part in report.answers]
    told = feedback(report.model_copy(update={"answers": unread}))
    lines, numbers = _hidden(question)
    found = [f"the feedback repeats the hidden line {line!r}" for line in lines if line in told]
    found += [f"the feedback holds the hidden number {number}" for number in numbers if number in told.split()]
    found += [f"the feedback gives away {each}" for each in given_away(told, question.spec.answers)]
    return found + [
        f"the feedback holds {what}" for what, words in _rubrics(question.spec.answers) if _holds(told, words)
    ]


def _holds(told: str, words: str) -> bool:
    """Whether so many words stand there in a row, whatever is between them."""
    sought, there = (" ".join(re.findall(r"\w+", text.lower())) for text in (words, told))
    return sought.count(" ") >= FEW and sought in there


def _rubrics(answers: list[Answer]) -> Iterator[tuple[str, str]]:
    """What a person marks a text by, with the words for what it is."""
    for answer in answers:
        if isinstance(answer, TextAnswer):
            yield f"the expected answer of {answer.id}", answer.expected
            yield from ((f"the observable {each.id} of {answer.id}", each.says) for each in answer.observables)
            yield from ((f"a level of {answer.id}", line) for line in answer.levels.told()[:-1])


def _hidden(question: Question) -> tuple[list[str], list[str]]:
    """Lines that are long enough to be telling, and numbers of three digits and more that are not public."""
    texts = question.hidden_texts.values()
    lines = [line.strip() for text in texts for line in text.splitlines() if len(line.strip()) > TELLING]
    numbers = {number.replace("_", "") for text in texts for number in NUMBER.findall(text)}
    public = question.read(question.spec.prompt) + " ".join(part.tell for part in question.spec.criteria)
    return lines, sorted(number for number in numbers if number not in public)
