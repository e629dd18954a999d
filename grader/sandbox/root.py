"""The minimal root: a small tmpfs with read-only views of what a worker may read, entered for good.

The zygote builds it once, in a mount namespace of its own; every worker is forked inside it.
"""

from __future__ import annotations

import ctypes
import os
from pathlib import Path
from typing import Final

from grader.sandbox import kernel, paths

MS_NOSUID, MS_NODEV, MS_NOEXEC = 2, 4, 8
MS_BIND, MS_REC, MS_PRIVATE = 1 << 12, 1 << 14, 1 << 18
MNT_DETACH: Final = 2
AT_FDCWD: Final = -100
AT_RECURSIVE: Final = 0x8000
ATTR_RDONLY, ATTR_NOSUID, ATTR_NODEV = 1, 2, 4
SCAFFOLD: Final = "/tmp"  # any folder will do to mount on: only this namespace sees it
FOLDER: Final = "/worker"  # where, in the new root, each worker gets an empty folder of its own
PASSWD: Final = "nobody:x:65534:65534:nobody:/worker:/nonexistent\n"


def enter() -> None:
    """Build the root and make it this process's. It needs CAP_SYS_ADMIN over a mount namespace of its own.

    Raises:
        OSError: a step was refused; then nothing is promised about the state, and the process has to end.
    """
    readable = paths.readable()
    covered = paths.hidden(readable)
    kernel.mount("none", "/", "", MS_REC | MS_PRIVATE)
    # What is bound has to be opened before the scaffold covers it.
    sources = {path: os.open(os.path.realpath(path), os.O_PATH | os.O_CLOEXEC) for path in (*readable, *paths.DEVICES)}
    kernel.mount("root", SCAFFOLD, "tmpfs", MS_NOSUID | MS_NODEV, "size=1m,nr_inodes=512,mode=755")
    for path, descriptor in sources.items():
        _bind(descriptor, path)
        os.close(descriptor)
    for place in covered:
        kernel.mount("none", SCAFFOLD + place, "tmpfs", MS_NOSUID | MS_NODEV, "size=4k,nr_inodes=2,mode=555")
    _write("/etc/passwd", PASSWD)
    Path(SCAFFOLD + FOLDER).mkdir(exist_ok=True)
    Path(SCAFFOLD + "/dev/shm").symlink_to(FOLDER)  # POSIX shared memory is then a file of the worker's own
    _set_attributes(SCAFFOLD, ATTR_RDONLY | ATTR_NOSUID)
    for path in readable:
        _set_attributes(SCAFFOLD + path, ATTR_NODEV)
    os.chdir(SCAFFOLD)
    kernel.call("pivot_root", b".", b".")
    kernel.unmount(".", MNT_DETACH)
    os.chdir("/")


def _bind(descriptor: int, path: str) -> None:
    target = Path(SCAFFOLD + path)
    target.parent.mkdir(parents=True, exist_ok=True)
    source = f"/proc/self/fd/{descriptor}"
    if os.path.isdir(source):  # noqa: PTH112 - follows the link of the descriptor
        target.mkdir(exist_ok=True)
    else:
        target.touch()
    kernel.mount(source, str(target), "", MS_BIND | MS_REC)


def _write(path: str, text: str) -> None:
    target = Path(SCAFFOLD + path)
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(text, "ascii")


def _set_attributes(path: str, attributes: int) -> None:
    """Add mount attributes to a mount and all below it; unlike a remount this keeps what is locked."""
    wanted = (ctypes.c_uint64 * 4)(attributes, 0, 0, 0)
    kernel.call("mount_setattr", AT_FDCWD, path.encode(), AT_RECURSIVE, ctypes.byref(wanted), ctypes.sizeof(wanted))


def mount_folder(size_mib: int, owner: int) -> None:
    """Give this mount namespace an empty folder at FOLDER, of limited size, for `owner`."""
    options = f"size={size_mib}m,nr_inodes=1024,mode=700,uid={owner},gid={owner}"
    kernel.mount("folder", FOLDER, "tmpfs", MS_NOSUID | MS_NODEV | MS_NOEXEC, options)
