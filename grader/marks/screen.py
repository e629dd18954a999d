"""One screen of marking, drawn from a session and the size of the terminal alone.

The answer stands beside the observables where there is room for both, and above them elsewhere. Everything fits: what
is too long to be shown in full says how much more there is.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Final

from rich.console import Console
from rich.text import Text

from grader import inert
from grader.marks.quoting import sentences, terms
from grader.marks.saving import Draft
from grader.marks.session import TYPING, Mode, Session

if TYPE_CHECKING:
    from grader.marks.mark import Mark
    from grader.marks.work import Item

WIDE: Final = 100  # columns from which on the two stand side by side
LEAST: Final = (20, 8)  # columns and lines below which nothing can be arranged
GAP: Final = " │ "
TERM: Final = "bold underline"
QUOTED: Final = "reverse"
KIND: Final = {"required": "", "optional": " (optional)", "negative": " (a mistake)"}
KEYS: Final = (
    ("1 2 3 …", "tick an observable, or take the tick away"),
    ("c", "cannot assess"),
    ("q", "quote a piece of the answer: type its words, or the number of a sentence"),
    ("n", "write a note"),
    ("enter", "save, and go on"),
    ("s", "skip"),
    ("b", "go back"),
    ("p", "the prompt, the expected answer, and what each level needs"),
    ("w", "known wrong answers and what to say to them, once your mark is saved"),
    ("o", "what others have marked, once your mark is saved"),
    ("space, arrows", "scroll"),
    ("x", "leave; nothing is lost"),
)

CONSOLE: Final = Console(width=200, markup=False, emoji=False, highlight=False)  # to measure and break text with


def draw(session: Session, width: int, height: int) -> list[Text]:
    """The lines of the screen, at most `height` of them, each at most `width` columns wide."""
    width, height = max(width, LEAST[0]), max(height, LEAST[1])
    top, bottom = _head(session, width), _foot(session, width)
    item, (columns, room), whole = session.item, _space(session, width, height), height - len(top) - len(bottom)
    page = _page(session, columns, room)
    if item is None and session.mode is not Mode.HELP:
        middle = _broken(Text("That was the last one. b goes back, x leaves."), width)
    elif item is None:
        middle = page
    elif width >= WIDE:
        middle = _beside(page, columns, _controls(session, item, width - len(GAP) - columns, whole))
    else:
        middle = [*page, Text("─" * width, style="dim"), *_controls(session, item, width, _most(whole))]
    return [*top, *middle[:whole], *([Text()] * (whole - len(middle))), *bottom]


def lowest(session: Session, width: int, height: int) -> int:
    """How far the page can be scrolled down."""
    columns, room = _space(session, max(width, LEAST[0]), max(height, LEAST[1]))
    count = len(_lines(session, columns))
    return count - room + 1 if count > room else 0


def _space(session: Session, width: int, height: int) -> tuple[int, int]:
    """Columns and lines of the page, which is the answer or what is read in its place."""
    item, room = session.item, height - len(_head(session, width)) - 2
    if item is None:
        return width, room
    if width >= WIDE:
        return (width - len(GAP)) * 3 // 5, room
    return width, max(room - len(_controls(session, item, width, _most(room))) - 1, 1)


def _most(room: int) -> int:
    """The lines that the observables may take where they stand below the answer."""
    return max(room - 5, room // 2)


def _head(session: Session, width: int) -> list[Text]:
    item = session.item
    if item is None:
        return [_cut(Text(f"as {session.actor}", style="bold"), width), Text()]
    state = "saved" if session.mark else "new"
    if session.mark and (why := item.outdates(session.mark)):
        state = f"look again: {why}"
    if item.key in session.drafts:
        state += ", not saved yet"
    where = f"{item.answer.id}  {session.place + 1} of {len(session.items)}  "
    first = Text.assemble((where, "bold"), (item.code, "bold cyan"), f"  {state}  as {session.actor}")
    return [_cut(first, width), _cut(Text(inert.line(item.answer.prompt)), width), Text("─" * width, style="dim")]


def _foot(session: Session, width: int) -> list[Text]:
    return [_cut(Text(inert.line(session.message), style="yellow"), width), _cut(_hint(session, width), width)]


def _hint(session: Session, width: int) -> Text:
    typing = {
        Mode.QUOTE: (session.typed, "enter takes it, escape leaves"),
        Mode.NOTE: (session.draft.note, "enter ends it"),
        Mode.REASON: (session.draft.reason, "enter saves"),
    }
    if session.mode in typing:
        words, keys = typing[session.mode]
        return Text.assemble((f"{session.mode.value}: ", "bold"), _end_of(words), "▏", (f"  {keys}", "dim"))
    digits = f"1-{len(session.item.answer.observables)} tick  " if session.item else ""
    after, short = ("w wrong answers  o others  ", "w wrong  o others  ") if session.mark else ("", "")
    hints = [
        f"{digits}c cannot assess  q quote  n note  enter save  s skip  b back  p prompt  {after}? help  x leave",
        f"{digits}c cannot  q quote  n note  enter save  s skip  b back  {short}? help  x leave",
        f"{digits}enter save  s skip  b back  {short}? help  x leave",
    ]
    return Text(next((hint for hint in hints if len(hint) <= width), "? help  x leave"), style="dim")


def _end_of(typed: str, most: int = 40) -> str:
    shown = inert.line(typed)
    return shown if len(shown) <= most else f"…{shown[-most:]}"


def _page(session: Session, width: int, room: int) -> list[Text]:
    """What is read, from `scroll` on; the lines above and below are counted."""
    lines = _lines(session, width)
    if len(lines) <= room:
        return lines
    start = min(session.scroll, len(lines) - room + 1)
    shown = lines[start : start + room - 1]
    below = len(lines) - start - len(shown)
    counts = [f"{start} lines above"] * (start > 0) + [f"{below} lines below"] * (below > 0)
    return [*shown, _cut(Text(f"… {', '.join(counts)} (space, arrows)", style="dim"), width)]


def _lines(session: Session, width: int) -> list[Text]:
    if session.mode is Mode.HELP:
        return [line for key, does in KEYS for line in _hanging(Text(f"{key:<14}", "bold"), Text(does), width, 20)]
    return [line for each in _paragraphs(session) for line in _broken(each, width)]


def _paragraphs(session: Session) -> list[Text]:
    item = session.item
    if item is None:
        return []
    if session.mode is Mode.PROMPT:
        return _prompt(item)
    if session.mode is Mode.WRONG:
        return _wrong(item)
    return _others(session, item) if session.mode is Mode.OTHERS else _answer(session, item)


def _prompt(item: Item) -> list[Text]:
    answer = item.answer
    asked = [Text("Asked", style="bold"), Text(inert.text(answer.prompt)), Text()]
    expected = [Text("Expected", style="bold"), Text(inert.text(answer.expected)), Text()]
    return [*asked, *expected, *(Text(line) for line in answer.levels.told())]


def _wrong(item: Item) -> list[Text]:
    wrong = [
        (Text(f"“{inert.text(each.says)}”", "bold"), Text(f"What to say to it: {inert.text(each.rebuttal)}"))
        for each in item.answer.known_wrong
    ]
    return [line for says, rebuttal in wrong for line in (says, rebuttal, Text())] or [Text("None is known.")]


def _answer(session: Session, item: Item) -> list[Text]:
    text = Text(item.text)
    for observable in item.answer.observables:
        for span in terms(item.text, observable.terms):
            text.stylize(TERM, *span)
    quote = session.draft.quote
    if quote and (start := item.text.find(quote)) >= 0:
        text.stylize(QUOTED, start, start + len(quote))
    if session.mode is Mode.QUOTE:
        text = _numbered(text, item.text)
    return [*text.split("\n", allow_blank=True)]


def _numbered(text: Text, plain: str) -> Text:
    whole, at = Text(), 0
    for number, (start, _) in enumerate(sentences(plain), start=1):
        whole.append_text(text[at:start]).append(f"[{number}] ", style="bold magenta")
        at = start
    return whole.append_text(text[at:])


def _others(session: Session, item: Item) -> list[Text]:
    seen = session.seen.get(item.key, ())
    if all(mark.by == session.actor for mark in seen):
        return [Text("Nobody else has marked this answer yet.")]
    return [line for mark in seen for line in (*_told(mark, item), Text())]


def _told(mark: Mark, item: Item) -> list[Text]:
    level = "cannot assess" if mark.cannot_assess else item.answer.level_of(list(mark.ticked))
    lines = [Text.assemble((inert.line(mark.by), "bold"), f": {level}{', blind' if mark.blind else ''}")]
    for each in item.answer.observables:
        lines.append(Text(f"  {'✓' if each.id in mark.ticked else '·'} {inert.line(each.says)}"))
    for name, words in (("quote", mark.quote), ("note", mark.note), ("reason", mark.reason)):
        if words:
            lines.append(Text(f"  {name}: {_flat(words)}"))
    return lines


def _flat(words: str) -> str:
    """Words on one line, with a space where a line of the answer ended."""
    return inert.line(" ".join(words.split()))


def _controls(session: Session, item: Item, width: int, room: int) -> list[Text]:
    """What is ticked and written, and the level. Where there is little room, sentences are cut, lines last of all."""
    for most in (20, 3, 2, 1):
        lines = _controls_at(session, item, width, most)
        if len(lines) <= room:
            return lines
    return lines


def _controls_at(session: Session, item: Item, width: int, most: int) -> list[Text]:
    draft = session.draft
    lines: list[Text] = []
    for digit, each in enumerate(item.answer.observables, start=1):
        is_in = each.id in draft.ticked
        lead = Text.assemble((f"{digit} ", "bold"), ("[x] " if is_in else "[ ] ", "green bold" if is_in else ""))
        words = Text(inert.line(each.says) + KIND[each.kind], style="bold" if is_in else "")
        lines += _hanging(lead, words, width, most)
    lead = Text.assemble(("c ", "bold"), ("[x] " if draft.cannot_assess else "[ ] ", "yellow bold"))
    lines += _hanging(lead, Text("cannot assess"), width, most)
    lines.append(Text.assemble("level: ", (str(session.level or "none, cannot assess"), "bold")))
    for part in _written(draft, session.mode):
        lines += _clipped(_broken(part, width), most, width)
    return lines


def _written(draft: Draft, mode: Mode) -> Iterable[Text]:
    if draft.quote:
        yield Text.assemble(("quote: ", "bold"), f"“{_flat(draft.quote)}”")
    if draft.note and mode not in TYPING:
        yield Text.assemble(("note: ", "bold"), inert.line(draft.note))


def _hanging(lead: Text, words: Text, width: int, most: int) -> list[Text]:
    margin = lead.cell_len
    lines = _clipped(_broken(words, width - margin), most, width - margin)
    return [Text.assemble(lead if place == 0 else " " * margin, line) for place, line in enumerate(lines)]


def _clipped(lines: list[Text], most: int, width: int) -> list[Text]:
    if len(lines) <= most:
        return lines
    last = lines[most - 1].copy()
    last.truncate(width - 1)
    return [*lines[: most - 1], last.append("…")]


def _beside(left: list[Text], width: int, right: list[Text]) -> list[Text]:
    rows = []
    for place in range(max(len(left), len(right))):
        first = left[place].copy() if place < len(left) else Text()
        first.append(" " * (width - first.cell_len))
        rows.append(Text.assemble(first, (GAP, "dim"), right[place] if place < len(right) else ""))
    return rows


def _broken(text: Text, width: int) -> list[Text]:
    """The lines of a text at a width; a word that is wider is folded."""
    lines = list(text.wrap(CONSOLE, max(width, 4), overflow="fold")) or [Text()]
    for line in lines:
        line.rstrip()
    return lines


def _cut(text: Text, width: int) -> Text:
    text.truncate(width, overflow="ellipsis")
    text.no_wrap = True
    return text
