"""The golden numbers: encodings at positions up to 65,535, from mpmath at 50 digits.

They are computed once, when the tests are collected, for a few rows; every examination is a fork that inherits them.
"""

import mpmath
import numpy as np
from oracle import Floats

# (d, base) and the positions at which each table is compared; the last one sets how long it has to be.
SETTINGS: dict[tuple[int, float], list[int]] = {
    (8, 10_000.0): [1, 2, 39, 1_024, 9_999, 32_768, 50_001, 65_535],
    (6, 500.0): [1, 7, 512, 4_097, 10_000, 20_000],
}


def encoding(position: int, d: int, base: float) -> list[float]:
    """PE(position) at 50 digits, rounded to float64 at the end."""
    with mpmath.workdps(50):
        angles = [position / mpmath.power(mpmath.mpf(base), mpmath.mpf(2 * i) / d) for i in range(d // 2)]
        return [float(f(angle)) for angle in angles for f in (mpmath.sin, mpmath.cos)]


GOLDEN: dict[tuple[int, float], Floats] = {
    setting: np.array([encoding(position, *setting) for position in positions])
    for setting, positions in SETTINGS.items()
}
