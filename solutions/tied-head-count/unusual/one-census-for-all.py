"""Takes one census of a model as dataclasses, and answers every question from it."""

from dataclasses import dataclass

import torch
from torch import nn


@dataclass(frozen=True)
class Entry:
    """One name in a model, and the tensor that it leads to."""

    name: str
    tensor: torch.Tensor
    is_buffer: bool


def census(model: nn.Module) -> list[Entry]:
    """Return an entry for every name."""
    parameters = [Entry(name, each, False) for name, each in model.named_parameters(remove_duplicate=False)]
    return parameters + [Entry(name, each, True) for name, each in model.named_buffers(remove_duplicate=False)]


def count_parameters(model: nn.Module, untied: bool = False, frozen: bool = True, buffers: bool = False) -> int:
    """Return the elements of the parameters: by object, or with untied by name."""
    entries = [each for each in census(model) if (buffers if each.is_buffer else frozen or each.tensor.requires_grad)]
    if not untied:
        entries = list({id(each.tensor): each for each in entries}.values())
    return sum(each.tensor.numel() for each in entries)


def tied_names(model: nn.Module) -> list[list[str]]:
    """Return the names that lead to the same parameter."""
    groups: dict[int, list[str]] = {}
    for each in census(model):
        if not each.is_buffer:
            groups.setdefault(id(each.tensor), []).append(each.name)
    return sorted(sorted(names) for names in groups.values() if len(names) > 1)


def storage_bytes(model: nn.Module) -> int:
    """Return the bytes of all storages."""
    return sum({s._cdata: s.nbytes() for s in (each.tensor.untyped_storage() for each in census(model))}.values())


def predicted_count(
    vocab_size: int,
    context: int,
    d_model: int,
    n_layer: int,
    tied: bool = True,
    learned_positions: bool = True,
    qkv_bias: bool = True,
) -> int:
    """Return the parameters of a Decoder of these sizes."""
    total = vocab_size * d_model + n_layer * (12 * d_model**2 + 13 * d_model) + 2 * d_model
    if learned_positions:
        total += context * d_model
    if not tied:
        total += vocab_size * d_model
    if not qkv_bias:
        total -= n_layer * 3 * d_model
    return total
