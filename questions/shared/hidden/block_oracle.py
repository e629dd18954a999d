"""The post-norm block of the shared `block.py` in plain NumPy, float64: its tensors by name, and what it computes."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from grader.checks import Mismatch

Array = NDArray[Any]
Shapes = dict[str, tuple[int, ...]]

EPSILON = 1e-5  # of torch's LayerNorm, where nothing else is said


def shapes(d_model: int, n_head: int, d_k: int, d_v: int, d_ff: int) -> Shapes:
    """The names and shapes of a block's parameters."""
    return {
        "attention.w_q.weight": (n_head * d_k, d_model),
        "attention.w_k.weight": (n_head * d_k, d_model),
        "attention.w_v.weight": (n_head * d_v, d_model),
        "attention.w_o.weight": (d_model, n_head * d_v),
        "norm_attention.weight": (d_model,),
        "norm_attention.bias": (d_model,),
        "feed_forward.widen.weight": (d_ff, d_model),
        "feed_forward.widen.bias": (d_ff,),
        "feed_forward.narrow.weight": (d_model, d_ff),
        "feed_forward.narrow.bias": (d_model,),
        "norm_feed_forward.weight": (d_model,),
        "norm_feed_forward.bias": (d_model,),
    }


def drawn(rng: np.random.Generator, wanted: Mapping[str, tuple[int, ...]]) -> dict[str, Array]:
    """Random float32 values for tensors of these names and shapes; gains of norms stay away from zero.

    A fresh norm has a gain of 1 and a bias of 0, which hides one that is missing or applied twice. These show it.
    """
    return {
        name: (("norm" in name and name.endswith("weight")) + 0.4 * rng.normal(size=shape)).astype("float32")
        for name, shape in wanted.items()
    }


def normalised(x: Array, gain: Array, bias: Array) -> Array:
    """LayerNorm over the last axis."""
    centred = x - x.mean(axis=-1, keepdims=True)
    spread = np.sqrt((centred**2).mean(axis=-1, keepdims=True) + EPSILON)
    return np.asarray(centred / spread * gain + bias)


def expect_block(weights: Mapping[str, Array], d_model: int, n_head: int) -> None:
    """Raise a Mismatch unless these tensors fit each other in a block of this width and as many heads."""
    d_k, d_v, d_ff = (
        sum(weights[name].shape[:1]) // parts
        for name, parts in (
            ("attention.w_q.weight", n_head),
            ("attention.w_v.weight", n_head),
            ("feed_forward.widen.weight", 1),
        )
    )
    for name, shape in shapes(d_model, n_head, d_k, d_v, d_ff).items():
        if weights[name].shape != shape:
            raise Mismatch(f"{name} has the shape {list(weights[name].shape)}, which fits no block of {n_head} heads")


def apply(x: Array, weights: Mapping[str, Array], n_head: int) -> tuple[Array, Array]:
    """The block's embeddings (B, T, D) and its attention map (B, H, T, T), for x of (B, T, D).

    Raises:
        Mismatch: the tensors don't fit each other, which may be the candidate's.
    """
    expect_block(weights, x.shape[-1], n_head)
    tensors = {name: value.astype("float64") for name, value in weights.items()}
    batch, length, _ = x.shape

    def heads(name: str) -> Array:
        projected = x @ tensors[f"attention.{name}.weight"].T
        return projected.reshape(batch, length, n_head, -1).transpose(0, 2, 1, 3)  # (B, H, T, d_k or d_v)

    query, key, value = heads("w_q"), heads("w_k"), heads("w_v")
    scores = query @ key.swapaxes(-2, -1) / np.sqrt(query.shape[-1])  # (B, H, T, T)
    scores = np.where(np.tri(length, dtype=bool), scores, -np.inf)
    weight = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weight /= weight.sum(axis=-1, keepdims=True)
    mixed = (weight @ value).transpose(0, 2, 1, 3).reshape(batch, length, -1)  # (B, T, H * d_v)
    x = x + mixed @ tensors["attention.w_o.weight"].T
    x = normalised(x, tensors["norm_attention.weight"], tensors["norm_attention.bias"])
    wide = np.maximum(x @ tensors["feed_forward.widen.weight"].T + tensors["feed_forward.widen.bias"], 0)
    x = x + wide @ tensors["feed_forward.narrow.weight"].T + tensors["feed_forward.narrow.bias"]
    return normalised(x, tensors["norm_feed_forward.weight"], tensors["norm_feed_forward.bias"]), weight


def apply_all(x: Array, blocks: list[dict[str, Array]], n_head: int) -> tuple[Array, list[Array]]:
    """One block after the other: the last one's embeddings, and every map, first block first."""
    maps = []
    for weights in blocks:
        x, weight = apply(x, weights, n_head)
        maps.append(weight)
    return x, maps
