"""The bigram model of tiny_models.py in plain NumPy, float64: its logits are rows of a table (V, V)."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ids = NDArray[np.int64]


def random_table(rng: np.random.Generator, vocab_size: int, scale: float = 1.0) -> NDArray[np.float32]:
    """A table (V, V) of normal logits, float32 as a model holds it."""
    return (scale * rng.normal(size=(vocab_size, vocab_size))).astype("float32")


def log_softmax(logits: NDArray[Any]) -> Floats:
    """Logarithms of the probabilities over the last axis."""
    shifted = logits.astype("float64") - logits.max(axis=-1, keepdims=True)
    return np.asarray(shifted - np.log(np.exp(shifted).sum(axis=-1, keepdims=True)))


def cross_entropy(table: NDArray[Any], inputs: Ids, targets: Ids) -> float:
    """The mean negative log-likelihood of the targets, in nats per token; ids of any one shape."""
    return float(-log_softmax(table)[inputs.ravel(), targets.ravel()].mean())


def gradient(table: NDArray[Any], inputs: Ids, targets: Ids) -> Floats:
    """The gradient (V, V) of `cross_entropy` with respect to the table: probabilities less the one-hot targets."""
    at_logits = np.exp(log_softmax(table))[inputs.ravel()]  # (B * T, V)
    at_logits[np.arange(inputs.size), targets.ravel()] -= 1
    whole = np.zeros(table.shape)
    np.add.at(whole, inputs.ravel(), at_logits / inputs.size)
    return whole
