"""The loop of marking: draws, waits for keys, saves. The terminal is as it was before, however this ends.

Keys are read raw for as long as the loop runs, so that what is typed ahead is not echoed or lost. Each mark is on the
disk before the next answer is shown, and each draft after every key.
"""

from __future__ import annotations

import codecs
import os
import re
import select
import shutil
import signal
import termios
import tty
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import replace
from types import FrameType
from typing import Final, TextIO

from rich.console import Console, Group

from grader.errors import CallError
from grader.marks import drafts, screen
from grader.marks.book import Marks
from grader.marks.saving import Draft
from grader.marks.session import Session, press
from grader.marks.work import Item, Key

ENTER: Final = "\x1b[?1049h\x1b[?25l\x1b[?2004l"  # the other screen, no cursor, pasted text without marks
LEAVE: Final = "\x1b[?25h\x1b[?1049l"
HOME: Final = "\x1b[H"
CLEAR_LINE: Final = "\x1b[K"
CLEAR_BELOW: Final = "\x1b[J"
ESCAPE_SECONDS: Final = 0.05
NAMES: Final = {
    "\r": "enter",
    "\n": "enter",
    "\x7f": "backspace",
    "\x08": "backspace",
    "\x15": "clear",
    "\x03": "stop",
    "\x04": "end",
    "\x1b": "escape",
    "\x1b[A": "up",
    "\x1b[B": "down",
    "\x1bOA": "up",
    "\x1bOB": "down",
    "\x1b[5~": "page-up",
    "\x1b[6~": "page-down",
}
KEY: Final = re.compile(r"\x1b(?:\[[0-9;?]*[@-~]|O[@-~])?|[\s\S]")


def keys(typed: str) -> list[str]:
    """The keys in what a terminal sent; other control characters are left out."""
    found = [NAMES.get(key, key) for key in KEY.findall(typed)]
    return [key for key in found if key in NAMES.values() or (len(key) == 1 and key.isprintable())]


def run(session: Session, marks: Marks, source: TextIO, stream: TextIO) -> Session:
    """Let a person mark until they leave.

    Raises:
        CallError: `source` or `stream` is no terminal.
    """
    if not (source.isatty() and stream.isatty()):
        raise CallError(
            "marking needs a terminal", found="a pipe or a file", next_step="For a script, use --from marks.yaml."
        )
    path = drafts.path_of(marks.ledger.path.parent, session.actor)
    session = replace(session, drafts={**drafts.read(path, session.items)})
    with _raw(source.fileno()) as descriptor, _shown(stream), _resized() as resized:
        show(session, stream)
        for key in _typed(descriptor, resized):
            if key != "resized":
                before = session.drafts
                session = _within(step(session, key, marks), stream)
                if session.drafts != before:
                    changed = _changed(session, before)
                    kept = {item.key: session.drafts[item.key] for item in changed if item.key in session.drafts}
                    drafts.write(path, changed, kept)
            if session.over:
                break
            show(session, stream)
    return session


def step(session: Session, key: str, marks: Marks) -> Session:
    """What a key does, with what it saves on the disk."""
    session, mark = press(session, key)
    if mark is None:
        return session
    marked: Key = (mark.code, mark.answer)
    try:
        marks.add(mark)
    except CallError as error:
        # They may have marked it in another window meanwhile, which changes what is asked of them here.
        own, seen = dict(session.own), dict(session.seen)
        if there := marks.own(session.actor, *marked):
            own[marked], seen[marked] = there, tuple(marks.visible_to(session.actor, *marked))
        return replace(session, own=own, seen=seen, message=str(error))
    kept = marks.own(session.actor, *marked)
    assert kept
    return session.kept(kept, tuple(marks.visible_to(session.actor, *marked)))


def _changed(session: Session, before: Mapping[Key, Draft]) -> list[Item]:
    """The answers whose drafts differ: another window may have changed those of the rest."""
    return [item for item in session.items if session.drafts.get(item.key) != before.get(item.key)]


def show(session: Session, stream: TextIO) -> None:
    """Draw the screen, over the one that is there."""
    width, height = _size(stream)
    console = Console(file=stream, width=width, highlight=False, markup=False, emoji=False)
    with console.capture() as drawn:
        console.print(Group(*screen.draw(session, width - 1, height)), end="", soft_wrap=True)
    text = drawn.get().rstrip("\n").replace("\n", f"{CLEAR_LINE}\r\n")
    encoding = stream.encoding or "utf-8"
    stream.write(HOME + text.encode(encoding, "backslashreplace").decode(encoding) + CLEAR_LINE + CLEAR_BELOW)
    stream.flush()


def _within(session: Session, stream: TextIO) -> Session:
    """The session, scrolled no further down than there is text."""
    width, height = _size(stream)
    lowest = screen.lowest(session, width - 1, height)
    return replace(session, scroll=lowest) if session.scroll > lowest else session


def _size(stream: TextIO) -> tuple[int, int]:
    try:
        size = os.get_terminal_size(stream.fileno())
    except OSError:
        size = shutil.get_terminal_size()
    return size.columns or 80, size.lines or 24


def _typed(descriptor: int, resized: int) -> Iterator[str]:
    """Keys as they come; `resized` where the terminal has another size, and `end` where it is gone."""
    decoder = codecs.getincrementaldecoder("utf-8")("replace")
    while True:
        ready, _, _ = select.select([descriptor, resized], [], [])
        if resized in ready:
            os.read(resized, 1024)
            yield "resized"
        if descriptor in ready:
            try:
                sent = os.read(descriptor, 4096)
            except OSError:  # the other side of the terminal has closed
                sent = b""
            if sent.endswith(b"\x1b") and select.select([descriptor], [], [], ESCAPE_SECONDS)[0]:
                sent += os.read(descriptor, 4096)  # it was the beginning of an arrow, and not the key
            yield from keys(decoder.decode(sent)) if sent else ["end"]


@contextmanager
def _raw(descriptor: int) -> Iterator[int]:
    before = termios.tcgetattr(descriptor)
    tty.setraw(descriptor, termios.TCSADRAIN)  # what was typed ahead stays
    try:
        yield descriptor
    finally:
        with suppress(termios.error):  # the terminal is gone, and there is nothing to put back
            termios.tcsetattr(descriptor, termios.TCSADRAIN, before)


@contextmanager
def _shown(stream: TextIO) -> Iterator[None]:
    stream.write(ENTER)
    try:
        yield
    finally:
        with suppress(OSError):  # as above
            stream.write(LEAVE)
            stream.flush()


@contextmanager
def _resized() -> Iterator[int]:
    """A descriptor that can be read when the terminal changes its size. SIGTERM and SIGHUP end the loop in order."""
    reader, writer = os.pipe()
    os.set_blocking(writer, False)

    def leave(number: int, frame: FrameType | None) -> None:
        del frame
        raise SystemExit(128 + number)

    before = {
        signal.SIGWINCH: signal.signal(signal.SIGWINCH, lambda *_: None),
        signal.SIGTERM: signal.signal(signal.SIGTERM, leave),
        signal.SIGHUP: signal.signal(signal.SIGHUP, leave),
    }
    woken = signal.set_wakeup_fd(writer, warn_on_full_buffer=False)
    try:
        yield reader
    finally:
        signal.set_wakeup_fd(woken)
        for number, handler in before.items():
            signal.signal(number, handler)
        os.close(reader)
        os.close(writer)
