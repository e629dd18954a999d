"""Stand-ins for what lives in the worker: call one, and copies of the arguments go in, plain values come back."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from grader import wire
from grader.examine.calls import Call
from grader.examine.errors import Mismatch, Raised, Undefined
from grader.examine.subject import SOLUTION, Subject, raised_from
from grader.wire import Array, Ref, Stub


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


class Remote:
    """Something in the worker: a module's name, or an object, and a dotted path below it. Call it, or reach further."""

    def __init__(self, subject: Subject, on: str | Ref, path: str = "", label: str = "") -> None:
        self._subject, self._on, self._path = subject, on, path
        self._label = label or path or (on if isinstance(on, str) else "it")

    def __getattr__(self, name: str) -> Remote:
        if name.startswith("_"):  # Hypothesis and pytest ask objects for hooks of theirs
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
        sent = {"args": self._pack(list(args)), "kwargs": self._pack(kwargs)}
        try:
            value = self._subject.ask(during, "call", on=self._on, path=self._path, keep=False, **sent)
        except Raised as error:
            self._misfit(error, len(args), list(kwargs))
        except Undefined as error:
            self._missing(error)
        return self._noted(during, sent, self._unpack(value))

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
                    sent = {"args": self._pack(list(case)), "kwargs": {}}
                    results.append(self._noted(self._during(case, {}), sent, self._unpack(value)))
                case {"raised": dict(told)}:
                    self._misfit(raised_from(told, self._during(case, {})), len(case), [])
                case _:
                    raise Mismatch(f"{during} gave no result for each call")
        return results

    def _noted(self, during: str, sent: dict[str, Any], result: Any) -> Any:
        """The result, which is remembered if it is one of the submission's own functions that gave it."""
        if self._on == SOLUTION:
            self._subject.calls.note(Call(self._path, during, sent, result))
        return result

    def _during(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> str:
        shown = [*map(_show, args), *(f"{key}={_show(value)}" for key, value in kwargs.items())]
        return f"{self._label}({', '.join(shown)})"

    def _misfit(self, error: Raised, positional: int, keywords: list[str]) -> NoReturn:
        """Raise `error`, unless the call never got into the function because its arguments don't fit."""
        if error.type == "TypeError" and error.line is None:
            try:
                told = self._subject.ask(
                    error.during,
                    "fits",
                    on=self._on,
                    path=self._path,
                    positional=positional,
                    keywords=[*keywords],
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
        """A result as a test sees it; what a method of a kept object gives goes by that object's name."""
        of_object = isinstance(self._on, Ref) and self._path
        return unpack(self._subject, value, self._label.rpartition(".")[0] if of_object else self._label)


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
            return nudged(value.numpy(), subject.nudge) if subject.nudge else value.numpy()
        case Ref():
            return Handle(subject, value, label=label)
        case list() | tuple():
            return type(value)(unpack(subject, item, label) for item in value)
        case dict():
            return {key: unpack(subject, item, label) for key, item in value.items()}
    return value


def nudged(array: NDArray[Any], units: int) -> NDArray[Any]:
    """The array with each float moved by `units` in its last place, up or down.

    Which way depends on the number alone, so that equal numbers stay equal and zeros stay zero. A check that a right
    solution then fails has a tolerance that other roundings of the same numbers would break.
    """
    if array.dtype.kind != "f":
        return array
    bits = array.view(f"u{array.dtype.itemsize}")
    up = (bits ^ (bits >> 3) ^ (bits >> 7)) & 1  # the lowest bits are as good as a coin, and the same for equal numbers
    step = np.where(up, 1.0, -1.0) * units * np.finfo(array.dtype).eps
    return np.asarray(array * (1 + step), dtype=array.dtype)


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
