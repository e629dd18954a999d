"""What a worker tells of a module through training and through saving, read into types that we chose.

A worker may tell anything. Whatever is not of the form asked for is None here, for the caller to refuse.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from grader.examine.holdings import Inventory, Tensor

MAX_DIMENSION: Final = 1 << 40  # far beyond any tensor's
MAX_DIMENSIONS: Final = 64


@dataclass(frozen=True, slots=True)
class Step:
    """What two steps of plain SGD did to one tensor.

    Attributes:
        tensor: the tensor, under the first of its names.
        given: the module's own `parameters()` gives it, so that an optimizer would get it.
        hidden: it takes part in the result and is nowhere below the module.
        gradient: a gradient arrived at it.
        by_call: the call and its backward pass changed its numbers, before any step.
        by_optimizer: the step over what `parameters()` gives changed its numbers.
        by_gradient: the step over everything that a gradient arrived at changed its numbers.
    """

    tensor: Tensor
    given: bool
    hidden: bool
    gradient: bool
    by_call: bool
    by_optimizer: bool
    by_gradient: bool

    @property
    def changed(self) -> bool:
        """Whether any of it changed its numbers."""
        return self.by_call or self.by_optimizer or self.by_gradient


@dataclass(frozen=True, slots=True)
class Training:
    """What a call, its backward pass and two steps showed.

    Attributes:
        result: as a plain call would have returned it.
        steps: one for each tensor below the module, and for each hidden one.
        strangers: how many tensors the module's own `parameters()` gives that are not below it.
    """

    result: Any
    steps: list[Step]
    strangers: int

    @property
    def given(self) -> list[Step]:
        """What an optimizer would get of the tensors below the module."""
        return [step for step in self.steps if step.given]

    @property
    def withheld(self) -> list[Step]:
        """Parameters that the module's own `parameters()` leaves out."""
        return [step for step in self.steps if step.tensor.kind == "parameter" and not step.given]

    @property
    def trainable(self) -> list[Step]:
        """What a gradient arrived at, and what a step changed by whichever way."""
        return [step for step in self.steps if step.gradient or step.by_optimizer or step.by_gradient]


@dataclass(frozen=True, slots=True)
class RoundTrip:
    """What became of a module that was saved and loaded into a fresh one.

    Attributes:
        own: the keys of the module's own `state_dict()`.
        plain: those of torch's, called past an override of the module itself.
        missing: keys that the fresh module expects and did not get: strict loading would have raised.
        unexpected: keys that it got and does not know: strict loading would have raised.
        result: what the module gives.
        restored: what the fresh one gives once it is loaded.
        same: the two are alike to the bit.
    """

    own: list[str]
    plain: list[str]
    missing: list[str]
    unexpected: list[str]
    result: Any
    restored: Any
    same: bool


def read_inventory(told: Any) -> Inventory | None:
    """The inventory that a worker tells of; None if that is not what it tells."""
    if type(told) is not list:
        return None
    tensors = [read_tensor(each) for each in told]
    return None if None in tensors else Inventory(each for each in tensors if each)


def read_tensor(told: Any) -> Tensor | None:
    """One line of an inventory."""
    match told:
        case {
            "kind": "parameter" | "buffer" | "loose" as kind,
            "name": str(name),
            "dtype": str(dtype),
            "shape": list(shape),
            "requires_grad": bool(requires_grad),
            "device": str(device),
            "object": int(number),
            **rest,
        } if not rest and len(shape) <= MAX_DIMENSIONS and all(_is_count(size, MAX_DIMENSION) for size in shape):
            return Tensor(kind, name, dtype, tuple(shape), requires_grad, device, number)
    return None


def read_training(told: Any, result: Any) -> Training | None:
    """What a worker tells of a training step; `result` is the call's, as a check sees it."""
    match told:
        case {"result": _, "strangers": int(strangers), "tensors": list(tensors), **rest} if not rest:
            steps = [_read_step(each) for each in tensors]
            if None not in steps and _is_count(strangers, MAX_DIMENSION):
                return Training(result, [step for step in steps if step], strangers)
    return None


def _read_step(told: Any) -> Step | None:
    match told:
        case {
            "tensor": tensor,
            "given": bool(given),
            "hidden": bool(hidden),
            "gradient": bool(gradient),
            "by_call": bool(by_call),
            "by_optimizer": bool(by_optimizer),
            "by_gradient": bool(by_gradient),
            **rest,
        } if not rest and (of := read_tensor(tensor)):
            return Step(of, given, hidden, gradient, by_call, by_optimizer, by_gradient)
    return None


def read_keys(told: Any) -> dict[str, list[str]] | None:
    """The four lists of keys that a worker tells of a round trip."""
    if type(told) is not dict or set(told) != {"own", "plain", "missing", "unexpected", "result", "restored"}:
        return None
    lists = {name: told[name] for name in ("own", "plain", "missing", "unexpected")}
    return (
        lists if all(type(keys) is list and all(type(key) is str for key in keys) for keys in lists.values()) else None
    )


def _is_count(number: Any, most: int) -> bool:
    return type(number) is int and 0 <= number <= most
