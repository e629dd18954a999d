"""How often something may be done: so many times in so many seconds, for each key."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Hashable
from typing import Final

MOST_KEYS: Final = 50_000


class Pace:
    """A limit. A key is whoever is limited: an address, a name, both."""

    def __init__(self, times: int, seconds: float, clock: Callable[[], float] = time.monotonic) -> None:
        self.times, self.seconds, self._clock = times, seconds, clock
        self._done: dict[Hashable, deque[float]] = {}
        self._lock = threading.Lock()

    def wait(self, key: Hashable) -> int:
        """The whole seconds until a key may do it again; 0 if it may now."""
        now = self._clock()
        with self._lock:
            done = self._done.get(key)
            while done and now - done[0] >= self.seconds:
                done.popleft()
            if not done or len(done) < self.times:
                return 0
            return max(1, round(self.seconds - (now - done[0]) + 0.5))

    def count(self, key: Hashable) -> None:
        """Take down that a key did it."""
        now = self._clock()
        with self._lock:
            if key not in self._done and len(self._done) >= MOST_KEYS:
                self._done = {key: done for key, done in self._done.items() if now - done[-1] < self.seconds}
            if len(self._done) < MOST_KEYS:
                self._done.setdefault(key, deque(maxlen=self.times)).append(now)

    def forget(self, key: Hashable) -> None:
        """A key starts anew."""
        with self._lock:
            self._done.pop(key, None)

    def take(self, key: Hashable) -> int:
        """`wait`, and `count` if there is nothing to wait for."""
        seconds = self.wait(key)
        if not seconds:
            self.count(key)
        return seconds
