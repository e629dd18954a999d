"""The reference solution: what a small GPT holds, counted by object, by name, by storage and in closed form."""

from collections import defaultdict

from torch import nn


def count_parameters(model: nn.Module, untied: bool = False, frozen: bool = True, buffers: bool = False) -> int:
    """Return how many numbers the parameters hold: each object once, or with `untied` each name.

    `frozen` counts parameters that need no gradient too; `buffers` adds all buffers, saved or not.
    """
    # torch compares objects when it leaves out duplicates, here among the parameters and below among the buffers.
    named = model.named_parameters(remove_duplicate=not untied)
    tensors = [parameter for _, parameter in named if frozen or parameter.requires_grad]
    if buffers:
        tensors += [buffer for _, buffer in model.named_buffers(remove_duplicate=not untied)]
    return sum(tensor.numel() for tensor in tensors)


def tied_names(model: nn.Module) -> list[list[str]]:
    """Return the names of each parameter object that has several: sorted groups, in sorted order."""
    names: dict[int, list[str]] = defaultdict(list)
    for name, parameter in model.named_parameters(remove_duplicate=False):
        names[id(parameter)].append(name)
    return sorted(sorted(group) for group in names.values() if len(group) > 1)


def storage_bytes(model: nn.Module) -> int:
    """Return the bytes of the storages behind all parameters and buffers, each storage once and in full."""
    # The storage object is the same for all tensors that look at it. Its address would not do: on meta all are zero.
    # The dict keeps each object alive, so that no id is given out twice.
    storages = {}
    for tensor in (*model.parameters(), *model.buffers()):
        storage = tensor.untyped_storage()
        storages[id(storage)] = storage
    return sum(storage.nbytes() for storage in storages.values())


def predicted_count(
    vocab_size: int,
    context: int,
    d_model: int,
    n_layer: int,
    tied: bool = True,
    learned_positions: bool = True,
    qkv_bias: bool = True,
) -> int:
    """Return the parameters of models.Decoder in closed form, the tied head once."""
    tokens = vocab_size * d_model
    positions = context * d_model if learned_positions else 0
    norm = 2 * d_model  # scale and shift
    attention = 4 * d_model**2 + d_model  # queries, keys, values and output, and the bias of the output
    if qkv_bias:
        attention += 3 * d_model
    feed_forward = 8 * d_model**2 + 5 * d_model  # D to 4D and back, with a bias of 4D and one of D
    head = 0 if tied else tokens  # no bias
    return tokens + positions + n_layer * (2 * norm + attention + feed_forward) + norm + head
