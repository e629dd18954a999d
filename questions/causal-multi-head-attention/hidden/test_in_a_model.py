"""What a model needs of the module: repeatable calls, gradients, other devices, and large scores."""

from typing import Any

import numpy as np
import pytest
from oracle import (
    HIDDEN,
    NAMES,
    SAME,
    Built,
    applied_weights,
    begins_with_output,
    build,
    facing,
    output_of,
    parts,
    plausible,
    tokens,
    weights_of,
)

from grader.checks import Candidate, Handle, Mismatch, criterion, describe, largest_difference


@criterion("calls-independent")
def test_lengths_may_change_from_call_to_call(candidate: Candidate, rng: np.random.Generator) -> None:
    seed = int(rng.integers(1 << 30))
    lengths = (3, 6, 1, 4)
    inputs = [tokens(rng, 2, length, 12) for length in lengths]
    used = build(candidate, np.random.default_rng(seed)).module
    results = used.many([(x, x, x) for x in inputs])
    fresh = build(candidate, np.random.default_rng(seed)).module
    alone = fresh.many([(x, x, x) for x in reversed(inputs)])[::-1]
    for x, result, expected in zip(inputs, results, alone, strict=True):
        if largest_difference(output_of(result, x.shape), output_of(expected, x.shape)) > SAME:
            raise Mismatch(f"the output for {x.shape[1]} tokens depends on the length of earlier calls")


@criterion("calls-independent")
def test_a_long_sequence_is_served_too(candidate: Candidate, rng: np.random.Generator) -> None:
    x = tokens(rng, 1, 1030, 2)
    output_of(build(candidate, rng, (1, 2, 2, 2)).module(x, x, x), x.shape)


@criterion("calls-independent")
def test_training_and_evaluation_do_the_same_and_leave_inputs_alone(
    candidate: Candidate, rng: np.random.Generator
) -> None:
    built = build(candidate, rng)
    query, key, value = (tokens(rng, 2, 5, 12) for _ in range(3))
    evaluated = output_of(built.module(query, key, value), query.shape)
    seen = candidate.observe(built.module.train(True), query, key, value)
    if not seen.arguments_unchanged:
        raise Mismatch("the call changed its inputs, expected them to stay as they were")
    if not seen.repeats or largest_difference(output_of(seen.result, query.shape), evaluated) > SAME:
        raise Mismatch("the same inputs give another output in training, expected no randomness and no difference")


@criterion("any-device")
def test_it_works_where_it_is_moved(candidate: Candidate, rng: np.random.Generator) -> None:
    built = build(candidate, rng)
    x = tokens(rng, 2, 5, 12)
    built.module(x, x, x)  # what a first call keeps is moved, too
    candidate.moved(built.module, x, x, x)


def mixer(candidate: Candidate, built: Built) -> Handle:
    """Self-attention as a function of one x."""
    return candidate.support("output_only").OutputOnly(built.module, 3)  # type: ignore[no-any-return]


@criterion("gradients")
def test_the_gradient_at_x_is_that_of_the_function(candidate: Candidate, rng: np.random.Generator) -> None:
    built = build(candidate, rng)
    x = tokens(rng, 2, 5, 12)
    if not begins_with_output(built.module(x, x, x)):
        return  # what comes back has its own criterion
    module = mixer(candidate, built)
    cotangent = rng.normal(size=x.shape).astype("float32")
    arrived = candidate.gradient(module, x, cotangent).at_x
    if not isinstance(arrived, np.ndarray) or not np.isfinite(arrived).all():
        raise Mismatch("no finite gradient arrived at the input")
    # Central differences of the module's own outputs: right for any function, so nothing else is judged here.
    ways = [rng.normal(size=x.shape) for _ in range(4)]
    step = 3e-3
    shifted = [(x + sign * step * way).astype("float32") for way in ways for sign in (1, -1)]
    sums = [(output_of(each, x.shape) * cotangent).sum() for each in module.many([(each,) for each in shifted])]
    numeric = np.subtract(sums[::2], sums[1::2]) / (2 * step)
    exact = np.array([(arrived * way).sum() for way in ways])
    if np.abs(numeric - exact).max() > 0.02 * np.linalg.norm(arrived):
        raise Mismatch("the gradient at the input is not that of the output, as if a part were cut off from it")


@criterion("gradients")
def test_gradients_arrive_at_all_weights(candidate: Candidate, rng: np.random.Generator) -> None:
    built = build(candidate, rng)
    x = tokens(rng, 2, 5, 12)
    if not begins_with_output(built.module(x, x, x)):
        return  # what comes back has its own criterion
    candidate.gradient(mixer(candidate, built), x, np.ones_like(x) + x)
    for name in (name for name in NAMES if name in built.weights):
        gradient = candidate.value(built.module, f"{name}.weight.grad")
        if not isinstance(gradient, np.ndarray) or not np.isfinite(gradient).all() or np.abs(gradient).max() < 1e-4:
            raise Mismatch(f"no gradient arrived at the weight of {name}")


def enlarged(built: Built, x: np.ndarray, largest: float) -> Built:
    """The same module with w_q so large that the largest score is about this."""
    scores = np.abs(built.scores(x, x)).max() / np.sqrt(built.d_k)
    return built.changed("w_q", (built.weights["w_q"] * (largest / scores)).astype("float32"))


def finite(given: Any) -> bool:
    """Whether this is an array of finite numbers."""
    return isinstance(given, np.ndarray) and given.dtype.kind == "f" and bool(np.isfinite(given).all())


@criterion("large-scores")
def test_large_scores_give_finite_rows_that_sum_to_one(candidate: Candidate, rng: np.random.Generator) -> None:
    built = build(candidate, rng)
    x = tokens(rng, 2, 9, 12)
    ordinary = built.module(x, x, x)
    result = enlarged(built, x, 900).module(x, x, x)
    if finite(parts(ordinary)[0]) and not finite(parts(result)[0]):
        raise Mismatch("scores near 900 give an output that is not finite")
    weights, before = weights_of(result), weights_of(ordinary)
    if plausible(before, (2, 3, 9, 9)) and np.abs(before.sum(axis=-1) - 1).max() < SAME:
        if not isinstance(weights, np.ndarray) or weights.shape != before.shape:
            raise Mismatch(f"with scores near 900 the weights are {describe(weights)}")
        sums = weights.sum(axis=-1)
        if not np.abs(sums - 1).max() < 1e-3:
            raise Mismatch(f"with scores near 900 a row of weights sums to {sums.flat[np.abs(sums - 1).argmax()]:.4g}")


@criterion("large-scores")
def test_large_scores_do_not_uncover_the_future(candidate: Candidate, rng: np.random.Generator) -> None:
    built = build(candidate, rng)
    x = tokens(rng, 2, 9, 12)
    ordinary = weights_of(built.module(x, x, x))
    if not plausible(ordinary, (2, 3, 9, 9)) or (np.triu(ordinary, 1) > HIDDEN).any():
        return  # the weights are not causal anyway: another criterion
    module = enlarged(built, x, 900).module
    for query in (x, -x):  # the first one sees a single key, whose score is far below zero with one of the two signs
        weights = weights_of(module(query, x, x))
        if plausible(weights, (2, 3, 9, 9)) and (np.triu(weights, 1) > HIDDEN).any():
            raise Mismatch("with scores near 900 a later key has weight, expected 0")


@criterion("large-scores")
@pytest.mark.parametrize("largest", [998.0, -998.0])
def test_scores_count_in_full_up_to_a_thousand(candidate: Candidate, rng: np.random.Generator, largest: float) -> None:
    """The first query sees nothing but a score of this size, and the second one that and one a little smaller."""
    built = build(candidate, rng, (1, 12, 12, 12))
    x, value = tokens(rng, 2, 8, 12), tokens(rng, 2, 8, 12)
    usual = applied_weights(built, x, value)
    if usual is None or not largest_difference(usual, built.right_weights(x, x)) < SAME:
        return  # the weights are wrong at any size: other criteria
    built, x = facing(built, x, largest)
    weights = applied_weights(built, x, value)
    if weights is None or not largest_difference(weights, built.right_weights(x, x)) < 0.02:
        raise Mismatch(f"scores near {largest:g} give other weights than their softmax")
