"""What a submission does in a few fixed situations, so that the mistake behind a failure can be named."""

from typing import Any

import numpy as np
from oracle import (
    CLASSIC,
    NAMES,
    applied_weights,
    begins_with_output,
    build,
    facing,
    moved,
    one_token_changed,
    output_of,
    parts,
    tokens,
    weights_of,
)
from test_in_a_model import finite, mixer

from grader.checks import Candidate, Mismatch, Raised, probe

SEED = 5


def numbers(array: Any) -> Any:
    """An array for comparison by probes, which allow for less rounding than float32 attention has."""
    return array.astype("float64") / 20 if isinstance(array, np.ndarray) else array


@probe
def held(candidate: Candidate) -> tuple[Any, bool]:
    """The shapes of the weights, and whether there are biases beside them."""
    return shapes(candidate, CLASSIC)


@probe
def odd_shapes(candidate: Candidate) -> tuple[Any, bool]:
    """The same where no width follows from another."""
    return shapes(candidate, (3, 12, 5, 7))


def shapes(candidate: Candidate, widths: tuple[int, ...]) -> tuple[Any, bool]:
    parameters = candidate.inventory(candidate.MultiHeadAttention(*widths)).parameters
    matrices = sorted((each.name, each.shape) for each in parameters if len(each.shape) == 2)
    return matrices, len(matrices) < len(parameters)


@probe
def sees(candidate: Candidate) -> Any:
    """Which output moves with which token, in self-attention."""
    rng = np.random.default_rng(SEED)
    built = build(candidate, rng)
    changed = one_token_changed(rng, tokens(rng, 2, 5, 12))
    return moved([output_of(each, (2, 5, 12)) for each in built.module.many([(x, x, x) for x in changed])])


@probe
def output(candidate: Candidate) -> Any:
    """The output of self-attention in three heads."""
    rng = np.random.default_rng(SEED)
    built, x = build(candidate, rng), tokens(rng, 2, 5, 12)
    return numbers(output_of(built.module(x, x, x), x.shape))


@probe
def weights(candidate: Candidate) -> Any:
    """The weights of the same."""
    rng = np.random.default_rng(SEED)
    built, x = build(candidate, rng), tokens(rng, 2, 5, 12)
    return numbers(weights_of(built.module(x, x, x)))


@probe
def returns(candidate: Candidate) -> tuple[str, bool]:
    """What holds the results, and whether the output comes first in it."""
    rng = np.random.default_rng(SEED)
    built, x = build(candidate, rng), tokens(rng, 2, 5, 12)
    result = built.module(x, x, x)
    return type(result).__name__, begins_with_output(result)


@probe
def one_head(candidate: Candidate) -> Any:
    """The output of self-attention in one head, with four widths that differ."""
    rng = np.random.default_rng(SEED)
    built, x = build(candidate, rng, (1, 9, 5, 7)), tokens(rng, 2, 6, 9)
    return numbers(output_of(built.module(x, x, x), x.shape))


@probe
def three_inputs(candidate: Candidate) -> Any:
    """The output where query, key and value differ."""
    rng = np.random.default_rng(SEED)
    built = build(candidate, rng, (1, 8, 8, 8))
    query, key, value = (tokens(rng, 2, 5, 8) for _ in range(3))
    return numbers(output_of(built.module(query, key, value), query.shape))


@probe
def fewer_queries(candidate: Candidate) -> Any:
    """The output for three queries and five keys."""
    rng = np.random.default_rng(SEED)
    built = build(candidate, rng)
    query, key = tokens(rng, 2, 3, 12), tokens(rng, 2, 5, 12)
    return numbers(output_of(built.module(query, key, key), query.shape))


@probe
def second_length(candidate: Candidate) -> str:
    """Whether a longer sequence follows a shorter one, and a very long one is served."""
    rng = np.random.default_rng(SEED)
    module = build(candidate, rng).module
    for length in (3, 7, 1030):
        x = tokens(rng, 1, length, 12)
        try:
            module(x, x, x)
        except Raised:
            return f"raises at {length}"
    return "serves"


@probe
def in_training(candidate: Candidate) -> tuple[bool, bool, bool]:
    """In training: whether inputs stay, calls repeat, and the output is that of evaluation."""
    rng = np.random.default_rng(SEED)
    built = build(candidate, rng)
    query, key, value = (tokens(rng, 2, 5, 12) for _ in range(3))
    before = output_of(built.module(query, key, value), query.shape)
    seen = candidate.observe(built.module.train(True), query, key, value)
    same = bool(np.allclose(output_of(seen.result, query.shape), before, atol=1e-4))
    return seen.arguments_unchanged, seen.repeats, same


@probe
def moves(candidate: Candidate) -> str:
    """Whether all of the module moves to another device."""
    rng = np.random.default_rng(SEED)
    built, x = build(candidate, rng), tokens(rng, 2, 5, 12)
    kept = [each.name for each in candidate.inventory(built.module) if each.kind == "loose"]
    try:
        candidate.moved(built.module, x, x, x)
    except Mismatch:
        return f"leaves {kept} behind"
    return "moves"


@probe
def gradients(candidate: Candidate) -> Any:
    """The gradient at x, and at which of the weights one arrives."""
    rng = np.random.default_rng(SEED)
    built, x = build(candidate, rng), tokens(rng, 2, 5, 12)
    seen = candidate.gradient(mixer(candidate, built), x, x)
    paths = [f"{name}.weight.grad" for name in NAMES if name in built.weights]
    arrived = [isinstance(candidate.value(built.module, path), np.ndarray) for path in paths]
    return numbers(seen.at_x), arrived


@probe
def at_large_scores(candidate: Candidate) -> list[str]:
    """The weights of the first two queries where scores are near 1000, and of the first where they are far below 0."""
    return [at_large(candidate, largest, query) for largest, query in ((998.0, 0), (998.0, 1), (-998.0, 0))]


def at_large(candidate: Candidate, largest: float, query: int) -> str:
    rng = np.random.default_rng(SEED)
    value = tokens(rng, 2, 4, 12)
    built, x = facing(build(candidate, rng, (1, 12, 12, 12)), tokens(rng, 2, 4, 12), largest)
    given = parts(built.module(x, x, value))[0]
    found, right = applied_weights(built, x, value), built.right_weights(x, x)
    if found is None or not finite(given[:, query]):
        return "none"
    off = np.abs(found - right)[:, :, query].max(axis=(0, 1)) > 0.03
    return "right" if not off.any() else "shared with later keys" if off[query + 1 :].any() else "other"
