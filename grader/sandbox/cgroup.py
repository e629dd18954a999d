"""A memory ceiling for each worker as a whole, where the system lets this process make control groups.

The examiner puts a worker into a group of its own after it was forked and before it is sent a candidate's file, so the
pages of the warm interpreter stay charged to whoever loaded them, and the ceiling counts the candidate's alone. Where
no group can be made, the limit on address space (confine.py) is what remains.
"""

from __future__ import annotations

import os
import secrets
import time
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

ROOT: Final = Path("/sys/fs/cgroup")
PREFIX: Final = "takehome-grader-"
TASKS: Final = 256  # threads included


@dataclass(frozen=True, slots=True)
class Family:
    """Where groups can be made, and what the files in them are called."""

    parent: Path
    ceiling: str
    events: str


@cache
def family() -> Family | None:
    """The first hierarchy in which this process can make a group with a memory ceiling; None if there is none."""
    for candidate in _candidates():
        group = Group.make(candidate)
        if group is not None:
            works = (group.folder / candidate.ceiling).exists() and os.access(group.folder / "cgroup.procs", os.W_OK)
            group.remove()
            if works:
                return candidate
    return None


def _candidates() -> list[Family]:
    """The group that this process is in, and above it, under both versions of control groups."""
    found = []
    for line in _own_groups():
        _, controllers, path = line.split(":", 2)
        if controllers == "":
            here = ROOT / path.lstrip("/")
            found.append(Family(here, "memory.max", "memory.events"))
            found.append(Family(here.parent, "memory.max", "memory.events"))
        elif "memory" in controllers.split(","):
            found.append(Family(ROOT / "memory" / path.lstrip("/"), "memory.limit_in_bytes", "memory.oom_control"))
    return found


def _own_groups() -> list[str]:
    try:
        return Path("/proc/self/cgroup").read_text("utf-8").splitlines()
    except OSError:
        return []


@dataclass(frozen=True, slots=True)
class Group:
    """The control group of one worker."""

    folder: Path
    kind: Family

    @classmethod
    def make(cls, kind: Family) -> Group | None:
        """A new group, or None where that is refused."""
        folder = kind.parent / f"{PREFIX}{secrets.token_hex(8)}"
        try:
            folder.mkdir()
        except OSError:
            return None
        return cls(folder, kind)

    @classmethod
    def around(cls, pid: int, bytes_: int) -> Group | None:
        """A group with a ceiling, with the process in it; None where that can't be had."""
        kind = family()
        group = cls.make(kind) if kind else None
        if group is None or kind is None:
            return None
        try:
            (group.folder / kind.ceiling).write_text(str(bytes_), "ascii")
            with suppress(OSError):  # swap and tasks are extras of some hierarchies
                (group.folder / "memory.swap.max").write_text("0", "ascii")
            with suppress(OSError):
                (group.folder / "pids.max").write_text(str(TASKS), "ascii")
            (group.folder / "cgroup.procs").write_text(str(pid), "ascii")
        except OSError:
            group.remove()
            return None
        return group

    def ran_out(self) -> bool:
        """Whether the kernel killed something in here for want of memory."""
        try:
            lines = (self.folder / self.kind.events).read_text("ascii").splitlines()
        except OSError:
            return False
        return any(name == "oom_kill" and int(count) > 0 for name, count in (line.split() for line in lines))

    def remove(self) -> None:
        """Remove the group; the processes in it are on their way out."""
        for _ in range(100):
            try:
                self.folder.rmdir()
            except FileNotFoundError:
                return
            except OSError:
                time.sleep(0.01)
            else:
                return


def words() -> str:
    """How a worker's memory is limited here, for people."""
    if family() is not None:
        return "limited for each worker as a whole, by a control group, and by address space"
    return "limited for each process, by address space (no control group can be made here)"
