"""The machine before and after an attack, and the difference in words.

Only what can be ours is looked at: processes below this one, the bait, and names that carry the bait's token. A file
that a colleague leaves in /tmp meanwhile is nobody's attack.
"""

from __future__ import annotations

import os
import re
import resource
import site
import socket
import tempfile
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Final

from .bait import Bait, libc

SETTLE_SECONDS: Final = 5.0
LISTENING: Final = "0A"
ROOTS: Final = (tempfile.gettempdir(), "/dev/shm", "/var/tmp", "/run", "/", str(Path.home()), str(Path.cwd()))

Facts = dict[str, str]


@dataclass(frozen=True)
class Host:
    """What was seen: for each part, facts by name."""

    processes: Facts
    decoy: Facts
    files: Facts
    strays: Facts
    site_packages: Facts
    ipc: Facts
    listeners: Facts
    visitors: Facts
    keys: Facts


def look(bait: Bait) -> Host:
    """The host as it is now. Visitors are taken note of once: each counts in the look that meets it."""
    return Host(
        processes=dict(processes()),
        decoy=dict(decoy(bait)),
        files=dict(files(bait.folder)),
        strays=dict(strays(bait.token)),
        site_packages=dict(site_packages()),
        ipc=dict(ipc(bait)),
        listeners=dict(listeners(bait)),
        visitors=dict(visitors(bait)),
        keys=dict(keys(bait.token)),
    )


def difference(before: Host, after: Host) -> list[str]:
    """What differs, one sentence each."""
    words = []
    for part in (field.name for field in fields(Host)):
        old, new = getattr(before, part), getattr(after, part)
        label = part.replace("_", "-")
        words += [f"{label}: {name} is new ({new[name]})" for name in new.keys() - old.keys()]
        if part != "processes":  # one that was about to end when it was seen
            words += [f"{label}: {name} is gone" for name in old.keys() - new.keys()]
        words += [
            f"{label}: {name} was {old[name]}, is {new[name]}"
            for name in old.keys() & new.keys()
            if old[name] != new[name]
        ]
    return sorted(words)


def changes(before: Host, bait: Bait) -> list[str]:
    """The difference once it has settled: what is still being cleared up a moment later is none."""
    end = time.monotonic() + SETTLE_SECONDS
    visits: Facts = {}
    while True:
        after = look(bait)
        visits |= after.visitors
        after.visitors.update(visits)
        if not (words := difference(before, after)) or time.monotonic() > end or visits:
            return words
        time.sleep(0.05)


def processes() -> Iterator[tuple[str, str]]:
    """Every process below this one: `pid start`, and its command line."""
    parents: dict[int, tuple[int, str]] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            with suppress(OSError):
                state = (entry / "stat").read_text("utf-8", "replace").rpartition(")")[2].split()
                parents[int(entry.name)] = int(state[1]), state[19]
    below, grown = {os.getpid()}, True
    while grown:
        found = {pid for pid, (parent, _) in parents.items() if parent in below} - below
        below |= found
        grown = bool(found)
    for pid in below - {os.getpid()}:
        with suppress(OSError):
            line = Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ")[-80:]
            yield f"{pid} {parents[pid][1]}", line.decode("utf-8", "replace")


def decoy(bait: Bait) -> Iterator[tuple[str, str]]:
    """Whether the decoy lives, runs, is traced, and under which limits."""
    with suppress(OSError):
        status = Path(f"/proc/{bait.decoy.pid}/status").read_text()
        state = re.findall(r"^State:\s+(.)", status, re.MULTILINE)[0]
        yield "state", "alive" if state in "SRD" else state
        yield "tracer", re.findall(r"^TracerPid:\s+(\d+)", status, re.MULTILINE)[0]
        yield "limits", str(resource.prlimit(bait.decoy.pid, resource.RLIMIT_NOFILE))


def files(folder: Path) -> Iterator[tuple[str, str]]:
    """Every file of the bait: its mode, owner, time, size, attributes and content."""
    for path in sorted(folder.rglob("*")):
        state = path.lstat()
        facts: list[object] = [oct(state.st_mode), state.st_uid, state.st_gid, state.st_nlink]
        if not path.is_dir():
            facts += [state.st_mtime_ns, state.st_size]
        if path.is_file() and not path.is_symlink():
            facts += [hash(path.read_bytes()), *os.listxattr(path)]
        yield str(path.relative_to(folder)), " ".join(map(str, facts))


def strays(token: str) -> Iterator[tuple[str, str]]:
    """Names that carry the token, in places where things can be left, and in folders of workers there."""
    places = [Path(root) for root in {*ROOTS, *site_folders()}]
    for place in [*places, *Path(tempfile.gettempdir()).glob("worker-*")]:
        with suppress(OSError):
            yield from ((str(path), "a file") for path in place.iterdir() if token in path.name)


def site_folders() -> list[str]:
    """The folders of installed packages."""
    return [folder for folder in [*site.getsitepackages(), site.getusersitepackages()] if Path(folder).is_dir()]


def site_packages() -> Iterator[tuple[str, str]]:
    """What is installed, with the time of its last change."""
    for folder in site_folders():
        for entry in os.scandir(folder):
            if entry.name != "__pycache__":
                yield entry.path, str(entry.stat(follow_symlinks=False).st_mtime_ns)


def ipc(bait: Bait) -> Iterator[tuple[str, str]]:
    """System V objects under the bait's key, its message queues, and locks on its files."""
    for kind in ("shm", "msg", "sem"):
        for line in Path(f"/proc/sysvipc/{kind}").read_text().splitlines()[1:]:
            words = line.split()
            if int(words[0]) & 0xFFFFFFFF in (bait.key, bait.key + 1):
                yield f"SysV {kind} {words[0]}", words[2]
    for name in (bait.token, f"{bait.token}-left"):
        queue = libc.mq_open(f"/{name}".encode(), 0, 0, None)
        if queue >= 0:
            libc.mq_close(queue)
            yield f"queue {name}", "there"
    inodes = {str(path.lstat().st_ino) for path in bait.folder.iterdir()}
    for line in Path("/proc/locks").read_text().splitlines():
        holder, place = line.split()[4:6]
        if place.rpartition(":")[2] in inodes:
            yield f"lock {place}", holder


def listeners(bait: Bait) -> Iterator[tuple[str, str]]:
    """Sockets on the ports and under the names that attacks were given."""
    for table in ("tcp", "tcp6", "udp", "udp6"):
        with suppress(OSError):
            for line in Path(f"/proc/net/{table}").read_text().splitlines()[1:]:
                words = line.split()
                port = int(words[1].rpartition(":")[2], 16)
                if port == bait.free_port and (table.startswith("udp") or words[3] == LISTENING):
                    yield f"{table} {port}", "listens"
    for line in Path("/proc/net/unix").read_text().splitlines()[1:]:
        name = line.split()[7:]
        if name and bait.token in name[0] and line.split()[3] == "00010000":
            yield name[0], "listens"


def visitors(bait: Bait) -> Iterator[tuple[str, str]]:
    """Who has knocked since the last look: connections, datagrams, and what was written to the terminal."""
    named = {"TCP": bait.tcp, "a pathname socket": bait.pathname, "an abstract socket": bait.abstract}
    for name, listener in named.items():
        with suppress(BlockingIOError):
            while True:
                listener.accept()[0].close()
                yield f"a visitor by {name}", "came"
    with suppress(BlockingIOError):
        while bait.udp.recv(2048, socket.MSG_DONTWAIT):
            yield "a datagram by UDP", "came"
    with suppress(OSError):
        if os.read(bait.master, 4096):
            yield "words on the terminal", "came"


def keys(token: str) -> Iterator[tuple[str, str]]:
    """Keys whose description carries the token."""
    with suppress(OSError):
        for line in Path("/proc/keys").read_text().splitlines():
            if token in line:
                yield line.split()[0], "a key"
