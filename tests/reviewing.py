"""What the tests of the review room share: a room on a real socket in this process or another, and a small browser."""

from __future__ import annotations

import asyncio
import functools
import http.client
import json
import os
import re
import secrets
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote, urlencode, urlsplit

import pytest
import uvicorn

from grader.question import Question
from grader.results import Results
from grader.review import access, passwords, patience
from grader.review.access import Access
from grader.review.app import create
from grader.review.queue import Queue
from tests import marking

PASSWORD: Final = "correct horse battery staple"
PEOPLE: Final = {"ina": "interviewer", "pat": "panel", "ada": "admin", "ivo": "interviewer"}
ROOT: Final = Path(__file__).resolve().parents[1]


@dataclass(frozen=True)
class Reply:
    """What came back."""

    status: int
    headers: dict[str, str]
    text: str

    @property
    def to(self) -> str:
        """Where it sends the browser."""
        return self.headers.get("location", "")

    @property
    def token(self) -> str:
        """What its form brings back."""
        found = re.search(r'name="csrf" value="([^"]+)"', self.text)
        assert found, self.text[:500]
        return found[1]


@dataclass
class Browser:
    """Keeps cookies, and says that its posts come from the page itself, as browsers do."""

    base: str
    cookies: dict[str, str] = field(default_factory=dict)
    headers: dict[str, str] = field(default_factory=lambda: {"Sec-Fetch-Site": "same-origin"})

    def ask(self, method: str, path: str, body: Any = None, headers: dict[str, str] | None = None) -> Reply:
        """Send one request, on a connection of its own. A header that is empty is left out."""
        where = urlsplit(self.base)
        cookie = {"Cookie": "; ".join(f"{name}={value}" for name, value in self.cookies.items())}
        sent = {**self.headers, **(cookie if self.cookies else {}), **(headers or {})}
        line = http.client.HTTPConnection(where.hostname or "", where.port, timeout=60)
        try:
            line.request(method, path, body, {name: value for name, value in sent.items() if value})
            answer = line.getresponse()
            for name, value in answer.getheaders():
                if name.lower() == "set-cookie":
                    self._keep(value)
            text = answer.read().decode()
        finally:
            line.close()
        return Reply(answer.status, {name.lower(): value for name, value in answer.getheaders()}, text)

    def get(self, path: str, **headers: str) -> Reply:
        """Ask for a page."""
        return self.ask("GET", path, headers=headers)

    def post(self, path: str, fields: dict[str, Any], headers: dict[str, str] | None = None) -> Reply:
        """Send a form."""
        kind = {"Content-Type": "application/x-www-form-urlencoded"}
        return self.ask("POST", path, urlencode(fields, doseq=True), {**kind, **(headers or {})})

    def upload(
        self, files: dict[str, bytes], fields: dict[str, str] | None = None, headers: dict[str, str] | None = None
    ) -> Reply:
        """Send files, with the token of the page."""
        kind, body = multipart({"csrf": self.get("/uploads").token, **(fields or {})}, files)
        return self.ask("POST", "/uploads", body, {"Content-Type": kind, **(headers or {})})

    def sign_in(self, name: str, password: str = PASSWORD) -> Reply:
        """Fill in the form."""
        form = self.get("/sign-in")
        return self.post("/sign-in", {"csrf": form.token, "name": name, "password": password, "next": "/"})

    def _keep(self, line: str) -> None:
        name, _, value = line.partition(";")[0].partition("=")
        if "Max-Age=0" in line or not value.strip('"'):
            self.cookies.pop(name, None)
        else:
            self.cookies[name] = value


def multipart(fields: dict[str, str], files: dict[str, bytes]) -> tuple[str, bytes]:
    """A form as a browser writes it: its kind, and its body."""
    line = secrets.token_hex(16)
    parts = [
        f'--{line}\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{value}\r\n'.encode()
        for name, value in fields.items()
    ]
    for name, content in files.items():
        quoted = name.replace('"', "%22")
        head = f'--{line}\r\nContent-Disposition: form-data; name="files"; filename="{quoted}"\r\n'
        parts.append(head.encode() + b"Content-Type: application/octet-stream\r\n\r\n" + content + b"\r\n")
    return f"multipart/form-data; boundary={line}", b"".join([*parts, f"--{line}--\r\n".encode()])


def users_file(folder: Path, people: dict[str, str] = PEOPLE) -> Path:
    """A users.toml in which everybody has the same password."""
    hashed = json.dumps(cheap_hash())
    path = folder / "users.toml"
    lines = [f'{name} = {{roles = ["{role}"], password = {hashed}}}' for name, role in people.items()]
    path.write_text("\n".join(["[users]", *lines]) + "\n", "utf-8")
    path.chmod(0o600)
    return path


@functools.cache
def cheap_hash() -> str:
    """The hash of the password, at the least cost that is taken: tests sign in often."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(passwords, "COST", 10)
        return passwords.hashed(PASSWORD)


@dataclass
class Here:
    """A room in this process, whose parts a test may reach."""

    base: str
    access: Access
    results: Results
    question: Question
    queue: Queue | None

    def browser(self, who: str = "") -> Browser:
        """A browser of somebody who is signed in; of nobody without a name."""
        name = "__Host-review" if self.access.secure else f"review-{self.base.rpartition(':')[2]}"
        return Browser(self.base, {name: self.access.sessions.open(who)} if who else {})

    @property
    def log(self) -> list[tuple[str, str]]:
        """Who did what."""
        return [(line["by"], line["act"]) for line in access.read_audit(self.results.folder)]


@contextmanager
def here(
    folder: Path, *, people: bool = False, uploads: bool = False, names: tuple[str, ...] = ("ana", "bo"), **given: Any
) -> Iterator[Here]:
    """A room on a port of its own, in a thread.

    Args:
        folder: an empty folder.
        people: whether there are users; else it is for one, who is called `me`.
        uploads: whether it takes some.
        names: what the submissions in it are called.
        given: further arguments of the access.
    """
    question, results = marking.folder(folder, *names)
    bank = folder / "questions"
    way = (
        access.with_users(users_file(folder), results.folder, **given)
        if people
        else access.single("me", results.folder, **given)
    )
    queue = Queue(results.folder, (bank,), "separate-process") if uploads else None
    app = create(results.folder, way, lambda _: question, queue)
    with served(app) as base:
        yield Here(base, way, results, question, queue)


@contextmanager
def served(app: Any) -> Iterator[str]:
    """An app on a port of its own, in a thread, as `grader serve` has it; its address."""
    config = uvicorn.Config(
        app, port=0, http=patience.Patient, log_config=None, access_log=False, server_header=False, lifespan="on"
    )
    config.timeout_graceful_shutdown = 1
    server = uvicorn.Server(config)
    thread = threading.Thread(target=lambda: asyncio.run(server.serve()))
    thread.start()
    try:
        until(lambda: server.started or not thread.is_alive())
        port = server.servers[0].sockets[0].getsockname()[1]
        yield f"http://127.0.0.1:{port}"
    finally:
        server.should_exit = True
        thread.join()


@contextmanager
def there(results: Path, bank: Path, *options: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """A room in a process of its own, as a person starts it; the process, and the link that it prints."""
    command = [sys.executable, "-m", "grader", "serve", str(results), "--port", "0", "--questions", str(bank), *options]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
        try:
            assert process.stdout
            found = re.search(r"http\S+", process.stdout.readline())
            assert found
            yield process, found[0]
        finally:
            if process.poll() is None:
                os.kill(process.pid, signal.SIGINT)
                process.wait()


def entered(link: str) -> Browser:
    """A browser that has opened the link."""
    base, _, path = link.partition("/open")
    browser = Browser(base)
    assert browser.get(f"/open{path}").status == 303
    return browser


def until(holds: Callable[[], object], seconds: float = 120.0) -> None:
    """Wait for something that has to come; a machine that is busy gets its time."""
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end, "this never came"
        time.sleep(0.02)


def quoted(path: str) -> str:
    """A path with every odd character escaped."""
    return quote(path, safe="")


def marked(browser: Browser, code: str, answer: str, *ticked: str, note: str = "", reason: str = "") -> Reply:
    """Open the page of an answer, tick, and save, as a person does."""
    path = f"/mark/again/{answer}/{code}"
    page = browser.get(path).text
    hidden = dict(re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)"', page))
    fields = {**hidden, "ticked": list(ticked), "note": note, "reason": reason, "sure": "1", "do": "save"}
    return browser.post(path, fields)


def children(pid: int) -> list[int]:
    """The processes that a process has started, and theirs."""
    try:
        found = [
            int(each)
            for path in Path(f"/proc/{pid}/task").iterdir()
            for each in (path / "children").read_text().split()
        ]
    except OSError:
        return []
    return [*found, *(each for child in found for each in children(child))]
