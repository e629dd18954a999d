"""answers.yaml as a list of keys with the text written under each, whatever else is wrong with the file.

Candidates write prose into YAML, so a colon, an asterisk or a tab in one answer must not cost them another.
The file is read as a stream of YAML events and never constructed: no tag, alias or number is acted upon, and
depth and length are capped. Where that fails, the file is cut at the lines that start with a known key, and
each piece is read on its own.
"""

from __future__ import annotations

import re
import textwrap
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Final

from ruamel.yaml import YAML
from ruamel.yaml.error import MarkedYAMLError, YAMLError
from ruamel.yaml.events import (
    AliasEvent,
    CollectionEndEvent,
    CollectionStartEvent,
    DocumentStartEvent,
    Event,
    MappingStartEvent,
    ScalarEvent,
    StreamEndEvent,
    StreamStartEvent,
)
from ruamel.yaml.reader import ReaderError

from grader.inert import short

MOST_EVENTS: Final = 2000
MOST_LEVELS: Final = 16
EMPTY: Final = "there is nothing in it"
NOTHING: Final = ("", "~", "null", "Null", "NULL")


@dataclass(frozen=True)
class Entry:
    """What stands under a key.

    Attributes:
        text: as written; without YAML's quotes and indentation where it could be read as YAML.
        kind: what it is instead of text: "a list" or "a mapping"; else empty.
        trouble: why it could not be read as YAML; else empty.
        line: where its key stands, from 1.
    """

    text: str
    kind: str = ""
    trouble: str = ""
    line: int = 0


@dataclass
class Sheet:
    """All entries, by key, in the order of the file. `problem` is what is wrong with the file as a whole."""

    entries: dict[str, list[Entry]] = field(default_factory=dict)
    problem: str = ""

    def add(self, key: str, entry: Entry) -> None:
        """Keep an entry, beside others of the same key."""
        self.entries.setdefault(key, []).append(entry)


class Unreadable(Exception):
    """The text is not the YAML that we read. `line` and `column` count from 1; 0 if they aren't known."""

    def __init__(self, why: str, line: int = 0, column: int = 0) -> None:
        self.why = why
        self.line = line
        self.column = column
        super().__init__(why)

    def told(self, first_line: int = 1) -> str:
        """The sentence, for a text that starts at a line of the file."""
        return f"line {self.line + first_line - 1}, column {self.column}: {self.why}" if self.line else self.why


def read(text: str, known: Iterable[str]) -> Sheet:
    """The entries of a file, of which some keys are known. Never raises."""
    sheet = Sheet()
    try:
        for key, entry in entries(text):
            sheet.add(key, entry)
    except Unreadable as error:
        sheet = Sheet(problem=error.told())
        read_pieces(sheet, pieces(text, known))
    else:
        sheet.problem = "" if sheet.entries else EMPTY
    return sheet


def read_pieces(sheet: Sheet, cut: list[tuple[str, str, int]]) -> None:
    """Add what is in the pieces of a file that could not be read as a whole."""
    times = Counter(key for key, _, _ in cut)
    for key, piece, line in cut:
        raw = Entry(unquoted(piece), line=line)
        if times[key] > 1:  # an error of its own, and parsing each of thousands would take a while
            sheet.add(key, raw)
            continue
        try:
            for name, entry in list(entries(piece)):
                sheet.add(name, replace(entry, line=entry.line + line - 1))
        except Unreadable as error:
            sheet.add(key, replace(raw, trouble=error.told(line)))


def pieces(text: str, known: Iterable[str]) -> list[tuple[str, str, int]]:
    """The file cut at lines that start with a known key: key, piece and the number of its first line."""
    keys = "|".join(re.escape(key) for key in known)
    starts = list(re.finditer(rf"^([\"']?)({keys})\1[ \t]*:(?=[ \t\n]|\Z)", text, re.MULTILINE)) if keys else []
    ends = [*(start.start() for start in starts[1:]), len(text)]
    cut, line, at = [], 1, 0
    for start, end in zip(starts, ends, strict=False):  # without any start there is still an end
        line, at = line + text.count("\n", at, start.start()), start.start()
        cut.append((start[2], text[at:end], line))
    return cut


def unquoted(piece: str) -> str:
    """What a piece holds after its key, as it was written, but for indentation and a block's mark."""
    first, _, rest = piece.partition(":")[2].partition("\n")
    head = "" if re.fullmatch(r"[ \t]*[|>][-+0-9]{0,2}[ \t]*", first) else first.strip()
    return f"{head}\n{textwrap.dedent(rest)}".strip()


def entries(text: str) -> Iterator[tuple[str, Entry]]:
    """The entries of a YAML text.

    Raises:
        Unreadable: it is not YAML, is no mapping, or goes beyond what answers need.
    """
    events = bounded(text)
    root = next((event for event in events if not isinstance(event, StreamStartEvent | DocumentStartEvent)), None)
    if root is None or isinstance(root, StreamEndEvent):
        return
    if not isinstance(root, MappingStartEvent):
        if isinstance(root, ScalarEvent) and root.value in NOTHING:
            return
        raise unreadable(f"found {kind_of(root) or 'text'}, expected lines of the form `name: answer`", root)
    for key in events:
        if isinstance(key, CollectionEndEvent):
            break
        if not isinstance(key, ScalarEvent):
            raise unreadable(f"found {kind_of(key)} as a key, expected a name", key)
        yield key.value, value(next(events), events, text, key.start_mark.line + 1)
    for event in events:
        if isinstance(event, DocumentStartEvent):
            raise unreadable("found a second document, expected one", event)


def value(first: Event, events: Iterator[Event], text: str, line: int) -> Entry:
    """The entry that starts with an event; takes the events that belong to it."""
    if isinstance(first, ScalarEvent):
        plain = not first.style
        return Entry("" if plain and first.value in NOTHING else first.value, line=line)
    depth, last = 1, first
    while depth:
        last = next(events)
        depth += isinstance(last, CollectionStartEvent) - isinstance(last, CollectionEndEvent)
    start = first.start_mark
    return Entry(
        textwrap.dedent(" " * start.column + text[start.index : last.end_mark.index]),
        kind_of(first),
        line=line,
    )


def bounded(text: str) -> Iterator[Event]:
    """YAML's events, as long as there are few, not deep, and no aliases."""
    depth = 0
    try:
        for count, event in enumerate(YAML(typ="safe", pure=True).parse(text)):
            depth += isinstance(event, CollectionStartEvent) - isinstance(event, CollectionEndEvent)
            if isinstance(event, AliasEvent):
                raise unreadable("found an alias (*name), expected text; put quotes around it", event)
            if depth > MOST_LEVELS or count > MOST_EVENTS:
                raise unreadable("found more lists and mappings than answers need, expected text", event)
            yield event
    except MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        problem = " ".join(str(error.problem or error.context).split("\n")[0].split())
        hint = "; indent with spaces, not tabs" if "\\t" in problem else ""
        raise Unreadable(short(problem, 120) + hint, *((mark.line + 1, mark.column + 1) if mark else ())) from None
    except ReaderError as error:
        before = text[: error.position]
        column = error.position - (before.rfind("\n") + 1) + 1
        raise Unreadable(
            f"found the character U+{ord(text[error.position]):04X}", before.count("\n") + 1, column
        ) from None
    except (YAMLError, ValueError, RecursionError) as error:
        raise Unreadable(short(str(error).split("\n")[0], 120)) from None


def unreadable(why: str, event: Event) -> Unreadable:
    """The error at an event."""
    return Unreadable(why, event.start_mark.line + 1, event.start_mark.column + 1)


def kind_of(event: Event) -> str:
    """What an event starts, if not text."""
    if isinstance(event, CollectionStartEvent):
        return "a mapping" if isinstance(event, MappingStartEvent) else "a list"
    return ""
