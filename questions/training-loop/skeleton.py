"""Your solution: a training loop for a language model. prompt.md has the rules.

Complete the function and keep its name and arguments. Helper functions are welcome in this file.
"""

import torch
from corpus import get_batch
from torch import nn
from torch.nn import functional as F


def train_language_model(
    model: nn.Module, *, steps: int, learning_rate: float, eval_every: int, eval_batches: int
) -> list[dict[str, float]]:
    """Train a model with AdamW, in place, on the batches of corpus.py.

    Args:
        model: maps token ids (B, T) to raw logits (B, T, V); training goes on from the weights that it has.
        steps: the number of updates, at least 1.
        learning_rate: AdamW's, above 0; everything else about it is torch's default.
        eval_every: evaluate after step 1, after every step that this divides, and after the last; at least 1.
        eval_batches: the number of validation batches that one evaluation takes, at least 1.

    Returns:
        One entry for each evaluation, in order: {"step": int, "train_batch_loss": float, "validation_loss": float}.
        The training loss is that of the step's own batch, before the update; the validation loss is the mean over
        the batches of the evaluation, after it.

    Raises:
        ValueError: one of the four numbers is too small. Nothing has been touched then.
    """
    raise NotImplementedError("train_language_model is yours to write")
