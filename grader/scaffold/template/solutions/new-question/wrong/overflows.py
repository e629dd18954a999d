"""Takes the exponential of the scores as they are."""

import numpy as np


def softmax(scores: np.ndarray) -> np.ndarray:
    """Return the softmax of `scores` [..., T] over the last axis."""
    exponentials = np.exp(scores)
    return exponentials / exponentials.sum(axis=-1, keepdims=True)
