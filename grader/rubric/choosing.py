"""Which of several choices was written: by its id, its text, or both, however capitals and brackets stand."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from grader.rubric.numerals import Unread

APART: Final = re.compile(r"[\s,;:/&|+.()\[\]\"'`*]+")
JOINING: Final = frozenset({"", "-", "and", "or", "both"})


def choose(written: str, choices: Mapping[str, str]) -> str:
    """The id of the choice that was written.

    `b`, `B)`, `(b)`, the text of b, and `b: its text` all choose b.

    Args:
        written: as it was written.
        choices: what there is to choose from: each id with its text.

    Raises:
        Unread: it is none of them, or more than one.
    """
    text = alike(written)
    exact = [id for id, says in choices.items() if text in (alike(id), alike(says)) or _is_both(text, id, says)]
    if exact:
        return exact[0]
    words = APART.split(text)
    named = [id for id, says in choices.items() if alike(id) in words or alike(says) in text]
    if len(named) == 1 and set(words) <= JOINING | {alike(named[0])}:
        return named[0]
    if len(named) > 1:
        raise Unread(f"{' and '.join(named)} are {len(named)} of them")
    raise Unread("there is more in it than the choice" if named else "it is none of them")


def alike(text: str) -> str:
    """A text in the form in which two that read the same are the same."""
    return " ".join(text.split()).casefold().rstrip(". ")


def _is_both(text: str, id: str, says: str) -> bool:
    before, after = alike(id), alike(says)
    between = text.removesuffix(after)
    return between != text and APART.sub("", between).strip("-") == before.strip("-")
