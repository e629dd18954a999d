"""A Dask cluster on this machine, for tests and measurements: a scheduler, and workers that are processes of their own."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Final

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

    def add(self, **environment: str) -> subprocess.Popen[bytes]:
        """Start one more worker, with more in its environment."""
        folder = Path(self._folder.name) / f"worker-{len(self.workers)}"
        options = ["--nthreads", str(self.threads), "--no-nanny", "--no-dashboard", "--local-directory", str(folder)]
        self.workers.append(self._start("dask_worker", *options, **environment))
        return self.workers[-1]

    def _start(self, module: str, *options: str, **environment: str) -> subprocess.Popen[bytes]:
        path = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))
        with open(Path(self._folder.name) / f"{module}.log", "ab") as log:
            return subprocess.Popen(
                [sys.executable, "-m", f"distributed.cli.{module}", "--scheduler-file", self.scheduler_file, *options],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                env={**os.environ, "PYTHONPATH": path, **environment},
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
