"""Reading a table without assuming that it is right: which columns make a pair, how fast each turns, where it starts.

Each pair is a point that moves round a circle. A layout fits a table if every one of its pairs keeps its distance
from the origin and turns by the same angle at each step. So the layout can be judged whatever the frequencies are,
the frequencies whatever the layout is, and both wherever the positions start and however large the circle is.
"""

from dataclasses import dataclass

import numpy as np
from oracle import LOOSE, Array, Floats, own_freqs, table_at

from grader.checks import Candidate, Mismatch

ROWS = 40  # enough for the slow pairs, few enough for angles in float32


@dataclass(frozen=True)
class Reading:
    """What the columns of a table are.

    Attributes:
        interleaved: the columns of a pair are neighbours; otherwise they are half a width apart.
        sine_first: the first column of a pair is the sine.
        rates: [d/2] in rad per position, at least 0.
        start: the position of row 0, by the fastest pair.
        radius: the distance of the points from the origin.
    """

    interleaved: bool
    sine_first: bool
    rates: Floats
    start: float
    radius: float

    @property
    def is_right(self) -> bool:
        """Whether the layout is the prompt's."""
        return self.interleaved and self.sine_first

    def __str__(self) -> str:
        order = "sine, then cosine" if self.sine_first else "cosine, then sine"
        return f"{order}, {'alternating' if self.interleaved else 'each in a half of its own'}"

    def expected(self, positions: Array, rates: Floats) -> Floats:
        """The rows [T, d] of a table that reads like this one, with other rates, at positions counted by row."""
        plain = table_at(np.asarray(positions) + self.start, rates) * self.radius
        sines, cosines = plain[:, 0::2], plain[:, 1::2]
        one, other = (sines, cosines) if self.sine_first else (cosines, sines)
        if not self.interleaved:
            return np.concatenate([one, other], axis=1)
        return np.stack([one, other], axis=-1).reshape(plain.shape)


def read(table: Floats) -> Reading | None:
    """The reading of `table` [T >= 3, d], or None if no layout fits. Row 0 has no say, it is judged by itself."""
    rows = table[1:ROWS]
    half = table.shape[1] // 2
    for interleaved, first, second in (
        (True, rows[:, 0::2], rows[:, 1::2]),
        (False, rows[:, :half], rows[:, half:]),
    ):
        radius = np.hypot(first, second)
        angle = np.unwrap(np.arctan2(first, second), axis=0)
        steps = np.diff(angle, axis=0)
        even = np.ptp(radius) <= LOOSE * radius.mean() and np.ptp(steps, axis=0).max() < LOOSE
        if even and radius.min() > 0.01:
            rates = (angle[-1] - angle[0]) / (len(angle) - 1)
            return _reading(interleaved, rates, angle[0], float(radius.mean()))
    return None


def _reading(interleaved: bool, rates: Floats, at_one: Floats, radius: float) -> Reading:
    # With the cosine first, the angle is pi / 2 less the true one. The fastest pair decides: every ladder has it.
    sine_first = bool(rates[0] > 0)
    true = at_one[0] if sine_first else np.pi / 2 - at_one[0]
    speed = max(abs(float(rates[0])), 1e-6)
    at_zero = float((true - speed + np.pi) % (2 * np.pi) - np.pi)
    start = at_zero / speed
    start = float(round(start)) if abs(start - round(start)) < LOOSE else start
    return Reading(interleaved, sine_first, np.abs(rates), start, radius)


def expect_reading(table: Floats) -> Reading:
    """The reading, or a Mismatch that says that there is none."""
    reading = read(table)
    if reading is None:
        raise Mismatch(
            "no pairing of the columns makes circles: the two columns of a pair are not the sine and the cosine of one "
            "angle that grows by the same step with each position"
        )
    return reading


def fits_own(candidate: Candidate, reading: Reading, d: int, base: float) -> Floats | None:
    """The candidate's own frequencies, if its table turns at them."""
    own = own_freqs(candidate, d, base)
    return own if own is not None and np.allclose(np.abs(own), reading.rates, rtol=1e-3, atol=1e-7) else None
