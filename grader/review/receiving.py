"""Taking an upload off the wire: straight to the disk, counted as it comes, and broken off at the first thing amiss.

Nothing is held in memory but the piece that is being read, and nothing is looked into. A file is called what the
browser says only as far as its last step goes, and lies in a numbered folder that is ours.
"""

from __future__ import annotations

import asyncio
import time
import unicodedata
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, Final

from python_multipart import MultipartParser
from python_multipart.exceptions import FormParserError
from python_multipart.multipart import parse_options_header
from starlette.exceptions import HTTPException

from grader import inert
from grader.submission.archive import ARCHIVE_BYTES

if TYPE_CHECKING:
    from python_multipart.multipart import MultipartCallbacks
    from starlette.requests import Request

BROKEN: Final = "This form broke off, or is no form. Load the page again, and send it anew."
FIELD_BYTES: Final = 4096
NAME_BYTES: Final = 120


@dataclass(frozen=True)
class Bounds:
    """What is put up with.

    Attributes:
        whole: bytes of a request.
        files: how many files it may bring.
        pause: seconds without a single byte.
        grace: seconds, after which `rate` bytes a second have to have come on average.
    """

    whole: int = ARCHIVE_BYTES + (1 << 16)
    files: int = 200
    pause: float = 20.0
    grace: float = 30.0
    rate: float = 16 << 10


@dataclass
class Received:
    """What a form brought: its fields, and its files in the order in which they came, by name and path."""

    fields: dict[str, str] = field(default_factory=dict)
    files: list[tuple[str, Path]] = field(default_factory=list)
    size: int = 0


async def receive(request: Request, folder: Path, bears: Callable[[str], bool], bounds: Bounds = Bounds()) -> Received:
    """Read a multipart form, with its files into `folder`.

    Args:
        request: the request, of which nothing has been read.
        folder: where the files go.
        bears: whether a token is that of the session; the field `csrf` has to come before any file.
        bounds: what is put up with.

    Raises:
        HTTPException: 400 for no such form, 403 without the token, 408 when it is too slow, 413 when it is too large.
    """
    kind, options = parse_options_header(request.headers.get("content-type"))
    if kind != b"multipart/form-data" or b"boundary" not in options:
        raise HTTPException(400, "This is no form with files.")
    form = _Form(folder, bears, bounds.files)
    try:
        parser = MultipartParser(options[b"boundary"], form.callbacks())
        async for piece in pieces(request, bounds):
            parser.write(piece)
        parser.finalize()
    except FormParserError:
        raise HTTPException(400, BROKEN) from None
    finally:
        form.close()
    form.allowed()
    if not form.is_whole:
        raise HTTPException(400, BROKEN)
    return form.received


async def pieces(request: Request, bounds: Bounds) -> AsyncIterator[bytes]:
    """The body, as it comes; an HTTPException when there is too much of it, or it comes too slowly."""
    began, size = time.monotonic(), 0
    stream = aiter(request.stream())
    while True:
        try:
            async with asyncio.timeout(bounds.pause):
                piece = await anext(stream)
        except StopAsyncIteration:
            return
        except TimeoutError:
            raise HTTPException(408, "Nothing more came for too long. Send it again.") from None
        size += len(piece)
        if size > bounds.whole:
            raise HTTPException(413, f"This is too large: at most {bounds.whole >> 20} MiB are taken at once.")
        took = time.monotonic() - began
        if took > bounds.grace and size < bounds.rate * took:
            raise HTTPException(408, "This came too slowly. Send it again over a faster line.")
        yield piece


async def drained(request: Request, most: int = 2 * ARCHIVE_BYTES, seconds: float = 10.0) -> None:
    """Read on past a refusal, within bounds: a browser that is cut off while it sends shows nobody why."""
    size = 0
    if request._stream_consumed:  # all of it has come, and the next message would be that the browser is gone
        return
    try:
        async with asyncio.timeout(seconds):
            while size < most:
                message = await request.receive()
                size += len(message.get("body", b""))
                if not message.get("more_body", False):
                    return
    except TimeoutError:
        return


class _Form:
    """Listens to the parser."""

    def __init__(self, folder: Path, bears: Callable[[str], bool], most: int) -> None:
        self.received = Received()
        self.is_whole = False
        self._folder, self._bears, self._most = folder, bears, most
        self._header = [bytearray(), bytearray()]
        self._name, self._words, self._file = "", bytearray(), None

    _name: str
    _words: bytearray
    _file: BinaryIO | None

    def callbacks(self) -> MultipartCallbacks:
        """What the parser calls."""
        return {
            "on_part_begin": self._part,
            "on_header_field": lambda data, start, end: self._header[0].extend(data[start:end]),
            "on_header_value": lambda data, start, end: self._header[1].extend(data[start:end]),
            "on_header_end": self._header_ended,
            "on_part_data": self._data,
            "on_part_end": self._ended,
            "on_end": self._all,
        }

    def allowed(self) -> None:
        """Refuse what did not bring the token."""
        if not self._bears(self.received.fields.get("csrf", "")):
            raise HTTPException(403, "This form is of an earlier session. Load the page again, and send it anew.")

    def close(self) -> None:
        """Close the file that was being written."""
        if self._file:
            self._file.close()

    def _part(self) -> None:
        self._header = [bytearray(), bytearray()]
        self._name, self._words, self._file = "", bytearray(), None

    def _header_ended(self) -> None:
        kind, value = (bytes(each) for each in self._header)
        self._header = [bytearray(), bytearray()]
        if kind.lower() != b"content-disposition":
            return
        disposition, options = parse_options_header(value)
        if disposition != b"form-data":
            return
        self._name = options.get(b"name", b"").decode("utf-8", "replace")
        if options.get(b"filename"):
            self._begin(file_name(options[b"filename"].decode("utf-8", "replace")))

    def _begin(self, name: str) -> None:
        self.allowed()
        number = len(self.received.files)
        if number >= self._most:
            raise HTTPException(413, f"These are too many files: at most {self._most} are taken at once.")
        path = self._folder / str(number) / name
        path.parent.mkdir(mode=0o700)
        self._file = path.open("xb")
        self.received.files.append((name, path))

    def _data(self, data: bytes, start: int, end: int) -> None:
        if self._file:
            self.received.size += self._file.write(data[start:end])
            return
        self._words += data[start:end]
        if len(self._words) > FIELD_BYTES:
            raise HTTPException(413, "A field of this form is too long.")

    def _all(self) -> None:
        self.is_whole = True

    def _ended(self) -> None:
        if self._file:
            self._file.close()
            self._file = None
        elif self._name:
            self.received.fields.setdefault(self._name, self._words.decode("utf-8", "replace"))


def file_name(sent: str) -> str:
    """The last step of a path that a browser names, with an underscore for whatever can't be seen."""
    last = unicodedata.normalize("NFC", sent).replace("\\", "/").rpartition("/")[2]
    plain = "".join(each if inert.line(each) == each else "_" for each in last).strip().lstrip(".")
    stem, dot, suffix = plain.rpartition(".")
    while len(plain.encode()) > NAME_BYTES and stem:
        stem = stem[:-1]
        plain = f"{stem}{dot}{suffix}"
    return plain if plain and len(plain.encode()) <= NAME_BYTES else "submission"
