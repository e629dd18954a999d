"""What a module holds, asked without asking the module: its overrides of `parameters()` and the like are not called.

Nor are those of the containers and the tensors that it holds: a dict that skips entries and a tensor that denies its
gradient are read by the methods of dict and torch.Tensor.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from types import FunctionType, GetSetDescriptorType, MemberDescriptorType, MethodType
from typing import Any, Final

import torch

from grader.wire import Value

MAX_ENTRIES: Final = 2_000
MAX_DEPTH: Final = 64
MAX_NESTED: Final = 3
MAX_ITEMS: Final = 100
SIMPLE: Final = frozenset(map(id, (type(None), bool, int, float, str, bytes)))  # a class may say that it equals one

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
    return list(islice(_Walk().tensors(module, "", 0), MAX_ENTRIES))


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


class _Walk:
    """One walk over all that a module holds: nothing is met twice, and each class is looked through once."""

    def __init__(self) -> None:
        self.seen: set[int] = set()
        self.kinds: dict[int, _Kind] = {}  # by identity, since a class may lie about being equal to another

    def kind(self, thing: Any) -> _Kind:
        """What the class of an object says of it."""
        kind = type(thing)
        if id(kind) not in self.kinds:
            self.kinds[id(kind)] = _Kind(kind)
        return self.kinds[id(kind)]

    def tensors(self, module: Any, prefix: str, depth: int) -> Iterator[Held]:
        """What a module holds, registered or not."""
        if id(module) in self.seen or depth > MAX_DEPTH:
            return
        self.seen.add(id(module))
        held = dict(_items(_attributes(module)))
        for slot, registered in (("_parameters", "parameter"), ("_buffers", "buffer")):
            for name, tensor in _items(held.pop(slot, {})):
                if _is_tensor(tensor):
                    yield f"{prefix}{name}", tensor, registered
        for name, child in _items(held.pop("_modules", {})):
            if is_module(child):
                yield from self.tensors(child, f"{prefix}{name}.", depth + 1)
        kind = self.kind(module)
        for name, thing in [*held.items(), *kind.slots(module), *kind.tensors]:
            yield from self.loose(f"{prefix}{name}", thing, depth, 0)

    def loose(self, name: str, thing: Any, depth: int, nested: int) -> Iterator[Held]:
        """What is in an attribute, a container, a function or an object, and so neither moved nor saved."""
        kind = type(thing)
        if id(kind) in SIMPLE:
            return
        if _is_tensor(thing):
            yield name, thing, "loose"
        elif is_module(thing):  # not registered, buffers included
            for inner, tensor, registered in self.tensors(thing, f"{name}.", depth + 1):
                yield inner, tensor, "loose" if registered == "buffer" else registered
        elif nested < MAX_NESTED and not issubclass(kind, type) and id(thing) not in self.seen:
            for label, item in self.inside(thing, kind):
                self.seen.add(id(thing))  # only what holds something: small numbers and empty tuples are everywhere
                yield from self.loose(f"{name}{label}", item, depth, nested + 1)

    def inside(self, thing: Any, kind: type) -> list[tuple[str, Any]]:
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
        known = self.kind(thing)
        return [(f".{name}", item) for name, item in [*known.own(thing), *known.slots(thing)][:MAX_ITEMS]]


class _Kind:
    """What a class says of its instances, read past whatever it says of itself.

    Attributes:
        tensors: those that it and its bases hold for all instances, with their names.
    """

    def __init__(self, kind: type) -> None:
        self.dict: Any = None  # the slot in which an instance keeps its attributes
        self.members: list[tuple[str, Any]] = []
        self.tensors: list[tuple[str, Any]] = []
        for base in type.__dict__["__mro__"].__get__(kind):
            held = type.__dict__["__dict__"].__get__(base)
            if self.dict is None and type(slot := held.get("__dict__")) is GetSetDescriptorType:
                self.dict = slot
            for name, thing in held.items():
                if type(thing) is MemberDescriptorType:
                    self.members.append((name, thing))
                elif _is_tensor(thing):
                    self.tensors.append((name, thing))

    def own(self, thing: Any) -> list[tuple[Any, Any]]:
        """The attributes that an instance keeps."""
        return _items(self.dict.__get__(thing)) if self.dict is not None else []

    def slots(self, thing: Any) -> list[tuple[str, Any]]:
        """What an instance keeps in `__slots__`; those that its class has in C hold no tensor of a candidate's."""
        found = []
        for name, slot in self.members:
            try:
                found.append((name, slot.__get__(thing)))
            except AttributeError:  # an empty slot
                continue
        return found


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
