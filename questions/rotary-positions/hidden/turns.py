"""Rotations as matrices: what `rotate` does is linear, so what it makes of the unit vectors says all of it.

Each function reads one property whatever the others are: which features mix, how fast, and which way round.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from grader.checks import Candidate, Mismatch, Raised, expect_array, tensor

Floats = NDArray[np.float64]

# float32 results are within 2e-7 of exact ones here; the smallest wrong one is off by more than 1e-2.
SAME = 1e-4
MOVED = 1e-2
TURNED = 1e-3  # by a single position, at any ladder


def works(ordinary: Callable[[], Any]) -> bool:
    """Whether an ordinary call gives what it should in kind. If not, criteria that others share in leave it alone."""
    try:
        ordinary()
    except (Mismatch, Raised):
        return False
    return True


def rotated(candidate: Candidate, x: NDArray[Any], positions: Any, **options: Any) -> Floats:
    """What the candidate's rotate makes of x, in float64, if it has the right shape."""
    result = candidate.rotate(tensor(x), tensor(np.asarray(positions)), **options)
    return expect_array(result, x.shape, of=f"rotate of x {list(x.shape)}").astype("float64")


def matrices(candidate: Candidate, width: int, positions: list[int], **options: Any) -> Floats:
    """The matrix at each position, (T, width, width): column j is what becomes of unit vector j."""
    units = np.broadcast_to(np.eye(width, dtype="float32")[:, None, None, :], (width, 1, len(positions), width))
    return rotated(candidate, units, positions, **options)[:, 0].transpose(1, 2, 0)


def takes(candidate: Candidate, layout: str) -> bool:
    """Whether rotate has this layout. The default one it has to have; the half layout has a criterion of its own."""
    return layout != "half" or works(lambda: matrices(candidate, 4, [0, 1], layout=layout))


def one_step(candidate: Candidate, width: int, base: float = 30.0, **options: Any) -> Floats:
    """What one position more adds to the turn, (width, width), whatever was there before."""
    first, second = matrices(candidate, width, [1, 2], base=base, **options)
    return np.asarray(second @ first.T)


def turns(step: Floats) -> bool:
    """Whether what moves from one feature to another moves back with the other sign, as in any rotation."""
    moved = step - np.diag(np.diagonal(step))
    return bool(np.abs(moved + moved.T).max() < SAME)


def partners(width: int, layout: str) -> NDArray[np.intp]:
    """The feature that each one is paired with, (width,)."""
    half = width // 2
    interleaved = np.arange(width) ^ 1
    return interleaved if layout == "interleaved" else (np.arange(width) + half) % width


def expect_pairs(turn: Floats, layout: str) -> None:
    """Raise a Mismatch unless every feature mixes with its partner in the layout, and with no other, at some position.

    Args:
        turn: matrices (T, width, width).
        layout: "interleaved" or "half".
    """
    width = turn.shape[-1]
    partner, reach = partners(width, layout), np.abs(turn).max(axis=0)  # (width, width)
    for feature in range(width):
        others = [other for other in range(width) if other not in (feature, partner[feature])]
        strays = [other for other in others if reach[other, feature] > SAME]
        if strays:
            raise Mismatch(
                f"in the {layout} layout feature {feature} of {width} moves into feature {strays[0]}, "
                f"expected only its partner {partner[feature]}"
            )
        if reach[partner[feature], feature] < MOVED:
            raise Mismatch(
                f"in the {layout} layout feature {feature} of {width} never moves into its partner {partner[feature]}"
            )


def angles(turn: Floats) -> Floats:
    """How far each feature is turned away from itself, (T, width), from 0 to pi and without a sign.

    It does not matter which feature it moves into, nor which way round.
    """
    own = np.diagonal(turn, axis1=1, axis2=2)  # (T, width)
    away = np.sqrt(np.maximum((turn**2).sum(axis=1) - own**2, 0.0))
    return np.asarray(np.arctan2(away, own))


def rates(candidate: Candidate, width: int, **options: Any) -> Floats:
    """By how much the angle of each feature grows from position 1 to position 2, (width,)."""
    first, second = angles(matrices(candidate, width, [1, 2], **options))
    return np.asarray(np.abs(second - first))


def ladder(width: int, base: float) -> Floats:
    """The frequency of each pair, (width / 2,)."""
    return np.asarray(base ** (-2 * np.arange(width // 2) / width))


def exact(x: NDArray[Any], positions: Any, base: float, layout: str = "interleaved") -> Floats:
    """x (..., T, width) rotated, in float64, straight from the prompt."""
    width = x.shape[-1]
    turn = np.exp(1j * np.asarray(positions)[:, None] * ladder(width, base))  # (T, width / 2)
    index = np.arange(width).reshape((-1, 2) if layout == "interleaved" else (2, -1))
    u, v = (index.T if layout == "interleaved" else index)[:2]
    pairs = (x[..., u] + 1j * x[..., v]) * turn
    result = np.empty(x.shape)
    result[..., u], result[..., v] = pairs.real, pairs.imag
    return result
