"""The block: two residuals, two norms after the sums, and the order of things.

Each check silences a part by zeros in its last layer, and sees what is left.
"""

import numpy as np
from oracle import SAME, SIZES, Array, Norm, build, parts_of, same, tokens

from grader.checks import Candidate, Mismatch, criterion, describe, expect_array, largest_difference

SHAPE = (2, 5, 8)


@criterion("attention-residual")
def test_x_gets_past_a_silent_attention(candidate: Candidate, rng: np.random.Generator) -> None:
    block = build(candidate, rng)
    block.silence_attention()
    if same(block.output(tokens(rng, *SHAPE)), block.output(tokens(rng, *SHAPE))):
        raise Mismatch("with an attention that gives zeros the output does not depend on x")


@criterion("feed-forward-residual")
def test_the_first_sublayer_gets_past_a_silent_feed_forward(candidate: Candidate, rng: np.random.Generator) -> None:
    block = build(candidate, rng)
    block.silence_feed_forward()
    x = tokens(rng, *SHAPE)
    whole = block.output(x)
    if same(whole, block.output(tokens(rng, *SHAPE))):
        raise Mismatch("with a feed-forward network that gives zeros the output does not depend on x")
    block.silence_attention()
    if same(whole, block.output(x)):
        raise Mismatch("with a feed-forward network that gives zeros the output does not depend on attention")


@criterion("post-norm")
def test_the_last_thing_is_a_norm(candidate: Candidate, rng: np.random.Generator) -> None:
    block = build(candidate, rng)
    output = block.output(tokens(rng, *SHAPE))
    if not any(is_normalised(output, norm) for norm in (block.ln1, block.ln2)):
        raise Mismatch("the output, without gain and bias of ln2, is not of mean 0 and variance 1 for each token")


def is_normalised(output: Array, norm: Norm) -> bool:
    """Whether an output comes straight from a norm; constant rows do, if nothing but zeros went in."""
    bare = (output - norm.bias) / norm.gain
    flat = np.abs(bare).max() < SAME
    return bool(flat or (np.abs(bare.mean(-1)).max() < 1e-2 and np.abs(bare.var(-1) - 1).max() < 2e-2))


@criterion("post-norm")
def test_the_first_sum_is_normalised_too(candidate: Candidate, rng: np.random.Generator) -> None:
    block = build(candidate, rng)
    block.silence_feed_forward()
    x = tokens(rng, *SHAPE)
    output = block.output(x)
    # What may have been summed has criteria of its own; here it only counts that it went through both norms.
    first = block.ln1(x)
    sums = [x + block.attention(x), x + block.attention(first), block.attention(x)]
    for last in (block.ln2, block.ln1):
        right = [last(block.ln1(each)) for each in sums]
        right += [last(first + block.attention(first)), last(x), last(np.zeros(SHAPE))]
        if any(same(output, each) for each in right):
            return
    raise Mismatch("with a silent feed-forward network the output is not ln2 of ln1 of a sum")


@criterion("separate-norms")
def test_the_two_norms_share_nothing(candidate: Candidate, rng: np.random.Generator) -> None:
    block = build(candidate, rng)
    for name, before in (("weight", block.ln2.gain), ("bias", block.ln2.bias)):
        if f"ln2.{name}" not in block.shapes:
            continue  # which parameters there are has its own criterion
        block.silence(f"ln1.{name}")
        if not same(candidate.value(block.module, f"ln2.{name}"), before):
            raise Mismatch(f"ln1.{name} and ln2.{name} are one parameter, expected two")


@criterion("separate-norms")
def test_both_norms_are_used(candidate: Candidate, rng: np.random.Generator) -> None:
    block = build(candidate, rng)
    x = tokens(rng, *SHAPE)
    before = block.output(x)
    for name, norm in (("ln1", block.ln1), ("ln2", block.ln2)):
        if f"{name}.weight" not in block.shapes:
            continue  # which parameters there are has its own criterion
        block.silence(f"{name}.weight")
        if same(block.output(x), before):
            raise Mismatch(f"another gain of {name} changes nothing in the output")
        getattr(block.module, name).weight.data.copy_(norm.gain.astype("float32"))


@criterion("attention-first")
def test_attention_looks_at_what_came_in(candidate: Candidate, rng: np.random.Generator) -> None:
    block = build(candidate, rng)
    x = tokens(rng, *SHAPE)
    before = maps_in(block.module(x))
    block.silence_feed_forward()
    after = maps_in(block.module(x))
    if before and after and (before[0].shape != after[0].shape or not same(before[0], after[0])):
        raise Mismatch("attention's weights change with the feed-forward network, expected attention to come first")


def maps_in(result: object) -> list[Array]:
    """What can be attention's weights in what a block returned: arrays of four axes."""
    return [part for part in parts_of(result) if isinstance(part, np.ndarray) and part.ndim == 4]


@criterion("returns-pair")
def test_output_and_weights_come_back(candidate: Candidate, rng: np.random.Generator) -> None:
    result = build(candidate, rng).module(tokens(rng, *SHAPE))
    if not isinstance(result, tuple) or len(result) != 2:
        raise Mismatch(f"the block returns {describe(result)}, expected a tuple of output and weights")
    expect_array(result[0], SHAPE, of="the first result")
    weights = expect_array(result[1], (2, SIZES[1], 5, 5), of="the second result")
    if np.abs(weights.sum(-1) - 1).max() > SAME or np.triu(weights, 1).any():
        raise Mismatch("the second result is not the weights of a causal attention")


@criterion("whole-block")
def test_the_block_is_the_formula(candidate: Candidate, rng: np.random.Generator) -> None:
    block = build(candidate, rng)
    x = tokens(rng, *SHAPE)
    off = largest_difference(block.output(x), block.right_output(x))
    if off > SAME:
        raise Mismatch(f"the output is up to {off:.3g} away from ln2(y + ff(y)) with y = ln1(x + attention)")


@criterion("whole-block")
def test_small_sums_show_the_eps_of_the_norms(candidate: Candidate, rng: np.random.Generator) -> None:
    block = build(candidate, rng)
    x = 2e-3 * tokens(rng, *SHAPE)  # a variance near 1e-5
    if largest_difference(block.output(x), block.right_output(x)) > 1e-3:
        raise Mismatch("where x is small, the output is not that of norms with an eps of 1e-5")


@criterion("whole-block")
def test_a_single_token_is_a_batch_too(candidate: Candidate, rng: np.random.Generator) -> None:
    block = build(candidate, rng)
    x = tokens(rng, 1, 1, SIZES[0])
    if not same(block.output(x), block.right_output(x)):
        raise Mismatch("for one sequence of one token the output is not that of the formula")
