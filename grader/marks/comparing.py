"""Marks of several people side by side, for somebody who has marked the same answers."""

from __future__ import annotations

from typing import Any

from grader import inert
from grader.marks.book import Marks
from grader.marks.mark import Mark
from grader.marks.work import Item, Work


def compared(marks: Marks, work: Work, actor: str) -> list[dict[str, Any]]:
    """Each answer that this person and somebody else have marked, with all marks on it."""
    found = []
    for item in work.items:
        seen = marks.visible_to(actor, *item.key)
        if len(seen) > 1:
            found.append(
                {"candidate": item.code, "answer": item.answer.id, "marks": [_fields(mark, item) for mark in seen]}
            )
    return found


def lines(found: list[dict[str, Any]]) -> list[str]:
    """Them, to be read: an answer a paragraph, a person a line."""
    told = []
    for each in found:
        told.append(f"{each['answer']}, {each['candidate']}")
        for mark in each["marks"]:
            ticked = ", ".join(mark["ticked"]) or "nothing"
            what = "cannot assess" if mark["cannot_assess"] else f"{mark['level']}: {ticked}"
            told.append(f"  {inert.line(mark['by'])}: {what}{', blind' if mark['blind'] else ''}")
            words = {name: " ".join(mark[name].split()) for name in ("quote", "note", "reason")}
            told += [f"    {name}: {inert.line(said)}" for name, said in words.items() if said]
    return told or ["No answer that you have marked has a mark of somebody else."]


def _fields(mark: Mark, item: Item) -> dict[str, Any]:
    return {
        "by": mark.by,
        "at": mark.at,
        "level": None if mark.cannot_assess else str(item.answer.level_of(list(mark.ticked))),
        "ticked": list(mark.ticked),
        "cannot_assess": mark.cannot_assess,
        "quote": mark.quote,
        "note": mark.note,
        "reason": mark.reason,
        "blind": mark.blind,
        "look_again": item.outdates(mark),
    }
