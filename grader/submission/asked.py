"""What a question asks for, as far as the reading of a submission goes: plain data that also travels in a packet."""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Wanted:
    """Something that a submission has to define.

    Attributes:
        name: its name at the top level of solution.py.
        kind: "function" or "class"; empty where either will do.
        signature: its parameters, as in "(max_len, d_model)"; empty where nothing is asked of them.
        methods: for a class, each method's parameters without self.
    """

    name: str
    kind: str = ""
    signature: str = ""
    methods: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Asked:
    """What a question asks for.

    Attributes:
        question: its id; empty where it does not matter.
        version: its version.
        defines: what a submission has to define.
        support: the question's own modules, which are no solution whatever they are called.
        imports: modules beyond NumPy, torch and the standard library that a solution may import.
        suite: the name of the file of the candidate's own tests, if the question asks for some.
        given: the files of the packet that a candidate leaves as they came, each with its `fingerprint`.
        python: the Python that grades, as (major, minor).
    """

    question: str = ""
    version: int = 0
    defines: tuple[Wanted, ...] = ()
    support: tuple[str, ...] = ()
    imports: tuple[str, ...] = ()
    suite: str | None = None
    given: Mapping[str, str] = field(default_factory=dict)
    python: tuple[int, int] = sys.version_info[:2]

    @classmethod
    def from_fields(cls, fields: Mapping[str, Any]) -> Asked:
        """What `dataclasses.asdict` took apart, after a way through JSON."""
        return cls(
            **{
                **fields,
                "defines": tuple(Wanted(**each) for each in fields["defines"]),
                "support": tuple(fields["support"]),
                "imports": tuple(fields["imports"]),
                "python": tuple(fields["python"]),
            }
        )


def fingerprint(raw: bytes) -> str:
    """SHA-256 of a text file, whichever line endings it went through on its way."""
    return hashlib.sha256(raw.replace(b"\r\n", b"\n")).hexdigest()
