"""Markdown that shows a stranger's words as words: no link, no picture, no HTML, no list that they began."""

import re
from typing import Final

from grader import inert

WORD: Final = re.compile(r"([(\"'“‘]*)(.*?)([)\"'”’,.;:!?]*)")
# What some readers turn into a link by themselves: addresses, schemes, and file names, which look like hosts.
LINKED: Final = re.compile(r"@|:\S|//|\w\.\w")
# An underscore inside a word and stars between spaces mean nothing to Markdown, and read better as they are.
SPECIAL: Final = re.compile(r"[\\`\[\]<>|~&$#!{}]|(?<![^\W_])_|_(?![^\W_])")
STARS: Final = re.compile(r"(?<!\S)\*+(?!\S)|(\*)")
OPENING: Final = re.compile(r"([-+=*]|\d+(?=[.)]))")  # a bullet, a heading's underline; a number in a list


def prose(text: str, limit: int | None = None) -> str:
    """The text on one line of Markdown. Words that could turn into links become code."""
    words = inert.line(text, limit).strip().split(" ")
    line = " ".join(map(_word, words))
    if opening := OPENING.match(line):
        # A backslash before a letter or digit is shown, so a number has its full stop escaped instead.
        at = opening.end() if opening[0].isdigit() else 0
        line = f"{line[:at]}\\{line[at:]}"
    return line


def code(text: str, limit: int | None = None) -> str:
    """The text as code on one line."""
    shown = inert.line(text, limit)
    if not shown.strip():
        return "(empty)"
    fence = "`" * (_longest_run(shown) + 1)
    # Markdown takes this space off again; without it a backtick at either end would belong to the fence.
    pad = " " if {shown[0], shown[-1]} & {" ", "`"} else ""
    return f"{fence}{pad}{shown}{pad}{fence}"


def block(text: str) -> str:
    """A paragraph if the text is one line; otherwise a block of code that keeps its lines."""
    shown = inert.text(text).strip("\n")
    if "\n" not in shown:
        return prose(shown)
    fence = "`" * max(_longest_run(shown) + 1, 3)
    return f"{fence}\n{shown}\n{fence}"


def _word(word: str) -> str:
    match = WORD.fullmatch(word)
    assert match is not None, "every part of the pattern may be empty"
    before, core, after = match.groups()
    if LINKED.search(core):
        return _escaped(before) + code(core) + _escaped(after)
    return _escaped(word)


def _escaped(word: str) -> str:
    return STARS.sub(lambda stars: r"\*" if stars[1] else stars[0], SPECIAL.sub(r"\\\g<0>", word))


def _longest_run(text: str) -> int:
    return max(map(len, re.findall("`+", text)), default=0)
