"""The three losses of an entry: what they are, of which batches, and with which weights."""

import numpy as np
import pytest
from bigrams import cross_entropy, random_table
from runs import SAME_LOSS, STILL, batch, own_loss, run

from grader.checks import Candidate, Mismatch, criterion

SHAPE, VOCABULARY = (2, 5), 7


@criterion("cross-entropy")
@pytest.mark.parametrize(("shape", "vocabulary"), [((3, 4), 7), ((2, 5), 9), ((4, 1), 3)])
def test_the_loss_is_the_mean_cross_entropy_of_the_logits(
    candidate: Candidate, rng: np.random.Generator, shape: tuple[int, int], vocabulary: int
) -> None:
    """Every training batch is the same and no update shows, so that only the formula can matter."""
    table = random_table(rng, vocabulary, scale=2.0)
    tokens = rng.integers(0, vocabulary, size=shape[0] * shape[1])
    trained = run(candidate, table, tokens, tokens, shape)
    found = trained.losses("train_batch_loss")[0]
    # Weights that changed all the same have their own criteria: what the model came with will do, or what it has now.
    before, expected = (cross_entropy(weights, *batch(tokens, 0, shape)) for weights in (table, trained.table))
    if not min(abs(found - before), abs(found - expected)) < SAME_LOSS:
        raise Mismatch(
            f"the loss of a batch of {shape[0]} x {shape[1]} tokens is {found:.5g}, "
            f"expected the cross-entropy of its logits, {expected:.5g}"
        )


@criterion("batch-loss")
def test_the_training_loss_is_measured_before_the_update(candidate: Candidate, rng: np.random.Generator) -> None:
    """At step 1 it is the same at any learning rate."""
    table, train, validation = random_table(rng, VOCABULARY), *rng.integers(0, VOCABULARY, size=(2, 53))
    still, moved = (
        run(candidate, table, train, validation, SHAPE, learning_rate=rate).losses("train_batch_loss")[0]
        for rate in (STILL, 0.5)
    )
    if not abs(still - moved) < SAME_LOSS:
        raise Mismatch(
            f"the training loss of step 1 is {still:.5g} at a tiny learning rate and {moved:.5g} at 0.5, "
            "expected that of the weights before the update"
        )


def second_loss(candidate: Candidate, rng: np.random.Generator) -> tuple[float, list[float]]:
    """The training loss of step 2, and what it may be: that of the second batch on the weights of step 1.

    A loop that takes more batches than it trains on has its own criterion: there it may be any batch after the first.
    """
    table, train, validation = random_table(rng, VOCABULARY), *rng.integers(0, VOCABULARY, size=(2, 97))
    after = run(candidate, table, train, validation, SHAPE).table
    found = run(candidate, table, train, validation, SHAPE, steps=2).losses("train_batch_loss")[:2][-1]
    taken = candidate.support("corpus").served("train")
    batches = [batch(train, place, SHAPE) for place in range(1, max(2, taken))]
    right = [cross_entropy(after, *each) for each in batches]
    return found, right + [own_loss(candidate, after, *each) for each in batches]


def is_one_of(found: float, right: list[float]) -> bool:
    """Whether a loss is one of those that it may be."""
    return min(abs(found - each) for each in right) < SAME_LOSS


@criterion("batch-loss")
def test_the_training_loss_is_that_of_the_latest_batch(candidate: Candidate, rng: np.random.Generator) -> None:
    found, right = second_loss(candidate, rng)
    if not is_one_of(found, right):
        raise Mismatch(
            f"the training loss of step 2 is {found:.5g}, expected that of the second batch alone, {right[0]:.5g}"
        )


@criterion("batch-loss")
def test_the_training_loss_is_that_of_one_batch(candidate: Candidate, rng: np.random.Generator) -> None:
    """All training batches are the same, so the loss of step 4 is that of the weights which three steps lead to.

    If three steps lead elsewhere than the first three of four, it is at least the same however often there is an entry.
    """
    table, train = random_table(rng, VOCABULARY), rng.integers(0, VOCABULARY, size=SHAPE[0] * SHAPE[1])
    three, four, often = (
        run(candidate, table, train, train, SHAPE, steps=steps, learning_rate=0.2, eval_every=every)
        for steps, every in ((3, 2), (4, 2), (4, 1))
    )
    if np.array_equal(three.table, table):
        return  # a model that was not trained has its own criterion
    found, one = four.losses("train_batch_loss")[-1], batch(train, 0, SHAPE)
    expected = cross_entropy(three.table, *one)
    right = [expected, own_loss(candidate, three.table, *one), often.losses("train_batch_loss")[-1]]
    if not is_one_of(found, right):
        raise Mismatch(
            f"with eval_every=2 the training loss of step 4 is {found:.5g}, "
            f"expected that of its own batch, {expected:.5g}"
        )


@criterion("validation-loss")
@pytest.mark.parametrize("eval_batches", [1, 4])
def test_the_validation_loss_is_the_mean_over_its_batches(
    candidate: Candidate, rng: np.random.Generator, eval_batches: int
) -> None:
    """The second evaluation takes the next batches, and the weights are those after the second update."""
    table, train, validation = random_table(rng, VOCABULARY), *rng.integers(0, VOCABULARY, size=(2, 97))
    numbers = {"steps": 2, "learning_rate": 0.3, "eval_batches": eval_batches}
    trained = run(candidate, table, train, validation, SHAPE, **numbers)  # type: ignore[arg-type]
    if np.array_equal(trained.table, table):
        return  # a model that was not trained has its own criterion
    found = trained.losses("validation_loss")[:2][-1]
    batches = [batch(validation, eval_batches + each, SHAPE) for each in range(eval_batches)]
    expected = float(np.mean([cross_entropy(trained.table, *each) for each in batches]))
    if abs(found - expected) < SAME_LOSS:
        return
    # Another formula has its own criterion: here it only matters of what it is the mean.
    if not abs(found - np.mean([own_loss(candidate, trained.table, *each) for each in batches])) < SAME_LOSS:
        raise Mismatch(
            f"the second validation loss is {found:.5g}, expected {expected:.5g}: the mean over the next "
            f"{eval_batches} batches of the validation stream, after the update"
        )
