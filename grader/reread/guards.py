"""Guards: what is odd about the form of a written answer. They look at no content, and change no mark.

They are for the eyes of a person whose own mark is in, never before. Each looks for one thing that a tired reader
takes for an answer. On answers that were graded correct they are quiet: `docs/second-reader.md` says how quiet.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import pairwise
from typing import Final

from grader.reread.words import Word, is_negation, percent, sentences, words

# How much has to be there for a guard to speak. A share is of the answer's words where nothing else is said.
COPIED_RUN: Final = 12  # words in a row that are the expected answer's
COPIED_SHARE: Final = 0.6
SHORTEST_COPIED: Final = 4  # shorter runs are how anybody says it
ECHOED_SHARE: Final = 0.65
SHORTEST_ECHO: Final = 4
SHUFFLED_WORDS: Final = 12
SHUFFLED_SHARE: Final = 0.8  # of telling words that are the expected answer's
SHUFFLED_PAIRS: Final = 0.15  # of neighbouring words that are neighbours there, too
LIST_WORDS: Final = 6
LIST_GRAMMAR: Final = 0.1
LIST_PIECE: Final = 3  # words between two commas or line breaks, at most and on average
LIST_PROSE: Final = 0.7  # of words in plain letters; below it, the answer is a calculation, or not in English
SHORT_WORDS: Final = 5
SHORT_CHARACTERS: Final = 30
SHORT_SHARE: Final = 0.25  # of the expected answer's words
NEGATED_OVERLAP: Final = 0.7  # of the stems of the shorter sentence; of the longer one, half as many
NEGATED_WORDS: Final = 3


PIECES: Final = re.compile(r"[,;:/|•·\n]|\s[-–]\s")


@dataclass(frozen=True)
class Guard:
    """One odd thing about an answer.

    Attributes:
        id: which guard spoke.
        reason: why, in a sentence.
        start: where in the answer, in characters; `end` is where it stops.
        alarm: whether it counts. A note is shown after all alarms and is never one by itself.
    """

    id: str
    reason: str
    start: int
    end: int
    alarm: bool = True


def guards(answer: str, expected: str, prompt: str) -> list[Guard]:
    """The guards that speak of an answer: alarms first, the note on negation last.

    Args:
        answer: what was written. An empty one has nothing odd about it.
        expected: the spec's expected answer.
        prompt: what was asked.
    """
    said, wanted, asked = words(answer), words(expected), words(prompt)
    if not said:
        return []
    found = [
        *_copied(said, wanted),
        *_echoed(said, asked, wanted),
        *_shuffled(said, wanted),
        *_listed(answer, said, wanted, asked),
        *_too_short(answer, said, wanted),
    ]
    return [*found, *_negated(answer, expected)]


def _copied(said: Sequence[Word], wanted: Sequence[Word]) -> Iterator[Guard]:
    runs = _runs(said, wanted, SHORTEST_COPIED)
    longest = max((length for _, length in runs), default=0)
    share = sum(length for _, length in runs) / len(said)
    if longest >= COPIED_RUN and share >= COPIED_SHARE:
        start = next(at for at, length in runs if length == longest)
        reason = f"{percent(share)} of it is word for word the expected answer, at most {longest} words in a row."
        yield Guard("copied-reference", reason, said[start].start, said[start + longest - 1].end)


def _echoed(said: Sequence[Word], asked: Sequence[Word], wanted: Sequence[Word]) -> Iterator[Guard]:
    runs = _runs(said, asked, 3)
    share = sum(length for _, length in runs) / len(said)
    if len(said) < SHORTEST_ECHO or share < ECHOED_SHARE:
        return
    question = {word.stem for word in asked}
    new = {word.stem for word in said if word.tells} - question
    if not new & {word.stem for word in wanted}:
        start, (last, length) = runs[0][0], runs[-1]
        reason = f"{percent(share)} of it repeats the question, and the rest has no word of the expected answer."
        yield Guard("question-echoed", reason, said[start].start, said[last + length - 1].end)


def _shuffled(said: Sequence[Word], wanted: Sequence[Word]) -> Iterator[Guard]:
    known = {word.stem for word in wanted if word.tells}
    telling = [word for word in said if word.tells]
    if len(said) < SHUFFLED_WORDS or not telling:
        return
    share = sum(word.stem in known for word in telling) / len(telling)
    pairs = set(_pairs(wanted))
    kept = sum(pair in pairs for pair in _pairs(said)) / (len(said) - 1)
    if share >= SHUFFLED_SHARE and kept <= SHUFFLED_PAIRS:
        reason = (
            f"{percent(share)} of its telling words are the expected answer's, but {percent(kept)} of its neighbouring "
            "words stand together there."
        )
        yield Guard("shuffled-words", reason, said[0].start, said[-1].end)


def _listed(answer: str, said: Sequence[Word], wanted: Sequence[Word], asked: Sequence[Word]) -> Iterator[Guard]:
    grammar = sum(not word.tells for word in said) / len(said)
    prose = sum(word.text.isalpha() and word.text.isascii() for word in said) / len(said)
    pieces = sum(bool(words(piece)) for piece in PIECES.split(answer))
    # Another language has no English grammar either, but neither is it in short pieces or in the question's own words.
    known = {word.stem for word in (*wanted, *asked)}
    familiar = sum(word.stem in known for word in said) / len(said)
    if len(said) < LIST_WORDS or grammar >= LIST_GRAMMAR or prose < LIST_PROSE:
        return
    if len(said) <= LIST_PIECE * pieces or familiar >= 0.5:
        joined = sum(not word.tells for word in said)
        reason = f"{len(said)} words, {joined or 'none'} of which joins others: keywords rather than sentences."
        yield Guard("keyword-list", reason, said[0].start, said[-1].end)


def _too_short(answer: str, said: Sequence[Word], wanted: Sequence[Word]) -> Iterator[Guard]:
    if len(said) >= SHORT_WORDS or len(answer.strip()) >= SHORT_CHARACTERS or len(said) >= SHORT_SHARE * len(wanted):
        return
    reason = f"{len(said)} word{'s' * (len(said) > 1)}, where the expected answer has {len(wanted)}."
    yield Guard("too-short", reason, said[0].start, said[-1].end)


def _negated(answer: str, expected: str) -> Iterator[Guard]:
    """A sentence in the words of one of the expected answer, but for a negation that only one of them has."""
    statements = [each for each in _statements(expected) if len(each.stems) >= NEGATED_WORDS]
    for one in _statements(answer):
        near = max(statements, key=lambda other: _overlap(one.stems, other.stems), default=None)
        if near is None or len(one.stems) < NEGATED_WORDS or one.negated == near.negated:
            continue
        if _overlap(one.stems, near.stems) >= NEGATED_OVERLAP:
            turned = "with a negation that is not there" if one.negated else "without the negation that is there"
            reason = f"In the words of a sentence of the expected answer, but {turned}."
            yield Guard("negation", reason, one.start, one.end, alarm=False)
            return


@dataclass(frozen=True)
class _Statement:
    """A sentence: where it is, the stems that tell, and whether it is negated (twice is not)."""

    start: int
    end: int
    stems: frozenset[str]
    negated: bool


def _statements(text: str) -> Iterator[_Statement]:
    for start, end in sentences(text):
        said = words(text[start:end])
        stems = frozenset(word.stem for word in said if word.tells)
        yield _Statement(start, end, stems, sum(is_negation(word.text) for word in said) % 2 == 1)


def _overlap(some: frozenset[str], others: frozenset[str]) -> float:
    """The share of stems that both have: of the shorter one's, or twice the longer one's if that is less."""
    shorter, longer = sorted((len(some), len(others)))
    both = len(some & others)
    return min(both / max(shorter, 1), 2 * both / max(longer, 1))


def _pairs(said: Sequence[Word]) -> list[tuple[str, str]]:
    return [(one.stem, other.stem) for one, other in pairwise(said)]


def _runs(said: Sequence[Word], others: Sequence[Word], shortest: int) -> list[tuple[int, int]]:
    """Where runs of words are that both have in the same order, with their lengths; in the order of the answer."""
    matcher = SequenceMatcher(None, [word.text for word in said], [word.text for word in others], autojunk=False)
    return [(block.a, block.size) for block in matcher.get_matching_blocks() if block.size >= shortest]
