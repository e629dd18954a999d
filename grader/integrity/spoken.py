"""The words and letters of a text: whom it speaks to, and what nobody can see in it."""

from __future__ import annotations

import builtins
import io
import re
import tokenize
import unicodedata
from collections.abc import Iterable, Iterator
from contextlib import suppress
from itertools import islice
from typing import Final

from grader.inert import INVISIBLE

MOST_TOKENS: Final = 60_000

GAP: Final = r"[\W_]{1,12}"
SPOKEN: Final = (
    *(
        re.compile(words.replace(" ", GAP).replace("WORD", r"[^\W_]{1,20}"), re.IGNORECASE)
        for words in (
            r"\b(?:ignore|disregard|forget|override)(?: (?:all|any|the|your|my|of|these|those)){0,3}"
            r" (?:(?:previous|prior|above|earlier|preceding) (?:instruction|prompt|rule|rubric|message)s?"
            r"|rubric|instructions)\b",
            r"\b(?:give|award|grant|assign|deserves?)(?: WORD){0,5}"
            r" (?:(?:full|maximum|max|top|all) (?:marks?|points?|credits?)|(?:full|perfect) (?:score|grade))\b",
            r"\bas an (?:AI|LLM)(?: (?:language|large|model|assistant|grader|judge|reviewer)\b|,)",
            r"\b(?:final|overall) (?:score|grade|mark)\W{1,4}\d{1,3}\s{0,2}(?:/|%|out of)",
            r"\b(?:note|message|instructions?) (?:to|for)(?: WORD){0,3} (?:model|LLM|AI|assistant)\b",
            r"\byou are (?:now )?(?:an?|the)(?: WORD){0,3} (?:grader|judge|evaluator|examiner)\b",
            r"\b(?:mark|grade|score|rate|treat|accept) this (?:submission|solution|answer|candidate|file|code)"
            r"(?: WORD){0,3} (?:correct|passed|passing|perfect|full|right)\b",
            r"\b(?:end|begin|start) of (?:the )?(?:candidate|submission|rubric)\b",
            r"\b(?:system|grading) (?:note|message|override|policy) (?:to|update|from)\b",
            r"\bstrong hire\b",
        )
    ),
    re.compile(
        r"</?(?:system|candidate|submission|rubric|instructions?)>|<\|im_(?:start|end)\|>|\[/?INST\]"
        r"|[\"'](?:score|verdict)[\"']\s{0,3}:\s{0,3}[\"']?(?:\d|pass|strong)",
        re.IGNORECASE,
    ),
)
INVISIBLE_TEXT: Final = re.compile("[\u00ad\u200b\u200e\u200f\u2060-\u2064\ufeff\U000e0000-\U000e007f]")
LOOKALIKES: Final = frozenset("ΑΒΕΖΗΙΚΜΝΟΡΤΥΧο")  # Greek letters drawn as Latin ones; Δt and θ are honest
LIKE_LATIN: Final = {"CYRILLIC", "ARMENIAN", "CHEROKEE", "COPTIC", "LISU"}  # scripts with many such letters


def tokens(source: str) -> list[tokenize.TokenInfo]:
    """The first `MOST_TOKENS` tokens of a text."""
    found: list[tokenize.TokenInfo] = []
    with suppress(tokenize.TokenError, SyntaxError):  # what was read before is worth reading
        found.extend(islice(tokenize.generate_tokens(io.StringIO(source).readline), MOST_TOKENS))
    return found


def comments(tokens: Iterable[tokenize.TokenInfo]) -> Iterator[tuple[int, str]]:
    """Runs of comments on successive lines, each as one text with its first line."""
    start = 0
    block: list[str] = []
    for token in tokens:
        if token.type == tokenize.COMMENT:
            if block and token.start[0] != start + len(block):
                yield start, "\n".join(block)
                block = []
            start = start if block else token.start[0]
            block.append(token.string)
    if block:
        yield start, "\n".join(block)


def quoted(words: str) -> str:
    """What was found, on one line and in quotation marks; an invisible character by its number."""
    return f"“{' '.join(words.split())}”" if words.isprintable() or len(words) > 1 else f"U+{ord(words):04X}"


def is_disguised(name: str, plain: str) -> bool:
    """Whether an identifier looks like another.

    Args:
        name: as it is written.
        plain: as Python reads it, compatibility characters replaced.
    """
    read_as_builtin = plain.isascii() and hasattr(builtins, plain)
    return read_as_builtin or bool(INVISIBLE & set(name)) or any(map(is_mixed, re.split(r"[_\d]+", plain)))


def is_mixed(word: str) -> bool:
    """Whether a word has Latin letters, and others that look like Latin ones."""
    scripts = {unicodedata.name(letter, "").partition(" ")[0] for letter in word}
    return "LATIN" in scripts and bool(scripts & LIKE_LATIN or LOOKALIKES & set(word))
