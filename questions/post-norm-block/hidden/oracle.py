"""A block whose parameters are known, and what follows from them in plain NumPy.

What attention and feed-forward network give is asked of the block's own parts, so that a mistake inside them does not
make the block around them wrong.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from grader.checks import Candidate, Handle, Mismatch, Raised, Undefined, describe, largest_difference

Array = NDArray[Any]

SIZES: Final = (8, 3, 2, 5, 14)  # d_model, n_head, d_k, d_v, d_ff
EPSILON: Final = 1e-5

# Results of order 1 are off by about 2e-6 in float32, and by 0.01 and more where something is wrong.
SAME: Final = 1e-4

FEED_FORWARD: Final = ("w_1.weight", "w_1.bias", "w_2.weight", "w_2.bias")
ATTENTION: Final = ("w_q.weight", "w_k.weight", "w_v.weight", "w_o.weight")


@dataclass(frozen=True)
class Norm:
    """A LayerNorm by its numbers."""

    gain: Array
    bias: Array

    def __call__(self, x: Array) -> Array:
        """LayerNorm over the last axis."""
        centred = x - x.mean(axis=-1, keepdims=True)
        spread = np.sqrt((centred**2).mean(axis=-1, keepdims=True) + EPSILON)
        return np.asarray(centred / spread * self.gain + self.bias)


@dataclass(frozen=True)
class Block:
    """A candidate's block in evaluation mode, the shapes of its parameters, and the numbers of its norms."""

    module: Handle
    shapes: dict[str, tuple[int, ...]]
    ln1: Norm
    ln2: Norm

    def silence(self, *names: str) -> None:
        """Set parameters to zero, as far as they are there."""
        for name in names:
            if name in self.shapes:
                put(self.module, name, np.zeros(self.shapes[name]))

    def silence_attention(self) -> None:
        """Make the attention give zeros."""
        self.silence("attn.w_o.weight")

    def silence_feed_forward(self) -> None:
        """Make the feed-forward network give zeros."""
        self.silence("ff.w_2.weight", "ff.w_2.bias")

    def attention(self, x: Array) -> Array:
        """What the block's own attention gives for x (B, T, d_model)."""
        result = parts_of(self.module.attn(*[x.astype("float32")] * 3))
        return as_array(result[0] if result else None, x.shape, "attn")

    def feed_forward(self, x: Array) -> Array:
        """What the block's own feed-forward network gives for x (B, T, d_model)."""
        return as_array(self.module.ff(x.astype("float32")), x.shape, "ff")

    def output(self, x: Array) -> Array:
        """The output of the block (B, T, d_model)."""
        return output_of(self.module(x), x.shape)

    def right_output(self, x: Array) -> Array:
        """The output that the prompt asks for, of the block's own parts."""
        y = self.ln1(x + self.attention(x))
        return self.ln2(y + self.feed_forward(y))


def wanted(d_model: int, n_head: int, d_k: int, d_v: int, d_ff: int) -> dict[str, tuple[int, ...]]:
    """The names and shapes of a block's parameters; those of ln1 come last."""
    keys, values = (n_head * d_k, d_model), (n_head * d_v, d_model)
    attention = zip(ATTENTION, (keys, keys, values, values[::-1]), strict=True)
    layers = zip(FEED_FORWARD, ((d_ff, d_model), (d_ff,), (d_model, d_ff), (d_model,)), strict=True)
    norms = {f"{norm}.{name}": (d_model,) for norm in ("ln2", "ln1") for name in ("weight", "bias")}
    return {f"attn.{name}": each for name, each in attention} | {f"ff.{name}": each for name, each in layers} | norms


def put(module: Handle, name: str, numbers: Array) -> None:
    """Copy numbers into a parameter."""
    target: Any = module
    for part in name.split("."):
        target = getattr(target, part)
    target.data.copy_(numbers.astype("float32"))


def drawn(rng: np.random.Generator, name: str, shape: tuple[int, ...]) -> Array:
    """Random numbers for a parameter. A norm gets a gain away from 1 and a bias away from 0, which show that it ran."""
    if name.startswith("ln"):
        signs = rng.choice([-1.0, 1.0], size=shape)
        return (name.endswith("weight") + signs * rng.uniform(0.2, 0.6, size=shape)).astype("float32")
    return (rng.normal(size=shape) / np.sqrt(shape[-1] if len(shape) > 1 else 4)).astype("float32")


def known(candidate: Candidate, module: Handle, names: tuple[str, ...]) -> dict[str, tuple[int, ...]]:
    """The shapes of those parameters of a module that are there.

    A bias may be left out, and so may the gain of a norm, which costs its criterion.
    """
    shapes = {}
    for name in names:
        found = candidate.value(module, name)
        if found is None and (name.endswith("bias") or name.startswith("ln")):
            continue
        if not isinstance(found, np.ndarray):
            raise Mismatch(f"{name} is {describe(found)}, expected an array")
        shapes[name] = found.shape
    return shapes


def build(candidate: Candidate, rng: np.random.Generator) -> Block:
    """The candidate's block with random parameters, those of the norms included."""
    module = candidate.TransformerBlock(*SIZES)
    if not isinstance(module, Handle):
        raise Mismatch(f"TransformerBlock(...) gives {describe(module)}, expected a module")
    numbers = {name: drawn(rng, name, shape) for name, shape in wanted(*SIZES).items()}
    for name in wanted(*SIZES):
        try:
            put(module, name, numbers[name])
        except (Raised, Undefined):  # another shape, or no bias, which has its own criterion
            del numbers[name]
            for shape in known(candidate, module, (name,)).values():
                numbers[name] = drawn(rng, name, shape)
                put(module, name, numbers[name])
    # Read back, since where two norms are one object it has the numbers that were written last.
    read = {name: candidate.value(module, name) for name in numbers if name.startswith("ln2")}
    module.train(False)
    shapes = {name: each.shape for name, each in numbers.items()}
    return Block(module, shapes, norm_of(numbers, "ln1"), norm_of(read, "ln2"))


def norm_of(numbers: dict[str, Any], name: str) -> Norm:
    """A norm by its numbers: one without a gain has ones there, and one without a bias zeros."""
    gain, bias = (
        as_array(numbers.get(f"{name}.{part}", default), (SIZES[0],), f"{name}.{part}")
        for part, default in (("weight", np.ones(SIZES[0])), ("bias", np.zeros(SIZES[0])))
    )
    return Norm(gain, bias)


def tokens(rng: np.random.Generator, *shape: int) -> NDArray[np.float32]:
    """Random embeddings that are neither centred nor of unit size."""
    return (0.7 + 1.5 * rng.normal(size=shape)).astype("float32")


def as_array(value: Any, shape: tuple[int, ...], of: str) -> Array:
    """An array of this shape in float64, or a Mismatch."""
    if not isinstance(value, np.ndarray) or value.shape != shape:
        raise Mismatch(f"{of} gives {describe(value)}, expected an array of shape {list(shape)}")
    return value.astype("float64")


def output_of(result: Any, shape: tuple[int, ...]) -> Array:
    """The output in what a block returned, wherever it is: what is returned has its own criterion."""
    fitting = [part for part in parts_of(result) if isinstance(part, np.ndarray) and part.shape == shape]
    if not fitting:
        raise Mismatch(f"the block gives {describe(result)}, expected an output of shape {list(shape)}")
    return as_array(fitting[0], shape, "the block")


def parts_of(result: Any) -> list[Any]:
    """All that a block returned, in whatever tuples, lists and dicts it stands."""
    if isinstance(result, dict):
        result = list(result.values())
    if isinstance(result, list | tuple):
        return [part for each in result for part in parts_of(each)]
    return [result]


def same(one: Array, other: Array) -> bool:
    """Whether two results agree."""
    return largest_difference(one, other) < SAME
