"""The windows: the same for every model, of the whole stream, as the seed says; and the losses over them."""

import numpy as np
import pytest
from bigrams import cross_entropy, random_table
from comparisons import (
    BLOCK,
    RIGHT,
    SAME_LOSS,
    SPLITS,
    TRAIN,
    VALIDATION,
    VOCABULARY,
    chain,
    compare,
    loss,
    starts,
    stream,
    streams,
    tokens_of,
    watched,
    windows,
    windows_of,
)

from grader.checks import Candidate, Mismatch, criterion


@criterion("same-windows")
def test_every_model_sees_the_same_windows(candidate: Candidate, rng: np.random.Generator) -> None:
    names = ("one", "two", "three")
    models = {name: watched(candidate, name, random_table(rng, VOCABULARY)) for name in names}
    compare(candidate, models, streams(rng))
    for split, tokens in SPLITS.items():
        first, *others = (sorted(windows_of(candidate, name, tokens)) for name in names)
        for name, other in zip(names[1:], others, strict=True):
            if other != first:
                raise Mismatch(
                    f"the models one and {name} were shown different {split} windows, expected the same ones"
                )


@criterion("windows")
def test_there_are_as_many_windows_as_asked_for(candidate: Candidate, rng: np.random.Generator) -> None:
    data = streams(rng)
    compare(candidate, {"one": watched(candidate, "one", random_table(rng, VOCABULARY))}, data)
    expected = RIGHT["batches"] * RIGHT["batch_size"]
    for split, tokens in SPLITS.items():
        shown = windows(candidate, "one", tokens)
        starts(shown, data[split])
        if len(shown) != expected:
            raise Mismatch(f"the model was shown {len(shown)} windows of {split}, expected {expected}")


@criterion("windows")
def test_every_start_is_drawn_up_to_the_last(candidate: Candidate, rng: np.random.Generator) -> None:
    """A stream three tokens longer than a window has three starts, and one that is a token longer has one."""
    data = {"train": stream(rng, TRAIN, BLOCK + 3), "validation": stream(rng, VALIDATION, BLOCK + 1)}
    model = watched(candidate, "one", random_table(rng, VOCABULARY))
    compare(candidate, {"one": model}, data, batches=5, batch_size=6)
    for split, tokens in SPLITS.items():
        drawn = sorted(set(starts(windows(candidate, "one", tokens), data[split])))
        if drawn != list(range(len(data[split]) - BLOCK)):
            raise Mismatch(
                f"of a stream of {len(data[split])} tokens 30 windows of {BLOCK} start at {drawn} only, "
                f"expected every start from 0 to {len(data[split]) - BLOCK - 1}"
            )


@criterion("seeded")
def test_a_seed_gives_its_windows_again_and_another_seed_others(candidate: Candidate, rng: np.random.Generator) -> None:
    data, table = streams(rng), random_table(rng, VOCABULARY)
    seen = []
    for seed in (31, 31, 32):
        compare(candidate, {"one": watched(candidate, "one", table)}, data, seed=seed)
        seen.append(sorted(windows_of(candidate, "one", TRAIN) + windows_of(candidate, "one", VALIDATION)))
    if seen[0] != seen[1]:
        raise Mismatch("two calls with one seed drew different windows, expected the same ones")
    if seen[0] == seen[2]:
        raise Mismatch("two seeds drew the same windows, expected others")


@criterion("mean-loss")
@pytest.mark.parametrize(("batches", "batch_size"), [(3, 4), (1, 5), (4, 1)])
def test_the_loss_is_the_mean_over_the_windows(
    candidate: Candidate, rng: np.random.Generator, batches: int, batch_size: int
) -> None:
    """Over those that the model was shown, whichever they are."""
    data = streams(rng)
    tables = {name: random_table(rng, VOCABULARY, scale=2.0) for name in ("one", "two")}
    models = {name: watched(candidate, name, table) for name, table in tables.items()}
    comparison = compare(candidate, models, data, batches=batches, batch_size=batch_size)
    for name, table in tables.items():
        for split, tokens in SPLITS.items():
            at = np.array(starts(windows(candidate, name, tokens), data[split]))
            inputs = np.array(data[split])[at[:, None] + np.arange(BLOCK)]
            targets = np.array(data[split])[at[:, None] + np.arange(BLOCK) + 1]
            found, expected = loss(comparison, name, split), cross_entropy(table, inputs, targets)
            if not abs(found - expected) < SAME_LOSS:
                raise Mismatch(
                    f"the {split} loss over {batches} batches of {batch_size} is {found:.5g}, "
                    f"expected the mean cross-entropy of what the model was shown, {expected:.5g}"
                )


@criterion("tuple-accepted")
def test_a_model_that_returns_a_pair_is_measured_like_any_other(candidate: Candidate) -> None:
    """On streams of one token, where all windows are alike, and with a table that leaves nothing to chance."""
    models = {kind: watched(candidate, kind, chain(), kind) for kind in ("Bigram", "BigramWithLoss")}
    data = {split: [tokens[2]] * 20 for split, tokens in SPLITS.items()}
    comparison = compare(candidate, models, data, new_tokens=3)
    for split in data:
        bare, pair = (loss(comparison, kind, split) for kind in models)
        if not abs(bare - pair) < SAME_LOSS * max(1.0, abs(bare)):
            raise Mismatch(f"with one table the {split} loss is {bare:.5g} for bare logits and {pair:.5g} for a pair")
    if tokens_of(comparison, "Bigram") != tokens_of(comparison, "BigramWithLoss"):
        raise Mismatch("with one table a model that returns a pair generates other tokens than one that returns logits")
