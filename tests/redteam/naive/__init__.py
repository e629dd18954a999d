"""A naive grader, to show that each attack bites, and how one knows.

How a bite shows, as an attack's `# naive:` line says it:

    forges exit | stdout | file | pipe | nonce   a wrong solution was believed to have passed, by this route
    forges test_…        this test passed, which the solution does not deserve
    loses                not every test has a result
    dies                 the process ended by a signal, and nothing was believed
    hangs                it had to be killed from outside
    breaks               the reader of the results raised
    tells                the attack found what is hidden
    shows                the output, which candidates are often given, holds what is hidden
    renders <reader>     what a reader would be shown could do harm, see readers.py
    touches              something outside changed, see host.py
    survives             processes were left over
    floods | fills | swallows   output, files, or memory beyond any sensible limit
"""

from __future__ import annotations

import json
import os
import re
import secrets
import shutil
import socket
import subprocess
import sys
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Self

from grader.worker.keeper import remove

from ..attack import Attack
from ..bait import MARK
from ..readers import NAIVE, harms

HERE: Final = Path(__file__).parent
HANG_SECONDS: Final = 1.2
GRACE_SECONDS: Final = 0.5
PATIENCE_SECONDS: Final = 40.0
SWALLOWS_MIB: Final = 700
FLOODS_MIB: Final = 8
FILLS_MIB: Final = 32
FILLS_ENTRIES: Final = 500


class Naive:
    """The grader's process. A context manager."""

    def __init__(self) -> None:
        self.line, theirs = socket.socketpair()
        self.inbox = self.line.makefile("r", encoding="utf-8")
        nonce = secrets.token_hex(8)
        self.process = subprocess.Popen(
            [sys.executable, "-B", str(HERE / "runner.py"), str(theirs.fileno()), "--nonce", nonce],
            stdin=subprocess.DEVNULL,
            pass_fds=[theirs.fileno()],
            env={**os.environ, "GRADER_NONCE": nonce, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "OMP_NUM_THREADS": "1"},
        )
        theirs.close()

    def run(self, folder: Path, attack: Attack) -> dict[str, Any]:
        """Grade the attack that is in a folder as solution.py; what was seen and believed, by name."""
        sent = {
            str(path.relative_to(folder)): path.read_text("utf-8", "replace")
            for path in folder.rglob("*")
            if path.is_file() and path.suffix != ".zip" and "readers" in attack.name
        }
        for name in ("hidden.py", "oracle.py"):
            shutil.copy(HERE / name, folder)
        asked = {
            "folder": str(folder),
            "mode": attack.runner,
            "seconds": HANG_SECONDS if "hangs" in attack.naive else PATIENCE_SECONDS,
            "grace": GRACE_SECONDS if "late" in attack.name else 0.0,
            "tears_down": attack.kind == "ending",
        }
        self.line.sendall(json.dumps(asked).encode() + b"\n")
        record: dict[str, Any] = json.loads(self.inbox.readline())
        record["shown"] += "\n".join(name + words for name, words in sent.items())
        remove(str(folder))  # whatever modes the attack gave to what is in it
        return record

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.inbox.close()
        self.line.close()
        self.process.wait()


TESTS: Final = re.findall(r"^def (test_\w+)", (HERE / "hidden.py").read_text("utf-8"), re.MULTILINE)


def bites(how: str, record: dict[str, Any], changes: list[str], token: str) -> bool:
    """Whether the attack has bitten, in the way that its line says."""
    match how.split():
        case ["forges", route] if route.startswith("test_"):
            return bool(record["tests"].get(route) == "passed")
        case ["forges", route]:
            return bool(record[route])
        case ["loses"]:
            return set(record["tests"]) < set(TESTS)
        case ["dies"]:
            return bool(record["signal"]) and not record["tests"]
        case ["hangs"]:
            return bool(record["hangs"])
        case ["breaks"]:
            return bool(record["broken"])
        case ["tells"]:
            return record["told"] not in ("0", "0.0")
        case ["shows"]:
            return re.search(MARK, record["shown"]) is not None
        case ["renders", reader]:
            return harms(reader, NAIVE[reader](record["shown"]), token)
        case ["touches"]:
            return bool(changes)
        case ["survives"]:
            return bool(record["survivors"])
        case ["floods"]:
            return bool(record["printed_mib"] >= FLOODS_MIB)
        case ["fills"]:
            return bool(record["folder_mib"] >= FILLS_MIB or record["entries"] >= FILLS_ENTRIES)
        case ["swallows"]:
            return bool(record["peak_mib"] >= SWALLOWS_MIB)
    raise ValueError(f"there is no such bite: {how}")
