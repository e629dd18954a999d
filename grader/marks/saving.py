"""What becomes of a draft when its person saves it: the same at the terminal and in a browser."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from grader.marks.judging import Unfit, judge
from grader.marks.mark import Mark
from grader.marks.work import Item


@dataclass(frozen=True)
class Draft:
    """What was ticked and written of an answer, and is not saved yet."""

    ticked: frozenset[str] = frozenset()
    cannot_assess: bool = False
    quote: str = ""
    note: str = ""
    reason: str = ""

    @classmethod
    def of(cls, mark: Mark | None) -> Draft:
        """The draft that a mark was; an empty one without a mark."""
        return cls(frozenset(mark.ticked), mark.cannot_assess, mark.quote, mark.note) if mark else cls()


def unsaved(draft: Draft, old: Mark | None) -> Draft | None:
    """The draft, if it says anything that its person's mark does not."""
    return None if draft == Draft.of(old) else draft


class Hold(Enum):
    """Why a draft is no mark yet."""

    UNSURE = "nothing is ticked, and its person has not said that they mean it"
    UNFIT = "something in it does not fit the answer"
    SAME = "it says what its person has said before"
    REASON = "it changes a mark, and its person has not said why"


@dataclass(frozen=True)
class Held:
    """A draft that is no mark yet; `words` say what does not fit, and are empty where `hold` says all."""

    hold: Hold
    words: str = ""


def settle(item: Item, actor: str, draft: Draft, old: Mark | None, *, sure: bool = False) -> Mark | Held:
    """The mark that a draft makes, or why it makes none.

    Args:
        item: what is marked.
        actor: who marks.
        draft: what they ticked and wrote.
        old: their mark on it, if there is one.
        sure: whether they have said that nothing of the rubric is in the answer.
    """
    if not (old or draft.ticked or draft.cannot_assess or sure):
        return Held(Hold.UNSURE)
    try:
        mark = judge(
            item,
            actor,
            ticked=draft.ticked,
            cannot_assess=draft.cannot_assess,
            quote=draft.quote,
            note=draft.note,
            reason=draft.reason,
        )
    except Unfit as unfit:
        return Held(Hold.UNFIT, f"{unfit}. {unfit.hint}".strip())
    if old and mark.says_the_same(old):
        return Held(Hold.SAME)
    if old and not item.outdates(old) and not mark.reason:
        return Held(Hold.REASON)
    return mark
