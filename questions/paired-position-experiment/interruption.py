"""A `report` for run_experiment that breaks the experiment off, as a power cut would."""

from typing import Any


class BrokenOff(Exception):
    """The experiment was broken off."""


class StopAfter:
    """Notes each entry that is reported, and raises BrokenOff on the one of this number; 0 never does."""

    def __init__(self, entries: int) -> None:
        self.entries = entries
        self.notes: list[tuple[str, int, int]] = []

    def __call__(self, arm: str, seed: int, entry: dict[str, Any]) -> None:
        self.notes.append((arm, seed, entry["step"]))
        if len(self.notes) == self.entries:
            raise BrokenOff(f"broken off after {self.entries} entries")

    def noted(self) -> list[tuple[str, int, int]]:
        """Return (arm, seed, step) of each entry so far, oldest first."""
        return list(self.notes)
