"""Many people in one review room: `python -m benchmarks.review_load --seconds 60`.

Fifty readers open pages and five markers open an answer, keep a draft, and save a mark, with a short pause each, in a
room that `grader serve` opened on loopback. In the end every mark that was answered with "saved" has to be in
marks.jsonl, and the chain has to hold. Told are the median and the 95th percentile of the time to a whole answer.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import re
import secrets
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final
from urllib.parse import urlencode, urlsplit

from benchmarks.demo import QUESTION, ROOT, SOLUTIONS
from grader.marks import Marks
from grader.results import Results
from grader.review import users

READERS: Final = 50
MARKERS: Final = 5
PASSWORD: Final = "a password for a benchmark"
READING_SECONDS: Final = 1.0  # between two pages of one reader; people take longer
MARKING_SECONDS: Final = 0.2


@dataclass(frozen=True)
class Made:
    """A mark, with a note that no other one has."""

    who: str
    code: str
    answer: str
    ticked: frozenset[str]
    note: str


@dataclass
class Load:
    """What happened.

    Attributes:
        first, pages, saves: seconds from a request to the whole answer.
        confirmed: the marks that were confirmed, changed ones too.
        wrong: answers that were none, by what they were.
        broken: requests that a room which was ended has left without an answer.
    """

    first: list[float] = field(default_factory=list)
    pages: list[float] = field(default_factory=list)
    saves: list[float] = field(default_factory=list)
    confirmed: list[Made] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)
    broken: int = 0


class Line:
    """One person's connection, kept open, with their cookie."""

    def __init__(self, base: str) -> None:
        where = urlsplit(base)
        self.host, self.port = where.hostname or "", where.port or 0
        self.cookies: dict[str, str] = {}
        self._open: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def ask(self, path: str, fields: Sequence[tuple[str, str]] | None = None) -> tuple[int, dict[str, str], str]:
        """Send a request, with a form if there are fields: the status, the headers, and the text."""
        body = urlencode(fields).encode() if fields is not None else b""
        head = [f"{'GET' if fields is None else 'POST'} {path} HTTP/1.1", f"Host: {self.host}:{self.port}"]
        head += ["Sec-Fetch-Site: same-origin"]
        if self.cookies:
            head.append("Cookie: " + "; ".join(f"{name}={value}" for name, value in self.cookies.items()))
        if fields is not None:
            head += ["Content-Type: application/x-www-form-urlencoded", f"Content-Length: {len(body)}"]
        for fresh in (False, True):  # a connection that was idle may be gone
            if self._open is None or fresh:
                self._open = await asyncio.open_connection(self.host, self.port)
            reader, writer = self._open
            try:
                writer.write("\r\n".join([*head, "", ""]).encode() + body)
                return await self._answer(reader)
            except (asyncio.IncompleteReadError, ConnectionError):
                await self.close()
                if fresh or fields is not None:
                    raise
        raise AssertionError

    async def _answer(self, reader: asyncio.StreamReader) -> tuple[int, dict[str, str], str]:
        raw = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
        headers: dict[str, str] = {}
        for line in raw[1:-2]:
            name, _, value = line.partition(":")
            if name.lower() == "set-cookie":
                key, _, kept = value.strip().partition(";")[0].partition("=")
                self.cookies[key] = kept
            headers[name.lower()] = value.strip()
        text = (await reader.readexactly(int(headers.get("content-length", 0)))).decode()
        if headers.get("connection") == "close":
            await self.close()
        return int(raw[0].split()[1]), headers, text

    async def close(self) -> None:
        """Hang up."""
        if self._open:
            writer, self._open = self._open[1], None
            writer.close()
            with suppress(ConnectionError):
                await writer.wait_closed()

    async def sign_in(self, name: str, password: str = PASSWORD) -> None:
        """Fill in the form."""
        _, _, text = await self.ask("/sign-in")
        form = [*hidden(text).items(), ("name", name), ("password", password)]
        status, _, text = await self.ask("/sign-in", form)
        assert status == 303, text


def hidden(text: str) -> dict[str, str]:
    """The hidden fields of the forms of a page."""
    return dict(re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)"', text))


async def run(
    base: str,
    results: Results,
    answers: dict[str, list[str]],
    *,
    seconds: float,
    readers: int = READERS,
    markers: int = MARKERS,
    load: Load | None = None,
    warm: bool = False,
) -> Load:
    """Sign in, then read and mark for so many seconds, and once in any case, as `reader-…` and `marker-…`.

    Args:
        base: the address of the room.
        results: its folder.
        answers: the observables of each answer.
        seconds: how long.
        readers, markers: how many.
        load: what is told of it, as it goes.
        warm: whether every page is opened once before, as in a room that has been open for a while.
    """
    load = Load() if load is None else load
    codes = [each.code for each in results.candidates]
    lines = {name: Line(base) for name in (*names("reader", readers), *names("marker", markers))}
    await asyncio.gather(*(line.sign_in(name) for name, line in lines.items()))
    if warm:
        await _visit(next(iter(lines.values())), codes, load)
    end = time.monotonic() + seconds
    people = [_read(lines[name], name, codes, end, load) for name in names("reader", readers)]
    people += [_mark(lines[name], name, codes, answers, end, load) for name in names("marker", markers)]
    await asyncio.gather(*people)
    return load


async def _visit(line: Line, codes: list[str], load: Load) -> None:
    """Open each page once. A page of a candidate is put together the first time that it is asked for."""
    for path in ("/", "/question", "/preview", *(f"/c/{code}" for code in codes)):
        began = time.perf_counter()
        await line.ask(path)
        load.first.append(time.perf_counter() - began)


def names(kind: str, count: int) -> list[str]:
    """What the readers or markers are called."""
    return [f"{kind}-{number}" for number in range(count)]


async def _read(line: Line, who: str, codes: list[str], end: float, load: Load) -> None:
    drawn = random.Random(who)
    try:
        turn = 0
        while time.monotonic() < end or not turn:
            turn += 1
            one, two = drawn.choice(codes), drawn.choice(codes)
            path = drawn.choice(["/", f"/c/{one}", f"/c/{one}", f"/compare?a={one}&b={two}", "/question", "/preview"])
            began = time.perf_counter()
            status, _, _ = await line.ask(path)
            load.pages.append(time.perf_counter() - began)
            if status != 200:
                load.wrong.append(f"{status} {path}")
            await asyncio.sleep(drawn.uniform(0, 2 * READING_SECONDS))
    except (ConnectionError, asyncio.IncompleteReadError):
        load.broken += 1
    finally:
        await line.close()


async def _mark(line: Line, who: str, codes: list[str], answers: dict[str, list[str]], end: float, load: Load) -> None:
    drawn = random.Random(who)
    try:
        turn = 0
        while time.monotonic() < end or not turn:
            turn += 1
            answer = drawn.choice([*answers])
            code = drawn.choice(codes)
            path = f"/mark/again/{answer}/{code}"
            began = time.perf_counter()
            status, _, text = await line.ask(path)
            load.pages.append(time.perf_counter() - began)
            if status != 200:
                load.wrong.append(f"{status} {path}")
                continue
            ticked = frozenset(each for each in answers[answer] if drawn.random() < 0.5)
            fields = [*{**hidden(text), "sure": "1"}.items(), *(("ticked", each) for each in sorted(ticked))]
            made = Made(who, code, answer, ticked, secrets.token_hex(8))
            fields += [("reason", "seen again"), ("note", made.note)]
            began = time.perf_counter()
            status, _, kept = await line.ask(f"{path}/draft", fields)
            if status != 200:
                load.wrong.append(f"{status} draft {kept[:200]}")
            else:
                was = re.search(r'"was":"([^"]*)"', kept)
                fields = [(key, was[1] if key == "was" and was else value) for key, value in fields]
            status, headers, text = await line.ask(path, [*fields, ("do", "save")])
            load.saves.append(time.perf_counter() - began)
            if status == 303 and "saved=" in headers["location"]:
                load.confirmed.append(made)
            else:
                load.wrong.append(f"{status} save {path}")
            await asyncio.sleep(drawn.uniform(0, 2 * MARKING_SECONDS))
    except (ConnectionError, asyncio.IncompleteReadError):
        load.broken += 1
    finally:
        await line.close()


def lost(results: Results, load: Load) -> list[str]:
    """The marks that were confirmed and are not there, or not as they were made; and what is wrong with the chain."""
    marks = Marks.open(results)
    found = [f"line {number}: {what}" for number, what in marks.ledger.prove().problems]
    there = {
        Made(mark.by, mark.code, mark.answer, frozenset(mark.ticked), mark.note)
        for code, answer in marks.marked
        for mark in marks.history(code, answer)
    }
    return [*found, *(f"{made.who} on {made.answer} of {made.code}" for made in load.confirmed if made not in there)]


def share(times: Sequence[float], percent: int) -> float:
    """A percentile, in milliseconds; 0 of nothing."""
    return 1000 * statistics.quantiles(times, n=100)[percent - 1] if len(times) > 1 else 0.0


def users_file(path: Path, readers: int = READERS, markers: int = MARKERS) -> Path:
    """A file of users with everybody in it."""
    hashed = users.line_of("x", ["panel"], PASSWORD).partition(" = ")[2]
    everybody = [*names("reader", readers), *names("marker", markers)]
    path.write_text("\n".join(["[users]", *(f"{name} = {hashed}" for name in everybody)]) + "\n", "utf-8")
    path.chmod(0o600)
    return path


@contextmanager
def room(results: Path, people: Path, *more: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """A room in a process of its own: the process, and its address."""
    command = [sys.executable, "-m", "grader", "serve", str(results), "--port", "0", "--users", str(people), *more]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
        try:
            assert process.stdout
            found = re.search(r"http\S+", process.stdout.readline())
            assert found, "the room did not open"
            yield process, found[0].rstrip("/")
        finally:
            process.terminate()
            process.wait()


def main() -> int:
    """Fill a room, and tell how long people waited; 1 if a mark was lost or an answer was none."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=60.0, help="how long (default 60)")
    parser.add_argument("--candidates", type=int, default=40, help="how many there are to read (default 40)")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="room-") as name:
        folder = Path(name)
        for number in range(given.candidates):
            one = folder / "sent" / f"candidate-{number}"
            one.mkdir(parents=True)
            shutil.copyfile(SOLUTIONS / "reference.py", one / "solution.py")
            shutil.copyfile(SOLUTIONS / "answers.yaml", one / "answers.yaml")
        call = ["batch", str(folder / "sent"), "-q", QUESTION, "-o", str(folder / "results")]
        subprocess.run([sys.executable, "-m", "grader", *call], cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
        results = Results.open(folder / "results")
        with room(results.folder, users_file(folder / "users.toml")) as (_, base):
            load = asyncio.run(run(base, results, observables(), seconds=given.seconds, warm=True))
        wrong = [*load.wrong, *lost(results, load)]
        shown = (("first visits", load.first), ("pages", load.pages), ("marks saved", load.saves))
        for what, times in shown:
            told = f"{share(times, 50):.0f} ms median, {share(times, 95):.0f} ms p95, {share(times, 99):.0f} ms p99"
            print(f"{what:12} {len(times):6}  {told}")
        print(f"{len(load.confirmed)} marks were confirmed; lost or wrong: {len(wrong)}")
        for each in wrong[:20]:
            print(f"  {each}")
    return 1 if wrong or load.broken else 0


def observables() -> dict[str, list[str]]:
    """The observables of each written answer of the question."""
    from grader.bank import Bank

    spec = Bank.find().get(QUESTION).spec
    asked = [answer for answer in spec.answers if answer.kind == "text" and answer.observables]
    return {answer.id: [each.id for each in answer.observables] for answer in asked}


if __name__ == "__main__":
    sys.exit(main())
