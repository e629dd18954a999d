"""Generation: what a model is shown, what is drawn, and from which sampler."""

import itertools

import numpy as np
import pytest
from bigrams import random_table
from comparisons import (
    TRAIN,
    VOCABULARY,
    chain,
    compare,
    generation,
    stream,
    streams,
    successor,
    tokens_of,
    watched,
)

from grader.checks import Candidate, Mismatch, criterion, tensor

PROMPTS = {"single": [13], "short": [12, 14], "long": [13, 12, 15, 14, 12, 13, 15, 12, 14]}
SHARES = (0.6, 0.25, 0.1, 0.05)  # how likely each of four tokens is, whatever came before


@criterion("cropped")
@pytest.mark.parametrize("length", ["short", "long"])
def test_a_model_sees_the_last_block_of_tokens(candidate: Candidate, rng: np.random.Generator, length: str) -> None:
    """The first context is the end of the prompt; each one after it has one token more, and no more than a block."""
    prompt, block_size = PROMPTS[length], 4
    compare(
        candidate,
        {"one": watched(candidate, "one", chain())},
        {"train": stream(rng, TRAIN)},
        block_size=block_size,
        prompt=prompt,
        new_tokens=7,
    )
    contexts = generation(candidate, "one")
    if len(contexts) < 7:
        raise Mismatch(f"7 new tokens took {len(contexts)} calls of the model, expected one for each")
    if longest := next((context for context in contexts if len(context) > block_size), None):
        raise Mismatch(
            f"the model was shown {len(longest)} tokens at once, expected at most the block size, {block_size}"
        )
    expected = prompt
    for place, context in enumerate(contexts):
        if context[: len(expected[-block_size:])] != expected[-block_size:]:
            raise Mismatch(
                f"for new token {place + 1} the model was shown {context}, expected {expected[-block_size:]}: "
                "the last tokens there are"
            )
        following = contexts[place + 1 : place + 2]
        expected = [*expected, *(each[-1] for each in following)]


@criterion("whole-sequence")
@pytest.mark.parametrize(("length", "new_tokens"), [("single", 2), ("short", 5), ("long", 3), ("long", 0)])
def test_the_tokens_are_the_whole_prompt_and_as_many_new_ones(
    candidate: Candidate, rng: np.random.Generator, length: str, new_tokens: int
) -> None:
    prompt = PROMPTS[length]
    models = {name: watched(candidate, name, random_table(rng, VOCABULARY)) for name in ("one", "two")}
    comparison = compare(candidate, models, streams(rng), block_size=4, prompt=prompt, new_tokens=new_tokens)
    for name in models:
        tokens = tokens_of(comparison, name)
        if len(tokens) != len(prompt) + new_tokens or tokens[: len(prompt)] != prompt:
            raise Mismatch(
                f"a prompt of {len(prompt)} and {new_tokens} new tokens give {len(tokens)} tokens that begin "
                f"{tokens[:4]}, expected {len(prompt) + new_tokens} that begin with the prompt, {prompt[:4]}"
            )


@criterion("sampled")
def test_a_token_follows_from_the_last_position(candidate: Candidate, rng: np.random.Generator) -> None:
    """With a table that leaves nothing to chance, each token is the successor of the one before it."""
    model = watched(candidate, "one", chain())
    comparison = compare(candidate, {"one": model}, streams(rng), prompt=[14, 12], new_tokens=5)
    new = tokens_of(comparison, "one")[-5:]
    for before, after in itertools.pairwise(new):
        if after != successor(before):
            raise Mismatch(
                f"the logits at the last token, {before}, make the next one {successor(before)}, found {after}"
            )


def shares_drawn(candidate: Candidate) -> list[float]:
    """The share that each of four tokens has of 2000 new ones."""
    table = np.tile(np.log(SHARES), (4, 1)).astype("float32")
    models = {"one": candidate.support("tiny_models").Bigram(tensor(table))}
    numbers = {"batches": 1, "batch_size": 1, "prompt": [1, 2], "new_tokens": 2000}
    new: list[int] = []
    for block_size in (8, 2048):  # the second holds everything: what crops the tokens themselves has its own criterion
        if len(new) < 2000:
            comparison = compare(candidate, models, {"train": [0, 1, 2, 3] * 600}, block_size=block_size, **numbers)
            new = tokens_of(comparison, "one")[-2000:]
    return [new.count(token) / 2000 for token in range(4)]


@criterion("sampled")
def test_tokens_are_drawn_from_the_softmax(candidate: Candidate) -> None:
    """Of 2000 tokens each makes up its share, give or take 0.045: more than four standard deviations."""
    for share, expected in zip(shares_drawn(candidate), SHARES, strict=True):
        if abs(share - expected) > 0.045:
            raise Mismatch(
                f"a token of probability {expected} makes up {share:.1%} of 2000 new tokens, expected {expected:.0%}"
            )


@criterion("same-sampler")
def test_twins_generate_the_same(candidate: Candidate, rng: np.random.Generator) -> None:
    table = random_table(rng, VOCABULARY)
    models = {name: watched(candidate, name, table) for name in ("one", "two")}
    comparison = compare(candidate, models, streams(rng), new_tokens=20)
    if tokens_of(comparison, "one") != tokens_of(comparison, "two"):
        raise Mismatch("two models with the same weights generated different tokens, expected samplers of one seed")


@criterion("same-sampler")
def test_a_seed_gives_its_tokens_again_and_another_seed_others(candidate: Candidate, rng: np.random.Generator) -> None:
    data, table = streams(rng), random_table(rng, VOCABULARY)
    one, again, other = (
        tokens_of(compare(candidate, {"one": watched(candidate, "one", table)}, data, new_tokens=20, seed=seed), "one")
        for seed in (31, 31, 32)
    )
    if one != again:
        raise Mismatch("two calls with one seed generated different tokens, expected the same ones")
    likeliest = dict(enumerate(table.argmax(axis=1).tolist()))
    greedy = all(after == likeliest.get(before) for before, after in itertools.pairwise(one[-20:]))
    if one == other and not greedy:  # that nothing is drawn at all has its own criterion
        raise Mismatch("two seeds generated the same 20 tokens, expected others")
