"""What is said about a value: which ones cross the wire as bytes, and which stay here behind a number.

Only exact types are believed. A subclass can answer every question about itself as it likes, and so can an attribute
set on an instance, so everything is asked through the base class's own unbound methods: a named tuple, a `defaultdict`
or an `IntEnum` crosses as the tuple, the dict or the number that it is made of. A container of the submission's own
class inside another value, a cache beside a result, stays here: it may be handed back, and has to be what it was then.
So does an `OrderedDict` of tensors, which is what a module saves itself as.
"""

from collections import OrderedDict
from collections.abc import Callable
from typing import Any, Final, cast

import numpy as np
import torch

from grader.wire import DTYPES, MAX_TEXT, Array, Ref, Stub, Value, byte_count
from grader.worker.load import SOLUTION

MAX_DEPTH: Final = 6
MAX_ITEMS: Final = 10_000

_SCALARS: Final = tuple(np.dtype(name).type for name in DTYPES if not name.startswith("complex"))
_TENSORS: Final = (torch.Tensor, torch.nn.Parameter)
_TORCH_DTYPES: Final = {getattr(torch, name): name for name in DTYPES}


class Describer:
    """Turns this process's values into wire values and back, and keeps the objects that stay here.

    Args:
        limit: the most bytes of array that one value may hold; a larger one is described without its bytes.
    """

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self.objects: dict[int, Any] = {}
        self._items = 0

    def keep(self, thing: Any) -> Ref:
        """Keep an object here, and give the number that stands for it."""
        number = len(self.objects) + 1
        self.objects[number] = thing
        return Ref(number, type_name(thing))

    def to_wire(self, value: Any) -> Value:
        """The value as it crosses: by bytes where its type is plain, by number where it is not."""
        self._items = 0
        return self._to_wire(value, 0)

    def _to_wire(self, value: Any, depth: int) -> Value:
        self._items += 1
        kind: Any = type(value)
        if value is None or kind in (bool, float):
            return cast(Value, value)
        if issubclass(kind, int):
            number = int.__index__(value)
            return number if -(1 << 63) <= number < 1 << 63 else self.keep(value)
        if issubclass(kind, str):
            text = str.__str__(value)
            return text if len(text) <= MAX_TEXT else self.keep(value)
        if kind in _SCALARS:
            return self._to_wire(kind.item(value), depth)
        if kind in _TENSORS:
            return tensor_to_wire(value, self.limit)
        if issubclass(kind, np.ndarray):  # a subclass, a memory map say, by the memory that it really has
            return array_to_wire(np.ndarray.view(value, np.ndarray), self.limit)
        if issubclass(kind, float):
            return float.__float__(value)
        if (depth and kind.__dict__.get("__module__") == SOLUTION) or (kind is OrderedDict and _is_saved(value)):
            return self.keep(value)
        for base in (list, tuple):
            if issubclass(kind, base) and self._fits(base.__len__(value), depth):
                return base([self._to_wire(item, depth + 1) for item in base.__iter__(value)])
        if issubclass(kind, dict) and self._fits(dict.__len__(value), depth):
            pairs = list(dict.items(value))
            if all(type(key) is str for key, _ in pairs):
                return {key: self._to_wire(item, depth + 1) for key, item in pairs}
        return self.keep(value)

    def _fits(self, length: int, depth: int) -> bool:
        return depth < MAX_DEPTH and self._items + length <= MAX_ITEMS

    def from_wire(self, value: Value) -> Any:
        """The value as this process holds it; arrays are fresh and writable each time."""
        match value:
            case Array():
                array = value.numpy()
                return array if value.of == "ndarray" else torch.from_numpy(array).requires_grad_(value.requires_grad)
            case Ref():
                return self.objects[value.id]
            case list() | tuple():
                return type(value)(self.from_wire(item) for item in value)
            case dict():
                return {key: self.from_wire(item) for key, item in value.items()}
        return value


def _is_saved(state: "OrderedDict[Any, Any]") -> bool:
    return any(isinstance(value, torch.Tensor) for value in state.values())


def tensor_to_wire(tensor: torch.Tensor, limit: int) -> Value:
    """A plain tensor by its bytes; without them if it is elsewhere, sparse, too large or of another dtype."""
    recorded = bool(torch.Tensor.requires_grad.__get__(tensor))
    bare = torch.Tensor.detach(tensor)
    shape = tuple(bare.shape)
    name = _TORCH_DTYPES.get(bare.dtype)
    strided = bare.device.type == "cpu" and bare.layout is torch.strided
    if name is None or not strided or byte_count(name, shape) > limit:
        return Stub("tensor", str(bare.dtype).removeprefix("torch."), shape, str(bare.device))
    array = torch.Tensor.numpy(bare.resolve_conj().resolve_neg())
    return Array("tensor", name, shape, np.ascontiguousarray(array).tobytes(), recorded)


def array_to_wire(array: np.ndarray[Any, Any], limit: int) -> Value:
    """A plain array by its bytes; without them if it is too large or of a dtype that does not cross."""
    if array.dtype == np.longdouble:
        array = array.astype("float64")  # extended precision has no form that every machine shares
    name = array.dtype.name
    if array.dtype.names is not None or name not in DTYPES or byte_count(name, array.shape) > limit:
        return Stub("ndarray", str(array.dtype)[:80], array.shape, "cpu")
    little = array.astype(array.dtype.newbyteorder("<"), order="C", copy=False)
    return Array("ndarray", name, array.shape, np.ascontiguousarray(little).tobytes())


def type_name(thing: Any) -> str:
    """`numpy.matrix`, `list`: the type's own name, asked of `type` so that the type can't answer."""
    kind = type(thing)
    module = kind.__dict__.get("__module__")
    name = type.__dict__["__qualname__"].__get__(kind)
    return f"{module}.{name}"[:120] if type(module) is str and module != "builtins" else str(name)[:120]


def raised(error: BaseException, filename: str) -> dict[str, Value]:
    """What is told of an exception: its type, its message, and the deepest line of the candidate's file."""
    line = None
    step = error.__traceback__
    for _ in range(10_000):
        if step is None:
            break
        if step.tb_frame.f_code.co_filename == filename:
            line = step.tb_lineno
        step = step.tb_next
    return {"type": type_name(error), "message": guarded(lambda: str(error)), "line": line}


def guarded(words: Callable[[], str]) -> str:
    """A text that a stranger's object gives, cut to a sensible length; said to be unreadable if it can't be had."""
    try:
        text = words()
        return text[:400] if type(text) is str else "(unreadable)"
    except BaseException:  # noqa: BLE001 - a message may raise anything, and it is only a message
        return "(unreadable)"
