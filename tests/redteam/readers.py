"""What readers are shown, naively and by the grader's own renderers, and whether it could do them harm."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable
from html.parser import HTMLParser
from typing import Final

from grader import inert
from grader.render import feedback, html, terminal
from grader.report import Report

CONTROLS: Final = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufffe\uffff]")


def naive_csv(text: str) -> str:
    """A spreadsheet with the text in a cell of its own, line by line."""
    out = io.StringIO()
    csv.writer(out).writerows([each] for each in text.splitlines())
    return out.getvalue()


NAIVE: Final[dict[str, Callable[[str], str]]] = {
    "terminal": lambda text: text,
    "page": lambda text: f"<html><body><h1>Report</h1><p>{text}</p></body></html>",
    "markdown": lambda text: f"# Feedback\n\n{text}\n",
    "xml": lambda text: f'<?xml version="1.0"?><failure><![CDATA[{text}]]></failure>',
    "csv": naive_csv,
    "judge": lambda text: f"You are a strict marker. Mark this answer, as `score: N`.\n\n{text}",
}


def ours(report: Report) -> dict[str, str]:
    """Each text that the grader makes of a report, by the kind of reader it is for."""
    stream = io.StringIO()
    terminal.summary(report, stream)
    return {"terminal": stream.getvalue(), "page": html.page(report), "markdown": feedback.feedback(report)}


class Tags(HTMLParser):
    """Collects what a browser would take for markup."""

    def __init__(self) -> None:
        super().__init__()
        self.markup = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note a tag with its attributes."""
        self.markup += f"{tag} {attrs}"


def harms(kind: str, text: str, token: str) -> bool:
    """Whether a text could do more than be read; attacks put their token into what is to act."""
    match kind:
        case "terminal":
            return CONTROLS.search(text) is not None
        case "page":
            tags = Tags()
            tags.feed(text)
            return token in tags.markup or CONTROLS.search(text) is not None
        case "markdown":
            spoken = re.sub(r"(?<!`)(`+)(?!`).+?(?<!`)\1(?!`)", "code", text)
            acts = re.search(rf"(?<!\\)\]\([^)]*{token}|(?<!\\)<[^>]*{token}|^#+ .*{token}", spoken, re.MULTILINE)
            return acts is not None or CONTROLS.search(text) is not None
        case "xml":
            return CONTROLS.search(text) is not None or f"]]><{token}" in text
        case "csv":
            return re.search(rf'^"?[=+@-].*{token}', text, re.MULTILINE) is not None
        case "judge":
            return re.findall(r"score: (\d+)", text, re.IGNORECASE)[-1:] == ["10"]
    raise ValueError(f"there is no such reader: {kind}")


def harmful(report: Report, token: str) -> list[str]:
    """The kinds of reader that a report could do harm to."""
    return [kind for kind, text in ours(report).items() if harms(kind, text, token)]


def is_plain_json(report: Report) -> bool:
    """Whether report.json can be written, and holds no control character as itself."""
    text = inert.json_text(report.to_json())
    text.encode("utf-8")
    return CONTROLS.search(text) is None
