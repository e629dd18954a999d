"""Reading a table without assuming that it is right: each column is fitted with one sine wave of its own.

A fit tells how fast a column turns and where in the turn it starts, so that the layout can be judged whatever the
ladder, the ladder whatever the layout, and both wherever the positions start.
"""

from dataclasses import dataclass, replace
from functools import cache

import numpy as np
from numpy.typing import NDArray

from grader.checks import Mismatch

Floats = NDArray[np.float64]

# Tables rounded to half precision or to two decimals are waves still; only the precision check looks closer.
LOOSE = 0.02
PHASE_TOLERANCE = 0.05  # rad
RATE_TOLERANCE = 1e-3  # relative; rounding to half precision moves a rate by less than a third of it
SLOW = 0.4  # a column that spans less has turned less than a radian
WINDOW = 96  # rows for the first fit
SETTLED = 1e-10  # rad per position; a step of Gauss-Newton leaves about the square of what it moves
QUARTERS = {"sin": 0.0, "cos": np.pi / 2, "-sin": np.pi, "-cos": -np.pi / 2}


@dataclass(frozen=True)
class Wave:
    """One column as amplitude * sin(rate * p + phase).

    Attributes:
        rate: angular frequency in rad per position, at least 0.
        phase: in rad, at row 0.
        amplitude: at least 0.
        residual: the largest distance between the column and the wave, row 0 aside.
    """

    rate: float
    phase: float
    amplitude: float
    residual: float

    @property
    def is_wave(self) -> bool:
        """Whether the column turns at a rate at all, whatever its height."""
        return self.amplitude > 0.01 and self.residual < LOOSE * max(1.0, self.amplitude)

    def kind(self, start: float) -> str:
        """ "sin", "cos", "-sin" or "-cos" if the column is that of rate * (row + start), else "neither"."""
        if not self.is_wave:
            return "neither"
        turned = self.phase - start * self.rate
        distances = {kind: abs((turned - at + np.pi) % (2 * np.pi) - np.pi) for kind, at in QUARTERS.items()}
        kind = min(distances, key=lambda kind: distances[kind])
        return kind if distances[kind] < PHASE_TOLERANCE else "neither"


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
    """The wave of each column of `table` (rows, columns). Row 0 has no say: it is judged against the others.

    A grid of trial rates over the first rows, then Gauss-Newton over windows that double, so that no turn is skipped.
    Checks that look at the same table share what was read.
    """
    return [*_fit(table.tobytes(), table.shape)]


@cache
def _fit(held: bytes, shape: tuple[int, ...]) -> list[Wave]:
    table = np.frombuffer(held).reshape(shape)[1:]
    window = min(len(table), WINDOW)
    rates, bases = _grid(window)
    explained = np.square(bases @ table[:window]).sum(axis=1)  # (rates, columns)
    rate = rates[explained.argmax(axis=0)]
    while True:
        rate = _refine(table[:window], rate)
        if window == len(table):
            break
        window = min(len(table), window * 2)
    waves = _waves(rate, len(table))
    a, b = _least_squares(waves, table)
    residual = np.abs(table - a * waves[0] - b * waves[1]).max(axis=0)
    turned = np.where(rate < 0, -1.0, 1.0)  # sin(-wp) = -sin(wp)
    fitted = zip(np.abs(rate), np.arctan2(b, a * turned), np.hypot(a, b), residual, strict=True)
    found = [
        _slow_wave(column) if np.ptp(column) < SLOW else Wave(*map(float, wave))
        for column, wave in zip(table.T, fitted, strict=True)
    ]
    return [replace(wave, phase=wave.phase - wave.rate) for wave in found]


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
    p, most = np.arange(len(table))[:, None], 0.5 / len(table)
    for _ in range(12):
        sine, cosine = waves = _waves(rate, len(table))
        a, b = _least_squares(waves, table)
        left = table - a * sine - b * cosine
        step = _least_squares(np.stack([sine, cosine, p * (a * cosine - b * sine)]), left)[2].clip(-most, most)
        rate = rate + step
        if np.abs(step).max() < SETTLED:
            break
    return rate


def _waves(rate: Floats, rows: int) -> Floats:
    """The sine and the cosine (2, rows, columns) that turn at each column's rate."""
    angles = rate * np.arange(rows)[:, None]
    return np.stack([np.sin(angles), np.cos(angles)])


def _least_squares(terms: Floats, target: Floats) -> Floats:
    """Column by column, the factors (terms, columns) of `terms` (terms, rows, columns) closest to `target`."""
    gram = np.einsum("irc,jrc->cij", terms, terms)
    gram += 1e-13 * np.trace(gram, axis1=1, axis2=2)[:, None, None] * np.eye(len(terms))  # a rate of 0 has no sine
    return np.linalg.solve(gram, np.einsum("irc,rc->ci", terms, target)[:, :, None])[:, :, 0].T


@dataclass(frozen=True)
class Reading:
    """What a table's columns are: their waves, and the position of row 0 that explains most of them."""

    waves: list[Wave]
    start: float

    @property
    def kinds(self) -> list[str]:
        """What each column is, from that start."""
        return [wave.kind(self.start) for wave in self.waves]


def read(table: Floats) -> Reading:
    """Fit a table (rows, even width) and find its start, any real number, the smallest that explains as much."""
    waves = fit(table)
    if all(wave.kind(0.0) in ("sin", "cos") for wave in waves):
        return Reading(waves, 0.0)
    quick = sorted((wave for wave in waves if wave.is_wave and wave.rate > 0.01), key=lambda wave: -wave.rate)[:4]
    turns = 2 * np.pi * np.arange(-2, 3)
    starts = {
        0.0,
        *(float((wave.phase - at + turn) / wave.rate) for wave in quick for at in QUARTERS.values() for turn in turns),
    }
    explained = {start: sum(wave.kind(start) != "neither" for wave in waves) for start in starts}
    plain = {start: sum(wave.kind(start) in ("sin", "cos") for wave in waves) for start in starts}
    return Reading(waves, max(starts, key=lambda start: (explained[start], plain[start], -abs(start))))


def pairs(rates: list[float]) -> list[tuple[int, int]] | None:
    """Which columns share a rate: neighbours, or the two halves; None if neither is so throughout."""
    half = len(rates) // 2
    for pairing in ([(2 * i, 2 * i + 1) for i in range(half)], [(i, i + half) for i in range(half)]):
        if all(abs(rates[one] - rates[other]) <= RATE_TOLERANCE * rates[one] for one, other in pairing):
            return pairing
    return None


def expect_waves(waves: list[Wave], table: Floats) -> None:
    """Raise a Mismatch unless each column turns at a rate."""
    for column, wave in enumerate(waves):
        if not wave.is_wave:
            raise Mismatch(f"column {column} {looks_like(table[:, column])}, expected a sine or a cosine")


def looks_like(column: Floats) -> str:
    """What a column that is no unit wave looks like, in words."""
    if np.ptp(column) == 0:
        return f"holds {column[0]:g} in every row"
    return f"starts {', '.join(f'{number:.4g}' for number in column[:4])}"
