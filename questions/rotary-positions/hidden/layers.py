"""The candidate's attention layer, and what it should give, in plain NumPy from its own weights."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from turns import MOVED, Floats, exact, rotated

from grader.checks import Candidate, Handle, Lost, Mismatch, Raised, describe, expect_array, largest_difference

BASE = 30.0
DEFAULT_BASE = 10_000.0
Rotation = Callable[[Floats], Floats]

# float32 results are within 2e-6 of exact ones; a wrong layer is off by more than 1e-2.
CLOSE = 1e-3


def built(candidate: Candidate, d_model: int, n_head: int, **options: Any) -> Handle:
    """The candidate's layer, with weights large enough for attention to be sharp; `base=None` leaves the default."""
    given = {name: value for name, value in ({"base": BASE} | options).items() if value is not None}
    layer = candidate.RotaryAttention(d_model, n_head, **given)
    if not isinstance(layer, Handle):
        raise Mismatch(f"RotaryAttention(...) gives {describe(layer)}, expected a module")
    for name in ("query.weight", "key.weight"):
        candidate.attribute(layer, f"{name}.data").mul_(3.0)
    return layer


def call(layer: Handle, x: NDArray[Any], *cache: Any) -> tuple[NDArray[Any], Any]:
    """The result of the layer for x (B, T, d_model), and its cache."""
    told = layer(x, *cache)
    if not isinstance(told, tuple | list) or len(told) != 2:
        raise Mismatch(f"forward gives {describe(told)}, expected a pair of the result and a cache")
    return expect_array(told[0], x.shape, of="the result of forward", dtypes=("float32",)), told[1]


def projection(candidate: Candidate, layer: Handle, name: str) -> Callable[[NDArray[Any]], Floats]:
    """One of the layer's linear projections, in float64."""
    weight = candidate.value(layer, f"{name}.weight")
    bias = candidate.value(layer, f"{name}.bias")
    if not isinstance(weight, np.ndarray):
        raise Mismatch(f"the weight of {name} is {describe(weight)}, expected that of an nn.Linear")
    rows = weight.astype("float64")
    return lambda x: np.asarray(x @ rows.T + (0.0 if bias is None else bias))


def heads(x: Floats, n_head: int) -> Floats:
    """(B, T, D) as (B, H, T, W)."""
    return x.reshape(*x.shape[:2], n_head, -1).swapaxes(1, 2)


def attended(candidate: Candidate, layer: Handle, x: NDArray[Any], n_head: int, rotation: Rotation) -> Floats:
    """What the layer should give for x (B, T, D), if this is how queries and keys (B, H, T, W) are rotated."""
    query, key, value = (heads(projection(candidate, layer, name)(x), n_head) for name in ("query", "key", "value"))
    scores = rotation(query) @ rotation(key).swapaxes(-2, -1) / np.sqrt(query.shape[-1])
    scores = np.where(np.tri(x.shape[1], dtype=bool), scores, -np.inf)
    weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights /= weights.sum(axis=-1, keepdims=True)
    mixed = (weights @ value).swapaxes(1, 2).reshape(x.shape)
    return projection(candidate, layer, "output")(mixed)


def expect_attention(candidate: Candidate, layer: Handle, x: NDArray[Any], n_head: int, base: float) -> None:
    """Raise a Mismatch unless the layer gives for x what attention with rotated queries and keys gives.

    A wrong rotation costs the criteria of rotate; the layer that uses it faithfully is right, provided that it turns.
    """
    found, _ = call(layer, x)
    positions = np.arange(x.shape[1])
    right = attended(candidate, layer, x, n_head, lambda each: exact(each, positions, base))
    if largest_difference(found, right) < CLOSE or by_own_rotation(candidate, layer, x, n_head, base, found):
        return
    plain = attended(candidate, layer, x, n_head, lambda each: each)
    if largest_difference(found, plain) < CLOSE:
        raise Mismatch("the result is that of attention without positions")
    off = np.abs(found - right).max(axis=(0, 2))
    token = int((off > CLOSE).argmax())
    raise Mismatch(f"from token {token} on the result differs from attention with rotated queries and keys")


def by_own_rotation(
    candidate: Candidate, layer: Handle, x: NDArray[Any], n_head: int, base: float, found: NDArray[Any]
) -> bool:
    """Whether `found` is what the layer should give if the candidate's own rotate were right."""

    def own(each: Floats) -> Floats:
        turned = rotated(candidate, each.astype("float32"), np.arange(x.shape[1]), base=base)
        if largest_difference(turned, each) < MOVED or largest_difference(turned, -each) < MOVED:
            raise Mismatch("rotate does not turn")
        return turned

    try:
        return largest_difference(found, attended(candidate, layer, x, n_head, own)) < CLOSE
    except (Mismatch, Raised, Lost):  # after a loss the caller asks nothing more of the worker
        return False
