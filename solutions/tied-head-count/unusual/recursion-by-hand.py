"""Walks over modules by itself, with no help from named_parameters."""

from collections.abc import Iterator

import torch
from torch import nn


def walk(module: nn.Module, slot: str, prefix: str = "") -> Iterator[tuple[str, torch.Tensor]]:
    """Yield every tensor in a slot of a module and of those below it, with each of its names."""
    for name, tensor in getattr(module, slot).items():
        if tensor is not None:
            yield prefix + name, tensor
    for name, child in module._modules.items():
        if child is not None:
            yield from walk(child, slot, f"{prefix}{name}.")


def count_parameters(model: nn.Module, untied: bool = False, frozen: bool = True, buffers: bool = False) -> int:
    """Return the elements of the parameters: by object, or with untied by name."""
    seen: set[int] = set()
    total = 0
    for slot in ("_parameters", "_buffers") if buffers else ("_parameters",):
        for _, tensor in walk(model, slot):
            counts = slot == "_buffers" or frozen or tensor.requires_grad
            if counts and (untied or id(tensor) not in seen):
                seen.add(id(tensor))
                total += tensor.numel()
    return total


def tied_names(model: nn.Module) -> list[list[str]]:
    """Return the names that lead to the same parameter."""
    found = sorted(walk(model, "_parameters"), key=lambda pair: pair[0])
    groups = []
    for name, tensor in found:
        group = [other for other, same in found if same is tensor]
        if len(group) > 1 and group[0] == name:
            groups.append(group)
    return groups


def storage_bytes(model: nn.Module) -> int:
    """Return the bytes of all storages."""
    storages: list[torch.UntypedStorage] = []
    for slot in ("_parameters", "_buffers"):
        for _, tensor in walk(model, slot):
            if not any(tensor.untyped_storage() is storage for storage in storages):
                storages.append(tensor.untyped_storage())
    return sum(storage.nbytes() for storage in storages)


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
