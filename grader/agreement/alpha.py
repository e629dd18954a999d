"""Krippendorff's alpha: how far people agree beyond chance, with any number of people and with gaps.

Klaus Krippendorff, "Computing Krippendorff's Alpha-Reliability" (2011). 1 is full agreement, 0 is what chance
gives, and below 0 people contradict each other.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

Matrix = NDArray[np.float64]
Vector = NDArray[np.float64]

# A squared difference of every two values, (k, k), from how often each value was given in pairs, (k,).
Metric = Callable[[Vector], Matrix]

Unit = Sequence[int | None]  # what each person gave one unit, as places in an order of values; None for a gap


def nominal(given: Vector) -> Matrix:
    """Values are the same or they are not."""
    return 1 - np.eye(len(given))


def ordinal(given: Vector) -> Matrix:
    """Values have an order: they differ by how many were given from one to the other."""
    upto = np.cumsum(given) - given / 2
    return np.asarray((upto[:, None] - upto[None]) ** 2)


def interval(given: Vector) -> Matrix:
    """Values differ by their places, one apart from the next."""
    places = np.arange(len(given), dtype=float)
    return np.asarray((places[:, None] - places[None]) ** 2)


def coincidences(units: Sequence[Unit], values: int) -> Matrix:
    """For each unit, how often two people gave each two values, over the number of people less one.

    Args:
        units: what was given.
        values: how many values there are, k.

    Returns:
        (units, k, k). A unit that fewer than two people valued is all zeros.
    """
    every = np.zeros((len(units), values, values))
    for place, unit in enumerate(units):
        counts = np.bincount([value for value in unit if value is not None], minlength=values).astype(float)
        if (people := counts.sum()) > 1:
            every[place] = (np.outer(counts, counts) - np.diag(counts)) / (people - 1)
    return every


def of_coincidences(pairs: Matrix, metric: Metric = ordinal) -> float | None:
    """Alpha of a matrix of coincidences (k, k); None where it is not defined, since all values are the same."""
    given = pairs.sum(axis=1)
    total = given.sum()
    differ = metric(given)
    expected = (np.outer(given, given) * differ).sum()
    if total < 2 or expected == 0:
        return None
    return float(1 - (total - 1) * (pairs * differ).sum() / expected)


def alpha(units: Sequence[Unit], values: int, metric: Metric = ordinal) -> float | None:
    """Krippendorff's alpha; None where all values are the same, or nobody valued what somebody else did.

    Args:
        units: what each person gave each unit.
        values: how many values there are.
        metric: `ordinal`, `nominal` or `interval`.
    """
    return of_coincidences(coincidences(units, values).sum(axis=0), metric)
