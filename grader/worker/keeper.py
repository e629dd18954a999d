"""The keeper of one worker: forks it, waits for its end or for the leash to close, and leaves nothing behind."""

import json
import os
import resource
import select
import shutil
import signal
import socket
import sys
import traceback
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, Final, NoReturn

from grader import wire
from grader.sandbox import confine, kernel
from grader.sandbox.confine import Plan
from grader.sandbox.limits import Limits

STARTED: Final = b"started"


def keep(plan: Plan, limits: Limits, channel: int, leash: int, output: int, serve: Callable[[int], None]) -> NoReturn:
    """Run in a fresh fork of the zygote, and never return.

    Args:
        plan: how the worker is confined.
        limits: what the submission may use.
        channel: the worker's end of the channel.
        leash: a socket to the examiner; when it closes or a byte comes, the worker has to go.
        output: the pipe for what the worker prints.
        serve: the request loop that the worker runs.
    """
    status = 1
    try:
        os.setsid()
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        _die_with_parent()
        if plan.namespaces:
            confine.separate()
            if child := os.fork():  # the child is pid 1 of its namespace, and does the keeping
                for descriptor in (channel, leash, output):
                    os.close(descriptor)
                os.waitpid(child, 0)
                os._exit(0)
            _die_with_parent()
        folder = confine.make_folder(plan, limits)
        try:
            _keep(plan, limits, channel, leash, output, folder, serve)
        finally:
            kill_descendants()
            remove(folder)
        status = 0
    finally:
        os._exit(status)


def _die_with_parent() -> None:
    if sys.platform == "linux":
        kernel.prctl(confine.PR_SET_CHILD_SUBREAPER, 1)
        kernel.prctl(confine.PR_SET_PDEATHSIG, signal.SIGKILL)


def _keep(
    plan: Plan, limits: Limits, channel: int, leash: int, output: int, folder: str, serve: Callable[[int], None]
) -> None:
    worker = os.fork()
    if worker == 0:
        _work(plan, limits, channel, output, folder, serve)
    os.close(channel)
    os.close(output)
    with socket.socket(fileno=leash) as line:
        handle = os.pidfd_open(worker)
        socket.send_fds(line, [STARTED], [handle])
        select.select([leash, handle], [], [])
        os.close(handle)
        with suppress(ProcessLookupError):
            os.kill(worker, signal.SIGKILL)
        _, status, used = os.wait4(worker, 0)
        kill_descendants()
        remove(folder)
        with suppress(OSError):  # the examiner may be gone
            line.send(json.dumps(ending(status, used)).encode())


def _work(plan: Plan, limits: Limits, channel: int, output: int, folder: str, serve: Callable[[int], None]) -> NoReturn:
    status = 1
    try:
        confine.enter(plan, limits, folder, channel, output)
        os.write(channel, wire.CONFINED)
        serve(channel)
        status = 0
    except BaseException:  # noqa: BLE001 - printed, as the candidate's output is
        os.write(2, traceback.format_exc().encode("utf-8", "replace"))
    finally:
        os._exit(status)  # a fork must never return into its parent's stack


def ending(status: int, used: resource.struct_rusage) -> dict[str, Any]:
    """How a worker ended and what it used, in numbers."""
    return {
        "exit": os.WEXITSTATUS(status) if os.WIFEXITED(status) else None,
        "signal": os.WTERMSIG(status) if os.WIFSIGNALED(status) else None,
        "cpu_seconds": round(used.ru_utime + used.ru_stime, 6),
        "peak_kib": used.ru_maxrss,
    }


def kill_descendants() -> None:
    """Kill and reap every process below this one.

    A child's orphans become children of this process, a subreaper, so killing children until none are left reaches
    every descendant, however it was forked.
    """
    while True:
        for child in children():
            with suppress(ProcessLookupError):
                os.kill(child, signal.SIGKILL)
        try:
            os.waitpid(-1, 0)
        except ChildProcessError:
            return


def children() -> list[int]:
    """The direct children of this process. None in a pid namespace without /proc: there, its end is theirs."""
    try:
        return [int(pid) for pid in Path(f"/proc/self/task/{os.getpid()}/children").read_text("ascii").split()]
    except OSError:
        return [pid for pid in _processes() if _parent(pid) == os.getpid()]


def _processes() -> list[int]:
    return (
        []
        if not Path("/proc/self").exists()
        else [int(entry.name) for entry in Path("/proc").iterdir() if entry.name.isdigit()]
    )


def _parent(pid: int) -> int:
    try:
        return int(Path(f"/proc/{pid}/stat").read_text("ascii", errors="replace").rpartition(")")[2].split()[1])
    except (OSError, IndexError, ValueError):
        return 0


def remove(folder: str) -> None:
    """Remove the worker's folder, whatever modes its entries have, without following a link out of it."""

    def retry(function: Callable[..., Any], path: str, _: Any) -> None:
        with suppress(OSError):
            os.chmod(os.path.dirname(path), 0o700)  # noqa: PTH101, PTH120 - shutil hands over strings
            os.chmod(path, 0o700, follow_symlinks=False) if not os.path.islink(path) else None  # noqa: PTH101, PTH114
            function(path)

    shutil.rmtree(folder, onerror=retry)
