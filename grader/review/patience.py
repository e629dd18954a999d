"""HTTP for senders who dawdle: a head has to be there in seconds, and an answer has to be taken off.

uvicorn waits for the rest of a head as long as the connection lasts, and for a reader who does not read. A few hundred
such connections would be all that a room has.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

if TYPE_CHECKING:
    import asyncio

HEAD_SECONDS: Final = 10.0
READER_SECONDS: Final = 60.0
MOST_HEAD: Final = 32 << 10  # bytes, for uvicorn's `h11_max_incomplete_event_size`


class Patient(H11Protocol):
    """One connection."""

    head_seconds = HEAD_SECONDS
    reader_seconds = READER_SECONDS

    _head: asyncio.TimerHandle | None = None
    _reader: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin to wait for a head."""
        super().connection_made(transport)
        self._watch()

    def data_received(self, data: bytes) -> None:
        """Take what has come; a head that is not whole yet does not get more time by it."""
        super().data_received(data)
        self._watch()

    def on_response_complete(self) -> None:
        """Wait for the next head, of which a part may be here."""
        super().on_response_complete()
        self._watch()

    def connection_lost(self, exc: Exception | None) -> None:
        """Wait for nothing any more."""
        super().connection_lost(exc)
        self._head = _ended(self._head)
        self._reader = _ended(self._reader)

    def pause_writing(self) -> None:
        """The reader has fallen behind."""
        super().pause_writing()
        self._reader = self._reader or self.loop.call_later(self.reader_seconds, self.transport.abort)

    def resume_writing(self) -> None:
        """The reader has caught up."""
        super().resume_writing()
        self._reader = _ended(self._reader)

    def _watch(self) -> None:
        if self.conn.their_state is not h11.IDLE:
            self._head = _ended(self._head)
        elif self._head is None and (self.cycle is None or self.conn.trailing_data[0]):
            self._head = self.loop.call_later(self.head_seconds, self.transport.abort)


def _ended(timer: asyncio.TimerHandle | None) -> asyncio.TimerHandle | None:
    if timer:
        timer.cancel()
    return None
