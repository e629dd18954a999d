"""An answer in pieces for a page: where its sentences begin, where terms of the rubric stand, and what is quoted.

Lines that an editor wrapped are put together again, so that they fill whatever room there is.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from grader.marks.quoting import sentences, terms
from grader.marks.work import Item

# The end of a long line before one that neither is empty nor begins a point, a quote or a row.
WRAPPED: Final = re.compile(r"(?<=[^\n]{60})\n(?=[^\s\-*•+>|#`\d])")


@dataclass(frozen=True)
class Passage:
    """A piece of an answer.

    Attributes:
        text: its words.
        sentence: the number of the sentence that begins with it; 0 within one.
        term: whether it is a term that the rubric looks for.
        quoted: whether it is in what is quoted.
    """

    text: str
    sentence: int = 0
    term: bool = False
    quoted: bool = False


def passages(item: Item, quote: str = "") -> list[Passage]:
    """The pieces of an answer, which together are its text but for how its lines are broken."""
    text = item.text
    shown = WRAPPED.sub(" ", text)  # of the same length, so places in the one are places in the other
    begin = {start: number for number, (start, _) in enumerate(sentences(text), start=1)}
    found = [span for each in item.answer.observables for span in terms(text, each.terms)]
    at = text.find(quote) if quote else -1
    quoted = (at, at + len(quote)) if at >= 0 else (0, 0)
    edges = sorted({0, len(text), *begin, *quoted, *(edge for span in found for edge in span)})
    return [
        Passage(
            shown[start:end],
            begin.get(start, 0),
            any(first <= start < last for first, last in found),
            quoted[0] <= start < quoted[1],
        )
        for start, end in pairwise(edges)
        if end > start
    ]
