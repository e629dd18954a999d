"""The weights of the second reader: a few numbers, fitted by `python -m benchmarks.second_reader`."""

from __future__ import annotations

import functools
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np

from grader.errors import GraderFault
from grader.reread.likeness import Matrix
from grader.reread.signals import SIGNALS

FILE: Final = Path(__file__).with_name("weights.json")
SCHEMA: Final = "takehome-grader/second-reader/1"


@dataclass(frozen=True)
class Weight:
    """What a signal counts: `weight` for each unit that it lies above what is `usual`."""

    usual: float
    weight: float


@dataclass(frozen=True)
class Weights:
    """One weight for each signal, and where they are from.

    Attributes:
        of: by signal, in the order of SIGNALS.
        provenance: data, licence, and how they were fitted.
    """

    of: Mapping[str, Weight]
    provenance: Mapping[str, Any]

    def parts(self, signals: Matrix) -> Matrix:
        """What each signal adds to the suspicion against each grade, (n, len(SIGNALS))."""
        usual = np.array([self.of[name].usual for name in SIGNALS])
        weight = np.array([self.of[name].weight for name in SIGNALS])
        return np.asarray((signals - usual) * weight)

    def text(self) -> str:
        """The text of weights.json."""
        signals = {name: asdict(self.of[name]) for name in SIGNALS}
        body = {"schema": SCHEMA, "signals": signals, "provenance": dict(self.provenance)}
        return json.dumps(body, indent=2) + "\n"

    @classmethod
    def read(cls, path: Path = FILE) -> Weights:
        """The weights of a file.

        Raises:
            GraderFault: they are not there, or not for these signals.
        """
        try:
            body = json.loads(path.read_bytes())
            signals = {name: Weight(**each) for name, each in body["signals"].items()}
            found = cls(signals, body["provenance"])
        except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
            raise GraderFault(
                "the weights of the second reader can't be read", where=path.name, found=str(error)
            ) from None
        if body.get("schema") != SCHEMA or tuple(signals) != SIGNALS:
            raise GraderFault(
                "these weights are of another second reader",
                where=path.name,
                found=", ".join(signals),
                expected=", ".join(SIGNALS),
                next_step="Run `python -m benchmarks.second_reader --saf PATH` to fit them again.",
            )
        return found


@functools.cache
def shipped() -> Weights:
    """The weights that come with the grader."""
    return Weights.read()
