"""Who may do what in the review room."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

ROLES: Final = ("interviewer", "panel", "admin")

# What there is to do, and the roles that may.
ACTS: Final = {
    "read": frozenset(ROLES),
    "mark": frozenset({"interviewer", "panel"}),
    "export": frozenset(ROLES),
    "upload": frozenset({"interviewer", "admin"}),
    "log": frozenset({"admin"}),
}


@dataclass(frozen=True)
class Person:
    """Somebody who is in the room. `name` is what their marks are signed with."""

    name: str
    roles: frozenset[str]


def may(person: Person, act: str) -> bool:
    """Whether a person's roles allow an act of `ACTS`."""
    return bool(person.roles & ACTS[act])
