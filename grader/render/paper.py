"""Paragraphs on a terminal or in a pipe: indented, and wrapped only where a person watches."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, TextIO

if TYPE_CHECKING:
    from rich.text import Text

Part = str | tuple[str, str]  # text, or text and its style

WIDEST: Final = 110  # a longer line is hard to read on any screen


class Paper:
    """What is put here is kept as text, with its colours, until `deliver` hands it to the stream.

    Args:
        stream: where to. Colours are used if it is a terminal and NO_COLOR is not set.
        width: the columns to wrap at; by default a terminal's own, and no wrapping elsewhere.
    """

    def __init__(self, stream: TextIO, width: int | None = None) -> None:
        from rich.console import Console

        self.stream = stream
        self.console = Console(file=stream, width=width, highlight=False, markup=False, emoji=False)
        self.width = min(self.console.width, WIDEST) if width or stream.isatty() else None
        self.console.begin_capture()

    def put(self, *parts: Part, lead: tuple[Part, ...] = (), indent: int = 0) -> None:
        """Add a paragraph, `indent` columns in; `lead` stands before it, and its lines line up after that."""
        from rich.text import Text

        # Text never reads its content as markup: `[red]` in a message stays a word in brackets.
        before = Text(" " * indent).append_text(Text.assemble(*lead))
        for line in self._broken(Text.assemble(*parts), before.cell_len):
            self.console.print(before + line, soft_wrap=True)
            before = Text(" " * before.cell_len)

    def heading(self, words: str) -> None:
        """Add a heading, with a blank line before it."""
        self.put()
        self.put((words, "bold"))

    def items(self, heading: str, entries: list[str]) -> None:
        """Add a heading and a list below it; nothing if the list is empty."""
        if entries:
            self.heading(heading)
        for entry in entries:
            self.put(entry, lead=("- ",), indent=2)

    def deliver(self) -> None:
        """Write everything to the stream. What its encoding lacks is shown as an escape and is no error."""
        encoding = self.stream.encoding or "utf-8"
        self.stream.write(self.console.end_capture().encode(encoding, "backslashreplace").decode(encoding))

    def _broken(self, paragraph: Text, margin: int) -> list[Text]:
        whole = list(paragraph.split("\n", allow_blank=True)) or [paragraph]
        if self.width is None:
            return whole
        room = max(self.width - margin, 20)
        broken = [line for each in whole for line in each.wrap(self.console, room, overflow="fold") or [each]]
        for line in broken:
            line.rstrip()
        return broken
