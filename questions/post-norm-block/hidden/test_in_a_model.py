"""What a model needs of the block: repeatable calls that change nothing, and gradients."""

import numpy as np
from oracle import Block, build, output_of, put, same, tokens

from grader.checks import Candidate, Handle, Mismatch, criterion

SHAPE = (2, 5, 8)


@criterion("same-every-time")
def test_training_and_evaluation_do_the_same(candidate: Candidate, rng: np.random.Generator) -> None:
    block = build(candidate, rng)
    x = tokens(rng, *SHAPE)
    evaluated = block.output(x)
    first, second = (output_of(each, SHAPE) for each in block.module.train(True).many([(x,), (x,)]))
    if not same(first, evaluated) or not same(second, evaluated):
        raise Mismatch("the same input gives another output in training")


@criterion("same-every-time")
def test_x_stays_as_it_was(candidate: Candidate, rng: np.random.Generator) -> None:
    block = build(candidate, rng)
    if not candidate.observe(block.module, tokens(rng, *SHAPE), grad=False).arguments_unchanged:
        raise Mismatch("x was changed by the call, expected it to stay as it was")


def as_function(candidate: Candidate, block: Block) -> Handle:
    """The block as a module with one result."""
    return candidate.support("output_only").OutputOnly(block.module)  # type: ignore[no-any-return]


def leads_with_an_array(result: object) -> bool:
    """Whether there is an array where `OutputOnly` looks for the output."""
    return isinstance(result, list | tuple) and len(result) > 0 and isinstance(result[0], np.ndarray)


@criterion("gradients")
def test_the_gradient_at_x_is_that_of_the_function(candidate: Candidate, rng: np.random.Generator) -> None:
    block = build(candidate, rng)
    if not leads_with_an_array(block.module(tokens(rng, *SHAPE))):
        return  # what is returned has its own criterion
    if "ff.w_1.bias" not in block.shapes:
        return  # which parameters there are has its own criterion
    # Half of the units stay open and half closed: central differences across the bend of a ReLU would be off.
    put(block.module, "ff.w_1.bias", np.resize([8.0, -8.0], block.shapes["ff.w_1.bias"]))
    module = as_function(candidate, block)
    x = tokens(rng, *SHAPE)
    cotangent = rng.normal(size=SHAPE).astype("float32")
    arrived = candidate.gradient(module, x, cotangent).at_x
    if not isinstance(arrived, np.ndarray) or not np.isfinite(arrived).all():
        raise Mismatch("no finite gradient arrived at x")
    # Central differences of the block's own outputs: right for any function, so nothing else is judged here.
    ways = [rng.normal(size=SHAPE) for _ in range(4)]
    step = 3e-3
    shifted = [(x + sign * step * way).astype("float32") for way in ways for sign in (1, -1)]
    sums = [(output_of(each, SHAPE) * cotangent).sum() for each in module.many([(each,) for each in shifted])]
    numeric = np.subtract(sums[::2], sums[1::2]) / (2 * step)
    exact = np.array([(arrived * way).sum() for way in ways])
    if np.abs(numeric - exact).max() > 0.05 * np.linalg.norm(arrived):
        raise Mismatch("the gradient at x is not that of the output, as if a part were cut off from it")


@criterion("gradients")
def test_gradients_arrive_at_all_parameters(candidate: Candidate, rng: np.random.Generator) -> None:
    block = build(candidate, rng)
    x = tokens(rng, *SHAPE)
    if not leads_with_an_array(block.module(x)):
        return  # what is returned has its own criterion
    candidate.gradient(as_function(candidate, block), x, rng.normal(size=SHAPE).astype("float32"))
    for name in block.shapes:
        gradient = candidate.value(block.module, f"{name}.grad")
        if gradient is None:
            raise Mismatch(f"no gradient arrived at {name}")
