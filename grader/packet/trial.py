"""Running tests as a candidate would, in a folder that holds what the grader will see and nothing else.

pytest runs in a process of its own with a limit on time. A small plugin writes a line as each test starts and ends, so
that what was seen before a hang or a crash is known. No plugin of the machine and no settings of a folder above take
part. Nothing is cached, and nothing that was sent is written to.
"""

from __future__ import annotations

import importlib.util
import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from grader.inert import short

NEEDED: Final = ("pytest", "numpy", "torch")
RECORD: Final = "TRIAL_RECORD"
PLUGIN: Final = """
import json, os, time

def tell(**fields):
    with open(os.environ["TRIAL_RECORD"], "a", encoding="utf-8") as stream:
        stream.write(json.dumps({**fields, "at": time.perf_counter()}) + "\\n")

def why(report):
    crash = getattr(report.longrepr, "reprcrash", None)
    if crash is not None:
        return crash.message
    told = [line[2:].strip() for line in str(report.longrepr).splitlines() if line.startswith("E ")]
    return told[-1] if told else str(report.longrepr)

def pytest_runtest_logstart(nodeid, location):
    tell(kind="start", test=nodeid)

def pytest_runtest_logreport(report):
    if report.when == "call" or report.outcome == "failed":
        told = why(report) if report.failed else ""
        tell(kind="end", test=report.nodeid, passed=not report.failed, why=told)

def pytest_collectreport(report):
    if report.failed:
        tell(kind="end", test=report.nodeid or "the tests", passed=False, why=why(report))

def pytest_sessionfinish(session, exitstatus):
    tell(kind="over")
"""
DROPPED: Final = ("PYTEST_ADDOPTS", "PYTEST_PLUGINS", "PYTHONWARNINGS")
WORDS: Final = 300  # characters of a reason


@dataclass(frozen=True)
class Trial:
    """How tests went. Every name and reason is safe to show.

    Attributes:
        passed: how many passed.
        failed: those that did not, each with the reason in one line.
        stopped: why the run did not come to its end; empty if it did.
        seconds: how long the tests took, without the start of Python and torch.
    """

    passed: int
    failed: Mapping[str, str]
    stopped: str
    seconds: float

    @property
    def tests(self) -> int:
        """How many tests there were."""
        return self.passed + len(self.failed)


def absent() -> list[str]:
    """What is needed to run tests and not installed here."""
    return [name for name in NEEDED if importlib.util.find_spec(name) is None]


def run(files: Mapping[str, bytes], tests: Sequence[str], seconds: float) -> Trial:
    """Run tests in a fresh folder.

    Args:
        files: what is in the folder, by name.
        tests: the names of the files of tests.
        seconds: of wall time, after which the run is ended.
    """
    with tempfile.TemporaryDirectory(prefix="check-", ignore_cleanup_errors=True) as folder:
        stage, aside = Path(folder) / "stage", Path(folder) / "aside"
        stage.mkdir()
        aside.mkdir()
        for name, content in files.items():
            (stage / name).write_bytes(content)
        (aside / "trial_plugin.py").write_text(PLUGIN, "utf-8")
        (aside / "pytest.ini").write_text("[pytest]\n", "utf-8")
        record = aside / "record.jsonl"
        ended = _run(stage, aside, record, tests, seconds)
        return _read(record, ended, seconds)


def _run(stage: Path, aside: Path, record: Path, tests: Sequence[str], seconds: float) -> int | None:
    """The exit status of pytest; None if its time was used up."""
    kept = {name: value for name, value in os.environ.items() if name not in DROPPED}
    path = os.pathsep.join(filter(None, [str(aside), kept.get("PYTHONPATH", "")]))
    settings = {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PYTHONDONTWRITEBYTECODE": "1", "PYTHONPATH": path}
    options = ("-q", "-s", "--color=no", "-p", "no:cacheprovider", "-p", "trial_plugin", "--import-mode=prepend")
    process = subprocess.Popen(
        [sys.executable, "-m", "pytest", *options, "-c", str(aside / "pytest.ini"), f"--rootdir={stage}", *tests],
        cwd=stage,
        env={**kept, **settings, RECORD: str(record)},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        start_new_session=os.name == "posix",
    )
    assert process.stdout is not None
    # What is printed is read and dropped: kept, it could be gigabytes, and left in the pipe it would stop the tests.
    drain = threading.Thread(target=_drain, args=(process.stdout,), daemon=True)
    drain.start()
    try:
        return process.wait(seconds)
    except subprocess.TimeoutExpired:
        return None
    finally:
        _end(process)
        drain.join(5)
        if not drain.is_alive():
            process.stdout.close()


def _drain(stream: Any) -> None:
    while stream.read(1 << 16):
        pass


def _end(process: subprocess.Popen[bytes]) -> None:
    """End pytest and what it started, whether or not it has ended itself."""
    if os.name == "posix":
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
    elif process.poll() is None:
        subprocess.run(["taskkill", "/F", "/T", "/PID", str(process.pid)], capture_output=True, check=False)
    process.kill()
    process.wait()


def _read(record: Path, ended: int | None, seconds: float) -> Trial:
    lines = list(_lines(record))
    results = {line["test"]: line for line in lines if line["kind"] == "end"}
    started = [line["test"] for line in lines if line["kind"] == "start"]
    running = next((test for test in reversed(started) if test not in results), "")
    failed = {_name(test): _reason(line["why"]) for test, line in results.items() if not line["passed"]}
    over = any(line["kind"] == "over" for line in lines)
    during = f" in {_name(running)}" if running else ""
    stopped = ""
    if ended is None:
        stopped = f"still running after {seconds:g} seconds{during}"
    elif not over:
        stopped = f"the run ended{during} before its time (exit status {ended})"
    elif not results:
        stopped = "no test was found"
    took = max((line["at"] for line in lines), default=0.0) - min(
        (line["at"] for line in lines if line["kind"] == "start"), default=0.0
    )
    return Trial(sum(line["passed"] for line in results.values()), failed, stopped, took if started else 0.0)


def _lines(record: Path) -> Iterator[dict[str, Any]]:
    """What the plugin wrote. A line that was cut off as the run was ended is left out."""
    for line in record.read_text("utf-8", errors="replace").splitlines() if record.exists() else []:
        with suppress(ValueError, RecursionError):
            match json.loads(line):  # the candidate's own code can write there, too
                case {"kind": "end", "test": str(), "passed": bool(), "why": str(), "at": float()} as written:
                    yield written
                case {"kind": "start", "test": str(), "at": float()} | {"kind": "over", "at": float()} as written:
                    yield written


def _name(test: str) -> str:
    return short(test.rpartition("::")[2] or test, 120)


def _reason(words: str) -> str:
    """The first line that says something, as the plugin of an assertion writes it."""
    first = next((line for line in words.splitlines() if line.strip()), "it failed")
    return short(first.strip(), WORDS)
