"""What a team says of itself in each packet: the table `[packet]` of grader.toml, and options that go before it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from grader import bank
from grader.errors import CallError
from grader.results.manifest import KEPT_DAYS

TABLE: Final = "packet"
KINDS: Final = {"contact": str, "seen_by": str, "retain_days": int, "key": str}


@dataclass(frozen=True)
class Settings:
    """What stands in README.md beyond the question.

    Attributes:
        contact: whom to ask and where to send the answer; empty for whoever sent the packet.
        seen_by: who sees what a candidate sends.
        retain_days: for how many days it is kept.
        key: the file of the key that signs variants; empty for one among the person's own settings. It is in no packet.
    """

    contact: str = ""
    seen_by: str = "the people who decide on this application, and nobody else"
    retain_days: int = KEPT_DAYS
    key: str = ""

    def but(self, **changes: Any) -> Settings:
        """These settings with those changed that are not None."""
        return replace(self, **{name: value for name, value in changes.items() if value is not None})

    @classmethod
    def find(cls, start: Path) -> Settings:
        """Those of the nearest grader.toml at or above `start`.

        Raises:
            CallError: the file is not one, or a setting is not what it should be.
        """
        found = bank.settings(start)
        if found is None:
            return cls()
        config, every = found
        table = every.get(TABLE, {})
        if not isinstance(table, dict):
            raise CallError(f"`{TABLE}` is not a table", where=str(config), found=repr(table))
        for name, value in table.items():
            if name not in KINDS:
                raise CallError(
                    "there is no such setting", where=str(config), found=f"{TABLE}.{name}", expected=" or ".join(KINDS)
                )
            if type(value) is not KINDS[name] or (isinstance(value, int) and value < 1):
                raise CallError(
                    f"{TABLE}.{name} is wrong",
                    where=str(config),
                    found=repr(value),
                    expected="a number of days" if KINDS[name] is int else "text",
                )
        if table.get("key"):
            table = {**table, "key": str(config.parent / table["key"])}
        return cls(**table)
