"""Your solution: what a small GPT holds, counted in four ways. prompt.md has the rules.

Complete the four functions and keep their names and arguments. Helper functions are welcome in this file.
"""

import torch
from torch import nn


def count_parameters(model: nn.Module, untied: bool = False, frozen: bool = True, buffers: bool = False) -> int:
    """Return how many numbers the parameters of a model hold.

    Args:
        model: any module, on any device.
        untied: count each name that leads to a tensor, as if each had a tensor of its own. Without it, each tensor
            object counts once.
        frozen: count parameters that need no gradient too.
        buffers: add the buffers, the ones that are not saved included.
    """
    raise NotImplementedError("count_parameters is yours to write")


def tied_names(model: nn.Module) -> list[list[str]]:
    """Return the names of each nn.Parameter object that has more than one: sorted groups, in sorted order."""
    raise NotImplementedError("tied_names is yours to write")


def storage_bytes(model: nn.Module) -> int:
    """Return the bytes of memory behind all parameters and buffers, each storage once and in full."""
    raise NotImplementedError("storage_bytes is yours to write")


def predicted_count(
    vocab_size: int,
    context: int,
    d_model: int,
    n_layer: int,
    tied: bool = True,
    learned_positions: bool = True,
    qkv_bias: bool = True,
) -> int:
    """Return how many parameters models.Decoder has with these arguments, without building it."""
    raise NotImplementedError("predicted_count is yours to write")
