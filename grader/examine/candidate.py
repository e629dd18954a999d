"""The `candidate` that hidden tests see: a stand-in for a file that runs elsewhere.

    table = candidate.sinusoidal_pe(16, 8, 10_000.0)          # a plain numpy array
    positions = candidate.SinusoidalPositions(16, 8, 10_000.0)  # a handle: the module stays in the worker
    out = positions(x)                                        # arrays go in as tensors, and come back as arrays

A test's own arrays never change hands: each call sends copies, and each result is a fresh plain array.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from grader.examine.errors import Mismatch, Raised
from grader.examine.holdings import Inventory
from grader.examine.lifecycle import RoundTrip, Training, read_inventory, read_keys, read_training
from grader.examine.remote import Handle, Remote, describe, pack, tensor
from grader.examine.subject import SOLUTION, Subject
from grader.wire import Array, Ref

LIBRARY: Final = "torch"


@dataclass(frozen=True, slots=True)
class Observation:
    """What one call showed beyond its result.

    Attributes:
        result: as a plain call would have returned it.
        arguments_unchanged: the call left its arguments as they were, bit for bit.
        repeats: a second call with the same arguments gave the same result.
        result_shares_storage: overwriting the result changed the arguments, or what the next call gives. Where calls do
            not repeat, only the arguments can tell.
        result_stays: a later call with other arguments left the result as it was.
    """

    result: Any
    arguments_unchanged: bool
    repeats: bool
    result_shares_storage: bool
    result_stays: bool


@dataclass(frozen=True, slots=True)
class Gradient:
    """What one call and its backward pass gave.

    Attributes:
        result: as a plain call would have returned it.
        at_x: the gradient that arrived at x; None if none did.
        x_unchanged: the call left x, an intermediate tensor that requires a gradient, as it was.
    """

    result: Any
    at_x: Any
    x_unchanged: bool


class Candidate:
    """The submission. Its definitions are attributes; `candidate[name]` reaches one whose name is taken here."""

    def __init__(self, subject: Subject) -> None:
        self._subject = subject

    def __getattr__(self, name: str) -> Remote:
        if name.startswith("_"):
            raise AttributeError(name)
        return self[name]

    def __getitem__(self, name: str) -> Remote:
        return Remote(self._subject, SOLUTION, name)

    @property
    def torch(self) -> Remote:
        """The worker's torch: `candidate.torch.nn.Linear(3, 4)` is a handle to a layer there."""
        return Remote(self._subject, LIBRARY)

    def support(self, module: str) -> Remote:
        """A support module of the question, in the worker: `candidate.support("gpt").GPT(...)`."""
        return Remote(self._subject, module)

    def observe(self, target: Remote, *args: Any, grad: bool = True) -> Observation:
        """Call `target` a few times over and compare, see `Observation`; without `grad` under torch.no_grad().

        The target may be damaged by it: where its result shares storage with what it keeps, that was overwritten.
        """
        _expect_remote(target)
        sent = target._pack(list(args))
        during = target._during(args, {})
        told = self._subject.ask(during, "observe", on=target._on, path=target._path, args=sent, grad=grad)
        keys = ("result", "arguments", "repeated", "kept", "arguments_after_scribbling", "repeated_after_scribbling")
        if type(told) is not dict or set(told) != set(keys):
            raise Mismatch(f"{during} could not be observed")
        result, after, repeated, kept, scribbled, again = (told[key] for key in keys)
        repeats = same_bytes(result, repeated)
        return Observation(
            result=target._unpack(result),
            arguments_unchanged=same_bytes(sent, after),
            repeats=repeats,
            result_shares_storage=not same_bytes(after, scribbled) or (repeats and not same_bytes(repeated, again)),
            result_stays=same_bytes(result, kept),
        )

    def gradient(self, target: Remote, x: NDArray[Any], cotangent: NDArray[Any]) -> Gradient:
        """`target(x)`, and the gradient of `(target(x) * cotangent).sum()` with respect to x."""
        _expect_remote(target)
        during = target._during((x,), {})
        given = Array("tensor", x.dtype.name, x.shape, np.ascontiguousarray(x).tobytes(), requires_grad=True)
        pulled = pack(tensor(cotangent), "tensor")
        told = self._subject.ask(during, "gradient", on=target._on, path=target._path, args=[given], cotangent=pulled)
        match told:
            case {"result": result, "gradients": [back], "arguments": [after]}:
                unchanged = isinstance(after, Array) and bytes(after.data) == given.data
                return Gradient(target._unpack(result), target._unpack(back), unchanged)
        raise Mismatch(f"{during} has no gradient to tell of")

    def inventory(self, module: Any) -> Inventory:
        """Every tensor below a module, taken past the module's own methods.

        Raises:
            Mismatch: it is not a module.
        """
        told = self._ask_of_module("looking into {}", "inventory", module)
        inventory = read_inventory(told)
        if inventory is None:
            raise Mismatch(f"{module._label} has no inventory to tell of")
        return inventory

    def trained(self, module: Any, *args: Any) -> Training:
        """A call, its backward pass and two steps of plain SGD, see `Training`; the module is left as they made it.

        The first step is over what the module's own `parameters()` gives, the second over everything that a gradient
        arrived at. What is pulled back is half the sum of squares of the result, and floats in `args` get a gradient.

        Raises:
            Mismatch: it is not a module.
        """
        sent = pack(list(args), "tensor")
        told = self._ask_of_module("{} in a step of training", "trained", module, args=sent)
        result = module._unpack(told["result"]) if type(told) is dict and "result" in told else None
        training = read_training(told, result)
        if training is None:
            raise Mismatch(f"{module._label} has no step of training to tell of")
        return training

    def round_trip(self, module: Any, fresh: Any, *args: Any) -> RoundTrip:
        """Save a module, load that into a fresh one, and call both on the same arguments, see `RoundTrip`.

        Raises:
            Mismatch: one of the two is not a module.
            Raised: what was saved can't be loaded at all: a shape has changed, say.
        """
        if not isinstance(fresh, Handle):
            raise Mismatch(f"found {describe(fresh)}, expected a torch.nn.Module")
        sent = pack(list(args), "tensor")
        told = self._ask_of_module("{}, saved and loaded", "round_trip", module, fresh=fresh._on, args=sent)
        keys = read_keys(told)
        if keys is None:
            raise Mismatch(f"{module._label} has nothing to tell of being saved and loaded")
        result, restored = told["result"], told["restored"]
        same = same_bytes(result, restored)
        return RoundTrip(**keys, result=module._unpack(result), restored=fresh._unpack(restored), same=same)

    def _ask_of_module(self, during: str, verb: str, module: Any, **request: Any) -> Any:
        """What the worker tells of a module, or a Mismatch if it is none; its name goes into the braces of `during`."""
        told = None
        if isinstance(module, Handle):
            told = self._subject.ask(during.format(module._label), verb, on=module._on, **request)
        if told is None:
            raise Mismatch(f"found {describe(module)}, expected a torch.nn.Module")
        return told

    def moved(self, module: Handle, *args: Any) -> Any:
        """Move a module to another device with its `.to`, and call it there, on arguments that were moved too.

        The result has a shape and a dtype, and no numbers. There are none to compute with either: code that looks at
        values sees zeros, so what it raises on that account says nothing, and gives None.

        Raises:
            Mismatch: something was left behind, as on a GPU it would have raised.
        """
        _expect_remote(module)
        during = f"{module._label} on another device"
        sent = module._pack(list(args))
        try:
            return module._unpack(self._subject.ask(during, "moved", on=module._on, args=sent))
        except Raised as error:
            if error.type == "LeftBehind":
                raise Mismatch(f"{during}: an operation met a tensor that was left on the cpu") from None
            return None

    def value(self, target: Remote, path: str) -> Any:
        """The value at a dotted path below an object: a buffer's numbers, for example."""
        _expect_remote(target)
        told = self._subject.ask(f"reading {path}", "get", on=target._on, path=path, keep=False)
        return target._unpack(told)

    def assign(self, target: Handle, name: str, value: Any) -> None:
        """Set an attribute of an object in the worker, to a value or to another of its objects."""
        _expect_remote(target)
        self._subject.ask(f"setting {name}", "set", on=target._on, name=name, value=target._pack(value))

    def attribute(self, target: Remote, name: str) -> Handle:
        """A handle to an attribute's value, for passing on."""
        _expect_remote(target)
        path = getattr(target, name)._path
        value = self._subject.ask(f"reading {name}", "get", on=target._on, path=path, keep=True)
        handle = target._unpack(value)
        if not isinstance(handle, Handle):
            raise Mismatch(f"{target._label}.{name} can't be passed on: found {describe(handle)}")
        return handle


def _expect_remote(target: Any) -> None:
    """A Mismatch for a value where something that lives in the worker is needed: a method forgot to return itself."""
    if not isinstance(target, Remote):
        raise Mismatch(f"found {describe(target)}, expected an object to call")


def same_bytes(one: Any, other: Any) -> bool:
    """Whether two wire values are alike to the bit; references to kept objects compare by type."""
    match one, other:
        case Array(), Array():
            alike = (one.of, one.dtype, one.shape) == (other.of, other.dtype, other.shape)
            return alike and bytes(one.data) == bytes(other.data)
        case Ref(), Ref():
            return one.type == other.type
        case ((list() | tuple()), (list() | tuple())):
            return len(one) == len(other) and all(map(same_bytes, one, other))
    return type(one) is type(other) and bool(one == other)
