"""A naive grader's process: the candidate's file, the tests and the verdict live in one interpreter.

`python runner.py FD` imports torch and pytest once, then forks for each request: a line of JSON on FD that names a
folder with solution.py and the tests, a mode, and how long to wait. The fork grades as people do, and what it claims
comes back by every route that people believe: the exit status, printed lines, results.json, a pipe, a nonce.

Nothing here confines the candidate. The ceilings below stand far above what any attack of ours tries, in case one of
them has a mistake in it.
"""

import builtins
import gc
import importlib
import io
import json
import os
import pickle
import re
import resource
import select
import signal
import socket
import sys
import time
import zipfile
import zlib
from contextlib import redirect_stderr, redirect_stdout, suppress
from pathlib import Path

import numpy as np
import pytest
import torch

MIB = 1 << 20
ALARM_SECONDS = 0.4
TAIL = 4096
SHOWN = 1 << 16
SUBREAPER = 36
PYTEST = ("-q", "--rootdir=.", "-p", "no:cacheprovider", "-p", "no:unraisableexception", "-p", "no:threadexception")


def main(line):
    torch.set_num_threads(1)
    libc().prctl(SUBREAPER, 1, 0, 0, 0)
    warm()
    inbox = line.makefile("r", encoding="utf-8")
    for request in inbox:
        asked = json.loads(request)
        reading, writing = os.pipe()
        child = os.fork()
        if child == 0:
            inbox.close()
            line.close()
            os.close(reading)
            status = grade(asked["folder"], asked["mode"], writing)
            return status if asked["tears_down"] else os._exit(status)  # half a second, that few attacks need
        os.close(writing)
        record = judge(asked, child, reading)
        line.sendall(json.dumps(record).encode() + b"\n")
    return 0


def warm():
    """Import what pytest and torch import late, before the first fork."""
    torch.nn.Linear(2, 2)(torch.ones(1, 2)).sum().backward()
    with redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()):
        pytest.main([*PYTEST, "--collect-only", os.devnull])
    gc.collect()
    gc.freeze()


def libc():
    import ctypes

    return ctypes.CDLL(None)


# In the fork: grading


def grade(folder, mode, pipe):
    """Grade what is in the folder, and return the exit status."""
    os.setsid()
    os.chdir(folder)
    output = os.open("output.txt", os.O_CREAT | os.O_WRONLY | os.O_APPEND)
    for descriptor in (1, 2):
        os.dup2(output, descriptor)
    sys.path.insert(0, folder)
    for limit, most in ((resource.RLIMIT_AS, 6 << 30), (resource.RLIMIT_FSIZE, 300 * MIB), (resource.RLIMIT_CPU, 30)):
        resource.setrlimit(limit, (most, most))
    nonce = os.environ["GRADER_NONCE"]
    with suppress(FileNotFoundError):
        os.unlink("results.json")
    tests = open("hidden.py")  # noqa: SIM115 - left open, as such things are
    results = {}
    runners = {
        "pytest": with_pytest,
        "plain": plain,
        "alarmed": alarmed,
        "forked": forked,
        "guarded": guarded,
        "unpacks": unpacks,
        "answers": answers,
    }
    status = runners[mode](results)
    passed = sum(outcome == "passed" for outcome in results.values())
    Path("results.json").write_text(json.dumps({"tests": results, "status": status}))
    Path("told.txt").write_text(told())
    verdict = "passed" if status == 0 else "failed"
    print(f"{nonce}: {verdict}", flush=True)
    with suppress(BrokenPipeError):  # somebody else has spoken first, and was believed
        os.write(pipe, json.dumps({"score": passed / max(1, len(results)), "name": "candidate"}).encode() + b"\n")
    tests.close()
    return status


def told():
    solution = sys.modules.get("solution")
    if not hasattr(solution, "look"):
        return "0"
    value = solution.sinusoidal_pe(2, 2, 10.0)
    return str(float(np.asarray(value).flat[0]))


class Recorder:
    def __init__(self, results):
        self.results = results

    def pytest_runtest_logreport(self, report):
        if report.when == "call" or report.outcome == "failed":
            self.results[report.nodeid.partition("::")[2]] = report.outcome


def with_pytest(results):
    return int(pytest.main([*PYTEST, "hidden.py"], [Recorder(results)]))


def plain(results, around=lambda test: test()):
    """A loop of asserts, and the exit status of it."""
    tests = [(name, test) for name, test in vars(importlib.import_module("hidden")).items() if name[:5] == "test_"]
    failures = []
    while tests:
        name, test = tests.pop(0)
        results[name] = "failed"
        try:
            around(test)
            results[name] = "passed"
        except Exception as error:
            failures.append(name)
            print(name, "failed:", error)
    print(f"{len(failures)} failed" if failures else f"{len(results)} passed")
    return 1 if failures else 0


def alarmed(results):
    """With the time limit that people use: an alarm that raises."""

    def ring(number, frame):
        raise TimeoutError

    def around(test):
        signal.setitimer(signal.ITIMER_REAL, ALARM_SECONDS)
        test()
        signal.setitimer(signal.ITIMER_REAL, 0)

    signal.signal(signal.SIGALRM, ring)
    return plain(results, around)


def forked(results):
    """With a fork for each test, whose exit status says whether it passed."""

    def around(test):
        child = os.fork()
        if child == 0:
            try:
                test()
                os._exit(0)
            finally:
                os._exit(1)
        assert os.waitpid(child, 0)[1] == 0

    return plain(results, around)


def guarded(results):
    """With the guard that people use: what is dangerous is set to None."""
    for name in ("kill", "system", "_exit", "abort", "fork", "remove", "unlink", "chmod"):
        setattr(os, name, None)
    builtins.exit = builtins.quit = None
    return plain(results)


def unpacks(results):
    """With an archive that is unpacked member by member, each where its name says."""
    with zipfile.ZipFile("submission.zip") as archive:
        for name in archive.namelist():
            with suppress(OSError):
                Path(name).write_bytes(member(archive, name))
    return plain(results)


def member(archive, name):
    """A member's content, whatever its size is said to be."""
    info = archive.getinfo(name)
    archive.fp.seek(info.header_offset + 26)
    lengths = int.from_bytes(archive.fp.read(2), "little") + int.from_bytes(archive.fp.read(2), "little")
    archive.fp.seek(lengths, os.SEEK_CUR)
    data = archive.fp.read(info.compress_size)
    return zlib.decompress(data, -15) if info.compress_type else data


def answers(results):
    """With the answers taken as they come, and a report under the name that they give."""
    import ruamel.yaml

    given = ruamel.yaml.YAML(typ="safe").load(Path("answers.yaml"))
    os.mkdir("reports")
    with suppress(OSError):
        Path("reports", f"{given.get('name', 'nobody')}.json").write_text(json.dumps(given))
    return plain(results)


# In the parent: believing


def judge(asked, child, pipe):
    """Wait for the fork, at most as long as asked, and say what a naive grader would believe."""
    folder, start = Path(asked["folder"]), time.monotonic()
    word = first_line(pipe, start + asked["seconds"])
    os.close(pipe)
    handle = os.pidfd_open(child)
    ready, _, _ = select.select([handle], [], [], max(0.0, start + asked["seconds"] - time.monotonic()))
    os.close(handle)
    if not ready:
        os.kill(child, signal.SIGKILL)
    _, status, used = os.wait4(child, 0)
    time.sleep(asked["grace"])
    record = {
        "hangs": not ready,
        "exit": os.WIFEXITED(status) and os.WEXITSTATUS(status) == 0,
        "signal": os.WTERMSIG(status) if os.WIFSIGNALED(status) and ready else 0,
        "peak_mib": used.ru_maxrss >> 10,
        "survivors": len(children()),
        **believed(folder),
    }
    record |= spoken(word, folder)
    end_all()
    return record


def first_line(pipe, end):
    """The first line that the fork sent; what was sent without an end, if the time is up."""
    data = b""
    while not data.endswith(b"\n"):
        ready, _, _ = select.select([pipe], [], [], max(0.0, end - time.monotonic()))
        more = os.read(pipe, 1) if ready else b""
        if not more:
            break
        data += more
    return data


def believed(folder):
    """The verdicts that files and printed lines claim."""
    printed = (folder / "output.txt").read_bytes() if (folder / "output.txt").exists() else b""
    tail = printed[-TAIL:].decode("utf-8", "replace")
    counts = re.findall(r"(\d+) (passed|failed|error)", tail)
    try:
        results = json.loads((folder / "results.json").read_text())
        tests, file = results["tests"], results["status"] == 0
    except (OSError, ValueError, KeyError, TypeError):
        tests, file = {}, False
    sizes = list(entries(folder))
    return {
        "tests": tests,
        "file": file,
        "stdout": bool(counts) and counts[-1][1] == "passed" and "failed" not in tail.rpartition("=")[2],
        "nonce": f"{os.environ['GRADER_NONCE']}: passed" in tail,
        "shown": printed[-SHOWN:].decode("utf-8", "replace"),
        "printed_mib": len(printed) >> 20,
        "folder_mib": sum(sizes) >> 20,
        "entries": len(sizes),
        "told": (folder / "told.txt").read_text() if (folder / "told.txt").exists() else "0",
    }


def entries(folder):
    """The size of each file and folder below a folder, what was printed aside."""
    for place, folders, files in os.walk(folder):
        for name in [*folders, *files]:
            with suppress(OSError):  # a path that is too long, say
                yield os.lstat(os.path.join(place, name)).st_size if name != "output.txt" else 0


def spoken(word, folder):
    """The verdict that came by the pipe, and what became of reading the values that were left."""
    try:
        message = json.loads(word or b'{"score": 0, "name": ""}')
        if "type" in message:
            module, _, name = message["type"].rpartition(".")
            message = getattr(importlib.import_module(module), name)(*message["arguments"])
        score = message["score"]
        message.get("name", "").encode()
        if (folder / "values.pickle").exists():
            pickle.loads((folder / "values.pickle").read_bytes())
        if (folder / "values.npy").exists():
            np.load(folder / "values.npy", allow_pickle=True)
    except Exception as error:
        return {"pipe": False, "broken": type(error).__name__}
    return {"pipe": not score < 1, "broken": ""}


def children():
    """The direct children of this process."""
    return [int(pid) for pid in Path(f"/proc/self/task/{os.getpid()}/children").read_text().split()]


def end_all():
    """Kill and reap every process that was left."""
    while True:
        for pid in children():
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        try:
            os.waitpid(-1, 0)
        except ChildProcessError:
            return


if __name__ == "__main__":
    sys.exit(main(socket.socket(fileno=int(sys.argv[1]))))
