"""Scores, mask and weights: what a query sees, and how much of it."""

import numpy as np
import pytest
from oracle import (
    CLASSIC,
    HIDDEN,
    SAME,
    applied_weights,
    build,
    causal_softmax,
    explains,
    one_token_changed,
    output_of,
    plausible,
    self_pattern,
    temperature,
    tokens,
    value_pattern,
    weights_of,
)

from grader.checks import Candidate, Mismatch, Raised, criterion, describe, expect_array, largest_difference


@criterion("causal")
def test_a_token_moves_itself_and_what_comes_after(candidate: Candidate, rng: np.random.Generator) -> None:
    built = build(candidate, rng)
    pattern = self_pattern(built, rng, 6)
    wrong = np.argwhere(pattern != np.tri(6, dtype=bool))
    if len(wrong):
        query, token = (int(place) for place in wrong[0])
        does = "moves" if pattern[query, token] else "does not move"
        raise Mismatch(f"another token {token} {does} the output at token {query}")


@criterion("causal")
def test_the_future_has_no_weight(candidate: Candidate, rng: np.random.Generator) -> None:
    built = build(candidate, rng)
    x = tokens(rng, 2, 6, 12)
    weights = weights_of(built.module(x, x, x))
    if not plausible(weights, (2, 3, 6, 6)):
        return  # which weights come back has its own criterion
    future = np.where(np.tri(6, dtype=bool), 0, weights)
    if future.max() > HIDDEN:
        *_, query, key = (int(place) for place in np.unravel_index(future.argmax(), future.shape))
        raise Mismatch(f"query {query} gives weight {future.max():.4g} to the later key {key}, expected 0")


@criterion("weights-returned")
def test_rows_of_weights_sum_to_one(candidate: Candidate, rng: np.random.Generator) -> None:
    x = tokens(rng, 2, 5, 12)
    result = build(candidate, rng).module(x, x, x)
    if not isinstance(result, tuple) or len(result) != 2:
        raise Mismatch(f"forward returns {describe(result)}, expected a tuple of two: output and weights")
    weights = expect_array(result[1], (2, 3, 5, 5), of="the tensor of weights")
    if weights.min() < 0:
        raise Mismatch(f"a weight is {weights.min():.4g}, expected none below 0")
    sums = weights.sum(axis=-1, dtype="float64")
    if np.abs(sums - 1).max() > SAME:
        batch, head, query = (int(place) for place in np.unravel_index(np.abs(sums - 1).argmax(), sums.shape))
        raise Mismatch(f"the row of query {query} sums to {sums[batch, head, query]:.4g}, expected 1")


@criterion("weights-returned")
def test_the_weights_returned_are_those_applied(candidate: Candidate, rng: np.random.Generator) -> None:
    built = build(candidate, rng)
    x = tokens(rng, 2, 5, 12)
    result = built.module(x, x, x)
    output, right = output_of(result, x.shape), built.right_weights(x, x)
    returned = weights_of(result)
    if explains(built, output, right, x) and not explains(built, output, returned, x):
        raise Mismatch("the output does not follow from the weights returned, expected those that were applied")


@criterion("score-scale")
@pytest.mark.parametrize("widths", [(1, 9, 5, 7), CLASSIC], ids=["one-head", "three-heads"])
def test_scores_are_divided_by_the_root_of_d_k(
    candidate: Candidate, rng: np.random.Generator, widths: tuple[int, int, int, int]
) -> None:
    x = tokens(rng, 2, 5, widths[1])
    try:
        built = build(candidate, rng, widths)
        weights = applied_weights(built, x)
    except Raised:
        if widths == CLASSIC:
            raise
        return  # widths that do not follow from each other have their own criterion
    found = None if weights is None else temperature(weights, built.scores(x, x))
    if found is None or found[1] < 0.999:
        return  # the weights are no softmax of these scores: other criteria say why
    divisor = 1 / found[0]
    if abs(divisor / np.sqrt(built.d_k) - 1) > 0.02:
        raise Mismatch(f"scores are divided by {divisor:.4g}, expected {np.sqrt(built.d_k):.4g} for d_k {built.d_k}")


@criterion("own-inputs")
def test_values_come_from_value_and_weights_do_not(candidate: Candidate, rng: np.random.Generator) -> None:
    built = build(candidate, rng, (1, 8, 8, 8))
    query, key, value = (tokens(rng, 2, 5, 8) for _ in range(3))
    other = tokens(rng, 2, 5, 8)
    calls = [(query, key, value), (query, key, 2 * value), (query, key, 3 * value)]
    calls += [(other, key, value), (query, other, value)]
    once, twice, thrice, by_query, by_key = (output_of(each, query.shape) for each in built.module.many(calls))
    for name, changed in (("query", by_query), ("key", by_key), ("value", twice)):
        if largest_difference(once, changed) < SAME:
            raise Mismatch(f"another {name} changes nothing in the output")
    if largest_difference(twice - once, thrice - twice) > SAME:
        raise Mismatch("the output is not linear in value, as if value took part in the weights")


@criterion("own-inputs")
def test_queries_are_scored_against_keys(candidate: Candidate, rng: np.random.Generator) -> None:
    built = build(candidate, rng, (1, 8, 8, 8))
    query, key, value = (tokens(rng, 2, 12, 8) for _ in range(3))  # enough of them for some scores to be large
    weights = weights_of(built.module(query, key, value))
    if not plausible(weights, (2, 1, 12, 12)):
        return  # which weights come back has its own criterion
    products = built.scores(query, key)
    found = temperature(weights, products)
    if found is None:
        return
    factor, explained = found
    if explained < 0.99:
        raise Mismatch("the weights do not follow from the products of w_q(query) and w_k(key)")
    # A term for each query or each key drops out of the temperature, and rounding hardly shows in it.
    causal = np.abs(weights.sum(axis=-1) - 1).max() < SAME and np.triu(weights, 1).max() < HIDDEN
    if causal and largest_difference(weights, causal_softmax(factor * products)) > SAME:
        raise Mismatch("the weights are not the softmax of the products alone, as if something were added or rounded")


@criterion("unequal-lengths")
@pytest.mark.parametrize(("len_q", "len_k"), [(3, 5), (6, 4), (1, 4)])
def test_query_i_sees_keys_up_to_i_whatever_the_lengths(
    candidate: Candidate, rng: np.random.Generator, len_q: int, len_k: int
) -> None:
    built = build(candidate, rng)
    query, key, value = tokens(rng, 2, len_q, 12), tokens(rng, 2, len_k, 12), tokens(rng, 2, len_k, 12)
    result = built.module(query, key, value)
    values = one_token_changed(rng, value)
    square = value_pattern(built, key, key, values)
    if (square != np.tri(len_k, dtype=bool)).any():
        return  # the mask is not causal where lengths are equal: another criterion
    pattern = value_pattern(built, query, key, values)
    wrong = np.argwhere(pattern != np.tri(len_q, len_k, dtype=bool))
    if len(wrong):
        row, place = (int(index) for index in wrong[0])
        does = "sees" if pattern[row, place] else "does not see"
        raise Mismatch(f"with {len_q} queries and {len_k} keys, query {row} {does} key {place}")
    weights = weights_of(result)
    if isinstance(weights, np.ndarray) and weights.ndim == 4 and weights.shape[2:] != (len_q, len_k):
        raise Mismatch(f"the weights have shape {list(weights.shape)}, expected [2, 3, {len_q}, {len_k}]")
