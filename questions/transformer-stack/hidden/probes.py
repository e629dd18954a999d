"""What a stack does in a few fixed situations, so that the mistake behind a failure can be named."""

from typing import Any

import block_oracle
import numpy as np
from stacks import (
    SIZES,
    Sizes,
    blocks_of,
    built,
    even_map,
    pair,
    shapes_in,
    weights_of,
    with_random_blocks,
    without_queries,
)
from test_blocks import MATRICES, SHAPES

from grader.checks import Candidate, Mismatch, Raised, probe

X = np.random.default_rng(5).normal(size=(3, 6, SIZES.d_model)).astype("float32")
ROUNDED = 3  # decimals: far above rounding, far below what tells two mistakes apart


@probe
def output(candidate: Candidate) -> Any:
    """The embeddings of three blocks with known weights, beside those of the blocks in order."""
    stack, blocks = with_random_blocks(candidate, 3, np.random.default_rng(6))
    found, _ = pair(stack(X))
    weights = [weights_of(candidate, block) for block in blocks]
    expected, _ = block_oracle.apply_all(X, weights, SIZES.n_head)
    return np.round(found - expected, ROUNDED)


@probe
def order_of_maps(candidate: Candidate) -> Any:
    """For each block, where a map is found that only it can have given."""
    found = []
    for place in range(3):
        _, maps = pair(without_queries(candidate, place, np.random.default_rng(7))(X))
        if not isinstance(maps, list | tuple):
            return "no list"
        found.append([bool(np.allclose(each, even_map(6), atol=1e-3)) for each in maps])
    return found


@probe
def shape_of_maps(candidate: Candidate) -> Any:
    """The kind and the shapes of what comes back beside the embeddings."""
    _, maps = pair(built(candidate, 2)(X))
    if isinstance(maps, np.ndarray):
        return list(maps.shape)
    return [list(each.shape) if isinstance(each, np.ndarray) else "no array" for each in maps]


@probe
def one_token(candidate: Candidate) -> Any:
    """The shape of the embeddings of one sequence of one token."""
    found, _ = pair(built(candidate, 2)(X[:1, :1]))
    return found.shape if isinstance(found, np.ndarray) else "no array"


@probe
def two_calls(candidate: Candidate) -> tuple[bool, bool, bool]:
    """Whether x stays as it was, the call repeats, and its result stays."""
    seen = candidate.observe(built(candidate, 2), X)
    return seen.arguments_unchanged, seen.repeats, seen.result_stays


@probe
def shared(candidate: Candidate) -> list[int]:
    """How many objects three blocks have of each of their parameters."""
    held = candidate.inventory(built(candidate, 3)).parameters
    return [sum(each.name.endswith(f".{name}") for each in held) for name in SHAPES]


@probe
def linked(candidate: Candidate) -> list[bool]:
    """Which parameters of the first block change with those of the last."""
    blocks = blocks_of(candidate, built(candidate, 3), 3)
    before = weights_of(candidate, blocks[0])
    blocks[2].load_state_dict({name: value + 1 for name, value in weights_of(candidate, blocks[2]).items()})
    after = weights_of(candidate, blocks[0])
    return [not np.array_equal(before[name], after[name]) for name in SHAPES]


@probe
def start(candidate: Candidate) -> list[bool]:
    """Which matrices start with the same values in two blocks."""
    values = [weights_of(candidate, block, MATRICES) for block in blocks_of(candidate, built(candidate, 2), 2)]
    return [np.array_equal(values[0][name], values[1][name]) for name in MATRICES]


@probe
def generator(candidate: Candidate) -> bool:
    """Whether what is drawn after a stack was built depends on what was seeded before."""
    draws = []
    for seed in (1, 2):
        candidate.torch.manual_seed(seed)
        built(candidate, 2)
        draws.append(candidate.torch.rand(3))
    return not np.array_equal(*draws)


@probe
def sizes(candidate: Candidate) -> Any:
    """The shapes of a block's parameters, with every argument unlike the others."""
    (block,) = blocks_of(candidate, built(candidate, 2, Sizes(6, 3, 4, 5, 7)), 1)
    return sorted((name, list(shape)) for name, shape in shapes_in(candidate, block).items())


@probe
def names(candidate: Candidate) -> list[str]:
    """The names of everything that a stack of two holds."""
    return sorted({each.name for each in candidate.inventory(built(candidate, 2))} - {"maps[0]", "maps[1]"})


@probe
def withheld(candidate: Candidate) -> bool:
    """Whether `parameters()` leaves something out."""
    return bool(candidate.trained(built(candidate, 2), X).withheld)


@probe
def moves(candidate: Candidate) -> str:
    """Whether a stack moves to another device."""
    try:
        candidate.moved(built(candidate, 2), X)
    except Mismatch:
        return "leaves something behind"
    return "moves"


@probe
def gradients(candidate: Candidate) -> list[str]:
    """The blocks' parameters at which no gradient arrives."""
    model = candidate.support("readout").Readout(built(candidate, 3), SIZES.d_model, 2)
    steps = candidate.trained(model, X).steps
    return sorted(step.tensor.name for step in steps if step.tensor.kind == "parameter" and not step.gradient)


@probe
def depths(candidate: Candidate) -> list[str]:
    """What becomes of a few depths."""
    return [_depth(candidate, depth) for depth in (-2, 0, 1)]


def _depth(candidate: Candidate, depth: int) -> str:
    try:
        stack = built(candidate, depth)
    except Raised as error:
        return error.type
    return f"{len(candidate.inventory(stack))} tensors"
