"""Returns groups as tuples and counts as NumPy integers."""

import numpy as np
from torch import nn


def count_parameters(model: nn.Module, untied: bool = False, frozen: bool = True, buffers: bool = False) -> np.int64:
    """Return the elements of the parameters: by object, or with untied by name."""
    kept = [each for _, each in model.named_parameters(remove_duplicate=not untied) if frozen or each.requires_grad]
    kept += [each for _, each in model.named_buffers(remove_duplicate=not untied)] if buffers else []
    return np.int64(np.sum([each.numel() for each in kept], dtype=np.int64))


def tied_names(model: nn.Module) -> tuple[tuple[str, ...], ...]:
    """Return the names that lead to the same parameter."""
    named = list(model.named_parameters(remove_duplicate=False))
    groups = {tuple(sorted(name for name, other in named if other is parameter)) for _, parameter in named}
    return tuple(sorted(group for group in groups if len(group) > 1))


def storage_bytes(model: nn.Module) -> int:
    """Return the bytes of all storages."""
    storages = {}
    for tensor in [*model.parameters(), *model.buffers()]:
        storage = tensor.untyped_storage()
        storages[storage._cdata] = storage.nbytes()
    return sum(storages.values())


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
