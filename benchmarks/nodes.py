"""A Dask cluster on this machine, for tests and measurements: a scheduler and workers, each a process."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final

from distributed import Client

from grader.closing import Closing

ROOT: Final = Path(__file__).resolve().parent.parent
START_SECONDS: Final = 90.0


class Nodes(Closing):
    """A scheduler and so many workers. A context manager; leaving it ends them all.

    Attributes:
        scheduler_file: what `--cluster` takes.
        workers: their processes.
    """

    def __init__(self, count: int, threads: int = 1) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="nodes-")
        self.scheduler_file = Path(self._folder.name) / "scheduler.json"
        self.threads = threads
        self.workers: list[subprocess.Popen[bytes]] = []
        self.scheduler = self._start("dask_scheduler", "--host", "127.0.0.1", "--port", "0", "--no-dashboard")
        try:
            self._wait(self.scheduler_file.exists)
            for _ in range(count):
                self.add()
        except BaseException:
            self.close()
            raise

    def add(self, launcher: Sequence[str] = ()) -> subprocess.Popen[bytes]:
        """Start one more worker, by a program that becomes it if there is one."""
        folder = Path(self._folder.name) / f"worker-{len(self.workers)}"
        options = ["--nthreads", str(self.threads), "--no-nanny", "--no-dashboard", "--local-directory", str(folder)]
        self.workers.append(self._start("dask_worker", *options, launcher=launcher))
        return self.workers[-1]

    def await_workers(self, count: int) -> None:
        """Return when so many have made themselves known."""
        with Client(scheduler_file=str(self.scheduler_file), set_as_default=False) as client:
            client.wait_for_workers(count, timeout=START_SECONDS)

    def _start(self, module: str, *options: str, launcher: Sequence[str] = ()) -> subprocess.Popen[bytes]:
        launch, file = [*launcher, sys.executable] if launcher else [], str(self.scheduler_file)
        path = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))
        with open(Path(self._folder.name) / f"{module}.log", "ab") as log:
            return subprocess.Popen(
                [sys.executable, *launch, "-m", f"distributed.cli.{module}", "--scheduler-file", file, *options],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                env={**os.environ, "PYTHONPATH": path},
                start_new_session=True,
            )

    def log(self) -> str:
        """What the processes said, for whoever looks into a failure."""
        return "\n".join(path.read_text("utf-8", "replace") for path in Path(self._folder.name).glob("*.log"))

    def _wait(self, ready: Callable[[], bool]) -> None:
        end = time.monotonic() + START_SECONDS
        while not ready():
            if time.monotonic() > end or self.scheduler.poll() is not None:
                raise RuntimeError(f"the scheduler did not start: {self.log()[-800:]}")
            time.sleep(0.05)

    def close(self) -> None:
        """End all processes."""
        for process in (*self.workers, self.scheduler):
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        self._folder.cleanup()
