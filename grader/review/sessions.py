"""Who is signed in: a random name in a cookie, of which the room keeps a digest, and what it stands for.

Sessions are kept in memory. A room that is started again has everybody sign in again; what they typed is in their
drafts.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

IDLE_SECONDS: Final = 4 * 3600.0
LIFE_SECONDS: Final = 16 * 3600.0
MOST: Final = 10_000


@dataclass
class Session:
    """One browser of one person.

    Attributes:
        who: the person's name.
        csrf: what a form of this session has to bring back.
        began, used: when it was opened and last used, by the clock of `Sessions`.
    """

    who: str
    began: float
    used: float
    csrf: str = field(default_factory=lambda: secrets.token_urlsafe(32))


class Sessions:
    """The sessions of a room. `clock` gives seconds."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._open: dict[str, Session] = {}
        self._lock = threading.Lock()
        self._key = secrets.token_bytes(32)

    def open(self, who: str, instead_of: str = "") -> str:
        """A new session, and the text for its cookie. The one that the browser had before is over."""
        now, cookie = self._clock(), secrets.token_urlsafe(32)
        with self._lock:
            self._open.pop(_digest(instead_of), None)
            self._open = {key: each for key, each in self._open.items() if not _is_over(each, now)}
            while len(self._open) >= MOST:
                del self._open[min(self._open, key=lambda key: self._open[key].used)]
            self._open[_digest(cookie)] = Session(who, now, now)
        return cookie

    def find(self, cookie: str) -> Session | None:
        """The session of a cookie; None if it was never opened here, or is over."""
        now = self._clock()
        with self._lock:
            found = self._open.get(_digest(cookie))
            if found is None or _is_over(found, now):
                return None
            found.used = now
            return found

    def close(self, cookie: str) -> None:
        """End the session of a cookie."""
        with self._lock:
            self._open.pop(_digest(cookie), None)

    def before(self, nonce: str) -> str:
        """What the form to sign in has to bring back, for a browser that has a nonce and no session yet."""
        return hmac.new(self._key, nonce.encode("utf-8", "surrogatepass"), "sha256").hexdigest()


def _is_over(session: Session, now: float) -> bool:
    return now - session.used > IDLE_SECONDS or now - session.began > LIFE_SECONDS


def _digest(cookie: str) -> str:
    return hashlib.sha256(cookie.encode("utf-8", "surrogatepass")).hexdigest()
