"""The updates, read off the weights: which gradients they used, and what the optimizer remembered.

Batches that follow each other share no input token. Rows of the table that only the first one touches have no gradient
in the second step, and rows that only the second one touches had none in the first. How far they move relative to step
1, or to the learning rate, tells a gradient that was not cleared from an optimizer that was not kept, whatever the loss
is, and whichever batches were taken.
"""

from dataclasses import dataclass

import numpy as np
import pytest
from bigrams import Floats, Ids, random_table
from numpy.typing import NDArray
from runs import WEIGHT_DECAY, adamw, batch, has_right_loss, run, serve

from grader.checks import Candidate, Handle, Mismatch, criterion, expect_array

Batch = tuple[Ids, Ids]  # inputs and targets, (B, T) each

SHAPE = (2, 4)
GROUPS = np.arange(18).reshape(6, 3)  # the input tokens of each batch, until they come round
UNSEEN = (18, 19)  # tokens of no batch
VOCABULARY = 20
HEAVY = 20.0  # what each bias starts at: alike, so that they change no loss, and large, so that a decay shows


@dataclass(frozen=True)
class TwoSteps:
    """How far each weight (V, V) moved in step 1 and in step 2."""

    one: Floats
    two: Floats
    learning_rate: float

    @property
    def clear(self) -> NDArray[np.bool_]:
        """The weights (V, V) that had a gradient in step 1: the others decay at most."""
        one = np.abs(self.one)
        return np.asarray(one > 0.1 * one.max())

    @property
    def of_the_first_rows(self) -> float:
        """How far the rows of step 1 move in step 2, as a share of step 1: 0.67, or 1 if their gradient came again."""
        clear = self.clear
        return float(np.median(np.abs(self.two[clear] / self.one[clear]))) if clear.any() else 0.0

    @property
    def of_the_other_rows(self) -> float:
        """How far other rows move in step 2, in learning rates: 0.74, or 1 if it was a first step again."""
        return float(np.abs(self.two[~self.clear.any(axis=1)]).max(initial=0.0)) / self.learning_rate

    @property
    def has_the_first_gradient(self) -> bool:
        """Whether step 2 used the gradient of step 1, too: a rate that grows moves the other rows as much more."""
        others = self.of_the_other_rows * self.learning_rate
        return self.of_the_first_rows > 0.95 and bool(np.median(np.abs(self.two[self.clear])) > 1.1 * others)


def apart(rng: np.random.Generator) -> Ids:
    """A stream of six batches, each of tokens that no other one has."""
    span = SHAPE[0] * SHAPE[1]
    draws = [np.append(tokens, rng.choice(tokens, size=span - len(tokens))) for tokens in GROUPS]
    return np.concatenate([rng.permutation(draw) for draw in draws]).astype("int64")


def two_steps(candidate: Candidate, rng: np.random.Generator, learning_rate: float) -> TwoSteps:
    """One run of a single step, and one of two steps from the same start."""
    table, tokens = random_table(rng, VOCABULARY), apart(rng)
    after = [
        run(candidate, table, tokens, tokens, SHAPE, steps=steps, learning_rate=learning_rate).table for steps in (1, 2)
    ]
    return TwoSteps(after[0] - table, after[1] - after[0], learning_rate)


def with_bias(candidate: Candidate) -> Handle:
    """A model in the worker that has a bias beside its matrix; each entry is HEAVY."""
    model = candidate.support("tiny_models").TiedBigram(VOCABULARY, 5)
    candidate.torch.nn.init.constant_(candidate.attribute(model, "head.bias"), HEAVY)
    assert isinstance(model, Handle)
    return model


def steps_of_a_bias(candidate: Candidate, rng: np.random.Generator, learning_rate: float) -> Floats:
    """How far each entry (V,) of a bias moves in a first step, in learning rates."""
    serve(candidate, apart(rng), apart(rng), SHAPE)
    model = with_bias(candidate)
    candidate.train_language_model(model, steps=1, learning_rate=learning_rate, eval_every=1, eval_batches=1)
    after = expect_array(candidate.value(model, "head.bias"), (VOCABULARY,), of="the bias of the model")
    return np.asarray((after.astype("float64") - HEAVY) / learning_rate)


def beyond(moved: Floats) -> float:
    """How far a bias moves in a first step beyond its decay, in learning rates; for the most of its entries."""
    return float(np.median(np.abs(moved + WEIGHT_DECAY * HEAVY)))


@criterion("trains-the-model")
def test_the_model_that_was_handed_in_has_new_weights(candidate: Candidate, rng: np.random.Generator) -> None:
    table, tokens = random_table(rng, VOCABULARY), apart(rng)
    after = run(candidate, table, tokens, tokens, SHAPE, steps=3, learning_rate=0.1).table
    if np.abs(after - table).max() < 1e-5:
        raise Mismatch("after three steps the model has the weights that it came with, expected it to be trained")


@criterion("trains-the-model")
def test_training_goes_on_from_the_weights_there_are(candidate: Candidate, rng: np.random.Generator) -> None:
    table, tokens = random_table(rng, VOCABULARY), apart(rng)
    after = run(candidate, table, tokens, tokens, SHAPE, learning_rate=0.01).table
    if (off := np.abs(after - table).max()) > 0.3:
        raise Mismatch(
            f"one step at a learning rate of 0.01 moved a weight by {off:.3g}, expected it to go on from there"
        )


@criterion("gradients-cleared")
def test_a_step_does_not_use_the_gradient_of_the_batch_before(candidate: Candidate, rng: np.random.Generator) -> None:
    steps = two_steps(candidate, rng, 0.3)
    if steps.has_the_first_gradient:
        raise Mismatch(
            f"rows that have no token in batch 2 move by {steps.of_the_first_rows:.2f} of what they moved on batch 1, "
            "expected less: the gradient of batch 1 was still there"
        )


@criterion("gradients-cleared")
def test_gradients_that_the_model_arrives_with_are_not_used(candidate: Candidate, rng: np.random.Generator) -> None:
    table, tokens = random_table(rng, VOCABULARY), apart(rng)
    clean, other = (
        run(candidate, table, tokens, tokens, SHAPE, learning_rate=0.1, left_over=left_over).table
        for left_over in (None, rng.normal(size=table.shape))
    )
    if (off := np.abs(clean - other).max()) > 1e-4:
        raise Mismatch(f"a gradient left over from before the call changed a weight by {off:.3g}, expected no change")


@criterion("optimizer-kept")
def test_the_second_step_is_not_a_first_step_again(candidate: Candidate, rng: np.random.Generator) -> None:
    moved = two_steps(candidate, rng, 0.02).of_the_other_rows
    if 0.95 < moved < 1.05:
        raise Mismatch(
            f"in step 2 rows move by {moved:.2f} learning rates as in a first step, expected 0.74: "
            "the optimizer had forgotten step 1"
        )


@criterion("adamw-steps")
@pytest.mark.parametrize("learning_rate", [0.03, 0.2])
def test_the_first_step_is_that_of_adamw(candidate: Candidate, rng: np.random.Generator, learning_rate: float) -> None:
    """A first step decays every weight, and moves those with a gradient by the learning rate, however large it is."""
    table, tokens = random_table(rng, VOCABULARY), apart(rng)
    after = run(candidate, table, tokens, tokens, SHAPE, learning_rate=learning_rate).table
    beyond_decay = np.abs(after - table * (1 - learning_rate * WEIGHT_DECAY)) / learning_rate
    if (idle := beyond_decay[list(UNSEEN)].max()) > 2e-3:
        raise Mismatch(
            f"a weight without a gradient is {idle:.3g} learning rates away from its decay by lr * {WEIGHT_DECAY}"
        )
    if not abs((moved := beyond_decay.max()) - 1) < 2e-3:
        raise Mismatch(
            f"beyond its decay a weight moves by up to {moved:.3g} learning rates in the first step, expected 1"
        )


@criterion("adamw-steps")
def test_a_bias_decays_as_any_weight_does(candidate: Candidate, rng: np.random.Generator) -> None:
    if not abs((found := beyond(steps_of_a_bias(candidate, rng, 0.1))) - 1) < 0.02:
        raise Mismatch(f"beyond its decay a bias moves by {found:.3g} learning rates in the first step, expected 1")


def routes(table: Floats, one: Batch, steps: int, learning_rate: float) -> list[Floats]:
    """Where steps on one batch take the table (V, V): gradients that pile up or lost moments are AdamW still."""
    return [
        adamw(table, [one] * steps, learning_rate, cleared=cleared, kept_from=kept_from)
        for cleared in (True, False)
        for kept_from in (1, 2, steps)  # the first step, the one after the first evaluation, or never
    ]


def large_gradients() -> tuple[Floats, Ids]:
    """A table (V, V) that is sure of a wrong token, and the stream of one token on which its gradient has norm 1.4."""
    table = np.zeros((3, 3))
    table[0] = (0, 6, 0)
    return table, np.zeros(SHAPE[0] * SHAPE[1], "int64")


@criterion("adamw-steps")
@pytest.mark.parametrize("gradients", ["usual", "large"])
def test_the_weights_are_those_of_as_many_adamw_steps(
    candidate: Candidate, rng: np.random.Generator, gradients: str
) -> None:
    """On one batch served again and again."""
    table, tokens, steps, learning_rate = random_table(rng, 8), rng.integers(0, 8, size=SHAPE[0] * SHAPE[1]), 7, 0.15
    if gradients == "large":
        (table, tokens), steps, learning_rate = large_gradients(), 20, 0.3
    one = batch(tokens, 0, SHAPE)
    if not has_right_loss(candidate, table, *one):
        return  # another loss has its own criterion, and gradients of its own
    after = run(candidate, table, tokens, tokens, SHAPE, steps=steps, learning_rate=learning_rate, eval_every=100).table
    off = [float(np.abs(after - route).max()) for route in routes(table, one, steps, learning_rate)]
    if not min(off) < 0.05 * learning_rate:
        raise Mismatch(
            f"after {steps} steps a weight is {off[0]:.3g} away from where AdamW at {learning_rate} takes it"
        )


@criterion("batches-taken")
def test_there_is_one_training_batch_for_each_step(candidate: Candidate, rng: np.random.Generator) -> None:
    table, tokens = random_table(rng, VOCABULARY), apart(rng)
    run(candidate, table, tokens, tokens, SHAPE, steps=4, eval_every=2, eval_batches=3)
    taken = candidate.support("corpus").served("train")
    if taken != 4:
        raise Mismatch(f"a run of 4 steps took {taken} training batches, expected 4")
