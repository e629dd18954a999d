"""A submission of our own, graded like any other: it tries what a candidate's code must not be able to do.

The text of this file is what is sent, so it stands alone. What follows from the facts is decided in isolation.py.
"""

import ctypes
import errno
import os
import platform
import resource
import socket
from collections.abc import Callable
from typing import Any

LIBC = ctypes.CDLL(None, use_errno=True)
ARM = platform.machine() == "aarch64"
REFUSED = (errno.EPERM, errno.ENOSYS, errno.EACCES)


def facts(canary: str, outsider: int) -> dict[str, Any]:
    """What was refused.

    Args:
        canary: a file of the user's, world-readable, that a worker has no business with.
        outsider: the pid of a process of the user's that is not the worker's.
    """
    return {
        "pid": os.getpid(),
        "environment": sorted(os.environ),
        "descriptors": [number for number in range(256) if is_open(number)],
        "folder": sorted(os.listdir(".")),  # noqa: PTH208 - os alone, so that nothing else has to load
        "limits": limits(),
        "refused": {
            "reading files": refused(lambda: os.close(os.open(canary, os.O_RDONLY))),
            "seeing files": refused(lambda: os.stat(canary)),  # noqa: PTH116
            "writing files": refused(lambda: os.close(os.open(canary, os.O_WRONLY)))
            and refused(lambda: os.close(os.open("/var/tmp/left-behind", os.O_WRONLY | os.O_CREAT))),
            "changing modes": refused(lambda: os.chmod(canary, 0o600)),  # noqa: PTH101
            "network": refused(lambda: socket.socket(socket.AF_INET, socket.SOCK_DGRAM))
            and refused(lambda: socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)),
            "signals": refused(lambda: os.kill(outsider, 0)),
            "seeing processes": refused(lambda: os.stat(f"/proc/{outsider}")),  # noqa: PTH116
            "processes": refused(fork),
            "programs": call_refused(281 if ARM else 322, -1, None, None, None, 0),  # execveat
            "hidden files": refused(lambda: os.close(os.memfd_create("probe"))),
            "shared memory": call_refused(194 if ARM else 29, 0, 4096, 0o600),  # shmget
            "keyrings": call_refused(219 if ARM else 250, 0, -4, 0),  # keyctl
            "tracing": call_refused(117 if ARM else 101, 0, 0, 0, 0),  # ptrace(TRACEME)
            "io_uring": call_refused(425, 0, 0),
            "page cache": call_refused(223 if ARM else 221, -1, 0, 0, 0),  # fadvise64
            "watching files": call_refused(27 if ARM else 254, -1, None, 0),  # inotify_add_watch
            "namespaces": call_refused(97 if ARM else 272, 0),  # unshare
        },
        "privileges": {
            "user": os.geteuid(),
            "capabilities": any(LIBC.prctl(24, number, 0, 0, 0) == 0 for number in range(3)),
            "no new privileges": LIBC.prctl(39, 0, 0, 0, 0) == 1,
            "filter": LIBC.prctl(21, 0, 0, 0, 0) == 2,
        },
    }


def is_open(number: int) -> bool:
    """Whether a descriptor is open."""
    return not refused(lambda: os.fstat(number))


def refused(attempt: Callable[[], Any]) -> bool:
    """Whether an attempt fails with an error of the system."""
    try:
        attempt()
    except OSError:
        return True
    return False


def call_refused(number: int, *arguments: Any) -> bool:
    """Whether a system call is refused for what it is, before the kernel looks at the arguments."""
    plain = [ctypes.c_long(each) if isinstance(each, int) else each for each in arguments]
    return LIBC.syscall(ctypes.c_long(number), *plain) == -1 and ctypes.get_errno() in REFUSED


def fork() -> None:
    """Fork a child that ends at once."""
    child = os.fork()
    if child == 0:
        os._exit(0)
    os.waitpid(child, 0)


def limits() -> dict[str, bool]:
    """Which of the kernel's limits are set."""
    return {
        "memory": resource.getrlimit(resource.RLIMIT_AS)[1] != resource.RLIM_INFINITY,
        "cpu": resource.getrlimit(resource.RLIMIT_CPU)[1] != resource.RLIM_INFINITY,
        "file size": resource.getrlimit(resource.RLIMIT_FSIZE)[1] != resource.RLIM_INFINITY,
        "descriptors": resource.getrlimit(resource.RLIMIT_NOFILE)[1] <= 256,
        "core": resource.getrlimit(resource.RLIMIT_CORE)[1] == 0,
    }
