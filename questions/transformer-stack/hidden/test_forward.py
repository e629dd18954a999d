"""What a stack computes: the blocks one after the other, and their maps in that order."""

import block_oracle
import numpy as np
import pytest
from stacks import SIZES, built, embeddings, even_map, maps_in, pair, weights_of, with_random_blocks, without_queries

from grader.checks import Candidate, Mismatch, criterion, expect_array, expect_close, largest_difference

# Rounding comes to some 1e-5 after several blocks; the smallest mistake moves the result by a tenth and more.
ATOL = 1e-3


@criterion("output-composes")
@pytest.mark.parametrize(("depth", "batch", "length"), [(2, 3, 6), (3, 2, 7), (2, 1, 1)])
def test_the_embeddings_are_those_of_one_block_after_the_other(
    candidate: Candidate, rng: np.random.Generator, depth: int, batch: int, length: int
) -> None:
    stack, blocks = with_random_blocks(candidate, depth, rng)
    x = embeddings(rng, batch, length, SIZES.d_model)
    found, _ = pair(stack(x))
    weights = [weights_of(candidate, block) for block in blocks]  # read back, since blocks may be tied
    expected, _ = block_oracle.apply_all(x, weights, SIZES.n_head)
    expect_close(found, expected, atol=ATOL, of=f"the embeddings after {depth} blocks")


@criterion("maps-in-order")
@pytest.mark.parametrize("place", [0, 1, 2])
def test_a_block_finds_its_map_at_its_own_place(candidate: Candidate, rng: np.random.Generator, place: int) -> None:
    batch, length = 3, 6
    stack = without_queries(candidate, place, rng)
    maps = maps_in(stack(embeddings(rng, batch, length, SIZES.d_model)), 3)
    shape = (batch, SIZES.n_head, length, length)
    even = np.broadcast_to(even_map(length), shape)
    for index, found in enumerate(maps):
        expect_array(found, shape, of=f"map {index}")
    if largest_difference(maps[place], even) > ATOL:
        at = [index for index, found in enumerate(maps) if largest_difference(found, even) < ATOL]
        where = f"at {at[0]}" if at else "nowhere"
        raise Mismatch(f"of three maps, that of blocks[{place}] was found {where}, expected it at {place}")


@criterion("maps-in-order")
def test_a_map_is_what_the_block_returned(candidate: Candidate, rng: np.random.Generator) -> None:
    batch, length = 3, 7
    stack, blocks = with_random_blocks(candidate, 2, rng)
    x = embeddings(rng, batch, length, SIZES.d_model)
    found, _ = maps_in(stack(x), 2)
    _, expected = block_oracle.apply(x, weights_of(candidate, blocks[0]), SIZES.n_head)
    expect_close(found, expected, atol=ATOL, of="the map of the first block")


@criterion("calls-stand-alone")
@pytest.mark.parametrize("training", [True, False], ids=["training", "evaluation"])
def test_one_call_leaves_nothing_to_the_next(candidate: Candidate, rng: np.random.Generator, training: bool) -> None:
    seen = candidate.observe(built(candidate, 3).train(training), embeddings(rng, 3, 6, SIZES.d_model))
    if not seen.arguments_unchanged:
        raise Mismatch("x was changed by the call, expected it to stay as it was")
    if not seen.repeats:
        raise Mismatch("a second call with the same x gave another result, expected the same")
    if not seen.result_stays:
        raise Mismatch("a later call changed the result of this one, expected it to stay")
