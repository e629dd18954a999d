"""Attention in plain NumPy, and modules whose weights are known.

Checks look at one rule each. Where a check needs something that another rule decides, it takes what the module shows:
the shapes that its projections have, or the weights that it returned.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from grader.checks import Candidate, Handle, Mismatch, Raised, Undefined, describe, largest_difference

Array = NDArray[Any]

NAMES: Final = ("w_q", "w_k", "w_v", "w_o")
BIASES: Final = tuple(f"{name}.bias" for name in NAMES)
CLASSIC: Final = (3, 12, 4, 4)  # n_head, d_model, d_k, d_v: n_head * d_k and n_head * d_v are d_model

# Results of order 1 are off by about 2e-6 in float32, and by 0.01 and more where something is wrong.
SAME: Final = 5e-5
MOVED: Final = 2e-5
HIDDEN: Final = 1e-6


@dataclass(frozen=True)
class Built:
    """A candidate's module, and the weights that it was given: `weights[name]` has the shape of an nn.Linear's."""

    module: Handle
    n_head: int
    weights: dict[str, Array]

    @property
    def d_k(self) -> int:
        """The width that a head's queries and keys have, whatever was asked for."""
        return len(self.weights["w_q"]) // self.n_head

    def project(self, name: str, x: Array) -> Array:
        """What a projection makes of x (B, T, d_model), split into heads: (B, n_head, T, width)."""
        projected = x.astype("float64") @ self.weights[name].astype("float64").T
        return projected.reshape(*x.shape[:2], self.n_head, -1).transpose(0, 2, 1, 3)

    def scores(self, query: Array, key: Array) -> Array:
        """The scores (B, n_head, len_q, len_k), before any scaling."""
        return np.asarray(self.project("w_q", query) @ self.project("w_k", key).swapaxes(-2, -1))

    def right_weights(self, query: Array, key: Array) -> Array:
        """The weights (B, n_head, len_q, len_k) that the prompt asks for."""
        return causal_softmax(self.scores(query, key) / np.sqrt(self.d_k))

    def output(self, weights: Array, value: Array) -> Array:
        """The output (B, len_q, d_model) that follows from weights (B, n_head, len_q, len_k)."""
        heads = weights.astype("float64") @ self.project("w_v", value)  # (B, n_head, len_q, d_v)
        merged = heads.transpose(0, 2, 1, 3).reshape(len(value), weights.shape[-2], -1)
        return np.asarray(merged @ self.weights["w_o"].T) if "w_o" in self.weights else merged

    def changed(self, name: str, numbers: Array) -> Built:
        """The same module with another weight in one of its projections."""
        put(self.module, name, numbers)
        return replace(self, weights={**self.weights, name: numbers})


def causal_softmax(scores: Array) -> Array:
    """The softmax of scores (…, len_q, len_k) over the keys that each query sees."""
    scores = np.where(np.tri(*scores.shape[-2:], dtype=bool), scores, -np.inf)
    weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return np.asarray(weights / weights.sum(axis=-1, keepdims=True))


def put(module: Handle, name: str, numbers: Array) -> None:
    """Copy numbers into the weight of a projection."""
    getattr(module, name).weight.data.copy_(numbers.astype("float32"))


def build(candidate: Candidate, rng: np.random.Generator, widths: tuple[int, int, int, int] = CLASSIC) -> Built:
    """The candidate's module in evaluation mode, with random weights. Biases, where it has any, are zero."""
    module = candidate.MultiHeadAttention(*widths)
    if not isinstance(module, Handle):
        raise Mismatch(f"MultiHeadAttention(...) gives {describe(module)}, expected a module")
    weights = {}
    for name, shape in wanted(*widths).items():
        try:
            weights[name] = drawn(rng, shape)
            put(module, name, weights[name])
        except Undefined:
            if name != "w_o":
                raise Mismatch(f"the module has no projection {name}, expected an nn.Linear of that name") from None
            del weights[name]  # the heads as they are; the missing projection has its own criterion
        except Raised:  # another shape, which has its own criterion
            found = candidate.value(module, f"{name}.weight")
            if not isinstance(found, np.ndarray) or found.ndim != 2:
                raise Mismatch(f"{name}.weight is {describe(found)}, expected a matrix") from None
            weights[name] = drawn(rng, found.shape)
            put(module, name, weights[name])
    for parameter in candidate.inventory(module).parameters:
        if parameter.name in BIASES:
            getattr(module, parameter.name.removesuffix(".bias")).bias.data.zero_()
    module.train(False)
    return Built(module, widths[0], weights)


def wanted(n_head: int, d_model: int, d_k: int, d_v: int) -> dict[str, tuple[int, ...]]:
    """The shapes of the four weights."""
    keys, values = n_head * d_k, n_head * d_v
    return dict(zip(NAMES, [(keys, d_model), (keys, d_model), (values, d_model), (d_model, values)], strict=True))


def drawn(rng: np.random.Generator, shape: tuple[int, ...]) -> NDArray[np.float32]:
    """Random numbers for a weight, of a size that keeps the spread of what goes through it."""
    return (rng.normal(size=shape) / np.sqrt(shape[1])).astype("float32")


def tokens(rng: np.random.Generator, *shape: int) -> NDArray[np.float32]:
    """Random embeddings with a spread that gives scores of a few units."""
    return (1.3 * rng.normal(size=shape)).astype("float32")


def parts(result: Any) -> list[Any]:
    """What forward returned, one by one, and the weights last if there are two.

    What holds them and in which order has a criterion of its own; the weights are the ones with an axis for the heads.
    """
    found = list(result.values()) if isinstance(result, dict) else result
    if not isinstance(found, list | tuple):
        return [result]
    axes = [each.ndim if isinstance(each, np.ndarray) else None for each in found]
    return list(reversed(found)) if axes == [4, 3] else list(found)


def begins_with_output(result: Any) -> bool:
    """Whether forward returned a sequence with the output in front, so that `forward(...)[0]` has it."""
    return isinstance(result, list | tuple) and len(result) > 0 and result[0] is parts(result)[0]


def output_of(result: Any, shape: tuple[int, ...]) -> Array:
    """The output in what forward returned; NaN, which some criteria look for, counts as zero for the others."""
    output = next(iter(parts(result)), None)
    if not isinstance(output, np.ndarray):
        raise Mismatch(f"the output is {describe(output)}, expected an array of shape {list(shape)}")
    if output.shape != shape:
        raise Mismatch(f"the output has shape {list(output.shape)}, expected {list(shape)}")
    return np.nan_to_num(output.astype("float64"))


def weights_of(result: Any) -> Any:
    """The weights in what forward returned, whatever they are; None if there are none."""
    found = parts(result)
    return found[1] if len(found) == 2 else None


def plausible(weights: Any, shape: tuple[int, ...]) -> bool:
    """Whether returned weights can be weights at all: of this shape, and in the range from 0 to 1."""
    fits = isinstance(weights, np.ndarray) and weights.shape == shape and weights.dtype.kind == "f"
    return bool(fits and ((weights >= 0) & (weights <= 1 + 1e-5)).all())


def moved(outputs: list[Array]) -> NDArray[np.bool_]:
    """Which rows of the output each change moved: [i, j] for row i and change j; the first output is unchanged."""
    first, *others = outputs
    columns = [np.abs(other - first).max(axis=(0, 2)) > MOVED for other in others]
    return np.stack(columns, axis=1)


def one_token_changed(rng: np.random.Generator, x: Array) -> list[Array]:
    """x itself, and copies of it in each of which one token is another: x is (B, T, d_model)."""
    copies = [x.copy() for _ in range(x.shape[1])]
    for place, copy in enumerate(copies):
        copy[:, place] = tokens(rng, len(x), x.shape[2])
    return [x, *copies]


def self_pattern(built: Built, rng: np.random.Generator, length: int) -> NDArray[np.bool_]:
    """Which output rows (i) move with which token (j), in self-attention."""
    x = tokens(rng, 2, length, built.weights["w_q"].shape[1])
    results = built.module.many([(each, each, each) for each in one_token_changed(rng, x)])
    return moved([output_of(result, x.shape) for result in results])


def value_pattern(built: Built, query: Array, key: Array, values: list[Array]) -> NDArray[np.bool_]:
    """Which output rows (i) move with which value (j)."""
    results = built.module.many([(query, key, value) for value in values])
    return moved([output_of(result, query.shape) for result in results])


def applied_weights(built: Built, x: Array, value: Array | None = None) -> Array | None:
    """The weights (B, 1, T, T) of a module with one head, for scores and scale; None where they can't be had.

    They are those returned, if they can be weights. Else they follow from the output, where T is at most d_v, if the
    values (x itself unless given) differ.
    """
    batch, length, _ = x.shape
    value = x if value is None else value
    result = built.module(x, x, value)
    weights, shape = weights_of(result), (batch, built.n_head, length, length)
    if plausible(weights, shape):
        return np.asarray(weights)
    if built.n_head > 1:
        return None
    values = built.project("w_v", value)[:, 0]  # (B, T, d_v)
    through = values @ built.weights["w_o"].T if "w_o" in built.weights else values
    return np.asarray(output_of(result, x.shape) @ np.linalg.pinv(through))[:, None]


def facing(built: Built, x: Array, largest: float) -> tuple[Built, Array]:
    """A module of one head whose queries are its keys, enlarged, and x (B, T, d_model) with large scores in front.

    In each sequence the longest key comes first, and scores `largest` with itself. The second token is almost the same.
    """
    keys = built.project("w_k", x)[:, 0]  # (B, T, d_k)
    lengths = np.linalg.norm(keys, axis=-1)  # (B, T)
    x = np.take_along_axis(x / lengths.max(axis=1)[:, None, None], np.argsort(-lengths)[..., None], axis=1)
    x[:, 1] = 0.98 * x[:, 0]
    queries = built.weights["w_k"] * largest * np.sqrt(built.d_k)
    return built.changed("w_q", queries.astype("float32")), x.astype("float32")


def temperature(weights: Array, scores: Array) -> tuple[float, float] | None:
    """The factor by which scores (B, H, T, T) became log weights, and how well it explains them (1 is all of it).

    Only keys that a query is meant to see are looked at. Any normalisation of rows and columns drops out of
    log w[i,j] - log w[i,l] - log w[k,j] + log w[k,l], for queries i and k and keys j and l that all have some weight.
    None where no four have.
    """
    seen = (weights > 1e-3) & np.tri(*weights.shape[-2:], dtype=bool)
    logs = np.log(np.where(seen, weights, 1.0))
    four = seen[..., :, None, :, None] & seen[..., :, None, None, :]
    four = four & seen[..., None, :, :, None] & seen[..., None, :, None, :]  # (B, H, i, k, j, l)
    ours, theirs = (_crossed(each)[four] for each in (scores, logs))
    if not (ours**2).sum() > 1e-6 or not (theirs**2).sum() > 1e-9:
        return None
    factor = (ours * theirs).sum() / (ours**2).sum()
    explained = (ours * theirs).sum() ** 2 / ((ours**2).sum() * (theirs**2).sum())
    return float(factor), float(explained)


def _crossed(table: Array) -> Array:
    rows = table[..., :, None, :] - table[..., None, :, :]  # (B, H, i, k, j)
    return np.asarray(rows[..., :, None] - rows[..., None, :])


def explains(built: Built, output: Array, weights: Any, value: Array) -> bool:
    """Whether an output is what weights make of the values, as far as it can be compared."""
    shape = (len(value), built.n_head, output.shape[1], value.shape[1])
    if not isinstance(weights, np.ndarray) or weights.shape != shape or not np.isfinite(weights).all():
        return False
    expected = built.output(weights, value)
    return expected.shape == output.shape and largest_difference(output, expected) < SAME
