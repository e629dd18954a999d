"""Pages as a reader of HTML sees them, for tests."""

from __future__ import annotations

from html.parser import HTMLParser
from typing import Final


class Tree(HTMLParser):
    """Reads a page, and holds what must balance, what must not be there, and the words that are shown."""

    VOID: Final = ("meta", "rect", "line", "link", "img", "br", "hr", "input")

    def __init__(self, source: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.shown: list[str] = []
        self.feed(source)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += attrs
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += attrs

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open[-1:] != ["style"]:
            self.shown.append(data)

    @property
    def text(self) -> str:
        """All words that are shown, spaces put together."""
        return " ".join("".join(self.shown).split())
