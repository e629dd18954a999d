"""What each tier promises, as named probes, and the tier that a set of kept promises amounts to."""

from __future__ import annotations

import inspect
import os
from dataclasses import dataclass
from typing import Any, Final

from grader.errors import GraderFault
from grader.sandbox import probe
from grader.sandbox.tiers import Tier

PROBE_SOURCE: Final = inspect.getsource(probe)
OURS: Final = {
    *("LANG", "LC_CTYPE", "MKL_NUM_THREADS", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "PYTHONHASHSEED"),
    "TORCHDYNAMO_DISABLE",
}


@dataclass(frozen=True, slots=True)
class Promise:
    """One thing that a worker can't do, the weakest tier that says so, and what it means for the user."""

    name: str
    tier: Tier
    kept: str
    open: str


PROMISES: Final = (
    Promise(
        "separate process",
        Tier.SEPARATE_PROCESS,
        "the candidate's code runs in a process of its own",
        "the candidate's code shares a process with the verdict",
    ),
    Promise(
        "clean environment",
        Tier.SEPARATE_PROCESS,
        "it sees no variable of yours",
        "it sees your environment variables, tokens included",
    ),
    Promise(
        "closed descriptors",
        Tier.SEPARATE_PROCESS,
        "it holds no file or socket but its own channel and output",
        "it holds open files or sockets of yours",
    ),
    Promise(
        "empty folder",
        Tier.SEPARATE_PROCESS,
        "it starts in an empty folder, which is removed afterwards",
        "it starts among other files",
    ),
    Promise(
        "limits",
        Tier.SEPARATE_PROCESS,
        "memory, CPU time, file size and descriptors are limited by the kernel",
        "it can use up memory, CPU time, disk or descriptors",
    ),
    Promise("reading files", Tier.CONFINED, "it can't open your files", "it can read every file that you can"),
    Promise(
        "writing files",
        Tier.CONFINED,
        "it can write only into its own folder",
        "it can change and delete every file that you can",
    ),
    Promise(
        "changing modes",
        Tier.CONFINED,
        "it can't change modes, owners or times of files",
        "it can change modes, owners and times of your files",
    ),
    Promise("network", Tier.CONFINED, "it can't make a socket of any kind", "it can reach the network"),
    Promise("signals", Tier.CONFINED, "it can't signal your processes", "it can stop and kill your processes"),
    Promise(
        "processes",
        Tier.CONFINED,
        "it can't start a process: threads are all that it may start",
        "it can start processes, though none outlives the run",
    ),
    Promise("programs", Tier.CONFINED, "it can't run a program", "it can run any program that you can"),
    Promise(
        "kernel surface",
        Tier.CONFINED,
        "memory files, shared memory, keyrings, tracing, io_uring, namespaces and the page cache are refused",
        "it reaches memory files, shared memory, keyrings, tracing, io_uring, namespaces and the page cache",
    ),
    Promise(
        "privileges",
        Tier.CONFINED,
        "it has no capability, can gain none, and its system calls are filtered",
        "it has the privileges that you have",
    ),
    Promise(
        "seeing files",
        Tier.SEALED,
        "your files do not exist for it, not even by name and size",
        "it can see the names, sizes and times of your files, but not open them",
    ),
    Promise(
        "seeing processes",
        Tier.SEALED,
        "your processes do not exist for it",
        "it can see which processes run",
    ),
)


def probes(facts: dict[str, Any]) -> dict[str, bool]:
    """Each promise of every tier, and whether the facts that a worker reported bear it out.

    Raises:
        GraderFault: the facts are not what the probe submission gives.
    """
    try:
        refused, privileges = dict(facts["refused"]), facts["privileges"]
        surface = (
            *("hidden files", "shared memory", "keyrings", "tracing", "io_uring", "namespaces"),
            *("page cache", "watching files"),
        )
        kept = {
            "separate process": facts["pid"] != os.getpid(),
            "clean environment": {*facts["environment"]} <= OURS,
            "closed descriptors": len(facts["descriptors"]) <= 4,
            "empty folder": facts["folder"] == [],
            "limits": all(facts["limits"].values()),
            "kernel surface": all(refused.pop(name) for name in surface),
            "privileges": privileges["no new privileges"] and privileges["filter"] and not privileges["capabilities"],
            **refused,
        }
        return {promise.name: kept[promise.name] is True for promise in PROMISES}
    except (KeyError, TypeError, AttributeError) as error:
        raise GraderFault("the probe of the isolation gave no facts", found=repr(error)) from None


def tier_of(kept: dict[str, bool]) -> Tier:
    """The strongest tier all of whose promises are kept.

    Raises:
        GraderFault: not even the weakest tier holds.
    """
    for tier in (Tier.SEALED, Tier.CONFINED, Tier.SEPARATE_PROCESS):
        if all(kept[promise.name] for promise in PROMISES if tier.reaches(promise.tier)):
            return tier
    broken = [promise.name for promise in PROMISES if promise.tier is Tier.SEPARATE_PROCESS and not kept[promise.name]]
    raise GraderFault("the isolation of workers does not hold on this machine", found=", ".join(broken))
