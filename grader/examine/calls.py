"""What a check asked of a submission, kept until the check has ended: for pointing at its code, and for pictures."""

from __future__ import annotations

import base64
from collections import deque
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np

from grader import wire
from grader.wire import Ref

REMEMBERED: Final = 16  # tables of one check
LARGEST: Final = 256 << 10  # bytes of the arguments of a call that is made again


@dataclass(frozen=True, slots=True)
class Call:
    """A call of one of the submission's functions; the arguments are as they crossed."""

    path: str
    label: str
    arguments: dict[str, Any]
    result: Any

    def packed(self) -> str:
        """The call as text, for another process; empty where it can't be made elsewhere."""
        if _refers(self.arguments):
            return ""
        try:
            frame = b"".join(wire.encode({"path": self.path, **self.arguments}, LARGEST))
        except wire.ProtocolError:
            return ""
        return base64.b64encode(frame).decode("ascii")


@dataclass(slots=True)
class Calls:
    """What one check asked of a submission: the definitions it used, in order, and the last tables that came back."""

    names: dict[str, None] = field(default_factory=dict)
    tables: deque[Call] = field(default_factory=lambda: deque(maxlen=REMEMBERED))

    def note(self, call: Call) -> None:
        """Remember a call, if it gave a table."""
        result = call.result
        if isinstance(result, np.ndarray) and result.ndim == 2 and result.dtype.kind in "iuf":
            self.tables.append(call)


def _refers(value: Any) -> bool:
    """Whether a wire value holds an object that stayed in its worker."""
    match value:
        case Ref():
            return True
        case list() | tuple():
            return any(map(_refers, value))
        case dict():
            return any(map(_refers, value.values()))
    return False
