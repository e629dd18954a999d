"""Why a grade is worth another look, in sentences that can be checked against the answers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Final

from grader.reread.signals import SIGNALS, Ranks, Readings, Vector, closest
from grader.reread.words import percent
from grader.rubric.levels import Level

MOST: Final = 3
NUMBERS: Final = ("none", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
MUCH: Final = 0.75  # of the other answers that one has to be beyond, to be called longer, shorter, liker

NOTHING: Final = "Little speaks against it; it is here because a tenth is always named."

Tell = Callable[[int, Readings, Ranks], str]


def told(at: int, parts: Vector, readings: Readings, ranks: Ranks) -> tuple[str, ...]:
    """The reasons for one answer, the weightiest first; what the closest got is one of them unless most agree with it.

    Args:
        at: which answer.
        parts: what each signal adds to the suspicion against it, (len(SIGNALS),).
        readings: what was read off all answers.
        ranks: the rank of each one's level.
    """
    order = sorted(range(len(SIGNALS)), key=lambda signal: -round(float(parts[signal]), 6))
    found = [TELLS[SIGNALS[signal]](at, readings, ranks) for signal in order if parts[signal] > 0]
    distinct = [sentence for sentence in dict.fromkeys(found) if sentence][:MOST]
    near = neighbours(at, readings, ranks)
    if near and near not in distinct:
        distinct = [*distinct[: MOST - 1], near]
    return tuple(distinct or [NOTHING])


def neighbours(at: int, readings: Readings, ranks: Ranks) -> str:
    """What the answers that are most like it got; empty where most got the same as it."""
    near = closest(readings.alike)[at]
    counts = Counter(int(ranks[other]) for other in near)
    if 2 * counts[int(ranks[at])] > len(near):
        return ""
    got = [f"{number(count)} got {level(rank)}" for rank, count in sorted(counts.items(), key=lambda each: -each[1])]
    return f"Of the {number(len(near))} answers closest to this one, {joined(got)}; this one got {level(ranks[at])}."


def _shape(at: int, readings: Readings, ranks: Ranks) -> str:
    """How alike it is to the expected answer, where that does not go with its level."""
    return _against(readings.reference, at, ranks, ("Less like", "More like"), " the expected answer than")


def _length(at: int, readings: Readings, ranks: Ranks) -> str:
    return _against(readings.length, at, ranks, ("Shorter", "Longer"), " than")


def _rare(at: int, readings: Readings, ranks: Ranks) -> str:
    del readings
    same = int((ranks == ranks[at]).sum()) - 1
    if same * 4 > len(ranks):
        return ""
    return f"{number(same).capitalize()} of the other {len(ranks) - 1} answers got {level(ranks[at])}."


def _negation(at: int, readings: Readings, ranks: Ranks) -> str:
    share = _beyond(readings.negation, at)
    if share < MUCH or ranks[at] <= _mean_of_others(ranks, at):
        return ""
    return f"Has more negations than {percent(share)} of the others, and graded above their mean."


def _nothing(at: int, readings: Readings, ranks: Ranks) -> str:
    """The distance from the middle corrects the other signals; by itself it is no reason."""
    del at, readings, ranks
    return ""


def _against(values: Vector, at: int, ranks: Ranks, words: tuple[str, str], tail: str) -> str:
    """A sentence where the value is low and the grade high, or the other way round; empty where they agree."""
    above = ranks[at] > _mean_of_others(ranks, at)
    share = _beyond(-values if above else values, at)
    if share < MUCH:
        return ""
    less, more = words
    side = "above" if above else "below"
    return f"{less if above else more}{tail} {percent(share)} of the others, and graded {side} their mean."


def _beyond(values: Vector, at: int) -> float:
    """The share of the other answers with a smaller value."""
    return float((values < values[at]).sum() / (len(values) - 1))


def _mean_of_others(ranks: Ranks, at: int) -> float:
    return float((ranks.sum() - ranks[at]) / (len(ranks) - 1))


def number(count: int) -> str:
    """A small number as a word."""
    return NUMBERS[count] if count < len(NUMBERS) else str(count)


def level(rank: int) -> str:
    """The level of a rank."""
    return list(Level)[rank].value


def joined(parts: list[str]) -> str:
    """A list in words."""
    return f"{', '.join(parts[:-1])} and {parts[-1]}" if len(parts) > 1 else parts[0]


TELLS: Final[dict[str, Tell]] = {
    "near": neighbours,
    "agree": neighbours,
    "shape": _shape,
    "rare": _rare,
    "middle": _nothing,
    "reference": _shape,
    "length": _length,
    "negation": _negation,
}
