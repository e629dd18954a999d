"""Wall-clock laps, for the timing block: the one part of a report that differs from run to run."""

import time


class Stopwatch:
    """Measures from its making; each lap is the time since the last."""

    def __init__(self) -> None:
        self.laps: dict[str, float] = {}
        self._last = time.perf_counter()

    def lap(self, name: str) -> None:
        """Note the seconds since the last lap as `<name>_seconds`."""
        now = time.perf_counter()
        self.laps[f"{name}_seconds"] = round(now - self._last, 4)
        self._last = now
