"""Pieces of an answer: its sentences, where a term stands in it, and the words that somebody wants to quote."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

Span = tuple[int, int]  # from, up to; in characters

# Up to a full stop before a space, an empty line or the next point of a list; lines that were wrapped belong together.
SENTENCE: Final = re.compile(r"\S[\s\S]*?(?:[.!?][\"')\]]*(?=\s|\Z)|(?=\n[ ]*(?:\n|[-*•] ))|\Z)")


def sentences(text: str) -> list[Span]:
    """Where the sentences of a text are, in order and apart; every visible character is in one."""
    found = []
    for match in SENTENCE.finditer(text):
        start, end = match.span()
        found.append((start, start + len(text[start:end].rstrip())))
    return found


def quoted(text: str, wanted: str) -> str | None:
    """The first piece of a text that has the wanted words, as the text has them; None if it has not.

    Spaces, line breaks and capitals may differ. The piece is exact where the text has it exactly.
    """
    if not wanted.strip():
        return None
    if wanted in text:
        return wanted
    words = r"\s+".join(map(re.escape, wanted.split()))
    found = re.search(words, text, re.IGNORECASE)
    return found[0] if found else None


def piece(text: str, wanted: str) -> str | None:
    """The piece that somebody means by its words, or by the number of its sentence; None if there is none."""
    wanted, spans = wanted.strip(), sentences(text)
    if wanted.isdecimal() and len(wanted) < 6 and 1 <= int(wanted) <= len(spans):
        start, end = spans[int(wanted) - 1]
        return text[start:end]
    return quoted(text, wanted)


def terms(text: str, wanted: Iterable[str]) -> list[Span]:
    """Where terms stand in a text, as words or their beginnings: `rotat` is in `rotation`, `sin` not in `using`."""
    found = []
    for term in wanted:
        words = r"\s+".join(map(re.escape, term.split()))
        if words:
            found += [match.span() for match in re.finditer(rf"(?<!\w){words}\w*", text, re.IGNORECASE)]
    return sorted(set(found))
