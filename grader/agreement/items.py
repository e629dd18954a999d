"""Item analysis: what a question's own criteria tell of themselves, once many have answered it.

Difficulty is the share that passed; the corrected item-rest correlation says whether those who pass one criterion do
well in the others. Both are of criteria that were measured: one that was not reached says nothing of itself.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from grader.outcome import Outcome, Verdict

if TYPE_CHECKING:
    from grader.report import Report

FEWEST: Final = 30  # submissions; below that, nothing is flagged
EASY: Final = 0.95
HARD: Final = 0.05
WEAK: Final = 0.1  # an item-rest correlation below this tells hardly anybody apart
TOP: Final = 0.25
STRONG_FAILURES: Final = 2  # one strong candidate's slip is no sign of a wrong test
NOT_MEASURED: Final = frozenset({Outcome.NOT_REACHED, Outcome.GRADER_FAULT})


@dataclass(frozen=True)
class Sat:
    """What one submission came to.

    Attributes:
        passed: whether each measured criterion passed, by id.
        mistakes: the ids of the misconceptions that were recognised.
    """

    passed: Mapping[str, bool]
    mistakes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Item:
    """One criterion over all submissions.

    Attributes:
        measured: in how many submissions it was measured.
        difficulty: the share of them that passed it; None if there is none.
        item_rest: correlation of passing it with the share of the other points that was earned; None where either is
            the same for all.
        flags: what is odd about it, each in a sentence; None where there are too few submissions to say.
    """

    id: str
    measured: int
    difficulty: float | None
    item_rest: float | None
    flags: tuple[str, ...] | None


@dataclass(frozen=True)
class Items:
    """All criteria of a question, and its misconceptions.

    Attributes:
        submissions: how many were graded.
        misconceptions: how often each was met, by id, the most frequent first; those that nobody met are there too.
    """

    submissions: int
    items: tuple[Item, ...]
    misconceptions: Mapping[str, int]


def sat(report: Report) -> Sat | None:
    """What a report says for item analysis; None for a submission that was refused."""
    if report.verdict is Verdict.REFUSED:
        return None
    passed = {each.id: each.outcome is Outcome.PASSED for each in report.criteria if each.outcome not in NOT_MEASURED}
    return Sat(passed, tuple(each.id for each in report.diagnosis))


def analyse(every: Sequence[Sat], points: Mapping[str, float], misconceptions: Iterable[str] = ()) -> Items:
    """The criteria of a question, in the order of `points`.

    Args:
        every: what each submission came to.
        points: the points of each criterion, by id.
        misconceptions: the ids of those that the question knows.
    """
    met = Counter(dict.fromkeys(misconceptions, 0))
    met.update(id for each in every for id in set(each.mistakes))
    ordered = dict(sorted(met.items(), key=lambda pair: (-pair[1], pair[0])))
    return Items(len(every), tuple(_item(id, every, points) for id in points), ordered)


def _item(id: str, every: Sequence[Sat], points: Mapping[str, float]) -> Item:
    measured = [each for each in every if id in each.passed]
    passed = [each.passed[id] for each in measured]
    # Those of whom nothing else was measured have no rest to compare with.
    pairs = [(rest, each.passed[id]) for each in measured if (rest := _rest(id, each, points)) is not None]
    share = sum(passed) / len(passed) if passed else None
    correlation = correlated([float(got) for _, got in pairs], [rest for rest, _ in pairs])
    flags = tuple(_flags(share, correlation, pairs)) if len(measured) >= FEWEST else None
    return Item(id, len(measured), share, correlation, flags)


def _rest(id: str, each: Sat, points: Mapping[str, float]) -> float | None:
    """The share of points that was earned in the other criteria that were measured."""
    others = [other for other in each.passed if other != id and other in points]
    possible = sum(points[other] for other in others)
    return sum(points[other] for other in others if each.passed[other]) / possible if possible else None


def correlated(some: Sequence[float], others: Sequence[float]) -> float | None:
    """Pearson's correlation; None where either does not vary."""
    if len(some) < 2 or np.ptp(some) < 1e-12 or np.ptp(others) < 1e-12:
        return None
    return float(np.corrcoef(some, others)[0, 1])


def _flags(share: float | None, correlation: float | None, pairs: Sequence[tuple[float, bool]]) -> Iterable[str]:
    if share is not None and share >= EASY:
        yield "nearly everybody passes it"
    if share is not None and share <= HARD:
        yield "hardly anybody passes it"
    if correlation is not None and correlation < 0:
        yield "those who pass it do worse in the rest"
    elif correlation is not None and correlation < WEAK:
        yield "passing it says hardly anything of the rest"
    if reason := suspect(pairs):
        yield f"suspect the test: {reason}"


def suspect(pairs: Sequence[tuple[float, bool]]) -> str:
    """Why a criterion's test may be wrong: strong candidates fail it. Empty where nothing says so.

    Args:
        pairs: of each submission the share of the other points that it earned, and whether it passed this criterion.
    """
    quarter = math.ceil(TOP * len(pairs))
    if not quarter:
        return ""
    least = sorted((rest for rest, _ in pairs), reverse=True)[quarter - 1]
    strong = [passed for rest, passed in pairs if rest >= least]
    others = [passed for rest, passed in pairs if rest < least]
    failed = strong.count(False)
    # Where half of all are tied at the top, there is no top to speak of.
    if failed < STRONG_FAILURES or len(strong) > len(pairs) / 2:
        return ""
    told = f"{failed} of the {len(strong)} who do best in the rest fail it"
    if failed / len(strong) > others.count(False) / len(others):
        return f"{told}, and {others.count(False)} of the other {len(others)}"
    return told if failed * 2 >= len(strong) else ""
