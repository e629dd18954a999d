"""What an attack may reach for. All of it is made for the test, and none of it is anything of the user's.

A `Bait` lays it out in a folder of its own, and around it: a process, listeners, shared memory, a queue, a key. The
attack learns where by constants in its source. Everything hidden holds one line, `SECRET_LINE`, which a regular
expression that does not match itself finds again.
"""

from __future__ import annotations

import ctypes
import marshal
import os
import pty
import secrets
import shutil
import socket
import subprocess
import sys
import tempfile
import zlib
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Any, ClassVar, Final, Self

NUMBER: Final = 1000 + secrets.randbelow(9000)
SECRET_LINE: Final = f"expect_the_rows {NUMBER}"
MARK: Final = "expect_the_row[s]"
VARIABLE: Final = "GRADER_SECRET_TOKEN"

SIGKILL: Final = 9
IPC_CREAT: Final = 0o1000
IPC_RMID: Final = 0
SHM_BYTES: Final = 64
KEYCTL: Final = {"x86_64": 250, "aarch64": 219}
KEYCTL_INVALIDATE: Final = 21
O_CREAT: Final = 0o100
O_WRONLY: Final = 1

libc: Final = ctypes.CDLL(None, use_errno=True)
libc.shmat.restype = ctypes.c_void_p

DECOY: Final = f"""
import sys, time
memory = bytearray({SECRET_LINE!r}, "ascii")
print(id(memory) and __import__("ctypes").addressof(__import__("ctypes").c_char.from_buffer(memory)), flush=True)
time.sleep(3600)
"""


class Bait:
    """The targets of one attack, or of several that leave them alone. A context manager; leaving it clears all up."""

    NAMES: ClassVar = {
        *("ARMED", "BAIT", "CANARY", "SECRET_FILE", "SITE", "GRADER", "DECOY", "DECOY_ADDRESS"),
        *("PORT", "UDP_PORT", "FREE_PORT", "SOCKET", "KEY", "TTY"),
    }

    def __init__(self) -> None:
        self.token = f"redteam{secrets.token_hex(5)}"
        self.key = 0x5EED0000 | secrets.randbelow(1 << 16)
        self.folder = Path(tempfile.mkdtemp(prefix=f"{self.token}-"))
        self._lay_files()
        self._start_decoy()
        self._open_sockets()
        self._leave_mail()
        self.master, self.slave = pty.openpty()
        os.set_blocking(self.master, False)

    def _lay_files(self) -> None:
        folder = self.folder
        self.canary, self.secret = folder / "canary.txt", folder / "secret.txt"
        self.canary.write_text("a file of the user's own\n")
        self.canary.chmod(0o640)
        self.secret.write_text(SECRET_LINE)
        (folder / "link").symlink_to(SECRET_LINE)
        for name in ("hidden", "site", "others/ada", "repository/.git/objects/aa"):
            (folder / name).mkdir(parents=True)
        (folder / "hidden" / "test_hidden.py").write_text(f"def {SECRET_LINE.replace(' ', '_')}(): ...\n")
        (folder / "hidden" / "__pycache__").mkdir()
        compiled = marshal.dumps(compile(f"{SECRET_LINE.replace(' ', '_')} = 0", "test_hidden.py", "exec"))
        (folder / "hidden" / "__pycache__" / "test_hidden.cpython-311.pyc").write_bytes(bytes(16) + compiled)
        (folder / "hidden" / "reference.py").write_text(f"# {SECRET_LINE}\n")
        (folder / "others" / "ada" / "solution.py").write_text(f"# {SECRET_LINE}\n")
        blob = zlib.compress(f"blob {len(SECRET_LINE)}\0{SECRET_LINE}".encode())
        (folder / "repository" / ".git" / "objects" / "aa" / ("b" * 38)).write_bytes(blob)

    def _start_decoy(self) -> None:
        self.decoy = subprocess.Popen(
            [sys.executable, "-I", "-S", "-c", DECOY, SECRET_LINE],
            stdout=subprocess.PIPE,
            env={VARIABLE: SECRET_LINE},
            start_new_session=True,
        )
        assert self.decoy.stdout is not None
        self.address = int(self.decoy.stdout.readline())

    def _open_sockets(self) -> None:
        self.tcp = socket.create_server(("127.0.0.1", 0))
        self.udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.udp.bind(("127.0.0.1", 0))
        self.pathname = socket.socket(socket.AF_UNIX)
        self.pathname.bind(str(self.folder / "agent.sock"))
        self.pathname.listen()
        self.abstract = socket.socket(socket.AF_UNIX)
        self.abstract.bind(f"\0{self.token}")
        self.abstract.listen()
        for each in (self.tcp, self.udp, self.pathname, self.abstract):
            each.setblocking(False)
        with socket.create_server(("127.0.0.1", 0)) as taken:
            self.free_port = taken.getsockname()[1]

    def _leave_mail(self) -> None:
        """What an earlier worker could have left for the next one."""
        self.mail = Path(tempfile.gettempdir()) / f"{self.token}-mail"
        self.mail.write_text(SECRET_LINE)
        self.shm = Path("/dev/shm") / f"{self.token}-mail"
        self.shm.write_text(SECRET_LINE)
        address = libc.shmat(libc.shmget(self.key, SHM_BYTES, IPC_CREAT | 0o666), None, 0)
        ctypes.memmove(address, SECRET_LINE.encode(), len(SECRET_LINE))
        libc.shmdt(ctypes.c_void_p(address))
        libc.msgget(self.key, IPC_CREAT | 0o666)
        libc.semget(self.key, 1, IPC_CREAT | 0o666)
        self.queue = libc.mq_open(f"/{self.token}".encode(), O_CREAT | O_WRONLY, 0o666, None)
        libc.mq_send(self.queue, SECRET_LINE.encode(), len(SECRET_LINE), 0)
        self.lock = (self.folder / "lock").open("w")
        os.lockf(self.lock.fileno(), os.F_LOCK, 0)

    def constants(self) -> dict[str, Any]:
        """What the attack is told, as names in its source. `ARMED` is what bombs ask for."""
        return {
            "ARMED": self.token,
            "MARK": MARK,
            "VARIABLE": VARIABLE,
            "BAIT": str(self.folder),
            "CANARY": str(self.canary),
            "SECRET_FILE": str(self.secret),
            "SITE": str(self.folder / "site"),
            "GRADER": os.getpid(),
            "DECOY": self.decoy.pid,
            "DECOY_ADDRESS": self.address,
            "PORT": self.tcp.getsockname()[1],
            "UDP_PORT": self.udp.getsockname()[1],
            "FREE_PORT": self.free_port,
            "SOCKET": str(self.folder / "agent.sock"),
            "KEY": self.key,
            "TTY": os.ttyname(self.slave),
        }

    def close(self) -> None:
        """Clear up, whatever an attack made of it."""
        with suppress(ProcessLookupError):
            self.decoy.send_signal(SIGKILL)
        self.decoy.wait()
        assert self.decoy.stdout is not None
        self.decoy.stdout.close()
        for each in (self.tcp, self.udp, self.pathname, self.abstract, self.lock):
            each.close()
        os.close(self.master)
        os.close(self.slave)
        for key in (self.key, self.key + 1):  # the bait's own, and what an attack left under the next
            libc.shmctl(libc.shmget(key, 0, 0), IPC_RMID, None)
            libc.msgctl(libc.msgget(key, 0), IPC_RMID, None)
            libc.semctl(libc.semget(key, 0, 0), 0, IPC_RMID)
        libc.mq_close(self.queue)
        for name in (self.token, f"{self.token}-left"):
            libc.mq_unlink(f"/{name}".encode())
        for line in Path("/proc/keys").read_text().splitlines():
            if self.token in line:
                libc.syscall(KEYCTL[os.uname().machine], KEYCTL_INVALIDATE, int(line.split()[0], 16))
        for root in {tempfile.gettempdir(), "/dev/shm", "/var/tmp"}:
            for stray in Path(root).glob(f"*{self.token}*"):
                shutil.rmtree(stray) if stray.is_dir() else stray.unlink(missing_ok=True)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()
