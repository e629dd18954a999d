"""The `candidate` that hidden tests see: a stand-in for a file that runs elsewhere.

    table = candidate.sinusoidal_pe(16, 8, 10_000.0)          # a plain numpy array
    positions = candidate.SinusoidalPositions(16, 8, 10_000.0)  # a handle: the module stays in the worker
    out = positions(x)                                        # arrays go in as tensors, and come back as arrays

A test's own arrays never change hands: each call sends copies, and each result is a fresh plain array.
"""

from __future__ import annotations

import socket
from dataclasses import dataclass
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from grader import wire
from grader.examine.brief import Brief
from grader.examine.errors import Lost, Mismatch, Raised, TimedOut, Undefined
from grader.examine.workers import OUT_OF_TIME, Usage, Worker
from grader.sandbox.limits import MIB
from grader.wire import Array, Ref, Stub

SOLUTION = "solution"
LIBRARY = "torch"


@dataclass(frozen=True, slots=True)
class Given:
    """An argument that says which kind of array it is to arrive as."""

    of: str
    array: NDArray[Any]


def tensor(array: Any) -> Given:
    """An argument that arrives as a torch tensor."""
    return Given("tensor", np.asarray(array))


def ndarray(array: Any) -> Given:
    """An argument that arrives as a NumPy array."""
    return Given("ndarray", np.asarray(array))


class Subject:
    """One submission under examination: its source, its worker of the moment, and what its workers used.

    Args:
        brief: the question.
        source: the submission's text.
        control: the zygote's socket, to ask for workers.
    """

    def __init__(self, brief: Brief, source: str, control: socket.socket) -> None:
        self.brief, self.source, self.control = brief, source, control
        self.usage = Usage()
        self.kinds: dict[str, str] = {}
        self._worker: Worker | None = None

    def load(self) -> None:
        """Start a worker and have it import the submission.

        Raises:
            Raised: the file raised an exception.
            Lost: the file ended the process, or used up its time or memory.
        """
        if self.usage.cpu_seconds > self.brief.limits.submission_cpu_seconds:
            raise TimedOut(OUT_OF_TIME)
        self._worker = Worker(self.control, self.brief.limits, self.usage)
        request = {
            "ask": "load",
            "sources": {SOLUTION: self.source, **self.brief.support},
            "names": [each.name for each in self.brief.defines],
            "frame_bytes": self.brief.limits.frame_mib * MIB,
        }
        self.kinds = self._ask("loading the file", request)

    def ask(self, during: str, verb: str, **request: wire.Value) -> Any:
        """Ask the worker, a new one if the last was lost, and return the value that it answers with."""
        if self._worker is None:
            self.load()
        return self._ask(during, {"ask": verb, **request})

    def _ask(self, during: str, request: dict[str, wire.Value]) -> Any:
        assert self._worker is not None
        try:
            reply = self._worker.ask(during, request)
        except Lost:
            self._worker = None
            raise
        match reply:
            case {"ok": value, **rest} if not rest:
                return value
            case {"undefined": str(path), **rest} if not rest:
                raise Undefined(f"{path} is not defined")
            case {"raised": dict(told), **rest} if not rest:
                raise raised_from(told, during)
        self.close()
        raise Lost(f"{during} did not answer in the protocol")

    def close(self) -> None:
        """End the worker of the moment."""
        if self._worker is not None:
            self._worker.close()
            self._worker = None


def raised_from(told: dict[str, Any], during: str) -> Raised:
    """The exception that a worker told of, in types that we chose."""
    line = told.get("line")
    return Raised(
        str(told.get("type")).rpartition(".")[2],
        str(told.get("message")),
        line if type(line) is int else None,
        during,
    )


class Remote:
    """Something in the worker: a module's name, or an object, and a dotted path below it. Call it, or reach further."""

    def __init__(self, subject: Subject, on: str | Ref, path: str = "", label: str = "") -> None:
        self._subject, self._on, self._path = subject, on, path
        self._label = label or path or (on if isinstance(on, str) else "it")

    def __getattr__(self, name: str) -> Remote:
        if name.startswith("__"):
            raise AttributeError(name)
        path = f"{self._path}.{name}" if self._path else name
        return Remote(self._subject, self._on, path, f"{self._label}.{name}")

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call it with copies of the arguments, and return plain values, or a handle for what is none.

        Raises:
            Raised: the candidate's code raised an exception.
            Undefined: it is not there, or does not take these arguments.
            Lost: the worker died, hung or ran out of memory.
        """
        during = self._during(args, kwargs)
        try:
            value = self._subject.ask(
                during,
                "call",
                on=self._on,
                path=self._path,
                args=self._pack(list(args)),
                kwargs=self._pack(kwargs),
                keep=False,
            )
        except Raised as error:
            self._misfit(error, len(args), list(kwargs))
        except Undefined as error:
            self._missing(error)
        return self._unpack(value)

    def many(self, cases: list[tuple[Any, ...]]) -> list[Any]:
        """The results of one call for each tuple of arguments, in one frame. The first exception is raised."""
        calls: wire.Value = [self._pack(list(case)) for case in cases]
        during = f"{self._label}, {len(cases)} times"
        try:
            replies = self._subject.ask(during, "many", on=self._on, path=self._path, calls=calls)
        except Undefined as error:
            self._missing(error)
        if type(replies) is not list or len(replies) != len(cases):
            raise Mismatch(f"{during} gave no result for each call")
        results = []
        for case, reply in zip(cases, replies, strict=True):
            match reply:
                case {"ok": value}:
                    results.append(self._unpack(value))
                case {"raised": dict(told)}:
                    self._misfit(raised_from(told, self._during(case, {})), len(case), [])
                case _:
                    raise Mismatch(f"{during} gave no result for each call")
        return results

    def _during(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> str:
        shown = [*map(_show, args), *(f"{key}={_show(value)}" for key, value in kwargs.items())]
        return f"{self._label}({', '.join(shown)})"

    def _misfit(self, error: Raised, positional: int, keywords: list[str]) -> NoReturn:
        """Raise `error`, unless the call never got into the function because its arguments don't fit."""
        if error.type == "TypeError" and error.line is None:
            try:
                told = self._subject.ask(
                    error.during, "fits", on=self._on, path=self._path, positional=positional, keywords=[*keywords]
                )
            except (Raised, Undefined):
                raise error from None
            if type(told) is dict and told.get("fits") is False:
                raise Undefined(f"{self._label} takes {told.get('signature')}, {self._asked()}") from None
        raise error

    def _asked(self) -> str:
        asked = next((each for each in self._subject.brief.defines if each.name == self._path), None)
        return f"expected {asked}" if asked else "which does not fit the call"

    def _missing(self, error: Undefined) -> NoReturn:
        if self._on == SOLUTION:
            raise Undefined(f"{self._label} is not defined, {self._asked()}") from None
        raise error

    def _pack(self, value: Any) -> Any:
        return pack(value, "tensor" if isinstance(self._on, Ref) else "ndarray")

    def _unpack(self, value: Any) -> Any:
        return unpack(self._subject, value, self._label)


class Handle(Remote):
    """An object that stays in the worker. Call it, call its methods, or take its inventory."""

    @property
    def type(self) -> str:
        """The name of its type, as the worker gives it: for messages only."""
        assert isinstance(self._on, Ref)
        return self._on.type


def _show(value: Any) -> str:
    match value:
        case Given():
            return _show(value.array)
        case np.ndarray():
            return f"<{value.dtype} {list(value.shape)}>"
        case Stub():
            return f"<{value.dtype} {list(value.shape)} on {value.device}>"
        case Remote():
            return value._label
    return repr(value)[:60]


def pack(value: Any, of: str) -> Any:
    """A test's value as a wire value; plain arrays arrive as `of`."""
    match value:
        case Given():
            return pack(value.array, value.of)
        case np.ndarray():
            little = np.ascontiguousarray(value)
            return Array(of, value.dtype.name, value.shape, little.tobytes())
        case np.generic():
            return value.item()
        case Handle():
            return value._on
        case list() | tuple():
            return type(value)(pack(item, of) for item in value)
        case dict():
            return {key: pack(item, of) for key, item in value.items()}
    return value


def unpack(subject: Subject, value: Any, label: str) -> Any:
    """A wire value as a test sees it: plain arrays and scalars, and handles."""
    match value:
        case Array():
            return value.numpy()
        case Ref():
            return Handle(subject, value, label=label)
        case list() | tuple():
            return type(value)(unpack(subject, item, label) for item in value)
        case dict():
            return {key: unpack(subject, item, label) for key, item in value.items()}
    return value


@dataclass(frozen=True, slots=True)
class Observation:
    """What one call showed beyond its result.

    Attributes:
        result: as a plain call would have returned it.
        arguments_unchanged: the call left its arguments as they were, bit for bit.
        repeats: a second call with the same arguments gave the same result.
        result_shares_storage: overwriting the result changed the arguments, or what the next call gives.
    """

    result: Any
    arguments_unchanged: bool
    repeats: bool
    result_shares_storage: bool


@dataclass(frozen=True, slots=True)
class Tensor:
    """One line of an inventory: a tensor by one of its names. `kind` is "parameter", "buffer" or "loose"."""

    kind: str
    name: str
    dtype: str
    shape: tuple[int, ...]
    requires_grad: bool
    device: str
    object: int

    @property
    def size(self) -> int:
        """How many elements."""
        size = 1
        for length in self.shape:
            size *= length
        return size


class Inventory(list[Tensor]):
    """Every tensor below a module, by every name, as torch's own slots hold them."""

    @property
    def parameters(self) -> list[Tensor]:
        """Each parameter once, frozen ones and ones that were never registered included."""
        return self._unique("parameter")

    @property
    def buffers(self) -> list[Tensor]:
        """Each buffer once."""
        return self._unique("buffer")

    @property
    def loose(self) -> list[Tensor]:
        """Each tensor that is neither, and so is not moved or saved with the module."""
        return self._unique("loose")

    @property
    def parameter_count(self) -> int:
        """How many elements the unique parameters have together."""
        return sum(each.size for each in self.parameters)

    def _unique(self, kind: str) -> list[Tensor]:
        return list({each.object: each for each in reversed(self) if each.kind == kind}.values())[::-1]


class Candidate:
    """The submission. Its definitions are attributes; `candidate[name]` reaches one whose name is taken here."""

    def __init__(self, subject: Subject) -> None:
        self._subject = subject

    def __getattr__(self, name: str) -> Remote:
        if name.startswith("__"):
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

    def observe(self, target: Remote, *args: Any) -> Observation:
        """Call `target` three times over and compare, see `Observation`.

        The target may be damaged by it: where its result shares storage with what it keeps, that was overwritten.
        """
        sent = target._pack(list(args))
        during = target._during(args, {})
        told = self._subject.ask(during, "observe", on=target._on, path=target._path, args=sent)
        keys = ("result", "arguments", "repeated", "arguments_after_scribbling", "repeated_after_scribbling")
        if type(told) is not dict or set(told) != set(keys):
            raise Mismatch(f"{during} could not be observed")
        result, after, repeated, scribbled, again = (told[key] for key in keys)
        return Observation(
            result=target._unpack(result),
            arguments_unchanged=same_bytes(sent, after),
            repeats=same_bytes(result, repeated),
            result_shares_storage=not (same_bytes(after, scribbled) and same_bytes(repeated, again)),
        )

    def gradient(self, target: Remote, x: NDArray[Any], cotangent: NDArray[Any]) -> tuple[Any, Any]:
        """`target(x)`, and the gradient of `(target(x) * cotangent).sum()` with respect to x, None if none arrives."""
        during = target._during((x,), {})
        given = Array("tensor", x.dtype.name, x.shape, np.ascontiguousarray(x).tobytes(), requires_grad=True)
        pulled = pack(tensor(cotangent), "tensor")
        told = self._subject.ask(
            during, "gradient", on=target._on, path=target._path, args=[given], cotangent=pulled
        )
        match told:
            case {"result": result, "gradients": [back]}:
                return target._unpack(result), target._unpack(back)
        raise Mismatch(f"{during} has no gradient to tell of")

    def inventory(self, module: Any) -> Inventory:
        """Every tensor below a module, taken past the module's own methods.

        Raises:
            Mismatch: it is not a module.
        """
        if not isinstance(module, Handle):
            raise Mismatch(f"found {describe(module)}, expected a torch.nn.Module")
        entries = self._subject.ask(f"looking into {module._label}", "inventory", on=module._on)
        if entries is None:
            raise Mismatch(f"found {describe(module)}, expected a torch.nn.Module")
        try:
            return Inventory(Tensor(**{**entry, "shape": tuple(entry["shape"])}) for entry in entries)
        except (TypeError, KeyError):
            raise Mismatch(f"{module._label} has no inventory to tell of") from None

    def moved(self, module: Handle, *args: Any) -> Any:
        """Move a module to another device with its `.to`, and call it there, on arguments that were moved too.

        What was left behind raises, as it would on a GPU. The result has a shape and a dtype, and no numbers.
        """
        during = f"{module._label} on another device"
        sent = module._pack(list(args))
        return module._unpack(self._subject.ask(during, "moved", on=module._on, args=sent))

    def value(self, target: Remote, path: str) -> Any:
        """The value at a dotted path below an object: a buffer's numbers, for example."""
        told = self._subject.ask(f"reading {path}", "get", on=target._on, path=path, keep=False)
        return target._unpack(told)

    def assign(self, target: Handle, name: str, value: Any) -> None:
        """Set an attribute of an object in the worker, to a value or to another of its objects."""
        self._subject.ask(f"setting {name}", "set", on=target._on, name=name, value=target._pack(value))

    def attribute(self, target: Remote, name: str) -> Handle:
        """A handle to an attribute's value, for passing on."""
        path = getattr(target, name)._path
        value = self._subject.ask(f"reading {name}", "get", on=target._on, path=path, keep=True)
        handle = target._unpack(value)
        assert isinstance(handle, Handle)
        return handle


def same_bytes(one: Any, other: Any) -> bool:
    """Whether two wire values are alike to the bit; references to kept objects compare by type."""
    match one, other:
        case Array(), Array():
            alike = (one.of, one.dtype, one.shape) == (other.of, other.dtype, other.shape)
            return alike and bytes(one.data) == bytes(other.data)
        case Ref(), Ref():
            return one.type == other.type
        case (list() | tuple()), (list() | tuple()):
            return len(one) == len(other) and all(map(same_bytes, one, other))
    return type(one) is type(other) and bool(one == other)


def describe(value: Any) -> str:
    """What a value is, in a few words, for messages."""
    match value:
        case None:
            return "None"
        case np.ndarray():
            return f"an array of {value.dtype} {list(value.shape)}"
        case Stub():
            return f"an array of {value.dtype} {list(value.shape)} on {value.device}"
        case Handle():
            return f"an object of type {value.type}"
        case tuple() | list() | dict():
            return f"a {type(value).__name__} of {len(value)}"
        case bool() | int() | float() | str():
            return f"the {type(value).__name__} {value!r}"[:80]
    return f"a {type(value).__name__}"
