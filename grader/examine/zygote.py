"""The command's handle on the zygote: started first, while everything else is still being imported."""

import json
import os
import select
import socket
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from grader.closing import Closing
from grader.errors import GraderFault, QuestionError
from grader.sandbox.tiers import Tier

# As `python -I` would have it, spelled out: -I also drops PYTHONHASHSEED, without which a candidate's sets of strings
# would come in another order on each run.
FLAGS: Final = ("-P", "-s", "-B")
ENVIRONMENT: Final = {
    "LANG": "C.UTF-8",
    "MKL_NUM_THREADS": "1",
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "PYTHONHASHSEED": "0",
    "TORCHDYNAMO_DISABLE": "1",  # a worker has no compiler; code that asks for one runs as it is written
}
START_SECONDS: Final = 120.0


class Zygote(Closing):
    """A warm process to fork workers from. A context manager; leaving it ends the process and all its workers.

    `control` is the socket that new workers are asked for on; a child of this process may use it too. `missing` says,
    once the zygote is ready, why workers can't be confined better.

    Args:
        strongest: the tier that is tried first; weaker ones follow where the system refuses.
        imports: modules beyond torch and NumPy that every worker inherits, see `bring_in`.
    """

    def __init__(self, strongest: Tier = Tier.SEALED, imports: Sequence[str] = ()) -> None:
        self.strongest = strongest
        self.missing: tuple[str, ...] = ()
        self._imports: list[str] = []
        self._start(imports)

    def _start(self, imports: Sequence[str]) -> None:
        self.control, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        package = str(Path(__file__).resolve().parents[2])
        self._imports += imports
        arguments = ", ".join(map(repr, (theirs.fileno(), str(self.strongest), *self._imports)))
        # From the folder of this very package, whatever else is installed by its name; and from there nothing more.
        found = f"sys.path.insert(0, {package!r}); import grader; sys.path.remove({package!r})"
        start = f"import sys; {found}; from grader.worker.zygote import main; main({arguments})"
        self.process = subprocess.Popen(
            [sys.executable, *FLAGS, "-c", start],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            env=ENVIRONMENT,
            cwd=os.sep,
            pass_fds=[theirs.fileno()],
            start_new_session=True,
        )
        theirs.close()
        self._ready = False

    def bring_in(self, modules: Sequence[str]) -> None:
        """Have workers inherit more modules, if they don't: that takes another process, and ends this one's workers."""
        if wanted := [name for name in modules if name not in self._imports]:
            self.close()
            self._start(wanted)

    def wait(self) -> None:
        """Return when workers can be forked; at once from the second call on.

        Raises:
            GraderFault: the process ended, or took too long, before it was ready.
            QuestionError: a module that a question wants imported is not there.
        """
        if self._ready:
            return
        self.control.settimeout(START_SECONDS)
        try:
            word = self.control.recv(4096)
        except TimeoutError:
            word = b""
        self.control.settimeout(None)
        if not word:
            assert self.process.stderr is not None
            self.process.kill()
            lines = self.process.stderr.read().decode("utf-8", "replace").strip().splitlines()
            raise GraderFault(
                "the warm interpreter did not start",
                found=lines[-1] if lines else "no message",
                next_step="Check that `python -c 'import torch, numpy'` works in this environment.",
            )
        told = json.loads(word)
        if told["failed"]:
            raise QuestionError("the question's `imports` can't be imported", found=told["failed"])
        self.missing = tuple(told["missing"])
        self._ready = True

    @property
    def is_alive(self) -> bool:
        """Whether the process is there still, and is not about to end: its socket closes a moment before it is gone."""
        return self.process.poll() is None and not has_hung_up(self.control)

    def close(self) -> None:
        """End the process; its keepers see their leashes close when the examiner goes."""
        self.control.close()
        self.process.kill()
        self.process.wait()
        if self.process.stderr is not None:
            self.process.stderr.close()


def has_hung_up(line: socket.socket) -> bool:
    """Whether the other end of a socket is closed."""
    hanging_up = select.poll()
    hanging_up.register(line, 0)
    return bool(hanging_up.poll(0))
