"""Landlock: which files a process may open, and that it reaches no TCP port, abstract socket or process outside.

See Documentation/userspace-api/landlock.rst of the kernel; the constants are those of linux/landlock.h.
"""

from __future__ import annotations

import ctypes
import os
from collections.abc import Iterable
from typing import Final

from grader.sandbox import kernel

READ_FILE: Final = 1 << 2
READ_DIR: Final = 1 << 3
WRITE_FILE: Final = 1 << 1
TRUNCATE: Final = 1 << 14
REMOVE: Final = 1 << 4 | 1 << 5
MAKE_DIR: Final = 1 << 7
MAKE_REG: Final = 1 << 8
REFER: Final = 1 << 13

FS_RIGHTS: Final = {1: 13, 2: 14, 3: 15, 5: 16}  # from an ABI on, how many rights on files there are
NET_FROM: Final = 4
SCOPE_FROM: Final = 6
READABLE: Final = READ_FILE | READ_DIR
DEVICE: Final = READ_FILE | WRITE_FILE
OWN: Final = READABLE | WRITE_FILE | TRUNCATE | REMOVE | MAKE_DIR | MAKE_REG | REFER
CREATE_RULESET_VERSION: Final = 1
RULE_PATH_BENEATH: Final = 1


def abi() -> int:
    """The version that the kernel offers; 0 where it has none, or has it switched off."""
    try:
        return kernel.call("landlock_create_ruleset", None, 0, CREATE_RULESET_VERSION)
    except OSError:
        return 0


def restrict(readable: Iterable[str], devices: Iterable[str], folder: str) -> None:
    """Leave this process `readable` to read, `devices` to use, and `folder` to work in. It needs no privilege.

    A path that does not exist is passed over: what is not there needs no rule.
    """
    version = abi()
    handled = (1 << max(count for since, count in FS_RIGHTS.items() if since <= version)) - 1
    attributes = (ctypes.c_uint64 * 3)(handled, 3 if version >= NET_FROM else 0, 3 if version >= SCOPE_FROM else 0)
    size = 24 if version >= SCOPE_FROM else 16 if version >= NET_FROM else 8
    ruleset = kernel.call("landlock_create_ruleset", ctypes.byref(attributes), size, 0)
    try:
        for rights, paths in ((READABLE, readable), (DEVICE, devices), (OWN, [folder])):
            for path in paths:
                _allow(ruleset, path, rights & handled)
        kernel.call("landlock_restrict_self", ruleset, 0)
    finally:
        os.close(ruleset)


def _allow(ruleset: int, path: str, rights: int) -> None:
    try:
        beneath = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except (FileNotFoundError, PermissionError):
        return
    try:
        if not os.path.isdir(path):  # noqa: PTH112 - os alone, on the way into the sandbox
            rights &= READ_FILE | WRITE_FILE | TRUNCATE
        rule = ctypes.create_string_buffer(rights.to_bytes(8, "little") + beneath.to_bytes(4, "little"), 12)
        kernel.call("landlock_add_rule", ruleset, RULE_PATH_BENEATH, ctypes.byref(rule), 0)
    finally:
        os.close(beneath)
