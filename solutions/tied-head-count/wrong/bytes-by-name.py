"""Adds up storages name by name, the tied ones repeatedly."""

from torch import nn


def count_parameters(model: nn.Module, untied: bool = False, frozen: bool = True, buffers: bool = False) -> int:
    """Return the elements of the parameters: by object, or with untied by name."""
    total = 0
    for _, parameter in model.named_parameters(remove_duplicate=not untied):
        if frozen or parameter.requires_grad:
            total += parameter.numel()
    if buffers:
        for _, buffer in model.named_buffers(remove_duplicate=not untied):
            total += buffer.numel()
    return total


def tied_names(model: nn.Module) -> list[list[str]]:
    """Return the names that lead to the same parameter."""
    groups: dict[nn.Parameter, list[str]] = {}
    for name, parameter in model.named_parameters(remove_duplicate=False):
        groups.setdefault(parameter, []).append(name)
    return sorted(sorted(names) for names in groups.values() if len(names) > 1)


def storage_bytes(model: nn.Module) -> int:
    """Return the bytes of the storage behind each name."""
    total = 0
    for named in (model.named_parameters, model.named_buffers):
        total += sum(tensor.untyped_storage().nbytes() for _, tensor in named(remove_duplicate=False))
    return total


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
