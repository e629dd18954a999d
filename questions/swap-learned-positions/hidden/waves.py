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
WINDOW = 96  # rows for the first fit; a wave that turns less than 0.5 rad in them is not fitted well
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


def fit(table: Floats) -> list[Wave]:
    """The wave of each column of `table` (rows, columns)."""
    window = min(len(table), WINDOW)
    rates, bases = _grid(window)
    explained = np.square(bases @ table[:window]).sum(axis=1)  # (rates, columns)
    return [_refine(column, rates[best]) for column, best in zip(table.T, explained.argmax(axis=0), strict=True)]


def _refine(column: Floats, rate: float) -> Wave:
    """Gauss-Newton from a trial rate, over windows that double, so that no turn is ever skipped."""
    window = min(len(column), WINDOW)
    while True:
        p = np.arange(window)
        for _ in range(12):
            sine, cosine = np.sin(rate * p), np.cos(rate * p)
            (a, b), *_ = np.linalg.lstsq(np.stack([sine, cosine], axis=1), column[:window], rcond=None)
            slope = p * (a * cosine - b * sine)
            left = column[:window] - a * sine - b * cosine
            full = np.linalg.lstsq(np.stack([sine, cosine, slope], axis=1), left, rcond=None)[0]
            step = float(np.clip(full[2], -0.5 / window, 0.5 / window))
            rate += step
            if abs(step) < 1e-14:
                break
        if window == len(column):
            break
        window = min(len(column), window * 2)
    residual = np.abs(column - a * np.sin(rate * p) - b * np.cos(rate * p)).max()
    if rate < 0:
        rate, a = -rate, -a
    return Wave(rate, float(np.arctan2(b, a)), float(np.hypot(a, b)), float(residual))


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
