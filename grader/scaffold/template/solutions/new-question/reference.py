"""TO WRITE: the code that a senior colleague would be proud of."""

import numpy as np


def softmax(scores: np.ndarray) -> np.ndarray:
    """Return the softmax of `scores` [..., T] over the last axis."""
    shifted = scores - scores.max(axis=-1, keepdims=True)  # [..., T], at most 0
    exponentials = np.exp(shifted)
    return exponentials / exponentials.sum(axis=-1, keepdims=True)
