"""What a worker gives up before it reads a byte of a candidate's file.

The order: its own folder, descriptors, then limits, then privileges. This is the separate-process tier; stronger ones
put their steps between the descriptors and the limits.
"""

import ctypes
import os
import resource
import sys
from pathlib import Path

from grader.sandbox.limits import MIB, Limits

PR_SET_PDEATHSIG = 1
PR_SET_CHILD_SUBREAPER = 36
PR_SET_NO_NEW_PRIVS = 38
SIGKILL = 9


def enter(limits: Limits, folder: str, channel: int, output: int) -> None:
    """Confine this process to `folder` and to the descriptors `channel` and `output`.

    Args:
        limits: what the submission may use.
        folder: an empty folder of the worker's own.
        channel: the descriptor for requests and replies; it is all that stays open beside the standard three.
        output: the pipe that standard output and error lead to.
    """
    os.chdir(folder)
    os.umask(0o077)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.dup2(output, 1)
    os.dup2(output, 2)
    close_all_but({0, 1, 2, channel})
    set_limits(limits)
    prctl(PR_SET_PDEATHSIG, SIGKILL)
    prctl(PR_SET_NO_NEW_PRIVS, 1)


def close_all_but(kept: set[int]) -> None:
    """Close every descriptor of this process except `kept`."""
    start = 0
    for descriptor in sorted(kept):
        if start < descriptor:  # an empty range that starts at 0 would close everything
            os.closerange(start, descriptor)
        start = descriptor + 1
    os.closerange(start, 1 << 16)


def set_limits(limits: Limits) -> None:
    """Set the kernel's per-process limits, hard and soft.

    Memory is counted on top of what the forked interpreter already maps: a lower ceiling would fail every candidate.
    The CPU limit is a second line behind the examiner's own clock, so it is a little wider than the spec's.
    """
    cpu = int(limits.submission_cpu_seconds * 1.25) + 2
    ceilings = {
        resource.RLIMIT_CORE: 0,
        resource.RLIMIT_CPU: cpu,
        resource.RLIMIT_FSIZE: limits.file_mib * MIB,
        resource.RLIMIT_NOFILE: limits.descriptors,
        resource.RLIMIT_AS: mapped_bytes() + limits.memory_mib * MIB,
    }
    for name, ceiling in ceilings.items():
        _, hard = resource.getrlimit(name)
        if hard != resource.RLIM_INFINITY:
            ceiling = min(ceiling, hard)
        try:
            resource.setrlimit(name, (ceiling, ceiling))
        except (OSError, ValueError):
            if sys.platform == "linux":  # elsewhere some limits exist in name only
                raise


def mapped_bytes() -> int:
    """How much address space this process maps now; 0 where the system does not say."""
    try:
        pages = int(Path("/proc/self/statm").read_text("ascii").split()[0])
    except OSError:
        return 1 << 40
    return pages * resource.getpagesize()


def prctl(option: int, value: int) -> bool:
    """Linux's prctl(2) with one argument; False where there is none."""
    if sys.platform != "linux":
        return False
    return int(ctypes.CDLL(None, use_errno=True).prctl(option, value, 0, 0, 0)) == 0
