"""The request loop of one worker: one request in, one reply out, until the channel closes or somebody kills it.

The replies are `{"ok": value}`, `{"raised": {type, message, line}}` for an exception of the candidate's, and
`{"undefined": path}` for a name that is not there. The examiner believes none of it: this process runs a stranger's
code, and what it says is a claim like any other.
"""

import importlib
import inspect
import os
import sys
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import Any

import torch

from grader import wire
from grader.wire import Ref, Value
from grader.worker import elsewhere, lifecycle, load, observe, suite
from grader.worker.describe import Describer, guarded, raised
from grader.worker.inventory import inventory, is_module

MAX_FRAME = 512 << 20


class Undefined(Exception):
    """A name that the candidate's file does not define."""


def serve(channel: int) -> None:
    """Answer requests on the descriptor `channel` until it closes."""
    session = Session()
    reading, writing = partial(os.read, channel), partial(os.write, channel)
    while (request := wire.read(reading, MAX_FRAME)) is not None:
        reply = session.answer(request)
        for stream in (sys.stdout, sys.stderr):
            with suppress(BaseException):  # the candidate may have replaced or closed it
                stream.flush()
        wire.write(writing, reply, MAX_FRAME)


class Session:
    """One candidate's modules and objects, and the verbs that act on them."""

    def __init__(self) -> None:
        self.describer = Describer(limit=MAX_FRAME)
        self.modules: dict[str, Any] = {}

    def answer(self, request: dict[str, Any]) -> dict[str, Value]:
        """The reply to one request. Whatever a candidate's code raises, `SystemExit` included, is a reply."""
        verbs: dict[str, Callable[..., Value]] = {
            "load": self.load,
            "call": self.call,
            "many": self.many,
            "observe": self.observe,
            "gradient": self.gradient,
            "inventory": self.inventory,
            "moved": self.moved,
            "trained": self.trained,
            "round_trip": self.round_trip,
            "fits": self.fits,
            "get": self.get,
            "set": self.set,
            "suite": self.suite,
        }
        verb = verbs[request.pop("ask")]
        try:
            return {"ok": verb(**request)}
        except Undefined as error:
            return {"undefined": str(error)}
        except BaseException as error:  # noqa: BLE001 - sys.exit() in a call costs that call
            return {"raised": raised(error, f"{load.SOLUTION}.py")}

    def load(self, sources: dict[str, str], frame_bytes: int) -> Value:
        """Import the solution."""
        self.describer.limit = frame_bytes // 8  # an observation holds five values
        load.install(sources)
        self.module(load.SOLUTION)
        return None

    def module(self, name: str) -> Any:
        if name not in self.modules:
            self.modules[name] = importlib.import_module(name)
        return self.modules[name]

    def target(self, on: str | Ref, path: str) -> Any:
        """The object that a request is about: a dotted path below a module or a kept object."""
        thing = self.describer.from_wire(on) if isinstance(on, Ref) else self.module(on)
        for name in path.split(".") if path else ():
            try:
                thing = getattr(thing, name)
            except AttributeError:
                raise Undefined(path) from None
        return thing

    def call(self, on: str | Ref, path: str, args: list[Value], kwargs: dict[str, Value], keep: bool) -> Value:
        """Call the target. With `keep` the result stays here, whatever it is."""
        function = self.target(on, path)
        result = function(*self.describer.from_wire(args), **self.describer.from_wire(kwargs))
        return self.describer.keep(result) if keep else self.describer.to_wire(result)

    def many(self, on: str | Ref, path: str, calls: list[list[Value]]) -> Value:
        """Call the target once for each list of arguments: many cases for the price of one frame."""
        function = self.target(on, path)
        replies: list[Value] = []
        for args in calls:
            try:
                replies.append({"ok": self.describer.to_wire(function(*self.describer.from_wire(args)))})
            except BaseException as error:  # noqa: BLE001 - each case is a call of its own
                replies.append({"raised": raised(error, f"{load.SOLUTION}.py")})
        return replies

    def observe(self, on: str | Ref, path: str, args: list[Value], grad: bool) -> Value:
        """See `observe.observe`."""
        function = self.target(on, path)
        with torch.set_grad_enabled(grad):
            return observe.observe(lambda given: function(*given), args, self.describer)

    def gradient(self, on: str | Ref, path: str, args: list[Value], cotangent: Value) -> Value:
        """See `observe.gradient`."""
        function = self.target(on, path)
        return observe.gradient(lambda given: function(*given), args, cotangent, self.describer)

    def inventory(self, on: Ref) -> Value:
        """See `inventory.inventory`; None for what is not a module."""
        thing = self.describer.from_wire(on)
        return inventory(thing) if is_module(thing) else None

    def moved(self, on: Ref, args: list[Value]) -> Value:
        """See `elsewhere.move_and_call`."""
        module = self.describer.from_wire(on)
        return self.describer.to_wire(elsewhere.move_and_call(module, self.describer.from_wire(args)))

    def trained(self, on: Ref, args: list[Value]) -> Value:
        """See `lifecycle.trained`; None for what is not a module."""
        module = self.describer.from_wire(on)
        return lifecycle.trained(module, args, self.describer) if is_module(module) else None

    def round_trip(self, on: Ref, fresh: Ref, args: list[Value]) -> Value:
        """See `lifecycle.round_trip`; None for what is not a module."""
        saved, loaded = self.describer.from_wire(on), self.describer.from_wire(fresh)
        both = is_module(saved) and is_module(loaded)
        return lifecycle.round_trip(saved, loaded, args, self.describer) if both else None

    def fits(self, on: str | Ref, path: str, positional: int, keywords: list[str]) -> Value:
        """Whether the target takes so many arguments, and the signature that it has."""
        signature = inspect.signature(self.target(on, path))
        try:
            signature.bind(*range(positional), **dict.fromkeys(keywords))
        except TypeError:
            return {"fits": False, "signature": guarded(lambda: str(signature))}
        return {"fits": True, "signature": guarded(lambda: str(signature))}

    def get(self, on: str | Ref, path: str, keep: bool) -> Value:
        """The value at a path, or a number for it."""
        thing = self.target(on, path)
        return self.describer.keep(thing) if keep else self.describer.to_wire(thing)

    def set(self, on: Ref, name: str, value: Value) -> Value:
        """Assign an attribute."""
        setattr(self.describer.from_wire(on), name, self.describer.from_wire(value))
        return None

    def suite(self, sources: dict[str, str], file: str, tests: str) -> Value:
        """See `suite.run`."""
        return suite.run(sources, file, tests)
