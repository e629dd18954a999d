"""Your solution: a fair comparison of language models. prompt.md has the rules.

Complete the two functions and keep their names and arguments. Helper functions are welcome in this file.
"""

import random
from collections.abc import Mapping, Sequence
from typing import Any

import torch
from torch import nn
from torch.nn import functional as F


def compare_models(
    models: Mapping[str, nn.Module],
    data: Mapping[str, Sequence[int]],
    *,
    block_size: int,
    batches: int,
    batch_size: int,
    prompt: Sequence[int],
    new_tokens: int,
    seed: int,
) -> dict[str, dict[str, Any]]:
    """Measure every model on the same windows, and let each go on from the same prompt.

    Args:
        models: by name; each maps token ids (B, T) to logits (B, T, V), or to a tuple that begins with them.
        data: streams of token ids by split, each longer than block_size.
        block_size: the tokens of a window, and the most that a model is shown when it generates; at least 1.
        batches: the number of batches of each split, at least 1.
        batch_size: the windows of a batch, at least 1.
        prompt: the token ids to go on from, at least one.
        new_tokens: how many tokens to generate, 0 or more.
        seed: of the windows, and of each model's sampler.

    Returns:
        For each model, by name, {"losses": {split: float}, "tokens": list of int, "parameters": int}. Losses are
        mean cross-entropies in nats per token; the tokens are the prompt and the new ones.

    Raises:
        ValueError: a number is too small, the prompt is empty, or a stream is too short. No model has been called then.
    """
    raise NotImplementedError("compare_models is yours to write")


def loss_deltas(comparison: Mapping[str, Mapping[str, Any]], *, control: str, treatment: str) -> dict[str, float]:
    """Return the loss of the treatment minus that of the control, by split; negative favours the treatment.

    Args:
        comparison: what compare_models returned.
        control: the name of one model.
        treatment: the name of the model that is held against it.
    """
    raise NotImplementedError("loss_deltas is yours to write")
