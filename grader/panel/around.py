"""What people said of a question's answers, and how far they agree."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from grader.marks import Mark
    from grader.question import Question
    from grader.results import Results


def _nobody(code: str, answer: str) -> Sequence[Mark]:
    del code, answer
    return ()


def _nothing(code: str, answer: str) -> int:
    del code, answer
    return 0


@dataclass(frozen=True)
class Around:
    """What there is beside the reports of one results folder.

    Attributes:
        marks: each person's current mark on an answer, by code name and answer id.
        hidden: how many marks on it the reader may not see yet.
        agreement: how far people agree, in words, by answer id; what is not in it says that there are too few to say.
    """

    marks: Callable[[str, str], Sequence[Mark]] = _nobody
    hidden: Callable[[str, str], int] = _nothing
    agreement: Mapping[str, str] = field(default_factory=dict)


def found(results: Results, question: Question) -> Around:
    """What there is beside a results folder.

    Raises:
        CallError: a line of marks can't be read.
    """
    from grader.marks import Marks

    marks = Marks.open(results)
    if not marks.all:
        return Around()
    from grader.agreement import in_words, of_results

    analysis = of_results(results, marks, question.spec)
    return Around(marks.of, agreement={id: in_words(each) for id, each in analysis.texts.items()})
