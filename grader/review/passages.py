"""An answer in pieces for a page: where its sentences begin, where terms of the rubric stand, and what is quoted."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

from grader.marks.quoting import sentences, terms
from grader.marks.work import Item


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
    """The pieces of an answer, which together are its text."""
    text = item.text
    begin = {start: number for number, (start, _) in enumerate(sentences(text), start=1)}
    found = [span for each in item.answer.observables for span in terms(text, each.terms)]
    at = text.find(quote) if quote else -1
    quoted = (at, at + len(quote)) if at >= 0 else (0, 0)
    edges = sorted({0, len(text), *begin, *quoted, *(edge for span in found for edge in span)})
    return [
        Passage(
            text[start:end],
            begin.get(start, 0),
            any(first <= start < last for first, last in found),
            quoted[0] <= start < quoted[1],
        )
        for start, end in pairwise(edges)
        if end > start
    ]
