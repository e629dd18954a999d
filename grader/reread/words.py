"""Words, sentences and their places in a text: what guards and the second reader see of an answer."""

from __future__ import annotations

import functools
import re
from typing import Final, NamedTuple

WORD: Final = re.compile(r"[^\W_]+(?:['’][^\W_]+)?")
# A sentence ends at a stop before a space, at a line break, or with the text. `0.5` and `x.shape` hold no end.
SENTENCE: Final = re.compile(r"\S.*?(?:[.!?;](?=\s)|(?=\n)|$)", re.DOTALL | re.MULTILINE)

_NEGATIONS: Final = """
no not never none nor neither nothing without cannot isn't aren't wasn't weren't don't doesn't didn't can't couldn't
won't wouldn't shouldn't hasn't haven't hadn't isnt arent dont doesnt cant wont
"""
_GRAMMAR: Final = """
a an the this that these those it its they them their there which who what when where how why whether one
of to in on at by for with from as into than over under between through during per about
and or but so if then because since while though although also only just both each every any all some other
is are was were be been being has have had do does did can could will would shall should may might must
i you we he she my your our his her me us
"""
NEGATIONS: Final = frozenset(_NEGATIONS.split())
FUNCTION: Final = NEGATIONS | frozenset(_GRAMMAR.split())  # they join a sentence and say nothing by themselves
ENDINGS: Final = ("ing", "ed", "es", "ly", "s")
SHORTEST_STEM: Final = 4


class Word(NamedTuple):
    """A word: as compared (lower case, straight apostrophe), and where it is in its text."""

    text: str
    start: int
    end: int

    @property
    def stem(self) -> str:
        """The word without a common English ending."""
        return stem(self.text)

    @property
    def tells(self) -> bool:
        """Whether it carries content, not just grammar."""
        return self.text not in FUNCTION


@functools.lru_cache(maxsize=256)
def words(text: str) -> tuple[Word, ...]:
    """The words of a text, in order."""
    return tuple(Word(found[0].lower().replace("’", "'"), found.start(), found.end()) for found in WORD.finditer(text))


def sentences(text: str) -> list[tuple[int, int]]:
    """Where each sentence of a text starts and ends; a line of a list counts as one."""
    return [(found.start(), found.end()) for found in SENTENCE.finditer(text)]


@functools.lru_cache(maxsize=1 << 16)
def stem(word: str) -> str:
    """A word without a common English ending, so that `rotate`, `rotated` and `rotates` are one."""
    ending = next((each for each in ENDINGS if word.endswith(each) and len(word) - len(each) >= SHORTEST_STEM), "")
    bare = word.removesuffix(ending)
    return bare.removesuffix("e") if len(bare) > SHORTEST_STEM else bare


def is_negation(word: str) -> bool:
    """Whether the word turns a statement round."""
    return word in NEGATIONS


def percent(share: float) -> str:
    """A share in words: `78 %`."""
    return f"{100 * share:.0f} %"
