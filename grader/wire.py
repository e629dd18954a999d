"""The messages that examiner and worker exchange, and nothing else.

Theory of operation. A frame is 12 bytes of lengths, a JSON header, then raw bytes:

    header length (u32 LE) | payload length (u64 LE) | header (UTF-8 JSON object) | payload

The header says what is asked or answered; values in it are a small closed grammar (see `Value`), and the bytes of
arrays lie in the payload, in the order in which the header names them, each exactly as long as dtype and shape say.
The examiner reads frames that a stranger's program wrote, so the decoder takes nothing on trust: lengths are capped
before a byte is allocated, duplicate keys, NaN tokens, floats, deep nesting and integers beyond 64 bits are errors,
a dtype comes from a list, and no name that was sent is ever looked up. Anything else is a `ProtocolError`.
"""

from __future__ import annotations

import json
import math
import re
import struct
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final, NoReturn

import numpy as np
from numpy.typing import NDArray

LENGTHS: Final = struct.Struct("<IQ")
CONFINED: Final = b"+"  # a worker's first byte, before any frame and before it is sent a byte of a candidate's
MAX_HEADER: Final = 4 << 20
MAX_DEPTH: Final = 24
MAX_NODES: Final = 50_000
MAX_TEXT: Final = 512 << 10  # a submission's own text is the longest, and crosses in one piece
MAX_DIMENSIONS: Final = 16

DTYPES: Final = (
    *("bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"),
    *("float16", "float32", "float64", "complex64", "complex128"),
)
LITTLE: Final = {name: np.dtype(name).newbyteorder("<") for name in DTYPES}

# Possessive, and content with an end that never comes, so that no header makes it scan twice.
_STRING: Final = re.compile(rb'"(?:[^"\\]|\\.)*+(?:"|\\?\Z)', re.DOTALL)

_NO_BRACKETS: Final = bytes(set(range(256)) - set(b"[]{}"))


class ProtocolError(Exception):
    """The other side sent something that is not a message."""


@dataclass(frozen=True, slots=True)
class Array:
    """An array with its bytes.

    Attributes:
        of: "ndarray" or "tensor", which of the two the worker held or is to hold.
        dtype: one of `DTYPES`.
        shape: the dimensions.
        data: little-endian elements in C order, exactly as many as the shape says.
        requires_grad: for a tensor, whether it records gradients.
    """

    of: str
    dtype: str
    shape: tuple[int, ...]
    data: bytes | memoryview
    requires_grad: bool = False

    def numpy(self) -> NDArray[Any]:
        """The elements as an array of their own that shares nothing with the frame."""
        return np.frombuffer(self.data, dtype=LITTLE[self.dtype]).reshape(self.shape).astype(self.dtype)


@dataclass(frozen=True, slots=True)
class Stub:
    """An array without its bytes: too large, on a device without storage, or of a dtype that does not cross."""

    of: str
    dtype: str
    shape: tuple[int, ...]
    device: str


@dataclass(frozen=True, slots=True)
class Ref:
    """An object that stays in the worker, by number. `type` is for messages only."""

    id: int
    type: str = ""


Value = None | bool | int | float | str | list[Any] | tuple[Any, ...] | dict[str, Any] | Array | Stub | Ref
"""What crosses the wire: scalars, text, lists, tuples and string-keyed dicts of the same, arrays, stubs, references."""


def byte_count(dtype: str, shape: Sequence[int]) -> int:
    """How many bytes an array of this dtype and shape holds, in unbounded integers."""
    return LITTLE[dtype].itemsize * math.prod(shape)


def _fail(why: str) -> NoReturn:
    raise ProtocolError(why)


# Encoding

_ENCODER: Final = json.JSONEncoder(separators=(",", ":"), allow_nan=False)


def encode(message: dict[str, Value], limit: int) -> list[bytes | memoryview]:
    """The frame for a message, as buffers to be written one after the other.

    Raises:
        ProtocolError: the message is larger than `limit` bytes of payload, or holds what is not a `Value`.
    """
    blobs: list[bytes | memoryview] = []
    body = {key: _pack(value, blobs, 0) for key, value in message.items()}
    header = _ENCODER.encode(body).encode("ascii")
    payload = sum(len(blob) for blob in blobs)
    if len(header) > MAX_HEADER or payload > limit:
        _fail(f"a message of {len(header)} + {payload} bytes is too large")
    return [LENGTHS.pack(len(header), payload) + header, *blobs]


def _pack(value: Value, blobs: list[bytes | memoryview], depth: int) -> Any:
    if value is None or type(value) in (bool, str):
        return value
    if depth > MAX_DEPTH // 2:
        _fail("a message is nested too deeply")
    match value:
        case bool() | str():
            return value
        case int():
            return value if -(1 << 63) <= value < 1 << 63 else _fail("an integer is beyond 64 bits")
        case float():
            return {"k": "float", "v": value.hex()}
        case list() | tuple():
            kind = "list" if isinstance(value, list) else "tuple"
            return {"k": kind, "v": [_pack(item, blobs, depth + 1) for item in value]}
        case dict():
            pairs = [[key, _pack(item, blobs, depth + 1)] for key, item in value.items()]
            return {"k": "dict", "v": pairs}
        case Array():
            blobs.append(value.data)
            return {
                "k": "array",
                "of": value.of,
                "dtype": value.dtype,
                "shape": list(value.shape),
                "grad": value.requires_grad,
            }
        case Stub():
            shape = list(value.shape)
            return {"k": "stub", "of": value.of, "dtype": value.dtype, "shape": shape, "device": value.device}
        case Ref():
            return {"k": "ref", "id": value.id, "type": value.type}
    _fail(f"a {type(value).__name__} does not cross the wire")


# Decoding


class FrameReader:
    """Puts frames together from the bytes that arrive, and refuses one that would be too large before it is read."""

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self._held = bytearray()

    def wanted(self) -> int:
        """How many more bytes the frame needs; 0 when it is whole."""
        if len(self._held) < LENGTHS.size:
            return LENGTHS.size - len(self._held)
        header, payload = LENGTHS.unpack_from(self._held)
        if header > MAX_HEADER or payload > self.limit:
            _fail(f"a frame of {header} + {payload} bytes was announced")
        return int(LENGTHS.size + header + payload - len(self._held))

    def feed(self, data: bytes) -> None:
        """Take bytes in. Never feed more than `wanted()`."""
        self._held += data

    def message(self) -> dict[str, Value]:
        """The whole frame's message; the reader is empty afterwards."""
        header, _ = LENGTHS.unpack_from(self._held)
        start = LENGTHS.size
        frame, self._held = bytes(self._held), bytearray()
        return decode(frame[start : start + header], memoryview(frame)[start + header :])


def decode(header: bytes, payload: memoryview) -> dict[str, Value]:
    """The message that a header and its payload spell.

    Raises:
        ProtocolError: for anything that is not exactly a message.
    """
    body = _parse(header)
    if type(body) is not dict:
        _fail("a header is not an object")
    unpacker = _Unpacker(payload)
    message = dict(unpacker.pairs([[key, item] for key, item in body.items()]))
    unpacker.finish()
    return message


def _parse(header: bytes) -> Any:
    opened = header.count(b"[") + header.count(b"{")  # no header is nested more deeply, and few open so many
    if opened > MAX_DEPTH * 2 and _depth(header) > MAX_DEPTH * 2:
        _fail("a header is nested too deeply")
    try:
        return _DECODER.decode(header.decode("utf-8"))
    except (ValueError, RecursionError) as error:
        raise ProtocolError(f"a header is not JSON: {type(error).__name__}") from None


def _depth(header: bytes) -> int:
    depth = deepest = 0
    for byte in _STRING.sub(b"", header).translate(None, _NO_BRACKETS):
        if byte in b"[{":
            depth += 1
            deepest = max(deepest, depth)
        else:
            depth -= 1
    return deepest


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    return found if len(found) == len(pairs) else _fail("a header holds a key twice")


def _small(digits: str) -> int:
    if len(digits) > 20:
        _fail("an integer is beyond 64 bits")
    number = int(digits)
    return number if -(1 << 63) <= number < 1 << 63 else _fail("an integer is beyond 64 bits")


def _no_float(token: str) -> NoReturn:
    _fail(f"a header holds the token {token[:20]}")


_DECODER: Final = json.JSONDecoder(
    object_pairs_hook=_unique, parse_int=_small, parse_float=_no_float, parse_constant=_no_float
)


class _Unpacker:
    """Turns parsed JSON into values, and hands out the payload from front to back."""

    def __init__(self, payload: memoryview) -> None:
        self.payload = payload
        self.used = 0
        self.nodes = 0

    def finish(self) -> None:
        if self.used != len(self.payload):
            _fail(f"a payload of {len(self.payload)} bytes has {self.used} bytes of arrays")

    def value(self, item: Any) -> Value:
        self.nodes += 1
        if self.nodes > MAX_NODES:
            _fail("a message has too many parts")
        kind = type(item)
        if item is None or kind is bool or kind is int:
            return item  # type: ignore[no-any-return]
        if kind is str:
            return _text(item)
        if kind is dict:
            said = item.get("k")
            if type(said) is str and said in _GRAMMAR:
                read, fields = _GRAMMAR[said]
                if item.keys() == fields:
                    return read(self, item)
        _fail("a value is not of a known kind")

    def _float(self, item: Any) -> Value:
        return _float(_text(item["v"]))

    def _list(self, item: Any) -> Value:
        return [self.value(each) for each in _listed(item["v"])]

    def _tuple(self, item: Any) -> Value:
        return tuple([self.value(each) for each in _listed(item["v"])])

    def _dict(self, item: Any) -> Value:
        return dict(self.pairs(_listed(item["v"])))

    def _stub(self, item: Any) -> Value:
        return Stub(_kind(item["of"]), _text(item["dtype"]), _shape(item["shape"]), _text(item["device"]))

    def _ref(self, item: Any) -> Value:
        return Ref(item["id"], _text(item["type"])) if type(item["id"]) is int else _fail("a reference has no number")

    def pairs(self, pairs: Sequence[Any]) -> Iterator[tuple[str, Value]]:
        seen = set()
        for pair in pairs:
            if type(pair) is not list or len(pair) != 2 or (key := _text(pair[0])) in seen:
                _fail("a dict is not a list of pairs with keys of their own")
            seen.add(key)
            yield key, self.value(pair[1])

    def _array(self, item: Any) -> Value:
        dtype, shape, grad = item["dtype"], _shape(item["shape"]), item["grad"]
        if type(dtype) is not str or dtype not in LITTLE:
            _fail("an array has an unknown dtype")
        if type(grad) is not bool:
            _fail("an array does not say whether it records gradients")
        if byte_count(dtype, [length or 1 for length in shape]) >= 1 << 63:
            _fail("an array has a shape that none can have")  # though it is empty, as (0, 2**62) is
        end = self.used + byte_count(dtype, shape)
        if end > len(self.payload):
            _fail("an array is longer than its payload")
        data = self.payload[self.used : end]
        self.used = end
        return Array(_kind(item["of"]), dtype, shape, data, grad)


# What a value that is a JSON object says of itself, how it is read, and the fields that it has to have, no more.
_GRAMMAR: Final = {
    kind: (read, {"k", *fields.split()})
    for kind, read, fields in (
        ("float", _Unpacker._float, "v"),
        ("list", _Unpacker._list, "v"),
        ("tuple", _Unpacker._tuple, "v"),
        ("dict", _Unpacker._dict, "v"),
        ("array", _Unpacker._array, "of dtype shape grad"),
        ("stub", _Unpacker._stub, "of dtype shape device"),
        ("ref", _Unpacker._ref, "id type"),
    )
}


def _listed(items: Any) -> Sequence[Any]:
    return items if type(items) is list else _fail("the parts of a value are no list")


def _kind(of: Any) -> str:
    return str(of) if of in ("ndarray", "tensor") else _fail("an array is neither ndarray nor tensor")


def _text(text: Any) -> str:
    if type(text) is not str or len(text) > MAX_TEXT:
        _fail("a text is missing or too long")
    # A lone surrogate would break every file it is written to.
    return text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8")


def _shape(shape: Any) -> tuple[int, ...]:
    if type(shape) is not list or len(shape) > MAX_DIMENSIONS:
        _fail("a shape is not a short list")
    for length in shape:
        if type(length) is not int or length < 0:
            _fail("a shape holds what is not a length")
    return tuple(shape)


def _float(digits: str) -> float:
    try:
        return float.fromhex(digits) if len(digits) <= 32 else _fail("a float has too many digits")
    except (ValueError, OverflowError):
        _fail("a float is not one")


# The worker's blocking side; the examiner reads with deadlines of its own, in examine/workers.py.


def write(descriptor_write: Any, message: dict[str, Value], limit: int) -> None:
    """Write a message through `descriptor_write(buffer) -> int`, which may take only part of what it is given."""
    for blob in encode(message, limit):
        view = memoryview(blob)
        while view:
            view = view[descriptor_write(view) :]


def read(descriptor_read: Any, limit: int) -> dict[str, Value] | None:
    """Read one message through `descriptor_read(size) -> bytes`; None at the end of the stream."""
    reader = FrameReader(limit)
    while wanted := reader.wanted():
        data = descriptor_read(min(wanted, 1 << 20))
        if not data:
            return None
        reader.feed(data)
    return reader.message()


assert sys.byteorder == "little", "the wire is little-endian, and so are the machines that grade"
