"""Confinement of workers.

Theory of operation. Four processes and four descriptors are involved (worker/__init__.py draws them): the zygote, the
keeper and the worker on this side; the examiner, which holds the other ends of channel, leash and output. Confinement
happens in three places, each before any byte of a candidate's file is read:

1. `prepare`, in the zygote, once, after torch is imported and while there is one thread. As an ordinary user it enters
   a user namespace, in which it may do the rest; as root it needs none. In a mount namespace of its own it builds the
   minimal root (root.py) and moves in for good: the user's files are gone from here on. Where the system refuses, a
   `Plan` without namespaces remains, and says why.
2. `separate`, in each keeper: new pid, network, IPC, host-name and mount namespaces. The keeper then forks itself once
   more, since only a child enters the new pid namespace; that child is its pid 1, and when it ends, all in it ends.
3. `enter`, in each worker, in this order: its folder; standard streams, and every other descriptor closed but the
   channel; limits; user and group (nobody, when started as root), all capabilities, and the right to gain any;
   Landlock; last the system-call filter, which forbids most of what came before.

Each step that the plan holds has to succeed, or the worker never starts. The tier that is reported is not the plan but
what a probe submission finds (isolation.py).
"""

from __future__ import annotations

import ctypes
import os
import resource
import struct
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from grader.sandbox import kernel, landlock, paths, root, seccomp
from grader.sandbox.limits import MIB, Limits
from grader.sandbox.tiers import Tier

NEW_MOUNTS, NEW_NAMES, NEW_IPC, NEW_USER, NEW_PIDS, NEW_NETWORK = (1 << bit for bit in (17, 26, 27, 28, 29, 30))
PR_SET_PDEATHSIG: Final = 1
PR_SET_DUMPABLE: Final = 4
PR_CAPBSET_DROP: Final = 24
PR_SET_CHILD_SUBREAPER: Final = 36
PR_SET_NO_NEW_PRIVS: Final = 38
PR_CAP_AMBIENT: Final = 47
PR_CAP_AMBIENT_CLEAR_ALL: Final = 4
SIGKILL: Final = 9
NOBODY: Final = 65534
CAPABILITIES: Final = 64  # more than any kernel has


@dataclass(frozen=True, slots=True)
class Plan:
    """What is done to each worker.

    Attributes:
        namespaces: namespaces of its own, inside the minimal root.
        filters: Landlock and the system-call filter.
        owner: the user and group that it runs as; None to stay who started it.
        readable: what Landlock leaves to read.
        mapped: bytes of address space that the zygote maps, which every worker starts with.
        missing: why a stronger plan was not possible, in words.
    """

    namespaces: bool
    filters: bool
    owner: int | None
    readable: tuple[str, ...]
    mapped: int
    missing: tuple[str, ...]


def prepare(strongest: Tier) -> Plan:
    """Ready the zygote for workers of at most the tier `strongest`, as strong as the system allows."""
    mapped = mapped_bytes()
    missing: list[str] = []
    readable = tuple(paths.readable())
    filters = strongest.reaches(Tier.CONFINED) and _filters_work(missing)
    namespaces = filters and strongest is Tier.SEALED and _move_in(missing)
    owner = NOBODY if os.geteuid() == 0 and filters and _readable_by_nobody() else None
    return Plan(namespaces, filters, owner, readable, mapped, tuple(missing))


def _filters_work(missing: list[str]) -> bool:
    if kernel.MACHINE not in seccomp.AUDIT_ARCH or sys.platform != "linux":
        missing.append(f"the system-call filter knows no {sys.platform} on {kernel.MACHINE}")
    elif not landlock.abi():
        missing.append("the kernel has no Landlock, or has it switched off (it needs Linux 5.13 and lsm=landlock)")
    return not missing


def _move_in(missing: list[str]) -> bool:
    """Enter the minimal root. It is tried in a child first, since a failure half-way can't be undone."""
    child = os.fork()
    if child == 0:
        code = 1
        try:
            _build()
            separate()
            code = 0
        except OSError as error:
            code = error.errno or 1
        finally:
            os._exit(code)
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    if code != 0:
        missing.append(f"namespaces for workers are refused here ({os.strerror(code) if code > 0 else 'killed'})")
        return False
    _build()
    return True


def _build() -> None:
    user, group = os.geteuid(), os.getegid()
    try:
        kernel.unshare(NEW_MOUNTS)  # allowed to root, and simpler than a user namespace
    except PermissionError:
        kernel.unshare(NEW_USER | NEW_MOUNTS)
        Path("/proc/self/setgroups").write_text("deny", "ascii")
        Path("/proc/self/uid_map").write_text(f"{NOBODY} {user} 1", "ascii")
        Path("/proc/self/gid_map").write_text(f"{NOBODY} {group} 1", "ascii")
    root.enter()


def separate() -> None:
    """Give the next child of this process namespaces of its own."""
    kernel.unshare(NEW_PIDS | NEW_NETWORK | NEW_IPC | NEW_NAMES | NEW_MOUNTS)


def _readable_by_nobody() -> bool:
    """Whether this process can become nobody, who could import what is still to be imported.

    A private home folder may be in the way; and root of a user namespace, as in a rootless container, is alone there.
    """
    child = os.fork()
    if child == 0:
        status = 1
        try:
            os.setgroups([])
            os.setresgid(NOBODY, NOBODY, NOBODY)
            os.setresuid(NOBODY, NOBODY, NOBODY)
            needed = [module.__file__ for module in (sys.modules["os"], sys.modules["torch"], sys.modules["numpy"])]
            status = 0 if all(file and os.access(file, os.R_OK) for file in needed) else 1
        finally:
            os._exit(status)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def make_folder(plan: Plan, limits: Limits) -> str:
    """An empty folder for a worker, made by its keeper."""
    if plan.namespaces:
        root.mount_folder(limits.file_mib * 4, os.geteuid() if plan.owner is None else plan.owner)
        return root.FOLDER
    folder = tempfile.mkdtemp(prefix=f"worker-{os.getppid()}-")
    if plan.owner is not None:
        os.chown(folder, plan.owner, plan.owner)
    return folder


def enter(plan: Plan, limits: Limits, folder: str, channel: int, output: int) -> None:
    """Confine this process, a worker, before it reads its first request.

    Args:
        plan: what is to be done.
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
    set_limits(limits, plan.mapped)
    if sys.platform != "linux":
        return
    kernel.prctl(PR_SET_PDEATHSIG, SIGKILL)
    kernel.prctl(PR_SET_NO_NEW_PRIVS, 1)
    if plan.filters:
        drop_privileges(plan.owner)
        landlock.restrict((*plan.readable, *paths.SYSTEM_FILES), paths.DEVICES, ".")
        seccomp.install()


def drop_privileges(owner: int | None) -> None:
    """Become `owner`, and give up every capability for good."""
    for capability in range(CAPABILITIES):
        try:
            kernel.prctl(PR_CAPBSET_DROP, capability)
        except OSError:  # not root, who has none to drop, or the number is past the kernel's last
            break
    kernel.prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL)
    if owner is not None:
        os.setgroups([])
        os.setresgid(owner, owner, owner)
        os.setresuid(owner, owner, owner)
    header = ctypes.create_string_buffer(struct.pack("<Ii", 0x20080522, 0))  # version 3, this process
    kernel.call("capset", ctypes.byref(header), ctypes.byref(ctypes.create_string_buffer(24)))
    kernel.prctl(PR_SET_DUMPABLE, 0)  # its memory is nobody else's to read; after setuid this is so anyway
    kernel.prctl(PR_SET_PDEATHSIG, SIGKILL)  # a change of user clears it


def close_all_but(kept: set[int]) -> None:
    """Close every descriptor of this process except `kept`."""
    start = 0
    for descriptor in sorted(kept):
        if start < descriptor:  # an empty range that starts at 0 would close everything
            os.closerange(start, descriptor)
        start = descriptor + 1
    os.closerange(start, 1 << 16)


def set_limits(limits: Limits, mapped: int) -> None:
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
        resource.RLIMIT_AS: mapped + limits.memory_mib * MIB,
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
    """How much address space this process maps now; a great deal where the system does not say."""
    try:
        pages = int(Path("/proc/self/statm").read_text("ascii").split()[0])
    except OSError:
        return 1 << 40
    return pages * resource.getpagesize()
