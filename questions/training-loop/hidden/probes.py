"""What a submission does in a few fixed situations, so that the mistake behind a failure can be named."""

from typing import Any

import numpy as np
from bigrams import random_table
from runs import SAME_LOSS, STILL, WEIGHT_DECAY, adamw, batch, cross_entropy, own_loss, run
from test_history import BAD, PLANS, RIGHT, trained
from test_losses import is_one_of, second_loss
from test_modes import SHAPE as WATCHED_SHAPE
from test_modes import SPLIT_AT, UNKNOWN, train_watched, watched
from test_modes import VOCABULARY as WATCHED_VOCABULARY
from test_updates import UNSEEN, VOCABULARY, apart, beyond, large_gradients, routes, steps_of_a_bias, two_steps

from grader.checks import Candidate, Raised, probe

SHAPE = (2, 4)
NORMS = (0.1, 0.25, 0.5, 1.0)  # that gradients are often cut to


def generator() -> np.random.Generator:
    """The same numbers for every submission."""
    return np.random.default_rng(7)


@probe
def formula(candidate: Candidate) -> float:
    """The loss of one batch."""
    rng = generator()
    return own_loss(candidate, random_table(rng, 6), *batch(rng.integers(0, 6, size=8), 0, SHAPE))


@probe
def weights_at_the_start(candidate: Candidate) -> list[bool]:
    """Whether a small step stays near the weights there are, and whether larger ones move them."""
    rng = generator()
    table, tokens = random_table(rng, VOCABULARY), apart(rng)
    near = run(candidate, table, tokens, tokens, SHAPE, learning_rate=0.01).table
    moved = run(candidate, table, tokens, tokens, SHAPE, steps=3, learning_rate=0.1).table
    return [bool(np.abs(near - table).max() < 0.3), bool(np.abs(moved - table).max() > 1e-5)]


@probe
def memory_of_the_optimizer(candidate: Candidate) -> bool:
    """Whether a second step is like a first one."""
    return 0.95 < two_steps(candidate, generator(), 0.1).of_the_other_rows < 1.05


@probe
def clearing(candidate: Candidate) -> str:
    """Which gradients have a part in a step beside its own."""
    if two_steps(candidate, generator(), 0.1).has_the_first_gradient:
        return "those of the batches before"
    rng = generator()
    table, tokens = random_table(rng, VOCABULARY), apart(rng)
    one, other = (
        run(candidate, table, tokens, tokens, SHAPE, learning_rate=0.1, left_over=left_over).table
        for left_over in (None, rng.normal(size=table.shape))
    )
    return "those left over" if np.abs(one - other).max() > 1e-4 else "none"


@probe
def first_step(candidate: Candidate) -> list[float]:
    """In learning rates: how far a first step goes at most, and, beyond the decay, without a gradient."""
    rng = generator()
    table, tokens = random_table(rng, VOCABULARY), apart(rng)
    after = run(candidate, table, tokens, tokens, SHAPE, learning_rate=0.1).table
    beyond_decay = np.abs(after - table * (1 - 0.1 * WEIGHT_DECAY)) / 0.1
    return [round(float(rows.max()), 2) for rows in (beyond_decay, beyond_decay[list(UNSEEN)])]


@probe
def step_of_a_bias(candidate: Candidate) -> str:
    """Whether a bias is decayed in a first step, if it moves by one learning rate at all."""
    moved = steps_of_a_bias(candidate, generator(), 0.1)
    if abs(beyond(moved) - 1) < 0.02:
        return "decayed"
    return "not decayed" if abs(np.median(np.abs(moved)) - 1) < 0.02 else "another"


@probe
def steps_on_large_gradients(candidate: Candidate) -> str:
    """Whether gradients are used as they come, if the steps are those of AdamW at all."""
    (table, tokens), steps, rate = large_gradients(), 20, 0.3
    one = batch(tokens, 0, SHAPE)
    after = run(candidate, table, tokens, tokens, SHAPE, steps=steps, learning_rate=rate, eval_every=100).table
    usual = routes(table, one, steps, rate)
    clipped = [adamw(table, [one] * steps, rate, norm=norm) for norm in NORMS]
    for words, ends in {"as they come": usual, "cut": clipped}.items():
        if min(np.abs(after - end).max() for end in ends) < 0.005 * rate:
            return words
    return "another"


@probe
def last_step(candidate: Candidate) -> float:
    """How far the last of seven steps on one batch goes, in learning rates."""
    rng = generator()
    table, tokens = random_table(rng, 8), rng.integers(3, 6, size=8)
    six, seven = (
        run(candidate, table, tokens, tokens, SHAPE, steps=steps, learning_rate=0.1, eval_every=100).table
        for steps in (6, 7)
    )
    return round(float(np.abs(seven - six).max() / 0.1), 1)


@probe
def when_the_loss_is_taken(candidate: Candidate) -> list[bool]:
    """Whether a training loss is that of weights before the update, and that of one batch."""
    rng = generator()
    table, tokens, fixed = random_table(rng, 7), rng.integers(0, 7, size=41), rng.integers(0, 7, size=8)
    still, moved = (
        run(candidate, table, tokens, tokens, SHAPE, learning_rate=rate).losses("train_batch_loss")[0]
        for rate in (STILL, 0.5)
    )
    three, four = (
        run(candidate, table, fixed, fixed, SHAPE, steps=steps, learning_rate=0.2, eval_every=2) for steps in (3, 4)
    )
    often = run(candidate, table, fixed, fixed, SHAPE, steps=4, learning_rate=0.2)
    right = [own_loss(candidate, three.table, *batch(fixed, 0, SHAPE)), often.losses("train_batch_loss")[-1]]
    of_one = is_one_of(four.losses("train_batch_loss")[-1], right) and is_one_of(*second_loss(candidate, rng))
    return [abs(still - moved) < SAME_LOSS, of_one]


@probe
def training_batches_taken(candidate: Candidate) -> str:
    """Whether two steps and two evaluations take more training batches than there are steps."""
    trained(candidate, generator(), 2, 1)
    taken = candidate.support("corpus").served("train")
    return "as many" if taken == 2 else "more" if taken > 2 else "fewer"


@probe
def validation_mean(candidate: Candidate) -> float | str:
    """What a validation loss is of: its batches after the update or before, some of them, or their sum."""
    rng = generator()
    table, train, validation = random_table(rng, 7), *rng.integers(0, 7, size=(2, 41))
    after = run(candidate, table, train, validation, SHAPE, learning_rate=0.3, eval_batches=3)
    found, batches = after.losses("validation_loss")[0], [batch(validation, each, SHAPE) for each in range(3)]
    for words, weights in {"after": after.table, "before": table}.items():
        right = np.array([cross_entropy(weights, *each) for each in batches])
        own = np.array([own_loss(candidate, weights, *each) for each in batches])
        for losses in (right, own):
            for what, value in {"mean": losses.mean(), "one": losses[0], "sum": losses.sum()}.items():
                if abs(found - value) < SAME_LOSS:
                    return f"{what}, {words}"
    return "another"


@probe
def modes(candidate: Candidate) -> list[Any]:
    """The mode and the recording of each call, for a model that arrives in training mode."""
    return sorted({(call.is_training, call.training) for call in train_watched(candidate, generator(), training=True)})


@probe
def recording(candidate: Candidate) -> list[bool]:
    """Whether calls on validation tokens are recorded."""
    found = train_watched(candidate, generator(), training=True)
    return sorted({call.recorded for call in found if call.ids.max() >= SPLIT_AT})


@probe
def mode_that_it_arrives_in(candidate: Candidate) -> bool:
    """Whether the first call is in training mode when the model comes in evaluation mode."""
    return train_watched(candidate, generator(), training=False)[0].training


@probe
def failing_evaluation(candidate: Candidate) -> str:
    """What an evaluation that raises leaves behind."""
    rng = generator()
    train_watched(candidate, rng, training=True)  # a run that raises anyway tells nothing of what an evaluation does
    model = watched(candidate, rng)
    tokens = rng.integers(SPLIT_AT, WATCHED_VOCABULARY, size=61)
    tokens[1:] = UNKNOWN
    candidate.support("corpus").use(rng.integers(0, SPLIT_AT, size=61), tokens, *WATCHED_SHAPE)
    try:
        candidate.train_language_model(model, steps=2, learning_rate=0.1, eval_every=1, eval_batches=2)
    except Raised:
        return f"raised, training {candidate.value(model, 'training')}"
    return "passed over"


@probe
def steps_with_an_entry(candidate: Candidate) -> list[Any]:
    """The steps of some histories."""
    return [[entry["step"] for entry in trained(candidate, generator(), *plan).entries] for plan in PLANS]


@probe
def plain_numbers(candidate: Candidate) -> bool:
    """Whether the numbers of an entry are plain ones."""
    return all(type(value) in (int, float) for value in trained(candidate, generator(), 1, 1).entries[0].values())


@probe
def refusals(candidate: Candidate) -> list[str]:
    """What bad numbers meet, and whether a batch had been taken by then."""
    trained(candidate, generator(), 2, 1)  # one that raises anyway refuses nothing
    return [_refusal(candidate, name, value) for name, value in BAD]


def _refusal(candidate: Candidate, name: str, value: float) -> str:
    model = watched(candidate, generator())
    corpus = candidate.support("corpus")
    try:
        candidate.train_language_model(model, **{**RIGHT, name: value})
    except Raised as error:
        return f"{error.type} after {corpus.served('train') + corpus.served('validation')} batches"
    return "accepted"
