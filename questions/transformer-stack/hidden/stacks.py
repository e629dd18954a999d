"""Building a stack, finding its blocks whatever they are called, and reading and setting their parameters."""

from typing import Any, NamedTuple

import block_oracle
import numpy as np
from block_oracle import Array

from grader.checks import Candidate, Handle, Mismatch, Undefined, describe, tensor

A_PARAMETER = ".attention.w_q.weight"


class Sizes(NamedTuple):
    """The arguments of a block; no two of the dimensions that they make are alike."""

    d_model: int = 12
    n_head: int = 2
    d_k: int = 5
    d_v: int = 4
    d_ff: int = 20


SIZES = Sizes()


def built(candidate: Candidate, depth: int, sizes: Sizes = SIZES) -> Handle:
    """A new stack of the candidate's."""
    stack = candidate.TransformerStack(depth, *sizes)
    if not isinstance(stack, Handle):
        raise Mismatch(f"TransformerStack gives {describe(stack)}, expected a torch.nn.Module")
    return stack


def blocks_of(candidate: Candidate, stack: Handle, depth: int) -> list[Handle]:
    """The stack's first blocks, in order: by the agreed name, or else wherever a block's parameters are found.

    What the blocks are called has a criterion of its own.
    """
    try:
        return [candidate.attribute(stack, f"blocks.{place}") for place in range(depth)]
    except Undefined:
        names = [each.name for each in candidate.inventory(stack) if each.name.endswith(A_PARAMETER)]
    if len(names) < depth:
        raise Mismatch(f"found {len(names)} blocks with parameters of their own in the stack, expected {depth}")
    return [_reached(candidate, stack, name.removesuffix(A_PARAMETER)) for name in names[:depth]]


def _reached(candidate: Candidate, stack: Handle, path: str) -> Handle:
    """The object at a path of an inventory, which may lead through a plain list: "layers[2]"."""
    outer, bracket, rest = path.partition("[")
    if not bracket:
        return candidate.attribute(stack, path)
    place, _, inner = rest.partition("]")
    items = candidate.value(stack, outer)
    if not isinstance(items, list | tuple) or not place.isdecimal() or not isinstance(items[int(place)], Handle):
        raise Mismatch(f"the block at {path} can't be reached")
    block: Handle = items[int(place)]
    return candidate.attribute(block, inner.removeprefix(".")) if inner else block


def weights_of(candidate: Candidate, block: Handle, names: tuple[str, ...] = ()) -> dict[str, Array]:
    """A block's parameters by name; all of them, or those asked for."""
    wanted = names or tuple(block_oracle.shapes(*SIZES))
    found = {name: candidate.value(block, name) for name in wanted}
    for name, value in found.items():
        if not isinstance(value, np.ndarray):
            raise Mismatch(f"{name} of a block is {describe(value)}, expected numbers")
    return found


def shapes_in(candidate: Candidate, module: Handle) -> dict[str, tuple[int, ...]]:
    """The names and shapes of a module's parameters: the sizes have a criterion of their own."""
    return {each.name: each.shape for each in candidate.inventory(module) if each.kind == "parameter"}


def load(candidate: Candidate, module: Handle, values: dict[str, Array]) -> None:
    """Load values into a module as torch does, and as strictly."""
    candidate.torch.nn.Module.load_state_dict(module, {name: tensor(value) for name, value in values.items()})


def with_random_blocks(candidate: Candidate, depth: int, rng: np.random.Generator) -> tuple[Handle, list[Handle]]:
    """A stack with random weights, and its blocks."""
    stack = built(candidate, depth)
    blocks = blocks_of(candidate, stack, depth)
    shapes = shapes_in(candidate, blocks[0])
    for block in blocks:
        load(candidate, block, block_oracle.drawn(rng, shapes))
    return stack, blocks


def without_queries(candidate: Candidate, place: int, rng: np.random.Generator) -> Handle:
    """A stack of three whose block at `place` looks everywhere alike, whatever reaches it: its map gives it away."""
    stack, blocks = with_random_blocks(candidate, 3, rng)
    queries = weights_of(candidate, blocks[place], ("attention.w_q.weight",))
    blocks[place].load_state_dict({name: np.zeros_like(value) for name, value in queries.items()}, False)
    return stack


def even_map(length: int) -> Array:
    """The causal map (T, T) of a block that looks everywhere alike."""
    return np.asarray(np.tri(length) / np.arange(1, length + 1)[:, None])


def pair(value: Any) -> tuple[Any, Any]:
    """The two parts of what forward returned."""
    if not isinstance(value, list | tuple) or len(value) != 2:
        raise Mismatch(f"forward returned {describe(value)}, expected a pair of embeddings and maps")
    return value[0], value[1]


def maps_in(value: Any, depth: int) -> list[Any]:
    """The maps that forward returned, `depth` of them."""
    maps = pair(value)[1]
    if not isinstance(maps, list | tuple):
        raise Mismatch(f"the maps are {describe(maps)}, expected a list")
    if len(maps) != depth:
        raise Mismatch(f"found {len(maps)} maps for {depth} blocks, expected one for each")
    return list(maps)


def embeddings(rng: np.random.Generator, *shape: int) -> Array:
    """Embeddings as a model has them: random, float32."""
    return rng.normal(size=shape).astype("float32")
