"""Runs a command as somebody else, or with less: `python tests/launch.py [--user] [--no-namespaces] COMMAND …`.

`--user` becomes an ordinary user without any privilege; folders that are private to root and in the way of the
interpreter are replaced, in a mount namespace of this process's own, by empty ones that lead to it. `--no-namespaces`
refuses unshare(2), as Docker's default profile does. Needs root; the tests skip where it is missing.
"""

from __future__ import annotations

import argparse
import ctypes
import os
import struct
import sys
from pathlib import Path

from grader.sandbox import kernel, root, seccomp
from grader.sandbox.confine import NEW_MOUNTS, PR_SET_NO_NEW_PRIVS

USER = 12345


def main() -> None:
    """Change what was asked for, and become the command."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--user", action="store_true")
    parser.add_argument("--no-namespaces", action="store_true")
    parser.add_argument("--show", action="append", default=[], help="a folder that the user has to reach")
    parser.add_argument("command", nargs=argparse.REMAINDER)
    given = parser.parse_args()
    if given.user:
        become_a_user([sys.prefix, sys.base_prefix, str(Path(__file__).resolve().parents[1]), *given.show])
    if given.no_namespaces:
        refuse("unshare")
    os.execv(given.command[0], given.command)


def become_a_user(needed: list[str]) -> None:
    """Drop to an ordinary user who can read the folders `needed`."""
    kernel.unshare(NEW_MOUNTS)
    kernel.mount("none", "/", "", root.MS_REC | root.MS_PRIVATE)
    opened = {path: os.open(path, os.O_PATH) for path in map(os.path.realpath, needed)}
    blocked = sorted({str(top) for path in opened for top in Path(path).parents if not top.stat().st_mode & 1})
    tops = [path for path in blocked if not any(other != path and path.startswith(other + "/") for other in blocked)]
    for top in tops:
        kernel.mount("none", top, "tmpfs", 0, "mode=1777")
    for path, descriptor in opened.items():
        if any(path.startswith(top + "/") for top in tops):
            Path(path).mkdir(parents=True, exist_ok=True)
            kernel.mount(f"/proc/self/fd/{descriptor}", path, "", root.MS_BIND | root.MS_REC)
    os.setgroups([])
    os.setresgid(USER, USER, USER)
    os.setresuid(USER, USER, USER)


def refuse(name: str) -> None:
    """Have one system call fail with EPERM, here and in every child."""
    number = kernel.number(name)
    assert number is not None
    program = [
        (seccomp.LOAD, 0, 0, seccomp.AT_NUMBER),
        (seccomp.JUMP_EQUAL, 0, 1, number),
        (seccomp.RETURN, 0, 0, seccomp.ERRNO | seccomp.EPERM),
        (seccomp.RETURN, 0, 0, seccomp.ALLOW),
    ]
    kernel.prctl(PR_SET_NO_NEW_PRIVS, 1)
    body = ctypes.create_string_buffer(b"".join(struct.pack("<HBBI", *each) for each in program))
    whole = ctypes.create_string_buffer(struct.pack("<HxxxxxxQ", len(program), ctypes.addressof(body)))
    kernel.prctl(seccomp.PR_SET_SECCOMP, seccomp.MODE_FILTER, ctypes.byref(whole))


if __name__ == "__main__":
    main()
