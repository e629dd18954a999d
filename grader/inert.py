"""Text that a stranger wrote, made harmless to show: names of files, keys, answers.

Control characters can repaint a terminal, bidirectional ones can reorder what a person reads, and lone
surrogates and noncharacters can't be written as UTF-8 or XML. Each becomes its backslash escape, as `repr`
would show it.
"""

import re
from collections.abc import Iterable
from typing import Final

BIDIRECTIONAL: Final = "\u202a-\u202e\u2066-\u2069"
UNSAFE: Final = re.compile(
    rf"[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028\u2029{BIDIRECTIONAL}\ud800-\udfff\ufeff\ufffe\uffff]"
)


def inert(text: str, keep: str = "", most: int | None = None) -> str:
    """The text with every unsafe character escaped.

    Args:
        text: what a stranger wrote.
        keep: characters that stay as they are, such as a newline in a long answer.
        most: how many characters of the text are shown; an ellipsis stands for the rest.
    """
    shown = text if most is None or len(text) <= most else f"{text[: most - 1]}…"
    return UNSAFE.sub(lambda found: found[0] if found[0] in keep else _escaped(found[0]), shown)


def _escaped(character: str) -> str:
    return character.encode("unicode_escape").decode("ascii")


def listed(names: Iterable[str], most: int = 8) -> str:
    """A few names in one phrase: `a, b and 3 more`."""
    every = [inert(name, most=60) for name in names]
    rest = len(every) - most
    return f"{', '.join(every[:most])} and {rest} more" if rest > 0 else ", ".join(every)
