"""Marking by keys, as a pure function: a session and a key give the next session, and perhaps a mark to keep.

Nothing here draws, waits or writes. A key is a character, or the name of a key that has none: `enter`, `escape`,
`backspace`, `up`, `down`, `page-up`, `page-down`, `stop` (Ctrl-C) and `end` (the terminal is gone).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from enum import Enum
from typing import Final

from grader.marks.judging import LONGEST
from grader.marks.mark import Mark
from grader.marks.quoting import piece
from grader.marks.saving import Draft, Held, Hold, settle, unsaved
from grader.marks.work import Item, Key
from grader.rubric.levels import Level


class Mode(Enum):
    """What keys mean now, and what is shown beside the observables."""

    MARK = "mark"
    QUOTE = "quote"
    NOTE = "note"
    REASON = "reason"
    HELP = "help"
    PROMPT = "prompt"
    WRONG = "wrong"
    OTHERS = "others"


TYPING: Final = (Mode.QUOTE, Mode.NOTE, Mode.REASON)
MOVES: Final = {"up": -1, "down": 1, "page-up": -10, "page-down": 10, " ": 10, "k": -1, "j": 1}


@dataclass(frozen=True)
class Session:
    """One person in front of the answers that they are to mark.

    Attributes:
        actor: who marks.
        items: the answers, in the order in which they come.
        place: which one is shown; `len(items)` after the last.
        drafts: what is not saved yet, by answer.
        own: this person's marks, by answer.
        seen: everybody's marks on the answers that this person has marked.
        mode: what keys mean.
        typed: what is being typed as a quote.
        message: what to say about the last key.
        scroll: how many lines of the answer are above the screen.
        saved: how many marks were saved.
        sure: whether the last key asked to save an answer in which nothing is ticked.
        over: whether the person has left.
    """

    actor: str
    items: tuple[Item, ...]
    place: int = 0
    drafts: Mapping[Key, Draft] = field(default_factory=dict)
    own: Mapping[Key, Mark] = field(default_factory=dict)
    seen: Mapping[Key, tuple[Mark, ...]] = field(default_factory=dict)
    mode: Mode = Mode.MARK
    typed: str = ""
    message: str = ""
    scroll: int = 0
    saved: int = 0
    sure: bool = False
    over: bool = False

    @property
    def item(self) -> Item | None:
        """The answer that is shown; None after the last."""
        return self.items[self.place] if self.place < len(self.items) else None

    @property
    def draft(self) -> Draft:
        """What is ticked and written of the answer that is shown."""
        key = self.item.key if self.item else ("", "")
        return self.drafts.get(key) or Draft.of(self.own.get(key))

    @property
    def mark(self) -> Mark | None:
        """This person's mark on the answer that is shown."""
        return self.own.get(self.item.key) if self.item else None

    @property
    def level(self) -> Level | None:
        """The level that what is ticked comes to; None if it can't be assessed."""
        draft = self.draft
        return self.item.answer.level_of(sorted(draft.ticked)) if self.item and not draft.cannot_assess else None

    def kept(self, mark: Mark, seen: tuple[Mark, ...]) -> Session:
        """The session after a mark is on the disk: it moves on to the next answer."""
        key = (mark.code, mark.answer)
        drafts = {other: draft for other, draft in self.drafts.items() if other != key}
        after = replace(
            self,
            drafts=drafts,
            own={**self.own, key: mark},
            seen={**self.seen, key: seen},
            saved=self.saved + 1,
        )
        level = "cannot assess" if self.level is None else self.level
        return _moved(after, 1, f"Saved {mark.code}: {level}. b goes back to it.")


def press(session: Session, key: str) -> tuple[Session, Mark | None]:
    """What a key does. A mark that comes with it is to be kept, and then `kept` to be called."""
    if key in ("stop", "end"):
        return replace(session, over=True), None
    session = replace(session, message="", sure=session.sure and key == "enter")
    if session.mode is Mode.QUOTE:
        return _quoting(session, key), None
    if session.mode is Mode.NOTE:
        return _noting(session, key), None
    if session.mode is Mode.REASON:
        return _reasoning(session, key)
    if key in MOVES:
        return replace(session, scroll=max(0, session.scroll + MOVES[key])), None
    if session.mode is not Mode.MARK:
        return _looking(session, key)
    return _marking(session, key)


def _marking(session: Session, key: str) -> tuple[Session, Mark | None]:
    if key == "enter":
        return _save(session)
    if key.isdecimal() and session.item:
        return _toggled(session, int(key)), None
    return COMMANDS.get(key, _unknown(key))(session), None


def _looking(session: Session, key: str) -> tuple[Session, Mark | None]:
    """In a page of text: its own key closes it, and any key that does something else closes it and does that."""
    back = _to(session, Mode.MARK)
    if key in ("escape", "enter") or OPENERS.get(key) is session.mode:
        return back, None
    return _marking(back, key)


def _save(session: Session) -> tuple[Session, Mark | None]:
    item, draft, old = session.item, session.draft, session.mark
    if item is None:
        return replace(session, message="There is nothing left to mark. x leaves."), None
    found = settle(item, session.actor, draft, old, sure=session.sure)
    if isinstance(found, Held):
        return _held(session, item, found), None
    return session, found


def _held(session: Session, item: Item, held: Held) -> Session:
    match held.hold:
        case Hold.UNSURE:
            words = f"Nothing is ticked: enter again saves {session.level}. c says that it can't be assessed."
            return replace(session, sure=True, message=words)
        case Hold.UNFIT:
            return replace(session, message=held.words)
        case Hold.SAME:
            drafts = {other: each for other, each in session.drafts.items() if other != item.key}
            return _moved(replace(session, drafts=drafts), 1, f"{item.code} stays as it was.")
        case Hold.REASON:
            return replace(_to(session, Mode.REASON), message="You are changing your mark. Say why; enter saves it.")


def _toggled(session: Session, digit: int) -> Session:
    assert session.item
    observables = session.item.answer.observables
    if not 1 <= digit <= len(observables):
        return replace(session, message=f"There are the digits 1 to {len(observables)}.")
    draft = replace(session.draft, cannot_assess=False, ticked=session.draft.ticked ^ {observables[digit - 1].id})
    return _with(session, draft)


def _cannot(session: Session) -> Session:
    draft = session.draft
    return _with(session, replace(draft, cannot_assess=not draft.cannot_assess, ticked=frozenset()))


def _quoting(session: Session, key: str) -> Session:
    if key == "escape":
        return _to(session, Mode.MARK)
    if key != "enter":
        return replace(session, typed=_typed(session.typed, key))
    assert session.item
    wanted = session.typed.strip()
    found = piece(session.item.text, wanted)
    if wanted and found is None:
        return replace(session, message="These words are not in the answer. Type them as it has them, or a number.")
    return _with(_to(session, Mode.MARK), replace(session.draft, quote=found or ""))


def _noting(session: Session, key: str) -> Session:
    if key in ("enter", "escape"):
        return _to(session, Mode.MARK)
    return _with(session, replace(session.draft, note=_typed(session.draft.note, key)))


def _reasoning(session: Session, key: str) -> tuple[Session, Mark | None]:
    if key == "escape":
        return _to(session, Mode.MARK), None
    if key == "enter":
        if not session.draft.reason.strip():
            return replace(session, message="A changed mark needs a reason. Escape goes back without saving."), None
        return _save(_to(session, Mode.MARK))
    return _with(session, replace(session.draft, reason=_typed(session.draft.reason, key))), None


def _typed(text: str, key: str) -> str:
    if key == "backspace":
        return text[:-1]
    if key == "clear":
        return ""
    return (text + key)[:LONGEST] if len(key) == 1 else text


def _opener(mode: Mode) -> Callable[[Session], Session]:
    def opened(session: Session) -> Session:
        if mode is not Mode.HELP and session.item is None:
            return replace(session, message="There is no answer here. b goes back to the last one.")
        if mode in (Mode.WRONG, Mode.OTHERS) and session.mark is None:
            return replace(session, message="Save your own mark on this answer first.")
        return _to(session, mode)

    return opened


def _unknown(key: str) -> Callable[[Session], Session]:
    named = f"{key} does nothing here. " if len(key) == 1 and key.isprintable() else ""
    return lambda session: replace(session, message=f"{named}? shows the keys.")


def _to(session: Session, mode: Mode) -> Session:
    return replace(session, mode=mode, typed="", scroll=0 if mode is not Mode.QUOTE else session.scroll)


def _with(session: Session, draft: Draft) -> Session:
    assert session.item
    key = session.item.key
    drafts = {other: each for other, each in session.drafts.items() if other != key}
    kept = unsaved(draft, session.own.get(key))
    return replace(session, drafts=drafts if kept is None else {**drafts, key: kept})


def _moved(session: Session, by: int, message: str = "") -> Session:
    place = min(max(session.place + by, 0), len(session.items))
    return replace(_to(session, Mode.MARK), place=place, message=message)


OPENERS: Final = {
    "q": Mode.QUOTE,
    "n": Mode.NOTE,
    "?": Mode.HELP,
    "p": Mode.PROMPT,
    "w": Mode.WRONG,
    "o": Mode.OTHERS,
}
COMMANDS: Final[dict[str, Callable[[Session], Session]]] = {
    "c": lambda session: _cannot(session) if session.item else session,
    "s": lambda session: _moved(session, 1),
    "b": lambda session: _moved(session, -1),
    "x": lambda session: replace(session, over=True),
    "escape": lambda session: session,
    **{key: _opener(mode) for key, mode in OPENERS.items()},
}
