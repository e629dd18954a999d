"""A device to move modules to on a machine that has only a CPU.

A tensor that was left behind shows when a module is moved: on a GPU the add meets two devices and raises. torch's
"meta" device would show it too, but its first kernel imports torch's compiler, as long as importing torch itself.
Here meta tensors only mark what was moved. Each operation is refused if it mixes devices, as a GPU would, and runs
on blank CPU tensors of the same shapes to learn what it returns.
"""

from collections.abc import Callable
from typing import Any, Final

import torch
from torch.utils._python_dispatch import TorchDispatchMode

ELSEWHERE: Final = "meta"


class LeftBehind(RuntimeError):
    """An operation met a tensor that was moved and one that was not: on a GPU it would have raised."""


# A GPU takes indices from the CPU, and copies between devices are what these are for.
MIXES_DEVICES: Final = ("aten::index", "aten::_to_copy", "aten::copy_", "aten::index_put_")


class Elsewhere(TorchDispatchMode):  # type: ignore[misc]
    """While active, operations on meta tensors give meta tensors, and mixing them with the CPU's is an error."""

    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        return False  # torch's own switch: otherwise the first operation imports the compiler to shield us from it

    def __torch_dispatch__(
        self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        """Run one operation."""
        given = dict(kwargs or {})
        tensors = [thing for thing in _flat([args, given]) if isinstance(thing, torch.Tensor)]
        moved = [tensor for tensor in tensors if tensor.device.type == ELSEWHERE]
        asked = str(given.get("device", "")) == ELSEWHERE
        if not moved and not asked:
            return func(*args, **given)
        name = func._schema.name
        left = [tensor for tensor in tensors if tensor.device.type != ELSEWHERE and tensor.dim() > 0]
        if moved and left and name not in MIXES_DEVICES:
            raise LeftBehind(
                f"Expected all tensors to be on the same device, but {name} met a tensor that was moved "
                "and one that was left on the cpu"
            )
        result = func(*_map(_blank, args), **_map(_blank, given))
        if name.endswith("_") and args and isinstance(args[0], torch.Tensor):
            return args[0]
        kept_here = name == "aten::_to_copy" and given.get("device") is not None and not asked
        return result if kept_here else _map(_mark, result)


def _blank(thing: Any) -> Any:
    if isinstance(thing, torch.Tensor) and thing.device.type == ELSEWHERE:
        return torch.zeros(thing.shape, dtype=thing.dtype)
    return torch.device("cpu") if isinstance(thing, torch.device) and thing.type == ELSEWHERE else thing


def _mark(thing: Any) -> Any:
    return torch.empty(thing.shape, dtype=thing.dtype, device=ELSEWHERE) if isinstance(thing, torch.Tensor) else thing


def _map(change: Callable[[Any], Any], thing: Any) -> Any:
    if isinstance(thing, list | tuple):
        return type(thing)(_map(change, item) for item in thing)
    if isinstance(thing, dict):
        return {key: _map(change, item) for key, item in thing.items()}
    return change(thing)


def _flat(thing: Any) -> list[Any]:
    if isinstance(thing, list | tuple):
        return [leaf for item in thing for leaf in _flat(item)]
    if isinstance(thing, dict):
        return _flat(list(thing.values()))
    return [thing]


def move_and_call(module: Any, arguments: list[Any]) -> Any:
    """Move a module with its own `.to`, and call it on arguments that were moved too."""
    moved = module.to(ELSEWHERE)
    with Elsewhere():
        return moved(*[argument.to(ELSEWHERE) for argument in arguments])
