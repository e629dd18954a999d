"""The updates, read off the weights: which gradients they used, and what the optimizer remembered.

Two batches share no input token. Rows of the table that only the first one touches have no gradient in the second
step, and rows that only the second one touches had none in the first. How far they move relative to step 1, or to the
learning rate, tells a gradient that was not cleared from an optimizer that was not kept, whatever the loss is.
"""

from dataclasses import dataclass

import numpy as np
import pytest
from bigrams import Floats, Ids, random_table
from runs import WEIGHT_DECAY, adamw, batch, has_right_loss, run

from grader.checks import Candidate, Mismatch, criterion

SHAPE, VOCABULARY = (2, 4), 8
FIRST, SECOND, UNSEEN = (0, 1, 2), (3, 4, 5), (6, 7)  # the input tokens of batch 1, of batch 2, and of neither


@dataclass(frozen=True)
class TwoSteps:
    """How far each weight (V, V) moved in step 1 and in step 2."""

    one: Floats
    two: Floats
    learning_rate: float

    @property
    def of_the_first_rows(self) -> float:
        """How far the rows of batch 1 move in step 2, as a share of step 1: 0.67, or 1 if their gradient came again."""
        one, two = np.abs(self.one[list(FIRST)]), np.abs(self.two[list(FIRST)])
        clear = one > 0.1 * one.max()
        return float(np.median(two[clear] / one[clear])) if clear.any() else 0.0

    @property
    def of_the_second_rows(self) -> float:
        """How far rows of batch 2 move in step 2, in learning rates: 0.74, or 1 if it was a first step again."""
        return float(np.abs(self.two[list(SECOND)]).max()) / self.learning_rate


def apart(rng: np.random.Generator) -> Ids:
    """A stream whose first batch holds the tokens FIRST, and the three after it the tokens SECOND."""
    span = SHAPE[0] * SHAPE[1]
    draws = [np.append(rows, rng.choice(rows, size=span - 3)) for rows in (FIRST, SECOND, SECOND, SECOND)]
    return np.concatenate([rng.permutation(draw) for draw in draws]).astype("int64")


def two_steps(candidate: Candidate, rng: np.random.Generator, learning_rate: float) -> TwoSteps:
    """One run of a single step, and one of two steps from the same start."""
    table, tokens = random_table(rng, VOCABULARY), apart(rng)
    after = [
        run(candidate, table, tokens, tokens, SHAPE, steps=steps, learning_rate=learning_rate).table for steps in (1, 2)
    ]
    return TwoSteps(after[0] - table, after[1] - after[0], learning_rate)


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
    share = two_steps(candidate, rng, 0.3).of_the_first_rows
    if share > 0.95:
        raise Mismatch(
            f"rows that have no token in batch 2 move by {share:.2f} of what they moved on batch 1, expected less: "
            "the gradient of batch 1 was still there"
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
    moved = two_steps(candidate, rng, 0.02).of_the_second_rows
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
    if not abs((moved := beyond_decay[list(FIRST)].max()) - 1) < 2e-3:
        raise Mismatch(
            f"beyond its decay a weight moves by up to {moved:.3g} learning rates in the first step, expected 1"
        )


@criterion("adamw-steps")
def test_the_weights_are_those_of_as_many_adamw_steps(candidate: Candidate, rng: np.random.Generator) -> None:
    """On one batch served again and again. Gradients that pile up, or moments that are lost, are AdamW still."""
    table, tokens = random_table(rng, VOCABULARY), rng.integers(0, VOCABULARY, size=SHAPE[0] * SHAPE[1])
    one, steps, learning_rate = batch(tokens, 0, SHAPE), 7, 0.15
    if not has_right_loss(candidate, table, *one):
        return  # another loss has its own criterion, and gradients of its own
    after = run(candidate, table, tokens, tokens, SHAPE, steps=steps, learning_rate=learning_rate, eval_every=100).table
    routes = [
        adamw(table, [one] * steps, learning_rate, cleared=cleared, kept_from=kept_from)
        for cleared in (True, False)
        for kept_from in (1, 2, steps)  # the first step, the one after the first evaluation, or never
    ]
    if not min(np.abs(after - route).max() for route in routes) < 0.05 * learning_rate:
        off = np.abs(after - routes[0]).max()
        raise Mismatch(f"after {steps} steps a weight is {off:.3g} away from where AdamW at {learning_rate} takes it")
