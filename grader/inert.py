"""Making text that came from a stranger safe to show.

Names, messages, printed text and answers are chosen by whoever sent the submission. Shown as they are, they
can move a terminal's cursor, set its title, hide words or turn their order round. Here every character that
is not plainly visible becomes an escape that is, such as `\\x1b` or `\\u202e`. The escapes are for reading,
not for decoding: a stranger can type one just as well.
"""

import json
import re
import unicodedata
from collections.abc import Iterable
from typing import Final

# Letters, symbols and marks by their category, yet drawn as nothing: fillers and variation selectors.
INVISIBLE: Final = frozenset(
    map(chr, (0x34F, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x2800, 0x3164, 0xFFA0, *range(0xFE00, 0xFE10)))
) | frozenset(map(chr, range(0xE0100, 0xE01F0)))
NAMED: Final = {"\n": r"\n", "\r": r"\r", "\t": r"\t"}
ODD: Final = re.compile(r"[^ -~]")  # most text is plain ASCII, and only the rest needs a look, character by character


def line(text: str, limit: int | None = None) -> str:
    """The text on one line, cut off after `limit` characters with a note of how many more there are."""
    shown = ODD.sub(lambda odd: _visible(odd[0]), text)
    if limit is None or len(shown) <= limit:
        return shown
    return f"{shown[:limit]}… ({len(shown) - limit:,} more characters)"


def text(words: str) -> str:
    """The text with its line breaks kept, however they were written; a tab becomes four spaces."""
    unified = words.replace("\r\n", "\n").replace("\t", "    ")
    return "\n".join(map(line, unified.split("\n")))


def short(text: str, most: int) -> str:
    """The text on one line, at most `most` characters of it; an ellipsis stands for the rest."""
    return line(text if len(text) <= most else f"{text[: most - 1]}…")


def listed(names: Iterable[str], most: int = 8) -> str:
    """A few names in one phrase: `a, b and 3 more`."""
    every = [short(name, 60) for name in names]
    rest = len(every) - most
    return f"{', '.join(every[:most])} and {rest} more" if rest > 0 else ", ".join(every)


def json_text(document: str) -> str:
    """A JSON document with every invisible character in its strings escaped; it still says exactly the same.

    Lone surrogates are escaped too, so that the document can be written as UTF-8.
    """
    return ODD.sub(lambda odd: _json_visible(odd[0]), document)


def _is_visible(character: str) -> bool:
    return character.isprintable() and character not in INVISIBLE


def _is_space(character: str) -> bool:
    """Whether it is a space of honest prose: plain, wide, narrow or unbreakable, and no line separator."""
    return unicodedata.category(character) == "Zs"


def _visible(character: str) -> str:
    if _is_visible(character):
        return character
    return " " if _is_space(character) else NAMED.get(character) or _escape(ord(character))


def _escape(code: int) -> str:
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def _json_visible(character: str) -> str:
    plain = character == "\n" or _is_visible(character) or _is_space(character)
    return character if plain else json.dumps(character)[1:-1]
