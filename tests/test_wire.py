"""The wire: every value comes through unchanged, and whatever is not a message is refused without harm."""

from __future__ import annotations

import io
import json
import math
import struct
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Final

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from grader import wire
from grader.submission.sourcetext import SOURCE_BYTES
from grader.wire import DTYPES, MAX_DEPTH, MAX_HEADER, MAX_NODES, MAX_TEXT, Array, FrameReader, ProtocolError, Ref, Stub

ROOM: Final = 1 << 20
INT64: Final = (-(1 << 63), (1 << 63) - 1)
frugal = settings(deadline=None, max_examples=50, database=None)

# The grammar of values

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
kinds = st.sampled_from(["ndarray", "tensor"])
integers = st.integers(*INT64)
shapes = st.lists(st.integers(0, 4), max_size=4).map(tuple)


@st.composite
def arrays(draw: st.DrawFn) -> Array:
    """Any array. Its bytes are drawn as bytes: NaNs of every kind, infinities and subnormals are among them."""
    dtype, shape = draw(st.sampled_from(DTYPES)), draw(shapes)
    size = wire.byte_count(dtype, shape)
    return Array(draw(kinds), dtype, shape, draw(st.binary(min_size=size, max_size=size)), draw(st.booleans()))


stubs = st.builds(Stub, kinds, texts, st.lists(st.integers(0, INT64[1]), max_size=3).map(tuple), texts)
leaves = st.none() | st.booleans() | integers | st.floats() | texts | arrays() | stubs | st.builds(Ref, integers, texts)


def containers(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """Lists, tuples and dicts of values."""
    items = st.lists(inner, max_size=4)
    return items | items.map(tuple) | st.dictionaries(texts, inner, max_size=4)


messages = st.dictionaries(texts, st.recursive(leaves, containers, max_leaves=10), max_size=4)


def canonical(value: Any) -> Any:
    """A value in a form that compares by type and to the bit; a TypeError for what is not a value at all."""
    match value:
        case None | bool() | int() | str() | Stub() | Ref():
            return type(value).__name__, value
        case float():
            return "float", "nan" if math.isnan(value) else struct.pack("<d", value)
        case list() | tuple():
            return type(value).__name__, [canonical(item) for item in value]
        case dict():
            return "dict", [(key, canonical(item)) for key, item in value.items()]
        case Array():
            return "Array", value.of, value.dtype, value.shape, bytes(value.data), value.requires_grad
    raise TypeError(type(value))


# Frames


def frame_of(message: dict[str, Any], limit: int = ROOM) -> bytes:
    """The whole frame for a message."""
    return b"".join(bytes(part) for part in wire.encode(message, limit))


def framed(header: bytes, payload: bytes = b"") -> bytes:
    """A frame around any header and payload, with the lengths that they have."""
    return wire.LENGTHS.pack(len(header), len(payload)) + header + payload


def received(frame: bytes, limit: int = ROOM) -> dict[str, Any]:
    """The message in a frame."""
    message = wire.read(io.BytesIO(frame).read, limit)
    assert message is not None, "the frame is incomplete"
    return message


def array(**changes: Any) -> dict[str, Any]:
    """An array as a header spells it: 2 x 3 int16, so 12 bytes of payload."""
    return {"k": "array", "of": "ndarray", "dtype": "int16", "shape": [2, 3], "grad": False, **changes}


def stub(**changes: Any) -> dict[str, Any]:
    """A stub as a header spells it."""
    return {"k": "stub", "of": "tensor", "dtype": "bfloat16", "shape": [4], "device": "cpu", **changes}


def header(value: Any) -> bytes:
    """A header that holds one spelled value."""
    return json.dumps({"ok": value}).encode()


_watched: list[str] | None = None
LOOKUPS: Final = (
    "import",
    "exec",
    "compile",
    "open",
    "pickle.find_class",
    "marshal.loads",
    "ctypes.dlopen",
    "os.system",
)


def _audit(event: str, arguments: tuple[object, ...]) -> None:
    if _watched is not None and event in LOOKUPS:
        _watched.append(f"{event} {arguments!r}")


sys.addaudithook(_audit)


@contextmanager
def nothing_is_looked_up() -> Iterator[None]:
    """Fail if anything is imported, compiled, opened or unpickled meanwhile."""
    global _watched
    seen: list[str] = []
    _watched = seen
    try:
        yield
    finally:
        _watched = None
    assert seen == []


# What was sent arrives


@frugal
@given(messages)
def test_every_message_comes_through_unchanged(message: dict[str, Any]) -> None:
    assert canonical(received(frame_of(message))) == canonical(message)


@frugal
@given(messages, st.integers(1, 7))
def test_a_frame_may_arrive_in_pieces_of_any_size(message: dict[str, Any], size: int) -> None:
    frame, reader = frame_of(message), FrameReader(ROOM)
    while wanted := reader.wanted():
        assert wanted <= len(frame)
        piece = min(wanted, size)
        reader.feed(frame[:piece])
        frame = frame[piece:]
    assert canonical(reader.message()) == canonical(message)
    assert frame == b""


@frugal
@given(messages, messages)
def test_a_reader_serves_one_frame_after_the_other(first: dict[str, Any], second: dict[str, Any]) -> None:
    stream = io.BytesIO(frame_of(first) + frame_of(second))
    assert [canonical(wire.read(stream.read, ROOM)) for _ in range(2)] == [canonical(first), canonical(second)]
    assert wire.read(stream.read, ROOM) is None


@given(messages, st.integers(1, 9))
@frugal
def test_a_writer_that_takes_a_part_at_a_time_gets_the_whole_frame(message: dict[str, Any], size: int) -> None:
    written = bytearray()

    def write(data: memoryview) -> int:
        written.extend(data[:size])
        return min(len(data), size)

    wire.write(write, message, ROOM)
    assert written == frame_of(message)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [(), (0,), (3, 0, 2), (1,), (2, 3), (1,) * 16], ids=str)
def test_an_array_of_any_dtype_and_shape_arrives_to_the_bit(dtype: str, shape: tuple[int, ...]) -> None:
    size = math.prod(shape) * np.dtype(dtype).itemsize
    numbers = np.frombuffer(np.random.default_rng(0).bytes(size), f"<{np.dtype(dtype).str[1:]}").reshape(shape)
    sent = Array("tensor", dtype, shape, numbers.tobytes(), True)
    came = received(frame_of({"x": sent}))["x"]
    assert (came.of, came.requires_grad) == ("tensor", True)
    array = came.numpy()
    assert (array.dtype, array.shape, array.tobytes()) == (np.dtype(dtype), shape, numbers.tobytes())


def test_an_array_that_arrived_can_be_written_to_and_shares_nothing() -> None:
    came = received(frame_of({"x": Array("ndarray", "float32", (2,), bytes(8))}))["x"]
    first, second = came.numpy(), came.numpy()
    first[:] = 1
    assert second.tolist() == [0, 0] and bytes(came.data) == bytes(8)


@pytest.mark.parametrize("number", [math.inf, -math.inf, -0.0, 5e-324, sys.float_info.max, 0.1])
def test_a_float_arrives_to_the_bit(number: float) -> None:
    assert received(frame_of({"x": number}))["x"].hex() == number.hex()


def test_nan_arrives_as_nan() -> None:
    assert math.isnan(received(frame_of({"x": math.nan}))["x"])


def test_a_bool_is_no_int_and_a_tuple_is_no_list() -> None:
    came = received(frame_of({"x": [True, 1, (1,), [1]]}))["x"]
    assert [type(item) for item in came] == [bool, int, tuple, list]


@pytest.mark.parametrize("character", ["x", "\x01", "é", "漢", "😀"], ids=ascii)
def test_the_longest_submission_that_is_accepted_crosses_in_any_script(character: str) -> None:
    source = character * (SOURCE_BYTES // len(character.encode()))
    assert received(frame_of({"source": source}))["source"] == source


# What the sender is told


@pytest.mark.parametrize(
    ("value", "why"),
    [
        (INT64[1] + 1, "64 bits"),
        (INT64[0] - 1, "64 bits"),
        ({1}, "a set does not cross"),
        (b"bytes", "a bytes does not cross"),
        (object(), "a object does not cross"),
        (np.zeros(2), "a ndarray does not cross"),
    ],
    ids=lambda value: value if isinstance(value, str) else type(value).__name__,
)
def test_what_is_not_a_value_is_not_sent(value: Any, why: str) -> None:
    with pytest.raises(ProtocolError, match=why):
        wire.encode({"x": [value]}, ROOM)


def test_what_is_nested_too_deeply_is_not_sent() -> None:
    value: Any = 1
    for _ in range(MAX_DEPTH):
        value = [value]
    with pytest.raises(ProtocolError, match="nested"):
        wire.encode({"x": value}, ROOM)


def test_the_deepest_value_that_is_sent_is_received() -> None:
    value: Any = Array("ndarray", "bool", (1,) * 16, b"\1")
    for _ in range(MAX_DEPTH // 2):
        value = {"x": value}
    assert canonical(received(frame_of({"x": value}))) == canonical({"x": value})


def test_a_payload_beyond_the_limit_is_not_sent() -> None:
    message: dict[str, Any] = {"x": Array("ndarray", "uint8", (9,), bytes(9))}
    assert frame_of(message, limit=9)
    with pytest.raises(ProtocolError, match="too large"):
        wire.encode(message, 8)


def test_a_header_beyond_its_cap_is_not_sent() -> None:
    with pytest.raises(ProtocolError, match="too large"):
        wire.encode({"x": "x" * MAX_HEADER}, ROOM)


# What is not a message is refused

MALFORMED: Final[dict[str, bytes]] = {
    "nothing at all": b"",
    "not JSON": b"hello",
    "JSON that ends early": b'{"ok": [',
    "two documents": b"{}{}",
    "a byte order mark": b"\xef\xbb\xbf{}",
    "bytes that are not UTF-8": b'{"ok": "\xff"}',
    "an encoded surrogate": b'{"ok": "\xed\xa0\x80"}',
    "a control character in a string": b'{"ok": "\x00"}',
    "a list for a header": b"[]",
    "a string for a header": b'"ok"',
    "null for a header": b"null",
    "a key twice": b'{"ok": 1, "ok": 2}',
    "a key twice, once escaped": b'{"ok": 1, "\\u006fk": 2}',
    "a key twice in a value": b'{"ok": {"k": "list", "k": "tuple", "v": []}}',
    "keys that are one once made safe": b'{"\\ud800": 1, "\\udfff": 2}',
    "NaN": b'{"ok": NaN}',
    "Infinity": b'{"ok": Infinity}',
    "minus Infinity": b'{"ok": -Infinity}',
    "a JSON float": b'{"ok": 1.5}',
    "a JSON exponent": b'{"ok": 1e3}',
    "an integer of 65 bits": b'{"ok": 9223372036854775808}',
    "a negative integer of 65 bits": b'{"ok": -9223372036854775809}',
    "an integer of a million digits": b'{"ok": ' + b"9" * 1_000_000 + b"}",
    "brackets a thousand deep": b'{"ok": ' + b"[" * 1000 + b"]" * 1000 + b"}",
    "brackets a million deep": b"[" * 1_000_000,
    "braces a million deep": b'{"k":' * 200_000,
    "brackets behind a string that holds an escaped quote": b'{"\\"": ' + b"[" * 1000 + b"]" * 1000 + b"}",
    "brackets behind closing ones": b"]" * 1000 + b"[" * 1000,
    "values thirty deep": b'{"ok": ' + b'{"k":"list","v":[' * 30 + b"1" + b"]}" * 30 + b"}",
    "dicts thirty deep": b'{"ok": ' + b'{"k":"dict","v":[["a",' * 30 + b"1" + b"]]}" * 30 + b"}",
    "too many parts": header({"k": "list", "v": [1] * MAX_NODES}),
    "too many parts, spread out": header({"k": "list", "v": [{"k": "tuple", "v": [1] * 999}] * (MAX_NODES // 999)}),
    "a text that is too long": header("x" * (MAX_TEXT + 1)),
    "a key that is too long": header({"k": "dict", "v": [["x" * (MAX_TEXT + 1), 1]]}),
    "a payload that nothing claims": b"{}",
}
SPELLINGS: Final[dict[str, Any]] = {
    "a bare list": [1],
    "a value without a kind": {},
    "an unknown kind": {"k": "pickle", "v": []},
    "a kind that is no text": {"k": ["list"], "v": []},
    "a list without items": {"k": "list"},
    "a list of text": {"k": "list", "v": "abc"},
    "a list with another key": {"k": "list", "v": [], "x": 1},
    "a tuple with another key": {"k": "tuple", "v": [], "x": 1},
    "a dict of JSON": {"k": "dict", "v": {}},
    "a dict with another key": {"k": "dict", "v": [], "x": 1},
    "a dict with a key twice": {"k": "dict", "v": [["a", 1], ["a", 2]]},
    "a dict with keys that are one once made safe": {"k": "dict", "v": [["\ud800", 1], ["\udfff", 2]]},
    "a dict with a key that is no text": {"k": "dict", "v": [[1, 1]]},
    "a dict with a pair of three": {"k": "dict", "v": [["a", 1, 2]]},
    "a dict with a pair of one": {"k": "dict", "v": [["a"]]},
    "a dict with a pair that is text": {"k": "dict", "v": ["ab"]},
    "a float that is a number": {"k": "float", "v": 1},
    "a float that is words": {"k": "float", "v": "one"},
    "a float that is nothing": {"k": "float", "v": ""},
    "a float out of range": {"k": "float", "v": "0x1p99999"},
    "a float of many digits": {"k": "float", "v": "0x" + "1" * 100},
    "a float with a surrogate": {"k": "float", "v": "\ud800"},
    "a float with another key": {"k": "float", "v": "0x0p0", "x": 1},
    "a reference by a bool": {"k": "ref", "id": True, "type": ""},
    "a reference by name": {"k": "ref", "id": "os", "type": ""},
    "a reference to a type that is no text": {"k": "ref", "id": 1, "type": None},
    "a reference with another key": {"k": "ref", "id": 1, "type": "", "x": 1},
    "an array of an unknown kind": array(of="matrix"),
    "an array of a kind that is no text": array(of=["ndarray"]),
    "an array of objects": array(dtype="object"),
    "an array of an alias": array(dtype="i2"),
    "an array of big-endian numbers": array(dtype=">i2"),
    "an array of text": array(dtype="str"),
    "an array of a dtype that is no text": array(dtype=["int16"]),
    "an array of a dtype with a name to import": array(dtype="os.system"),
    "an array of a negative length": array(shape=[-2, -3]),
    "an array of a bool length": array(shape=[True, 6]),
    "an array of a text length": array(shape=["6"]),
    "an array of a shape that is a number": array(shape=6),
    "an array of a shape that is nothing": array(shape=None),
    "an array of too many dimensions": array(shape=[1] * 16 + [6]),
    "an array without a shape": {key: value for key, value in array().items() if key != "shape"},
    "an array of a gradient that is a number": array(grad=1),
    "an array with another key": array(data="x"),
    "an array longer than its payload": array(shape=[7]),
    "an array shorter than its payload": array(shape=[5]),
    "an array of half the payload": array(dtype="int8"),
    "an array far beyond any memory": array(shape=[1 << 62]),
    "an array whose length wraps around to fit": array(dtype="int8", shape=[1 << 32, 1 << 32]),
    "an array whose length wraps around to 12": array(dtype="int64", shape=[(1 << 61) + 1, 12]),
    "two arrays for the payload of one": {"k": "list", "v": [array(), array()]},
    "a stub of a bool length": stub(shape=[False]),
    "a stub of a negative length": stub(shape=[-1]),
    "a stub of an unknown kind": stub(of="list"),
    "a stub on a device that is no text": stub(device=0),
    "a stub with another key": stub(grad=False),
}


@pytest.mark.parametrize("bad", MALFORMED.values(), ids=MALFORMED.keys())
def test_a_malformed_header_is_refused(bad: bytes) -> None:
    with pytest.raises(ProtocolError):
        received(framed(bad, bytes(12) if bad == b"{}" else b""))


@pytest.mark.parametrize("token", ["NaN", "Infinity", "-Infinity", "1.5", "-0.0", "1e3", "1E400"])
@pytest.mark.parametrize(
    "place", ["%s", '{"k":"list","v":[%s]}', '{"k":"stub","shape":[%s]}'], ids=["top", "list", "shape"]
)
def test_a_number_that_is_no_integer_is_refused_as_a_token(token: str, place: str) -> None:
    with pytest.raises(ProtocolError, match=f"the token {token}"):
        received(framed(b'{"ok":%s}' % (place % token).encode()))


@pytest.mark.parametrize("bad", SPELLINGS.values(), ids=SPELLINGS.keys())
def test_a_misspelled_value_is_refused(bad: Any) -> None:
    with pytest.raises(ProtocolError):
        received(framed(header(bad), bytes(12) if "array" in json.dumps(bad) else b""))


@pytest.mark.parametrize("value", [array(), stub(), {"k": "ref", "id": 1, "type": ""}, {"k": "dict", "v": [["a", 1]]}])
def test_the_spellings_that_the_bad_ones_vary_are_good(value: dict[str, Any]) -> None:
    assert received(framed(header(value), bytes(12) if value["k"] == "array" else b""))


@pytest.mark.parametrize("shape", [(0, 1 << 62), (1 << 62, 0, 1 << 62), (INT64[1], 0), (0, *[1 << 20] * 4)], ids=str)
def test_an_empty_array_of_a_shape_that_numpy_can_not_hold_is_refused(shape: tuple[int, ...]) -> None:
    with pytest.raises(ProtocolError, match="shape"):
        received(framed(header(array(shape=list(shape)))))


@pytest.mark.parametrize("number", INT64)
def test_integers_of_64_bits_are_accepted(number: int) -> None:
    assert received(framed(header(number)))["ok"] == number


def test_lone_surrogates_are_made_safe_wherever_they_stand() -> None:
    sent = {
        "\udc80": "a\ud800b",
        "in a dict": {"k": "dict", "v": [["\udfff", "\udfff"]]},
        "in a reference": {"k": "ref", "id": 1, "type": "\ud800"},
        "in a stub": stub(dtype="\ud800", device="\ud800"),
    }
    came = received(framed(json.dumps(sent).encode()))
    assert came == {
        "?": "a?b",
        "in a dict": {"?": "?"},
        "in a reference": Ref(1, "?"),
        "in a stub": Stub("tensor", "?", (4,), "?"),
    }


# Lengths come first, and are judged before anything is read or allocated


@pytest.mark.parametrize(
    ("header_length", "payload_length"),
    [(MAX_HEADER + 1, 0), (0xFFFF_FFFF, 0), (2, ROOM + 1), (2, 0xFFFF_FFFF_FFFF_FFFF), (MAX_HEADER + 1, ROOM + 1)],
)
def test_a_frame_that_announces_too_much_is_refused_at_once(header_length: int, payload_length: int) -> None:
    reader = FrameReader(ROOM)
    reader.feed(wire.LENGTHS.pack(header_length, payload_length))
    with pytest.raises(ProtocolError, match="announced"):
        reader.wanted()


def test_nothing_is_read_beyond_the_lengths_of_a_frame_that_is_refused() -> None:
    stream = io.BytesIO(wire.LENGTHS.pack(MAX_HEADER + 1, 0) + b"x" * 1000)
    with pytest.raises(ProtocolError):
        wire.read(stream.read, ROOM)
    assert stream.tell() == wire.LENGTHS.size


def test_the_largest_frame_that_is_allowed_is_asked_for_in_full() -> None:
    reader = FrameReader(ROOM)
    reader.feed(wire.LENGTHS.pack(MAX_HEADER, ROOM))
    assert reader.wanted() == MAX_HEADER + ROOM


@given(messages, st.data())
@frugal
def test_a_frame_that_is_cut_short_never_gives_a_message(message: dict[str, Any], data: st.DataObject) -> None:
    frame = frame_of(message)
    cut = frame[: data.draw(st.integers(0, len(frame) - 1))]
    assert wire.read(io.BytesIO(cut).read, ROOM) is None
    reader = FrameReader(ROOM)
    while cut:
        wanted = reader.wanted()
        reader.feed(cut[:wanted])
        cut = cut[wanted:]
    assert reader.wanted() > 0


@given(messages.filter(bool), st.data())
@frugal
def test_a_header_or_payload_that_lost_its_end_is_refused(message: dict[str, Any], data: st.DataObject) -> None:
    first, *blobs = [bytes(part) for part in wire.encode(message, ROOM)]
    spelled, payload = first[wire.LENGTHS.size :], b"".join(blobs)
    lost = data.draw(st.integers(1, len(spelled)))
    with pytest.raises(ProtocolError):
        received(framed(spelled[:-lost], payload))
    if payload:
        with pytest.raises(ProtocolError):
            received(framed(spelled, payload[: -data.draw(st.integers(1, len(payload)))]))
    with pytest.raises(ProtocolError):
        received(framed(spelled, payload + data.draw(st.binary(min_size=1, max_size=9))))


# Whatever arrives, it is a message or a ProtocolError, and nothing is looked up

NAMES: Final = (
    "os.system",
    "builtins.eval",
    "antigravity",
    "this",
    "__import__('os')",
    "numpy.matrix",
    "../etc/passwd",
)
LENGTHS: Final = (0, 1, 2, 6, 12, -1, True, 1 << 31, 1 << 62, INT64[1], "6", None)
keys = st.sampled_from(["k", "v", "of", "dtype", "shape", "grad", "id", "type", "device", "ok", "raised", "\ud800"])
atoms = st.sampled_from(
    [
        *LENGTHS,
        *NAMES,
        *DTYPES,
        "list",
        "tuple",
        "dict",
        "array",
        "stub",
        "ref",
        "float",
        "ndarray",
        "tensor",
        "nan",
        "\ud800",
    ]
)
spelled_arrays = st.builds(
    array,
    of=st.sampled_from(["ndarray", "tensor", *NAMES]),
    dtype=st.sampled_from([*DTYPES, *NAMES, "object", ">f8"]),
    shape=st.lists(st.sampled_from(LENGTHS), max_size=18),
    grad=st.booleans() | atoms,
)
spelled = st.recursive(
    atoms | integers | texts | spelled_arrays | st.builds(stub, shape=st.lists(st.sampled_from(LENGTHS), max_size=3)),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(keys, inner, max_size=4)
        | st.builds(
            lambda kind, items: {"k": kind, "v": items}, st.sampled_from(["list", "tuple", "dict"]), st.lists(inner)
        )
    ),
    max_leaves=8,
)


@st.composite
def mutated(draw: st.DrawFn) -> bytes:
    """A valid frame in which a few bytes were changed, taken out or put in, with lengths that still add up or not."""
    first, *blobs = [bytes(part) for part in wire.encode(draw(messages), ROOM)]
    body, header_length = bytearray(first[wire.LENGTHS.size :] + b"".join(blobs)), len(first) - wire.LENGTHS.size
    for _ in range(draw(st.integers(1, 4))):
        place = draw(st.integers(0, len(body)))
        body[place : place + draw(st.integers(0, 2))] = draw(
            st.binary(max_size=2) | st.sampled_from([b'"', b"[", b"9"])
        )
    if draw(st.integers(0, 9)) == 0:
        return first[: wire.LENGTHS.size] + bytes(body)
    header_length = min(header_length, len(body))
    return framed(bytes(body[:header_length]), bytes(body[header_length:]))


def settled(frame: bytes) -> None:
    """Assert that a frame gives a message made of values alone, whose arrays can be had, or a ProtocolError."""
    with nothing_is_looked_up():
        try:
            message = wire.read(io.BytesIO(frame).read, ROOM)
        except ProtocolError:
            return
    if message is not None:
        canonical(message)
        json.dumps(str(message)).encode("utf-8")
        for each in found(message):
            assert each.numpy().shape == each.shape


def found(value: Any) -> Iterator[Array]:
    """The arrays in a value."""
    if isinstance(value, Array):
        yield value
    elif isinstance(value, dict | list | tuple):
        for item in value.values() if isinstance(value, dict) else value:
            yield from found(item)


@given(st.binary(max_size=200))
@frugal
def test_random_bytes_do_no_harm(data: bytes) -> None:
    settled(data)
    settled(framed(data))
    settled(framed(b'{"ok":' + data + b"}"))


@given(st.dictionaries(keys, spelled, max_size=3), st.sampled_from([0, 0, 2, 4, 6, 12, 16]))
@settings(frugal, max_examples=150)
def test_random_headers_do_no_harm(fields: dict[str, Any], size: int) -> None:
    settled(framed(json.dumps(fields).encode(), bytes(size)))


@given(mutated())
@settings(frugal, max_examples=150)
def test_damaged_frames_do_no_harm(frame: bytes) -> None:
    settled(frame)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    "place",
    [
        lambda name: name,
        lambda name: array(dtype=name),
        lambda name: array(of=name),
        lambda name: stub(dtype=name),
        lambda name: stub(device=name),
        lambda name: {"k": "ref", "id": 1, "type": name},
        lambda name: {"k": name, "v": []},
        lambda name: {"k": "dict", "v": [[name, name]]},
    ],
    ids=["text", "dtype", "of", "stub's dtype", "device", "type", "kind", "key"],
)
def test_a_name_that_was_sent_stays_a_text(name: str, place: Callable[[str], Any]) -> None:
    settled(framed(header(place(name))))


# Size alone never makes it slow: were the time quadratic in the length, each of these would take longer than a day

LONG: Final = MAX_HEADER


@pytest.mark.parametrize(
    "bad",
    [
        b'"' * LONG,
        b"\\" * LONG,
        b'"\\' * (LONG // 2),
        b'\\"' * (LONG // 2),
        b'"' + b'\\"' * (LONG // 2 - 1),
        b'"' + b"\\" * (LONG - 1),
        b'"' + b"x" * (LONG - 1),
        b'"x' * (LONG // 2),
        b'"x"' * (LONG // 3),
        b'{"a":"' + b"\\" * (LONG - 6),
        b"[" * LONG,
        b"]" * LONG,
        b"9" * LONG,
        b"-" * LONG,
        b" " * LONG,
    ],
    ids=lambda bad: f"{bad[:8].decode()}…",
)
def test_a_long_header_of_nonsense_is_refused_in_linear_time(bad: bytes) -> None:
    with pytest.raises(ProtocolError):
        received(framed(bad))
