"""How far people agree on the levels of written answers: of the same answer, marked by two of them, each blind."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Final, Literal

import numpy as np

from grader.agreement import alpha as krippendorff
from grader.rubric.levels import Level

FEWEST: Final = 20  # pairs of marks; below that, no number is given
RESAMPLES: Final = 2000
SEED: Final = 20110125
DEFINED: Final = 0.95  # of the resamples have to have an alpha, or there is no interval
TOO_FEW: Final = "too few to say"

Interval = tuple[float, float]
Table = tuple[tuple[int, ...], ...]  # (levels, levels), the least level first


@dataclass(frozen=True)
class Judgement:
    """The level that one person gave one answer, which is named by anything that no other answer is named by."""

    answer: str
    by: str
    level: Level


@dataclass(frozen=True)
class TooFew:
    """There are too few pairs to say anything. No number can be read off it by mistake."""

    pairs: int
    state: Literal["too few to say"] = TOO_FEW


@dataclass(frozen=True)
class Agreement:
    """How far people agree.

    Attributes:
        pairs: how many times two people marked the same answer.
        answers: how many answers at least two people marked.
        alpha: Krippendorff's, ordinal; None where everybody gave the same level throughout.
        alpha_interval: 95 %, by a bootstrap over answers; None where alpha often is not defined.
        exact: the share of pairs that gave the same level.
        exact_interval: 95 %, by the same bootstrap.
        levels: how often a pair gave these two levels, the lower one as the row; zeros below the diagonal.
    """

    pairs: int
    answers: int
    alpha: float | None
    alpha_interval: Interval | None
    exact: float
    exact_interval: Interval
    levels: Table
    state: Literal["measured"] = "measured"


@dataclass(frozen=True)
class Confusion:
    """What two people gave the same answers: rows are the levels of `one`, columns those of `other`."""

    one: str
    other: str
    pairs: int
    levels: Table | TooFew


def agreement(judgements: Iterable[Judgement]) -> Agreement | TooFew:
    """How far people agree on some answers.

    Args:
        judgements: one of each person on an answer at most. An answer that they could not assess is left out.
    """
    units = [unit for unit in by_answer(judgements).values() if len(unit) > 1]
    couples = [couple for unit in units for couple in combinations((unit[by].rank for by in sorted(unit)), 2)]
    if len(couples) < FEWEST:
        return TooFew(len(couples))
    ranks = [[level.rank for level in unit.values()] for unit in units]
    every = krippendorff.coincidences(ranks, len(Level))  # (units, levels, levels)
    alphas = [krippendorff.of_coincidences(each) for each in _resampled(every)]
    defined = [each for each in alphas if each is not None]
    same = np.array([[sum(a == b for a, b in combinations(unit, 2)), _couples(unit)] for unit in ranks], dtype=float)
    shares = [float(each[0] / each[1]) for each in _resampled(same)]
    return Agreement(
        pairs=len(couples),
        answers=len(units),
        alpha=krippendorff.of_coincidences(every.sum(axis=0)),
        alpha_interval=_interval(defined) if len(defined) >= DEFINED * RESAMPLES else None,
        exact=float(same[:, 0].sum() / same[:, 1].sum()),
        exact_interval=_interval(shares),
        levels=_table((min(couple), max(couple)) for couple in couples),
    )


def confusions(judgements: Iterable[Judgement]) -> list[Confusion]:
    """What every two people gave, who have marked an answer in common."""
    units = by_answer(judgements).values()
    found: list[Confusion] = []
    for one, other in combinations(sorted({by for unit in units for by in unit}), 2):
        both = [(unit[one].rank, unit[other].rank) for unit in units if one in unit and other in unit]
        if both:
            levels = _table(both) if len(both) >= FEWEST else TooFew(len(both))
            found.append(Confusion(one, other, len(both), levels))
    return found


def in_words(found: Agreement | TooFew) -> str:
    """One sentence: `alpha 0.71 (0.55 to 0.84), the same level in 78 % of 40 pairs`, or `too few to say`."""
    if isinstance(found, TooFew):
        return found.state
    same = f"the same level in {percent(found.exact)} of {found.pairs} pairs"
    if found.alpha is None:
        return f"alpha is not defined, since everybody gave the same level; {same}"
    between = f" ({found.alpha_interval[0]:.2f} to {found.alpha_interval[1]:.2f})" if found.alpha_interval else ""
    return f"alpha {found.alpha:.2f}{between}, {same}"


def percent(share: float) -> str:
    """A share in words: `78 %`."""
    return f"{100 * share:.0f} %"


def by_answer(judgements: Iterable[Judgement]) -> dict[str, dict[str, Level]]:
    """What each person gave each answer, in an order that does not depend on how they came."""
    units: dict[str, dict[str, Level]] = {}
    for each in sorted(judgements, key=lambda each: (each.answer, each.by)):
        units.setdefault(each.answer, {})[each.by] = each.level
    return units


def _resampled(every: krippendorff.Matrix) -> Iterable[krippendorff.Matrix]:
    """The sum over as many units as there are, drawn with replacement, again and again in the same way."""
    rng = np.random.default_rng(SEED)
    units = len(every)
    for _ in range(RESAMPLES):
        times = np.bincount(rng.integers(units, size=units), minlength=units).astype(float)
        yield np.tensordot(times, every, axes=1)


def _interval(values: Sequence[float]) -> Interval:
    low, high = np.percentile(values, [2.5, 97.5])
    return float(low), float(high)


def _couples(unit: Sequence[int]) -> int:
    return len(unit) * (len(unit) - 1) // 2


def _table(couples: Iterable[tuple[int, int]]) -> Table:
    counts = np.zeros((len(Level), len(Level)), dtype=int)
    for row, column in couples:
        counts[row, column] += 1
    return tuple(tuple(int(count) for count in row) for row in counts)
