"""The isolation tiers, strongest first, and which one is active: never assumed, always probed in a real worker.

The probe submission (probe.py) reports what it finds; `probes` turns that into named promises, each kept or not.
In this version workers are separate processes, so that is the only tier there is.
"""

from __future__ import annotations

import inspect
import os
from enum import StrEnum
from typing import Any

from grader.errors import GraderFault
from grader.sandbox import probe


class Tier(StrEnum):
    """How much stands between a candidate's code and the machine."""

    SEALED = "sealed"
    CONFINED = "confined"
    EXTERNAL = "external"
    SEPARATE_PROCESS = "separate-process"


PROBE_SOURCE = inspect.getsource(probe)

# What each promise of the separate-process tier means, in words for people.
PROMISES = {
    "separate process": "the candidate's code runs in a process of its own",
    "clean environment": "it sees no variable of yours",
    "closed descriptors": "it holds no file or socket but its own channel and output",
    "empty folder": "it starts in an empty folder, which is removed afterwards",
    "limits": "memory, CPU time, file size and descriptors are limited by the kernel",
}

# What stays open in this tier; the doctor says so.
OPEN = (
    "files that your account can read, and write",
    "the network",
    "signals to other processes of your account",
)

OURS = {"LANG", "LC_CTYPE", "MKL_NUM_THREADS", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "PYTHONHASHSEED"}


def probes(facts: dict[str, Any]) -> dict[str, bool]:
    """Each promise of the tier, and whether the facts that a worker reported bear it out."""
    try:
        return {
            "separate process": facts["pid"] != os.getpid(),
            "clean environment": {*facts["environment"]} <= OURS,
            "closed descriptors": len(facts["descriptors"]) <= 4,
            "empty folder": facts["folder"] == [],
            "limits": all(facts["limits"].values()),
        }
    except (KeyError, TypeError, AttributeError) as error:
        raise GraderFault("the probe of the isolation gave no facts", found=repr(error)) from None


def active(kept: dict[str, bool]) -> Tier:
    """The tier that the probes show.

    Raises:
        GraderFault: not even the weakest tier holds.
    """
    broken = [name for name, holds in kept.items() if not holds]
    if broken:
        raise GraderFault("the isolation of workers does not hold on this machine", found=", ".join(broken))
    return Tier.SEPARATE_PROCESS
