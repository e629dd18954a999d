"""What a command costs: wall time, CPU time of all its processes, and the most memory that they held together.

CPU time is counted by a control group, where one can be made: whoever ignores its children's end, as a zygote does, is
told nothing of what they used.
"""

from __future__ import annotations

import os
import secrets
import subprocess
import tempfile
import threading
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Self

TICK: Final = 0.05
GROUPS: Final = ((Path("/sys/fs/cgroup"), "cpu.stat"), (Path("/sys/fs/cgroup/cpuacct"), "cpuacct.usage"))


@dataclass(frozen=True, slots=True)
class Cost:
    """Seconds for one submission: `wall` of them all divided by their number, and `cpu` of all processes likewise."""

    wall: float
    cpu: float


@dataclass(frozen=True, slots=True)
class Command:
    """A command to run in a folder. Grading ends with 0 if all passed and with something else if not; both are fine."""

    arguments: list[str]
    folder: Path

    def run(self) -> tuple[str, float]:
        """Run it: what it said, and the CPU seconds of all its processes."""
        with tempfile.TemporaryFile() as said, Account() as account:
            process = subprocess.Popen(
                [*account.enter, *self.arguments],
                cwd=self.folder,
                stdin=subprocess.DEVNULL,
                stdout=said,
                stderr=subprocess.STDOUT,
                env={**os.environ, "OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"},
            )
            _, _, used = os.wait4(process.pid, 0)
            process.returncode = 0
            said.seek(0)
            return said.read().decode("utf-8", "replace"), account.seconds() or used.ru_utime + used.ru_stime


class Account:
    """A control group that counts the CPU time of what is run in it. A context manager.

    Attributes:
        enter: what stands before a command, to run it in the group; nothing where no group can be made.
    """

    def __init__(self) -> None:
        self.folder: Path | None = None
        self.enter: list[str] = []
        for parent, file in GROUPS:
            folder = parent / f"benchmark-{secrets.token_hex(4)}"
            with suppress(OSError):
                folder.mkdir()
                if (folder / file).exists():
                    self.folder, self.file = folder, folder / file
                    self.enter = ["/bin/sh", "-c", f'echo 0 > {folder}/cgroup.procs && exec "$@"', "sh"]
                    return
                folder.rmdir()

    def seconds(self) -> float:
        """The CPU seconds so far; 0 where there is no group."""
        if self.folder is None:
            return 0.0
        words = self.file.read_text("ascii").split()
        return int(words[0]) / 1e9 if len(words) == 1 else int(words[1]) / 1e6

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self.folder is not None:
            for _tries in range(100):  # what was in it may be ending still
                with suppress(OSError):
                    self.folder.rmdir()
                    return
                time.sleep(TICK)


def cost(commands: Sequence[Command], at_once: int, submissions: int) -> Cost:
    """Run commands, so many at once, and say what that cost for each submission."""
    started = time.perf_counter()
    with ThreadPoolExecutor(at_once) as pool:
        cpu = sum(seconds for _, seconds in pool.map(Command.run, commands))
    return Cost((time.perf_counter() - started) / submissions, cpu / submissions)


def memory(commands: Sequence[Command], at_once: int) -> float:
    """The most MiB that the processes of the commands held together: shared pages count once, see proc(5) on Pss."""
    ended = threading.Event()
    most = 0.0

    def watch() -> None:
        nonlocal most
        while not ended.wait(TICK):
            most = max(most, held())

    before = held()
    watcher = threading.Thread(target=watch)
    watcher.start()
    try:
        with ThreadPoolExecutor(at_once) as pool:
            list(pool.map(Command.run, commands))
    finally:
        ended.set()
        watcher.join()
    return most - before


def held() -> float:
    """What this process and all below it hold now, in MiB."""
    return sum(pss(pid) for pid in below(os.getpid()))


def pss(pid: int) -> float:
    """The proportional share of memory of a process, in MiB; 0 if it has ended."""
    with suppress(OSError, StopIteration):
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text("ascii").splitlines()
        return int(next(line for line in lines if line.startswith("Pss:")).split()[1]) / 1024
    return 0.0


def below(pid: int) -> list[int]:
    """A process and all its descendants that are still attached to it."""
    found = [pid]
    for each in found:
        with suppress(OSError):
            for task in Path(f"/proc/{each}/task").iterdir():
                found += [int(child) for child in (task / "children").read_text("ascii").split()]
    return found
