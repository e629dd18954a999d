"""Signals: what speaks against a grade, seen from the other grades that the same person gave on the same text.

Each signal is a number for each answer; the larger, the more another look is worth. An expected level is always found
from the other answers, never from the answer's own grade. Levels are their ranks, 0 to 3.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Self

import numpy as np
from numpy.typing import NDArray

from grader.reread.likeness import Matrix, likeness
from grader.reread.words import is_negation, words

Vector = NDArray[np.float64]
Ranks = NDArray[np.int64]

SIGNALS: Final = ("near", "agree", "shape", "rare", "middle", "reference", "length", "negation")
LEVELS: Final = 4
CLOSEST: Final = 5  # answers that are asked what they got
TEXT_RIDGE: Final = 0.5
SHAPE_RIDGE: Final = 1.0
SHAPE_WIDTH: Final = 8.0  # twice the squared distance, in standard deviations, at which shapes stop being alike


@dataclass(frozen=True)
class Readings:
    """What is read off some answers before anything is known of their grades.

    Attributes:
        alike: how alike every two answers are, (n, n).
        reference: how alike each is to the expected answer: by words, by characters, by terms, the mean of the three in
            standard deviations, (n,).
        length: its number of words, on a logarithmic scale in standard deviations, (n,).
        negation: the share of its words that negate, in standard deviations, (n,).
        shape: how alike every two answers are in likeness to the expected answer and in length alone, (n, n).
    """

    alike: Matrix
    reference: Vector
    length: Vector
    negation: Vector
    shape: Matrix

    @classmethod
    def of(cls, texts: Sequence[str], expected: str, prompt: str, terms: Sequence[str] = ()) -> Self:
        """Read some answers to one question.

        Args:
            texts: the answers.
            expected: the expected answer.
            prompt: what was asked; its words say nothing about who knows the answer.
            terms: words, or beginnings of words, that the rubric's observables look for.
        """
        n = len(texts)
        every = likeness([*texts, expected])
        said = [words(text) for text in texts]
        wanted = {word.stem for word in words(expected) if word.tells} - {word.stem for word in words(prompt)}
        looked_for = [term.lower() for term in terms]
        covered = [
            len(wanted & {word.stem for word in each}) + sum(term in text.lower() for term in looked_for)
            for text, each in zip(texts, said, strict=True)
        ]
        length = standard(np.log1p([len(each) for each in said]))
        near = standard(every[:n, n])
        coverage = standard(np.array(covered, dtype=float))
        negations = [sum(is_negation(word.text) for word in each) / max(len(each), 1) for each in said]
        places = np.stack([near, coverage, length], axis=1)  # (n, 3)
        apart = ((places[:, None] - places[None]) ** 2).sum(axis=-1)  # (n, n)
        return cls(
            alike=every[:n, :n],
            reference=(2 * near + coverage) / 3,
            length=length,
            negation=standard(np.array(negations)),
            shape=np.exp(-apart / SHAPE_WIDTH),
        )


def of(readings: Readings, ranks: Ranks) -> Matrix:
    """The signals of some graded answers.

    Args:
        readings: what was read off them.
        ranks: the rank of each one's level, (n,), n at least 2.

    Returns:
        (n, len(SIGNALS)).
    """
    n = len(ranks)
    levels = ranks.astype(float)
    others = (levels.sum() - levels) / (n - 1)
    same = np.bincount(ranks, minlength=LEVELS)[ranks] - 1
    above = levels - others
    return np.stack(
        [
            abs(levels - left_out(readings.alike, levels, TEXT_RIDGE)),
            1 - agreeing(readings.alike, ranks),
            abs(levels - left_out(readings.shape, levels, SHAPE_RIDGE)),
            -np.log((same + 0.5) / (n - 1 + LEVELS / 2)),
            abs(above),
            -above * readings.reference,
            -above * readings.length,
            above * readings.negation,
        ],
        axis=1,
    )


def left_out(alike: Matrix, levels: Vector, ridge: float) -> Vector:
    """What kernel ridge regression with a free mean expects of each answer from all the others, (n,).

    It is the leave-one-out prediction of ordinary kriging, in closed form: Dubrule, "Cross validation of kriging in a
    unique neighborhood" (1983).
    """
    n = len(levels)
    inverse = np.linalg.inv(alike + ridge * np.eye(n))
    ones = inverse.sum(axis=1)
    projected = inverse - np.outer(ones, ones) / ones.sum()
    return np.asarray(levels - (projected @ levels) / np.diag(projected))


def closest(alike: Matrix, count: int = CLOSEST) -> NDArray[np.int64]:
    """The answers that are most like each one, the most alike first, (n, at most count)."""
    apart = -np.round(alike, 9)
    np.fill_diagonal(apart, np.inf)
    return np.argsort(apart, axis=1, kind="stable")[:, : min(count, len(alike) - 1)]


def agreeing(alike: Matrix, ranks: Ranks) -> Vector:
    """The share of the closest answers that got the very same level, each weighted by its squared likeness, (n,)."""
    near = closest(alike)
    weight = np.take_along_axis(alike, near, axis=1).clip(1e-6) ** 2
    return np.asarray((weight * (ranks[near] == ranks[:, None])).sum(axis=1) / weight.sum(axis=1))


def standard(values: NDArray[np.float64]) -> Vector:
    """The values in standard deviations from their mean; zeros where all are the same."""
    spread = float(values.std())
    return np.asarray((values - values.mean()) / spread) if spread > 1e-9 else np.zeros(len(values))
