"""What a module holds, asked without asking the module: its overrides of `parameters()` and the like are not called.

Nor are those of the containers and the tensors that it holds: a dict that skips entries and a tensor that denies its
gradient are read by the methods of dict and torch.Tensor.
"""

from collections.abc import Iterator
from types import FunctionType, GetSetDescriptorType, MemberDescriptorType, MethodType
from typing import Any, Final

import torch

from grader.wire import Value

MAX_ENTRIES: Final = 2_000
MAX_DEPTH: Final = 64
MAX_NESTED: Final = 3
MAX_ITEMS: Final = 100
SIMPLE: Final = (type(None), bool, int, float, str, bytes)

# The slot in which an object keeps its attributes, read past any `__dict__` or `__getattribute__` of a subclass.
_attributes: Final = torch.nn.Module.__dict__["__dict__"].__get__
_requires_grad: Final = torch.Tensor.requires_grad.__get__
as_plain: Final = torch._C.DisableTorchFunctionSubclass  # while active, a subclass of Tensor has no say in what it is

Held = tuple[str, torch.Tensor, str]


def inventory(module: torch.nn.Module) -> list[Value]:
    """Every tensor below a module, with one entry for each name that it is reached by.

    An entry is a dict: `kind` ("parameter", "buffer", or "loose" for a tensor that is neither), `name`, `dtype`,
    `shape`, `requires_grad`, `device`, and `object`, a number that is the same for the same tensor.
    A parameter counts as one wherever it hides: registered, or in a plain attribute, a slot, a list, tuple or dict, an
    object or a function's closure.
    """
    numbers: dict[int, int] = {}
    return [entry(each, numbers.setdefault(id(each[1]), len(numbers))) for each in held_by(module)]


def held_by(module: torch.nn.Module) -> list[Held]:
    """The name, the tensor and where it is registered ("parameter", "buffer", "loose"), for each name there is."""
    found: list[Held] = []
    for each in _tensors(module, "", set(), 0):
        if len(found) >= MAX_ENTRIES:
            break
        found.append(each)
    return found


def entry(held: Held, number: int) -> dict[str, Value]:
    """One line of an inventory."""
    name, tensor, registered = held
    with as_plain():
        bare = torch.Tensor.detach(tensor)
        return {
            "kind": "parameter" if is_parameter(tensor) else registered,
            "name": name[:200],
            "dtype": str(bare.dtype).removeprefix("torch."),
            "shape": list(bare.shape),
            "requires_grad": bool(_requires_grad(tensor)),
            "device": bare.device.type,
            "object": number,
        }


def is_parameter(tensor: torch.Tensor) -> bool:
    """Whether it is an nn.Parameter by its type, or by the mark that torch puts on one of another tensor type."""
    return issubclass(type(tensor), torch.nn.Parameter) or isinstance(tensor, torch.nn.Parameter)


def is_module(thing: Any) -> bool:
    """Whether it is an nn.Module, whatever `__class__` says."""
    return issubclass(type(thing), torch.nn.Module)


def _tensors(module: Any, prefix: str, seen: set[int], depth: int) -> Iterator[Held]:
    if id(module) in seen or depth > MAX_DEPTH:
        return
    seen.add(id(module))
    held = dict(_items(_attributes(module)))
    for slot, registered in (("_parameters", "parameter"), ("_buffers", "buffer")):
        for name, tensor in _items(held.pop(slot, {})):
            if _is_tensor(tensor):
                yield f"{prefix}{name}", tensor, registered
    for name, child in _items(held.pop("_modules", {})):
        if is_module(child):
            yield from _tensors(child, f"{prefix}{name}.", seen, depth + 1)
    for name, thing in [*held.items(), *_slots(module), *_shared(module)]:
        yield from _loose(f"{prefix}{name}", thing, seen, depth, 0)


def _loose(name: str, thing: Any, seen: set[int], depth: int, nested: int) -> Iterator[Held]:
    kind = type(thing)
    if _is_tensor(thing):
        yield name, thing, "loose"
    elif is_module(thing):  # not registered, so neither moved nor saved, buffers included
        for inner, tensor, registered in _tensors(thing, f"{name}.", seen, depth + 1):
            yield inner, tensor, "loose" if registered == "buffer" else registered
    elif kind not in SIMPLE and nested < MAX_NESTED and not issubclass(kind, type) and id(thing) not in seen:
        for label, item in _inside(thing, kind):
            seen.add(id(thing))  # only what holds something: small numbers and empty tuples are everywhere
            yield from _loose(f"{name}{label}", item, seen, depth, nested + 1)


def _inside(thing: Any, kind: type) -> list[tuple[str, Any]]:
    """What a container, a function or an object holds, each with the end of its name."""
    if issubclass(kind, list | tuple):
        base = list if issubclass(kind, list) else tuple
        return [(f"[{index}]", item) for index, item in zip(range(MAX_ITEMS), base.__iter__(thing), strict=False)]
    if issubclass(kind, dict):
        pairs = _items(thing)[:MAX_ITEMS]
        return [(f"[{key if type(key) is str else '…'}]", item) for key, item in pairs]
    if kind is MethodType:
        return [(".__self__", thing.__self__), ("", thing.__func__)]
    if kind is FunctionType:
        cells = zip(thing.__code__.co_freevars, thing.__closure__ or (), strict=True)
        return [(f".{name}", cell.cell_contents) for name, cell in cells if _is_filled(cell)]
    return [(f".{name}", item) for name, item in [*_own(thing, kind), *_slots(thing)][:MAX_ITEMS]]


def _own(thing: Any, kind: type) -> list[tuple[Any, Any]]:
    """The attributes that an object keeps, past what its class says of them."""
    for base in type.__dict__["__mro__"].__get__(kind):
        slot = type.__dict__["__dict__"].__get__(base).get("__dict__")
        if type(slot) is GetSetDescriptorType:
            return _items(slot.__get__(thing))
    return []


def _slots(thing: Any) -> list[tuple[str, Any]]:
    """What an object keeps in `__slots__`; those that its class has in C hold no tensor of a candidate's."""
    found = []
    for base in type.__dict__["__mro__"].__get__(type(thing)):
        for name, slot in type.__dict__["__dict__"].__get__(base).items():
            if type(slot) is MemberDescriptorType:
                try:
                    found.append((name, slot.__get__(thing)))
                except AttributeError:  # an empty slot
                    continue
    return found


def _shared(module: Any) -> list[tuple[str, Any]]:
    """The tensors that a module's classes hold for all of their instances."""
    bases = type.__dict__["__mro__"].__get__(type(module))
    return [pair for base in bases for pair in type.__dict__["__dict__"].__get__(base).items() if _is_tensor(pair[1])]


def _items(mapping: Any) -> list[tuple[Any, Any]]:
    """The entries of a dict, past what a subclass says of them; none of what is no dict."""
    return list(dict.items(mapping)) if issubclass(type(mapping), dict) else []


def _is_tensor(thing: Any) -> bool:
    return issubclass(type(thing), torch.Tensor)


def _is_filled(cell: Any) -> bool:
    try:
        cell.cell_contents  # noqa: B018 - asking is what tells
    except ValueError:
        return False
    return True
