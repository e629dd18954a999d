"""Runs of the candidate's loop on a bigram table and token streams of our own, and what is right in plain NumPy."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from bigrams import Floats, Ids, cross_entropy, gradient
from numpy.typing import NDArray

from grader.checks import Candidate, Handle, Mismatch, describe, expect_array, ndarray, tensor

KEYS = ("step", "train_batch_loss", "validation_loss")

# No update at this rate shows in float32, so that losses before and after it are the same.
STILL = 1e-9

# Losses near 2 in float32 are 1e-6 away from those in float64; the nearest wrong loss is 1e-2 away.
SAME_LOSS = 3e-5

BETA_1, BETA_2, EPSILON, WEIGHT_DECAY = 0.9, 0.999, 1e-8, 0.01  # the defaults of torch.optim.AdamW


@dataclass(frozen=True)
class Run:
    """What one call of the loop left behind: its history, as it came, and the table (V, V) of the model."""

    history: Any
    table: Floats

    @property
    def entries(self) -> list[dict[str, Any]]:
        """The entries of the history."""
        return entries(self.history)

    def losses(self, key: str) -> list[float]:
        """One number of each entry, be it a Python float or a tensor."""
        return [number(entry[key], key) for entry in self.entries]


def entries(history: Any) -> list[dict[str, Any]]:
    """The history as a list of dicts with the three keys, or a Mismatch."""
    if not isinstance(history, list | tuple):
        raise Mismatch(f"the history is {describe(history)}, expected a list of entries")
    if not history:
        raise Mismatch("the history is empty, expected an entry for step 1 at least")
    for entry in history:
        if not isinstance(entry, dict) or not set(KEYS) <= set(entry):
            found = f"the keys {', '.join(entry)}" if isinstance(entry, dict) else describe(entry)
            raise Mismatch(f"an entry of the history holds {found}, expected a dict with {', '.join(KEYS)}")
    return list(history)


def number(value: Any, key: str) -> float:
    """A loss as a float: whether it was a plain one has its own criterion."""
    if isinstance(value, np.ndarray) and value.size == 1 and value.dtype.kind in "biuf":
        value = float(value.reshape(()))
    if type(value) not in (int, float):
        raise Mismatch(f"{key} is {describe(value)}, expected a float")
    return float(value)


def serve(candidate: Candidate, train: Ids, validation: Ids, shape: tuple[int, int]) -> None:
    """Have corpus.py serve these streams in batches of `shape` (B, T)."""
    candidate.support("corpus").use(ndarray(train), ndarray(validation), *shape)


def bigram(candidate: Candidate, table: NDArray[Any]) -> Handle:
    """A bigram model in the worker with this table (V, V)."""
    model = candidate.support("tiny_models").Bigram(tensor(table.astype("float32")))
    assert isinstance(model, Handle)
    return model


def table_of(candidate: Candidate, model: Handle, shape: tuple[int, ...]) -> Floats:
    """The table that a model holds now, in float64."""
    return expect_array(candidate.value(model, "table"), shape, of="the table of the model").astype("float64")


def run(
    candidate: Candidate,
    table: NDArray[Any],
    train: Ids,
    validation: Ids,
    shape: tuple[int, int],
    *,
    steps: int = 1,
    learning_rate: float = STILL,
    eval_every: int = 1,
    eval_batches: int = 1,
    left_over: Floats | None = None,
) -> Run:
    """Train a bigram model from `table`; `left_over` is a gradient that it arrives with."""
    serve(candidate, train, validation, shape)
    model = bigram(candidate, table)
    if left_over is not None:
        candidate.assign(candidate.attribute(model, "table"), "grad", tensor(left_over.astype("float32")))
    history = candidate.train_language_model(
        model, steps=steps, learning_rate=learning_rate, eval_every=eval_every, eval_batches=eval_batches
    )
    return Run(history, table_of(candidate, model, table.shape))


def batch(tokens: Ids, place: int, shape: tuple[int, int]) -> tuple[Ids, Ids]:
    """The inputs and targets (B, T) that corpus.py serves at `place`, counted from 0."""
    span = shape[0] * shape[1]
    window = tokens[(np.arange(span + 1) + place * span) % len(tokens)]
    return window[:-1].reshape(shape), window[1:].reshape(shape)


def own_loss(candidate: Candidate, table: NDArray[Any], inputs: Ids, targets: Ids) -> float:
    """What the candidate's training makes of one batch (B, T): its loss, right or not."""
    stream = inputs.ravel()
    if targets.ravel()[-1] != stream[0]:  # otherwise the stream is a round, and every batch of it is this one
        stream = np.append(stream, targets.ravel()[-1])
    return run(candidate, table, stream, stream, (inputs.shape[0], inputs.shape[1])).losses("train_batch_loss")[0]


def adamw(
    table: NDArray[Any],
    batches: list[tuple[Ids, Ids]],
    learning_rate: float,
    *,
    cleared: bool = True,
    kept_from: int = 1,
    norm: float = np.inf,
) -> Floats:
    """The table after one AdamW step on each batch, as torch.optim documents it.

    Without `cleared` gradients pile up. Each step up to `kept_from` starts with an optimizer of its own. Gradients
    longer than `norm` are cut to it.
    """
    table = table.astype("float64")
    gathered, first, second, step = np.zeros_like(table), np.zeros_like(table), np.zeros_like(table), 0
    for place, (inputs, targets) in enumerate(batches, 1):
        fresh = gradient(table, inputs, targets)
        gathered = fresh if cleared else gathered + fresh
        if place <= kept_from:
            first, second, step = np.zeros_like(table), np.zeros_like(table), 0
        step += 1
        used = gathered * min(1.0, norm / float(np.linalg.norm(gathered)))
        first = BETA_1 * first + (1 - BETA_1) * used
        second = BETA_2 * second + (1 - BETA_2) * used**2
        direction = first / (1 - BETA_1**step) / (np.sqrt(second / (1 - BETA_2**step)) + EPSILON)
        table = table * (1 - learning_rate * WEIGHT_DECAY) - learning_rate * direction
    return table


def has_right_loss(candidate: Candidate, table: NDArray[Any], inputs: Ids, targets: Ids) -> bool:
    """Whether the candidate's loss on a batch is the cross-entropy."""
    return abs(own_loss(candidate, table, inputs, targets) - cross_entropy(table, inputs, targets)) < SAME_LOSS
