"""What a submission does in a few fixed situations, so that the mistake behind a failure can be named."""

from typing import Any

import numpy as np
from oracle import FEED_FORWARD, SIZES, build, drawn, known, output_of, put, tokens
from test_feed_forward import D_MODEL, network
from test_in_a_model import as_function, leads_with_an_array

from grader.checks import Candidate, probe

SEED = 6
SHAPE = (2, 5, 8)


def numbers(array: Any) -> Any:
    """An array for comparison by probes, which allow for less rounding than a block in float32 has."""
    return array.astype("float64") / 50 if isinstance(array, np.ndarray) else array


@probe
def held(candidate: Candidate) -> list[Any]:
    """The shapes of the parameters."""
    parameters = candidate.inventory(candidate.TransformerBlock(*SIZES)).parameters
    return sorted(each.shape for each in parameters)


@probe
def feed_forward(candidate: Candidate) -> Any:
    """The output of the feed-forward network for fixed numbers."""
    rng = np.random.default_rng(SEED)
    module = network(candidate)
    for name, shape in known(candidate, module, FEED_FORWARD).items():
        put(module, name, drawn(rng, name, shape))
    return numbers(module(tokens(rng, 2, 5, D_MODEL)))


@probe
def without_feed_forward(candidate: Candidate) -> Any:
    """The output of the block with a silent feed-forward network, and of one with a silent attention beside it."""
    rng = np.random.default_rng(SEED)
    block = build(candidate, rng)
    x = tokens(rng, *SHAPE)
    block.silence_feed_forward()
    attended = block.output(x)
    block.silence_attention()
    return numbers(attended), numbers(block.output(x))


@probe
def small(candidate: Candidate) -> Any:
    """The output for small inputs, with a silent feed-forward network."""
    rng = np.random.default_rng(SEED)
    block = build(candidate, rng)
    block.silence_feed_forward()
    return numbers(block.output(2e-3 * tokens(rng, *SHAPE)))


@probe
def whole(candidate: Candidate) -> list[bool]:
    """Whether the block does what it should with its own parts, for ordinary inputs and for small ones."""
    rng = np.random.default_rng(SEED)
    block = build(candidate, rng)
    x = tokens(rng, *SHAPE)
    return [bool(np.abs(block.output(each) - block.right_output(each)).max() < 1e-3) for each in (x, 2e-3 * x)]


@probe
def returned(candidate: Candidate) -> list[Any]:
    """What comes back: the kinds of what holds it, and the shapes of the arrays."""
    rng = np.random.default_rng(SEED)
    return outline(build(candidate, rng).module(tokens(rng, *SHAPE)))


def outline(value: Any) -> Any:
    """The shape of an array, the kind and the outlines of a list or tuple, and the kind of all else."""
    if isinstance(value, np.ndarray):
        return value.shape
    kind = type(value).__name__
    return [kind, *map(outline, value)] if isinstance(value, list | tuple) else kind


@probe
def returned_for_one_token(candidate: Candidate) -> Any:
    """The same for one sequence of one token."""
    rng = np.random.default_rng(SEED)
    return outline(build(candidate, rng).module(tokens(rng, 1, 1, SIZES[0])))


@probe
def norms_are_one(candidate: Candidate) -> bool:
    """Whether the two norms are one object."""
    module = candidate.TransformerBlock(*SIZES)
    put(module, "ln1.bias", np.full(SIZES[0], 3.0))
    return bool(candidate.value(module, "ln2.bias")[0] == 3.0)


@probe
def in_training(candidate: Candidate) -> tuple[bool, bool]:
    """Whether x stays as it was, and whether training does what evaluation does."""
    rng = np.random.default_rng(SEED)
    block = build(candidate, rng)
    x = tokens(rng, *SHAPE)
    evaluated = block.output(x)
    unchanged = candidate.observe(block.module, x, grad=False).arguments_unchanged
    trained = output_of(block.module.train(True)(x), SHAPE)
    return unchanged, bool(np.allclose(trained, evaluated, atol=1e-3))


@probe
def gradient(candidate: Candidate) -> Any:
    """The gradient at x."""
    rng = np.random.default_rng(SEED)
    block = build(candidate, rng)
    x = tokens(rng, *SHAPE)
    if not leads_with_an_array(block.module(x)):
        return "no array first"
    return numbers(candidate.gradient(as_function(candidate, block), x, rng.normal(size=SHAPE).astype("float32")).at_x)
