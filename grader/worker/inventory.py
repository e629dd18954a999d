"""What a module holds, asked without asking the module: its overrides of `parameters()` and the like are not called."""

from collections.abc import Iterator
from typing import Any, Final

import torch

from grader.wire import Value

MAX_ENTRIES: Final = 2_000
MAX_DEPTH: Final = 64

# The slot in which an object keeps its attributes, read past any `__dict__` or `__getattribute__` of a subclass.
_attributes: Final = torch.nn.Module.__dict__["__dict__"].__get__
_requires_grad: Final = torch.Tensor.requires_grad.__get__


def inventory(module: torch.nn.Module) -> list[Value]:
    """Every tensor below a module, with one entry for each name that it is reached by.

    An entry is a dict: `kind` ("parameter", "buffer", or "loose" for a tensor that is neither), `name`, `dtype`,
    `shape`, `requires_grad`, `device`, and `object`, a number that is the same for the same tensor.
    A parameter counts as one wherever it hides: registered, or in a plain attribute, list, tuple or dict.
    """
    numbers: dict[int, int] = {}
    entries: list[Value] = []
    for name, tensor, registered in _tensors(module, "", set(), 0):
        if len(entries) >= MAX_ENTRIES:
            break
        number = numbers.setdefault(id(tensor), len(numbers))
        entries.append(_entry(name, tensor, registered, number))
    return entries


def _entry(name: str, tensor: torch.Tensor, registered: str, number: int) -> dict[str, Value]:
    bare = torch.Tensor.detach(tensor)
    return {
        "kind": "parameter" if isinstance(tensor, torch.nn.Parameter) else registered,
        "name": name[:200],
        "dtype": str(bare.dtype).removeprefix("torch."),
        "shape": list(bare.shape),
        "requires_grad": bool(_requires_grad(tensor)),
        "device": bare.device.type,
        "object": number,
    }


def _tensors(module: Any, prefix: str, seen: set[int], depth: int) -> Iterator[tuple[str, torch.Tensor, str]]:
    if id(module) in seen or depth > MAX_DEPTH:
        return
    seen.add(id(module))
    held = dict(_attributes(module))
    for slot, registered in (("_parameters", "parameter"), ("_buffers", "buffer")):
        for name, tensor in dict(held.pop(slot, {})).items():
            if isinstance(tensor, torch.Tensor):
                yield f"{prefix}{name}", tensor, registered
    for name, child in dict(held.pop("_modules", {})).items():
        if isinstance(child, torch.nn.Module):
            yield from _tensors(child, f"{prefix}{name}.", seen, depth + 1)
    for name, thing in held.items():
        yield from _loose(f"{prefix}{name}", thing, seen, depth, 0)


def _loose(name: str, thing: Any, seen: set[int], depth: int, nested: int) -> Iterator[tuple[str, torch.Tensor, str]]:
    if isinstance(thing, torch.Tensor):
        yield name, thing, "loose"
    elif isinstance(thing, torch.nn.Module):  # not registered, so neither moved nor saved, buffers included
        for inner, tensor, registered in _tensors(thing, f"{name}.", seen, depth + 1):
            yield inner, tensor, "loose" if registered == "buffer" else registered
    elif type(thing) in (list, tuple) and nested < 3:
        for index, item in enumerate(thing[:100]):
            yield from _loose(f"{name}[{index}]", item, seen, depth, nested + 1)
    elif type(thing) is dict and nested < 3:
        for key, item in list(thing.items())[:100]:
            label = key if type(key) is str else "…"
            yield from _loose(f"{name}[{label}]", item, seen, depth, nested + 1)
