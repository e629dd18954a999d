"""Reading a table without assuming that it is right: each column is fitted with one sine wave of its own.

A fit tells how fast a column turns and where in the turn it starts, so that the layout can be judged whatever the
ladder, the ladder whatever the layout, and both wherever the positions start.
"""

from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from grader.checks import Mismatch

Floats = NDArray[np.float64]

# Tables rounded to half precision or to four decimals are waves still; only the precision check looks closer.
LOOSE = 5e-3
PHASE_TOLERANCE = 0.05  # rad
RATE_TOLERANCE = 0.02  # relative
WINDOW = 96  # rows for the first fit
SLOW = 0.4  # a column that spans less has turned less than a radian
STARTS = (0, 1, -1, 2)  # positions that people start at


@dataclass(frozen=True)
class Wave:
    """One column as amplitude * sin(rate * p + phase).

    Attributes:
        rate: angular frequency in rad per position, at least 0.
        phase: in rad, at row 0.
        amplitude: at least 0.
        residual: the largest distance between the column and the wave.
    """

    rate: float
    phase: float
    amplitude: float
    residual: float

    def kind(self, start: int) -> str:
        """ "sin" or "cos" if the column is that of rate * (row + start), else "neither"."""
        if self.residual > LOOSE or abs(self.amplitude - 1) > LOOSE * 4:
            return "neither"
        turned = (self.phase - start * self.rate + np.pi) % (2 * np.pi) - np.pi
        kinds = {"sin": 0.0, "cos": np.pi / 2}
        return next((kind for kind, at in kinds.items() if abs(turned - at) < PHASE_TOLERANCE), "neither")


@cache
def _grid(rows: int) -> tuple[Floats, Floats]:
    """Trial rates, and for each an orthonormal basis (rates, 2, rows) of the waves that turn that fast."""
    slow = np.geomspace(2e-3, 0.05, 24)
    rates = np.concatenate([slow, np.arange(0.055, np.pi, 1.2 / rows)])
    angles = rates[:, None] * np.arange(rows)
    bases = np.linalg.qr(np.stack([np.sin(angles), np.cos(angles)], axis=-1))[0]
    return rates, np.swapaxes(bases, 1, 2)


_grid(WINDOW)  # once, when the tests are collected; every examination is a fork that inherits it


def fit(table: Floats) -> list[Wave]:
    """The wave of each column of `table` (rows, columns).

    A grid of trial rates over the first rows, then Gauss-Newton over windows that double, so that no turn is skipped.
    """
    window = min(len(table), WINDOW)
    rates, bases = _grid(window)
    explained = np.square(bases @ table[:window]).sum(axis=1)  # (rates, columns)
    rate = rates[explained.argmax(axis=0)]
    while True:
        rate = _refine(table[:window], rate)
        if window == len(table):
            break
        window = min(len(table), window * 2)
    p = np.arange(len(table))[:, None]
    a, b = _amplitudes(table, rate)
    residual = np.abs(table - a * np.sin(rate * p) - b * np.cos(rate * p)).max(axis=0)
    turned = np.where(rate < 0, -1.0, 1.0)  # sin(-wp) = -sin(wp)
    waves = zip(np.abs(rate), np.arctan2(b, a * turned), np.hypot(a, b), residual, strict=True)
    return [
        _slow_wave(column) if np.ptp(column) < SLOW else Wave(*map(float, wave))
        for column, wave in zip(table.T, waves, strict=True)
    ]


def _slow_wave(column: Floats) -> Wave:
    """The wave of a column that turns too little to tell its amplitude from its rate: it is taken to be 1."""
    if np.ptp(column) == 0 or np.abs(column).max() > 1:
        return Wave(0.0, 0.0, 0.0, 0.0)
    first, last = np.arcsin(column[[0, -1]])
    if last < first:  # on the falling side, where a cosine is
        first, last = np.pi - first, np.pi - last
    p, rate = np.arange(len(column)), (last - first) / (len(column) - 1)
    return Wave(float(rate), float(first), 1.0, float(np.abs(column - np.sin(rate * p + first)).max()))


def _refine(table: Floats, rate: Floats) -> Floats:
    """Gauss-Newton on the rate of each column, amplitudes fitted anew at each step."""
    p = np.arange(len(table))[:, None]
    for _ in range(12):
        a, b = _amplitudes(table, rate)
        sine, cosine = np.sin(rate * p), np.cos(rate * p)
        left = table - a * sine - b * cosine
        step = _least_squares([sine, cosine, p * (a * cosine - b * sine)], left)[2].clip(-0.5 / len(p), 0.5 / len(p))
        rate = rate + step
        if np.abs(step).max() < 1e-12:
            break
    return rate


def _amplitudes(table: Floats, rate: Floats) -> tuple[Floats, Floats]:
    """The least-squares a, b of a * sin + b * cos for each column at its rate."""
    angles = rate * np.arange(len(table))[:, None]
    a, b = _least_squares([np.sin(angles), np.cos(angles)], table)
    return a, b


def _least_squares(design: list[Floats], target: Floats) -> Floats:
    """Column by column, the factors (terms, columns) of the terms that come closest to the target (rows, columns)."""
    terms = np.stack(design)  # (terms, rows, columns)
    gram = np.einsum("irc,jrc->cij", terms, terms)
    gram += 1e-13 * np.trace(gram, axis1=1, axis2=2)[:, None, None] * np.eye(len(design))  # a rate of 0 has no sine
    return np.linalg.solve(gram, np.einsum("irc,rc->ci", terms, target)[:, :, None])[:, :, 0].T


@dataclass(frozen=True)
class Reading:
    """What a table's columns are: their waves, and the position of row 0 that explains most of them."""

    waves: list[Wave]
    start: int

    @property
    def kinds(self) -> list[str]:
        """ "sin", "cos" or "neither" for each column."""
        return [wave.kind(self.start) for wave in self.waves]

    def columns(self, kind: str) -> list[int]:
        """The columns of one kind, in order."""
        return [column for column, found in enumerate(self.kinds) if found == kind]


def read(table: Floats) -> Reading:
    """Fit a table (rows, even width) and find its start."""
    waves = fit(table)
    start = max(STARTS, key=lambda start: sum(wave.kind(start) != "neither" for wave in waves))
    return Reading(waves, start)


def expect_waves(table: Floats) -> Reading:
    """Read a table, and raise a Mismatch unless each column is a sine or a cosine from some start."""
    reading = read(table)
    for column, kind in enumerate(reading.kinds):
        if kind == "neither":
            raise Mismatch(f"column {column} {looks_like(table[:, column])}, expected a sine or cosine of amplitude 1")
    return reading


def looks_like(column: Floats) -> str:
    """What a column that is no unit wave looks like, in words."""
    if np.ptp(column) == 0:
        return f"holds {column[0]:g} in every row"
    return f"starts {', '.join(f'{number:.4g}' for number in column[:4])}"
