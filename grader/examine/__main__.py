"""The process that holds a question's hidden tests, and forks examiners: `python -m grader.examine FD CONTROL < BRIEF`.

Theory of operation. CONTROL is the zygote's socket. The hidden tests of the brief are collected once, while the zygote
is still importing torch, and FD is told of each file before it is imported, and of the end. From then on each datagram
on FD brings the line of one more examiner, a fork of this process (serving.py).
"""

from __future__ import annotations

import gc
import os
import signal
import socket
import sys
from collections.abc import Callable
from itertools import chain
from pathlib import Path
from typing import Final, NoReturn

import pytest
from hypothesis import configuration, given, settings, strategies

from grader.examine import probes
from grader.examine.brief import Brief
from grader.examine.plugin import Examining
from grader.examine.serving import Serving, say
from grader.sandbox import cgroup
from grader.sandbox.confine import PR_SET_PDEATHSIG
from grader.sandbox.hugepages import HugePages
from grader.sandbox.kernel import prctl

MOST_PROBLEMS: Final = 20  # that are told: what is sent at once has to stay small
UNUSED: Final = (
    *("cacheprovider", "terminal", "junitxml", "faulthandler", "logging", "doctest", "warnings"),
    *("threadexception", "unraisableexception"),
)
ARGUMENTS: Final = (
    *("-c", os.devnull, "--import-mode=prepend", "--capture=no"),
    *chain.from_iterable(("-p", f"no:{name}") for name in UNUSED),
)


def main(line: socket.socket, control: socket.socket) -> None:
    """Collect the hidden tests of the brief on the standard input, then fork examiners until `line` closes."""
    prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    brief = Brief.from_json(sys.stdin.read())

    def importing(file: Path) -> None:
        say(line, {"importing": file.name})

    def consume(examining: Examining) -> None:
        if examining.problems:
            return
        try:
            importing(Path("probes.py"))
            collected = probes.collect(Path(brief.hidden))
        except Exception as error:  # noqa: BLE001 - whatever its author's code raises is the question's fault
            examining.problems.append(f"probes.py can't be imported: {type(error).__name__}: {error}")
            return
        say(line, {"ready": len(examining.items)})
        fork_each(line, lambda theirs: Serving(examining, collected, control).serve(theirs))

    sys.path.append(brief.helpers)
    examining = Examining(brief, consume, importing)
    homeless()
    warm()
    cgroup.family()  # looked for once, and inherited by every fork
    if (configured := Path(brief.hidden, "conftest.py")).exists():
        importing(configured)
    pytest.main(
        [brief.hidden, f"--rootdir={brief.hidden}", f"--confcutdir={brief.hidden}", *ARGUMENTS], plugins=[examining]
    )
    if examining.problems:
        say(line, {"problems": examining.problems[:MOST_PROBLEMS]})


def fork_each(line: socket.socket, serve: Callable[[socket.socket], NoReturn]) -> None:
    """Have a fork serve each socket that comes on `line`, until that closes."""
    memory = HugePages()
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # the command sees an examiner's line close; the kernel may reap it
    gc.collect()
    gc.freeze()
    while True:
        _, descriptors, _, _ = socket.recv_fds(line, 16, 1)
        if not descriptors:
            return
        with socket.socket(fileno=descriptors[0]) as theirs:
            if os.fork() == 0:
                line.close()
                serve(theirs)
        memory.gather()


def homeless() -> None:
    """Keep Hypothesis from leaving a folder of its own where the command is run."""
    configuration.set_hypothesis_home_dir(os.devnull)


def warm() -> None:
    """Run one small property, since a process pays for its first one."""

    @settings.get_profile("hidden")  # without a deadline, which a busy machine would miss
    @given(strategies.lists(strategies.integers(0, 3), max_size=2))
    def property(numbers: list[int]) -> None:
        del numbers

    property()


if __name__ == "__main__":
    main(socket.socket(fileno=int(sys.argv[1])), socket.socket(fileno=int(sys.argv[2])))
