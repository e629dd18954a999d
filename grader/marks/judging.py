"""Putting a mark together from what a person says, and refusing what does not fit the answer."""

from __future__ import annotations

import difflib
from collections.abc import Collection
from typing import Final

from grader import inert
from grader.marks.mark import Mark
from grader.marks.quoting import quoted
from grader.marks.work import Item

LONGEST: Final = 4000  # characters of a note or a reason


class Unfit(ValueError):
    """Something that a mark can't have; `key` says in which of its fields, `str` what, `hint` what to do."""

    def __init__(self, key: str, what: str, hint: str = "") -> None:
        self.key = key
        self.hint = hint
        super().__init__(what)


def judge(
    item: Item,
    by: str,
    *,
    ticked: Collection[str] = (),
    cannot_assess: bool = False,
    quote: str = "",
    note: str = "",
    reason: str = "",
) -> Mark:
    """The mark of an answer. When it was made, and whether blind, is filled in as it is added.

    Raises:
        Unfit: what is ticked is no observable of it, or is ticked although it can't be assessed; the quote is not in
            the answer; a text is too long.
    """
    known = [each.id for each in item.answer.observables]
    for id in ticked:
        if id not in known:
            close = difflib.get_close_matches(id, known, n=1)
            hint = f"Did you mean {close[0]}?" if close else f"There are {', '.join(known)}."
            raise Unfit("ticked", f"{item.answer.id} has no observable {inert.short(repr(id), 60)}", hint)
    if ticked and cannot_assess:
        raise Unfit("cannot_assess", "an answer that can't be assessed has nothing ticked", "Leave out one of the two.")
    piece = quoted(item.text, quote) if quote else ""
    if piece is None:
        raise Unfit("quote", f"these words are not in the answer: {inert.short(repr(quote), 60)}", "Copy them from it.")
    for key, words in (("note", note), ("reason", reason)):
        if any("\ud800" <= character <= "\udfff" for character in words):
            raise Unfit(key, "found half a character, which no file can hold", "Type it anew.")
        if len(words) > LONGEST:
            raise Unfit(key, f"found {len(words):,} characters, expected at most {LONGEST:,}", "Shorten it.")
    return Mark(
        code=item.code,
        answer=item.answer.id,
        by=by,
        at="",
        ticked=tuple(id for id in known if id in ticked),
        cannot_assess=cannot_assess,
        quote=piece,
        note=note.strip(),
        reason=reason.strip(),
        question_version=item.version,
        rubric=item.answer.rubric,
        answer_digest=item.digest,
        blind=True,
    )
