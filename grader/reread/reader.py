"""The second reader: which of a person's own grades of one text are worth another look, and why.

It reads the answers that one person has marked, and their levels. For each it asks what the others would make one
expect (signals.py), weighs what speaks against the grade (weights.py), and names the tenth of which most does. It gives
no grade, knows no answer that was not marked, and has nothing to say before eight are.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from grader.reread import reasons, signals
from grader.reread.weights import Weights, shipped
from grader.rubric.levels import Level

FEWEST: Final = 8  # marked answers of one text; below that, nothing is said
SHARE: Final = 0.1
TOO_FEW: Final = "too few marked answers"
NONE_STANDS_OUT: Final = "no grade stands out"


@dataclass(frozen=True)
class Graded:
    """An answer that a person has marked: whose it is, by code name, what was written, and the level that they gave."""

    code: str
    text: str
    level: Level


@dataclass(frozen=True)
class Asked:
    """What the spec says of a text: prompt, expected answer, and what its observables look for."""

    prompt: str
    expected: str
    terms: tuple[str, ...] = ()


@dataclass(frozen=True)
class Look:
    """A grade that is worth another look: whose answer it is, the level that it got, and why, the main reason first."""

    code: str
    level: Level
    why: tuple[str, ...]


@dataclass(frozen=True)
class SecondReading:
    """What the second reader has to say.

    Attributes:
        read: how many marked answers it read.
        again: the grades to look at again, the one first of which most speaks against.
        nothing: why there are none; empty if there are.
    """

    read: int
    again: tuple[Look, ...] = ()
    nothing: str = ""


def second_reading(asked: Asked, graded: Sequence[Graded], weights: Weights | None = None) -> SecondReading:
    """Read a person's grades of one text.

    Args:
        asked: what the spec says of the text.
        graded: all that this person has graded; their order does not matter.
        weights: the shipped ones by default.
    """
    graded = sorted(graded, key=lambda each: each.code)
    if len(graded) < FEWEST:
        return SecondReading(len(graded), nothing=TOO_FEW)
    ranks = np.array([each.level.rank for each in graded])
    if len(set(ranks.tolist())) == 1:
        return SecondReading(len(graded), nothing=NONE_STANDS_OUT)
    readings = signals.Readings.of([each.text for each in graded], asked.expected, asked.prompt, asked.terms)
    parts = (weights or shipped()).parts(signals.of(readings, ranks))
    again = [
        Look(graded[at].code, graded[at].level, reasons.told(at, parts[at], readings, ranks))
        for at in most_suspect(parts.sum(axis=1))
    ]
    return SecondReading(len(graded), tuple(again))


def most_suspect(suspicion: signals.Vector) -> list[int]:
    """The tenth against which most speaks, at least one, in that order; equals in the order in which they came."""
    count = max(1, math.ceil(round(SHARE * len(suspicion), 6)))
    return [int(at) for at in np.argsort(-np.round(suspicion, 6), kind="stable")[:count]]
