"""Leaves the work to torch."""

import numpy as np
import torch


def softmax(scores: np.ndarray) -> np.ndarray:
    """Return the softmax of `scores` [..., T] over the last axis."""
    return torch.softmax(torch.from_numpy(np.asarray(scores)), dim=-1).numpy()
