"""Submissions that are dropped on a page of the review room: what is taken, what is refused, what becomes of them."""

from __future__ import annotations

import io
import json
import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("starlette", reason="the extra `web` is not installed")
pytest.importorskip("python_multipart", reason="the extra `web` is not installed")

from click.testing import CliRunner

from grader.cli import main
from grader.results import Results, ledger, lock
from grader.review import access, queue, receiving, trail, uploads
from grader.review.people import ACTS
from grader.review.receiving import Bounds, file_name
from grader.review.spool import Job, Outcome, Sent, Spool
from tests import marking, reviewing
from tests.reviewing import Browser, Here, until

RIGHT = b"def double(x):\n    return 2 * x\n"
WRONG = b"def double(x):\n    return 3 * x\n"
SLOW = b"import time\n\ntime.sleep(3)\n\n\n" + RIGHT


@pytest.fixture(scope="module")
def room(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Here]:
    """A room with users, that grades."""
    with reviewing.here(tmp_path_factory.mktemp("room"), people=True, uploads=True) as room:
        yield room


@pytest.fixture
def idle(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Here]:
    """A room of its own, in which nothing is ever graded."""
    monkeypatch.setattr(queue, "COMMAND", (sys.executable, "-c", "import sys; sys.stdin.read()"))
    with reviewing.here(tmp_path, people=True, uploads=True) as room:
        yield room


def spool(room: Here) -> Spool:
    """Its spool."""
    return Spool(room.results.folder)


def ended(room: Here, id: str) -> Job:
    """The job of an upload when it has ended."""

    def has_ended() -> bool:
        job = spool(room).find(id)
        return job is not None and not job.is_pending

    until(has_ended)
    job = spool(room).find(id)
    assert job
    return job


def graded(room: Here, browser: Browser, files: dict[str, bytes], **fields: str) -> Job:
    """Upload, and wait for what becomes of it."""
    reply = browser.upload(files, fields)
    assert reply.status == 303, reply.text
    return ended(room, reply.to.rpartition("/")[2])


def zipped(files: dict[str, bytes]) -> bytes:
    """A zip."""
    raw = io.BytesIO()
    with zipfile.ZipFile(raw, "w") as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return raw.getvalue()


def names(room: Here) -> set[str]:
    """Who is in the results."""
    return {each.name for each in Results.open(room.results.folder).candidates}


# What becomes of them


def test_an_upload_is_graded_as_in_a_batch_and_shown(room: Here) -> None:
    browser = room.browser("ina")
    job = graded(room, browser, {"cleo.py": WRONG})
    assert (job.state, job.sent, job.by) == ("done", [], "ina")
    (outcome,) = job.outcomes
    candidate = Results.open(room.results.folder).find("cleo.py")
    assert (outcome.code, outcome.earned, outcome.possible) == (candidate.code, 0.0, 10.0)
    assert outcome.verdict == candidate.report.verdict and candidate.line["criteria"] == {"doubles": "failed"}
    assert candidate.source == WRONG.decode() and candidate.report.isolation.tier == outcome.tier
    page = browser.get(f"/uploads/{job.id}").text
    assert f'href="/c/{candidate.code}"' in page and "0 of 10" in page
    assert browser.get(f"/c/{candidate.code}").status == 200
    assert f"/c/{candidate.code}" in browser.get("/uploads").text


def test_nothing_in_the_spool_or_the_log_says_what_was_graded_was_called(room: Here) -> None:
    job = graded(room, room.browser("ina"), {"delphine.py": RIGHT})
    folder = spool(room).folder / job.id
    until(lambda: not list((folder / "sent").iterdir()))  # it goes as soon as it is told that it is graded
    assert [path.name for path in folder.rglob("*") if path.is_file()] == ["job.json"]
    assert "delphine" not in (folder / "job.json").read_text()
    said = trail.read(room.results.folder)
    assert "delphine" not in json.dumps(said)
    assert ("ina", "uploaded") in room.log and ("ina", "graded") in room.log
    assert job.outcomes[0].code in {line["detail"].get("code") for line in said}


@pytest.mark.parametrize(
    ("files", "fields", "found"),
    [
        ({"a1.py": RIGHT, "a2.py": WRONG}, {}, {"a1.py", "a2.py"}),
        ({"solution.py": RIGHT, "answers.yaml": b"why_interleave: Because.\n"}, {"name": "Bea 2"}, {"Bea 2"}),
        ({"solution.py": RIGHT}, {"name": "Cid"}, {"Cid"}),
        ({"one.zip": zipped({"solution.py": RIGHT, "answers.yaml": b"why_interleave: So.\n"})}, {}, {"one.zip"}),
        (
            {"many.zip": zipped({"all/d1.py": RIGHT, "all/d2/solution.py": WRONG, "all/d2/answers.yaml": b""})},
            {},
            {"d1.py", "d2"},
        ),
    ],
    ids=["several", "a folder", "a name", "a zip of one", "a zip of several"],
)
def test_a_submission_comes_in_every_shape(
    room: Here, files: dict[str, bytes], fields: dict[str, str], found: set[str]
) -> None:
    before = names(room)
    job = graded(room, room.browser("ina"), files, **fields)
    assert job.state == "done", job
    assert names(room) - before == found and before <= names(room)
    if "answers.yaml" in files:
        assert Results.open(room.results.folder).find("Bea 2").report.answers[0].given == "Because."


def test_what_can_not_be_graded_is_told_and_kept_until_it_is_removed(room: Here) -> None:
    browser = room.browser("ina")
    job = graded(room, browser, {"empty.zip": zipped({"notes.txt": b"hello"}), "fine.py": RIGHT})
    assert job.state == "trouble" and [each.name for each in job.sent] == ["empty.zip"]
    assert {bool(each.code) for each in job.outcomes} == {True, False}
    page = browser.get(f"/uploads/{job.id}")
    assert "empty.zip" in page.text and "could not be graded" in page.text and "Try again" in page.text
    assert browser.post(f"/uploads/{job.id}/again", {"csrf": page.token}).status == 303
    until(lambda: (found := spool(room).find(job.id)) and found.state == "trouble" and found.begun == 1)
    again = ended(room, job.id)
    assert len(again.outcomes) == 2 and len([each for each in again.outcomes if each.code]) == 1
    assert browser.post(f"/uploads/{job.id}/remove", {"csrf": page.token}).to == "/uploads"
    assert spool(room).find(job.id) is None and browser.get(f"/uploads/{job.id}").status == 404


def test_a_name_that_is_taken_is_replaced_only_by_who_says_so(room: Here) -> None:
    browser = room.browser("ina")
    first = graded(room, browser, {"twice.py": WRONG})
    told = browser.upload({"twice.py": RIGHT})
    assert told.status == 409 and "twice.py” is there already" in told.text
    second = graded(room, browser, {"twice.py": RIGHT}, replace="yes")
    assert second.outcomes[0].code == first.outcomes[0].code and second.outcomes[0].verdict == "passed"
    assert [line["name"] for line in ledger.read(room.results.folder / ledger.NAME)].count("twice.py") == 1
    job = graded(room, browser, {"inner.zip": zipped({"twice.py": WRONG, "other.py": RIGHT})})
    assert job.state == "trouble" and "under these names" in job.outcomes[0].trouble
    assert Results.open(room.results.folder).find("twice.py").report.verdict == "passed"


def test_progress_comes_as_events_and_without_scripts_by_a_link_to_look_again(room: Here) -> None:
    browser = room.browser("ina")
    to = browser.upload({"events.py": RIGHT}).to
    page = browser.get(to).text
    assert f'<a class="button" href="{to}">' in page and f'data-events="{to}/events"' in page
    text = browser.get(f"{to}/events")
    assert text.headers["content-type"].startswith("text/event-stream")
    said = [json.loads(line[6:]) for line in text.text.splitlines() if line.startswith("data: ")]
    assert said[-1]["ended"] and said[-1]["state"] == "done" and not said[0]["ended"]
    assert "http-equiv" not in browser.get(to).text


def test_a_later_batch_and_a_regrade_leave_what_was_uploaded(room: Here, tmp_path: Path) -> None:
    graded(room, room.browser("ina"), {"stays.py": RIGHT})
    sent = tmp_path / "sent"
    sent.mkdir()
    (sent / "fresh.py").write_bytes(RIGHT)
    bank = str(room.question.folder.parent)
    call = ["batch", str(sent), "-q", "why-interleave", "-o", str(room.results.folder), "--questions", bank]
    told = CliRunner().invoke(main, [*call, "--allow-unsandboxed"])
    assert told.exit_code == 0, told.output
    assert {"stays.py", "fresh.py"} <= names(room) and "stays.py" in (room.results.folder / "summary.html").read_text()
    line = ledger.read(room.results.folder / ledger.NAME)[0]
    assert ledger.renewed({"added": True}, {**line}) == {**line, "added": True}
    assert "added" not in ledger.renewed({}, {"name": "x"})


def test_an_upload_waits_for_whoever_writes_results(room: Here) -> None:
    browser = room.browser("ina")
    with lock.held(room.results.folder):
        id = browser.upload({"held.py": RIGHT}).to.rpartition("/")[2]
        until(lambda: (job := spool(room).find(id)) and job.state == "held")
        assert "Waiting for a batch" in browser.get(f"/uploads/{id}").text
        assert "held.py" not in names(room)
    assert ended(room, id).state == "done"


def test_after_a_purge_nothing_of_an_upload_is_left(room: Here) -> None:
    job = graded(room, room.browser("ina"), {"gone.py": RIGHT})
    until(lambda: not list((spool(room).folder / job.id / "sent").iterdir()))
    with_trouble = graded(room, room.browser("ina"), {"gone2.zip": zipped({"x.txt": b""})})
    folder, bank = room.results.folder, str(room.question.folder.parent)
    spare = spool(room)
    told = CliRunner().invoke(main, ["purge", str(folder), "gone.py", "--as", "me", "--yes", "--questions", bank])
    assert told.exit_code == 0, told.output + told.stderr
    assert spare.forget("gone2.zip", "") == 1 and spare.find(with_trouble.id) is None
    every = [path for path in folder.rglob("*") if path.is_file()]
    left = [path for path in every if b"gone.py" in path.read_bytes() + str(path).encode()]
    assert not left and room.browser("ina").get(f"/c/{job.outcomes[0].code}").status == 404
    assert spare.find(job.id) is None


# What is refused


@pytest.mark.parametrize(
    ("files", "fields", "status", "said"),
    [
        ({}, {}, 400, "No file was chosen"),
        ({"": b""}, {}, 400, "No file was chosen"),
        ({"a.exe": b"MZ"}, {}, 415, "found a.exe"),
        ({"a": b""}, {}, 415, "found a"),
        ({"solution.py": b"", "answers.yaml": b""}, {}, 400, "Say what this submission is called"),
        ({"a.py": b"", "b.py": b""}, {"name": "x"}, 400, "one name is not enough"),
        ({"a.py": b""}, {"name": "x" * 101}, 400, "at most 100 characters"),
        ({"a.py": b""}, {"name": "a\u202eb"}, 400, "can be seen"),
        ({"a.py": b""}, {"name": "amber-coot-17"}, 400, "a code name"),
        ({"a.py": b""}, {"name": "ana"}, 409, "is there already"),
        ({"a.py": b""}, {"name": "x" * 5000}, 413, "too long"),
    ],
)
def test_what_is_no_submission_is_refused_in_a_sentence(
    idle: Here, files: dict[str, bytes], fields: dict[str, str], status: int, said: str
) -> None:
    reply = idle.browser("ina").upload(files, fields)
    assert (reply.status, said in reply.text) == (status, True), reply.text
    assert not spool(idle).jobs() and not list(spool(idle).folder.glob("*"))


@pytest.mark.parametrize(
    "name",
    [
        "../../../../escaped.py",
        "..\\..\\escaped.py",
        "/etc/escaped.py",
        "C:\\escaped.py",
        "....//escaped.py",
        "%2e%2e%2fescaped.py",
        ".escaped.py",
        "<script>alert(1)</script>.py",
        "a\u202eyp.py",
        "x" * 300 + ".py",
        "\u00e9" * 200 + ".py",
        "a b\tc.py",
    ],
)
def test_no_name_of_a_file_leads_anywhere_or_runs(idle: Here, name: str) -> None:
    before = {path for path in idle.results.folder.parent.rglob("*") if spool(idle).folder not in path.parents}
    browser = idle.browser("ina")
    reply = browser.upload({name: RIGHT})
    assert reply.status == 303, reply.text
    job = spool(idle).find(reply.to.rpartition("/")[2])
    assert job
    path = spool(idle).path(job, job.sent[0])
    assert path.read_bytes() == RIGHT and path.resolve().is_relative_to(spool(idle).folder / job.id / "sent" / "0")
    after = {path for path in idle.results.folder.parent.rglob("*") if spool(idle).folder not in path.parents}
    assert {path.name for path in after - before} <= {"review", "spool", "audit.jsonl", "index.sqlite"}
    for page in ("/uploads", reply.to):
        text = browser.get(page).text
        assert "<script>alert" not in text and "\u202e" not in text and "\t" not in text.partition("<ul")[2]


def test_a_name_is_the_last_step_of_a_path_and_can_be_seen() -> None:
    assert file_name("a/b\\c.py") == "c.py" and file_name("...") == "submission" and file_name("") == "submission"
    assert file_name("a\x00\n\u202e.py") == "a___.py" and len(file_name("é" * 500 + ".py").encode()) <= 120
    assert file_name("é" * 500 + ".py").endswith(".py") and file_name("." + "x" * 500) == "submission"


def test_an_upload_has_a_size_that_holds_while_it_streams(idle: Here, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(uploads, "BOUNDS", Bounds(whole=1 << 20))
    browser = idle.browser("ina")
    largest = [0]
    seen = _watched(monkeypatch, largest)
    assert browser.upload({"large.py": b"x" * (2 << 20)}).status == 413
    assert largest[0] == 0 and seen  # it had said so, and nothing was written
    kind, body = reviewing.multipart({"csrf": browser.get("/uploads").token}, {"large.py": b"x" * (2 << 20)})
    parts = (body[start : start + 65536] for start in range(0, len(body), 65536))
    reply = browser.ask("POST", "/uploads", parts, {"Content-Type": kind})  # without a length
    assert reply.status == 413 and "at most 1 MiB" in reply.text and 0 < largest[0] <= 1 << 20
    assert not list(spool(idle).folder.iterdir())
    monkeypatch.setattr(uploads, "BOUNDS", Bounds())
    parts = (body[start : start + 65536] for start in range(0, len(body), 65536))
    assert browser.ask("POST", "/uploads", parts, {"Content-Type": kind}).status == 303


def _watched(monkeypatch: pytest.MonkeyPatch, largest: list[int]) -> bool:
    """Have the most bytes that an upload has written taken down."""
    data = receiving._Form._data

    def counted(self: Any, *given: Any) -> None:
        data(self, *given)
        largest[0] = max(largest[0], self.received.size)

    monkeypatch.setattr(receiving._Form, "_data", counted)
    return True


def test_a_slow_upload_is_given_up(idle: Here, monkeypatch: pytest.MonkeyPatch) -> None:
    browser = idle.browser("ina")
    monkeypatch.setattr(uploads, "BOUNDS", Bounds(pause=0.4))
    assert b" 408 " in dripped(idle, browser, pause=None)  # it stops in the middle
    monkeypatch.setattr(uploads, "BOUNDS", Bounds(grace=0.5, rate=1 << 20))
    assert b" 408 " in dripped(idle, browser, pause=0.1)  # a byte every now and then
    assert not list(spool(idle).folder.iterdir())
    assert browser.upload({"quick.py": RIGHT}).status == 303  # and it is not held against anybody
    other = idle.browser("ivo")
    monkeypatch.setattr(uploads, "BOUNDS", Bounds())
    assert b" 303 " in dripped(idle, other, pause=0.1)


def dripped(room: Here, browser: Browser, pause: float | None) -> bytes:
    """The head of what comes back to an upload that comes byte by byte for three seconds, or stops in the middle."""
    kind, body = reviewing.multipart({"csrf": browser.get("/uploads").token}, {"slow.py": RIGHT})
    cookies = "; ".join(f"{name}={value}" for name, value in browser.cookies.items())
    head = f"POST /uploads HTTP/1.1\r\nHost: {room.base[7:]}\r\nCookie: {cookies}\r\nSec-Fetch-Site: same-origin\r\n"
    head += f"Content-Type: {kind}\r\nContent-Length: {len(body)}\r\n\r\n"
    host, _, port = room.base[7:].partition(":")
    with socket.create_connection((host, int(port)), timeout=60) as line:
        line.sendall(head.encode() + body[:-30])
        for at in range(30):
            if pause is None:
                break
            time.sleep(pause)
            try:
                line.sendall(body[len(body) - 30 + at : len(body) - 29 + at])
            except ConnectionError:
                break
        return line.recv(1 << 16).partition(b"\r\n")[0]


def test_whoever_breaks_off_leaves_nothing(idle: Here) -> None:
    browser = idle.browser("ina")
    kind, body = reviewing.multipart({"csrf": browser.get("/uploads").token}, {"half.py": RIGHT * 1000})
    cookies = "; ".join(f"{name}={value}" for name, value in browser.cookies.items())
    head = f"POST /uploads HTTP/1.1\r\nHost: {idle.base[7:]}\r\nCookie: {cookies}\r\nSec-Fetch-Site: same-origin\r\n"
    head += f"Content-Type: {kind}\r\nContent-Length: {len(body)}\r\n\r\n"
    host, _, port = idle.base[7:].partition(":")
    with socket.create_connection((host, int(port)), timeout=60) as line:
        line.sendall(head.encode() + body[:9000])
        until(lambda: list(spool(idle).folder.glob(".part-*")))
    until(lambda: not list(spool(idle).folder.iterdir()))
    assert browser.upload({"whole.py": RIGHT}).status == 303


def test_one_at_a_time_for_each_person(idle: Here, monkeypatch: pytest.MonkeyPatch) -> None:
    ina, ivo = idle.browser("ina"), idle.browser("ivo")
    assert ina.upload({"first.py": RIGHT}).status == 303
    told = ina.upload({"second.py": RIGHT})
    assert told.status == 409 and "not graded yet" in told.text
    assert ivo.upload({"his.py": RIGHT}).status == 303
    assert ivo.upload({"first.py": RIGHT}).status == 409
    monkeypatch.setattr(queue.Queue, "refusal", lambda *_: "")
    assert ina.upload({"second.py": RIGHT}).status == 303


def test_uploads_have_a_pace_and_the_queue_an_end(idle: Here, monkeypatch: pytest.MonkeyPatch) -> None:
    ina = idle.browser("ina")
    assert idle.queue
    idle.queue.pace.times = 2
    statuses = [ina.upload({"a.exe": b""}).status for _ in range(3)]
    assert statuses == [415, 415, 429]
    monkeypatch.setattr(queue, "MOST_PENDING", 1)
    ivo = idle.browser("ivo")
    assert ivo.upload({"a.py": RIGHT}).status == 303
    assert idle.browser("ada").upload({"b.py": RIGHT}).status == 409


def test_a_disk_that_is_nearly_full_takes_nothing(idle: Here, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(uploads, "SPARE", 1 << 40)
    reply = idle.browser("ina").upload({"a.py": RIGHT})
    assert reply.status == 507 and "nearly full" in reply.text


def test_no_byte_is_written_before_the_token_has_come(idle: Here, monkeypatch: pytest.MonkeyPatch) -> None:
    browser = idle.browser("ina")
    largest = [0]
    _watched(monkeypatch, largest)
    for fields in ({}, {"csrf": "x"}, {"csrf": idle.browser("ivo").get("/uploads").token}):
        kind, body = reviewing.multipart(fields, {"a.py": RIGHT})
        assert browser.ask("POST", "/uploads", body, {"Content-Type": kind}).status == 403
    kind, body = reviewing.multipart({"csrf": browser.get("/uploads").token}, {"a.py": RIGHT})
    for said in ({"Sec-Fetch-Site": "cross-site"}, {"Sec-Fetch-Site": "", "Origin": "https://evil.example"}):
        assert browser.ask("POST", "/uploads", body, {"Content-Type": kind, **said}).status == 403
    assert largest == [0] and not spool(idle).jobs()
    monkeypatch.setattr(access, "bears", lambda *_: True)
    kind, body = reviewing.multipart({}, {"a.py": RIGHT})
    assert browser.ask("POST", "/uploads", body, {"Content-Type": kind}).status == 303


def test_a_form_that_is_none_is_refused_whatever_it_is(idle: Here) -> None:
    browser = idle.browser("ina")
    kind, body = reviewing.multipart({"csrf": browser.get("/uploads").token}, {"a.py": RIGHT})
    kinds = ["", "text/plain", "multipart/form-data", "multipart/form-data; boundary=", f"{kind}x"]
    for odd in (*kinds, f"multipart/form-data; boundary={'x' * 300}", "multipart/mixed; boundary=x"):
        assert browser.ask("POST", "/uploads", body, {"Content-Type": odd}).status in (400, 403)
    for cut in (*range(0, len(body) - 4, 37), len(body) - 5):
        assert browser.ask("POST", "/uploads", body[:cut], {"Content-Type": kind}).status in (400, 403)
    for odd_body in (b"\x00" * 1000, body.replace(b"\r\n", b"\n"), body.replace(b"form-data", b"\xff\xfe"), body[5:]):
        assert browser.ask("POST", "/uploads", odd_body, {"Content-Type": kind}).status in (400, 403)
    assert not list(spool(idle).folder.glob("*"))
    assert browser.ask("POST", "/uploads", body, {"Content-Type": kind}).status == 303


# Who may


def test_who_may_not_upload_can_not_and_nobody_sees_what_another_sent(idle: Here) -> None:
    ina, ivo, pat, ada = (idle.browser(who) for who in ("ina", "ivo", "pat", "ada"))
    to = ina.upload({"mine.py": RIGHT}).to
    token = pat.get("/").token
    kind, body = reviewing.multipart({"csrf": token}, {"a.py": RIGHT})
    assert pat.ask("POST", "/uploads", body, {"Content-Type": kind}).status == 403
    assert pat.get("/uploads").status == pat.get(to).status == pat.get(f"{to}/events").status == 403
    assert ivo.get(to).status == ivo.get(f"{to}/events").status == 404 and "mine.py" not in ivo.get("/uploads").text
    for act in ("again", "remove"):
        assert ivo.post(f"{to}/{act}", {"csrf": ivo.get("/uploads").token}).status == 404
        assert pat.post(f"{to}/{act}", {"csrf": token}).status == 403
    assert ada.get(to).status == 200 and "mine.py" in ada.get("/uploads").text
    assert ina.post(f"{to}/remove", {"csrf": ina.get("/uploads").token}).status == 409  # it is still to be graded
    assert "panel" not in ACTS["upload"]


@pytest.mark.parametrize("id", ["..", "../..", "%2e%2e", "x", "0000000000000-00000000", "1796045715655-0c322860x"])
def test_an_id_that_is_none_is_found_nowhere(idle: Here, id: str) -> None:
    assert idle.browser("ada").get(f"/uploads/{id}").status in (404, 200) and spool(idle).find(id) is None
    assert idle.browser("ada").get(f"/uploads/{reviewing.quoted(id)}/events").status == 404


# The queue


def arrived(spool: Spool, name: str = "a.py", content: bytes = RIGHT, by: str = "ina") -> Job:
    """Something in the queue."""
    part = spool.arriving()
    (part / "sent" / "0").mkdir()
    (part / "sent" / "0" / name).write_bytes(content)
    return spool.arrived(part, by, [Sent(name=name, path=f"sent/0/{name}")])


def test_a_spool_keeps_what_came_in_the_order_in_which_it_came(tmp_path: Path) -> None:
    store = Spool(tmp_path)
    assert not store.jobs()
    jobs = [arrived(store, f"{n}.py") for n in range(3)]
    assert [job.id for job in Spool(tmp_path).pending()] == sorted(job.id for job in jobs)
    assert store.path(jobs[0], jobs[0].sent[0]).read_bytes() == RIGHT
    done = store.end(jobs[0], [], [Outcome(code="amber-coot-17", verdict="passed")])
    assert done.state == "done" and len(store.pending()) == 2 and not list((store.folder / done.id / "sent").iterdir())
    assert store.folder.stat().st_mode & 0o077 == 0
    store.end(arrived(store, "other.zip"), [], [Outcome(name="other.zip", trouble="It is none.")])
    assert store.forget("1.py", "") == 1 and store.forget("1.py", "") == 0 and len(store.jobs()) == 3
    several = store.end(arrived(store, "x.py"), [], [Outcome(code="a"), Outcome(code="b"), Outcome(name="x.py")])
    assert store.forget("x.py", "a") == 1
    assert (left := store.find(several.id)) and left.outcomes == [Outcome(code="b")]
    store.remove(done)
    store.write(done)  # the child has not heard that it was removed
    assert store.find(done.id) is None


def test_what_broke_off_long_ago_is_swept_and_what_is_coming_in_is_not(tmp_path: Path) -> None:
    store = Spool(tmp_path)
    old, new = store.arriving(), store.arriving()
    os.utime(old, (0, 0))
    done = store.write(arrived(store).model_copy(update={"state": "done", "sent": []}))
    store.tidy()
    assert not old.exists() and new.exists() and not list((store.folder / done.id / "sent").iterdir())


def test_a_damaged_upload_is_told_and_holds_up_no_other(tmp_path: Path) -> None:
    store = Spool(tmp_path)
    job, other = arrived(store), arrived(store, "other.py")
    (store.folder / job.id / "job.json").write_text('{"id": 1}')
    assert [each.id for each in store.pending()] == [other.id] and len(store.jobs()) == 2
    found = store.find(job.id)
    assert found and found.by == "" and "can't be read" in found.outcomes[0].trouble


def test_one_child_works_on_a_spool(tmp_path: Path) -> None:
    store = Spool(tmp_path)
    with store.alone() as mine, Spool(tmp_path).alone() as other:
        assert mine and not other
    with store.alone() as mine:
        assert mine


def test_an_upload_that_ends_the_grader_three_times_is_given_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(queue, "COMMAND", (sys.executable, "-c", "import sys; sys.exit('it broke <b>off</b>')"))
    monkeypatch.setattr(queue, "LOOK_SECONDS", 0.01)
    with reviewing.here(tmp_path, people=True, uploads=True) as room:
        browser = room.browser("ina")
        job = ended(room, browser.upload({"poison.py": RIGHT}).to.rpartition("/")[2])
        assert job.state == "trouble" and "ended 3 times" in job.outcomes[0].trouble
        assert job.sent and spool(room).path(job, job.sent[0]).read_bytes() == RIGHT
        page = browser.get(f"/uploads/{job.id}").text
        assert "it broke &lt;b&gt;off&lt;/b&gt;" in page
        assert browser.upload({"next.py": RIGHT}).status == 303


def test_killed_in_the_middle_a_grading_is_done_when_the_room_is_opened_again(tmp_path: Path) -> None:
    """First the child alone is killed, then the room with its next child."""
    _, results = marking.folder(tmp_path, "ana")
    store, bank = Spool(results.folder), tmp_path / "questions"
    before = (results.folder / ledger.NAME).read_bytes()
    options = ("--as", "me", "--allow-unsandboxed")
    with reviewing.there(results.folder, bank, *options) as (process, link):
        browser = reviewing.entered(link)
        id = browser.upload({"slow.py": SLOW}).to.rpartition("/")[2]

        def grades(times: int) -> bool:
            """Whether it is being graded for the so-manieth time."""
            job = store.find(id)
            return job is not None and (job.state, job.begun) == ("grading", times)

        until(lambda: grades(1))
        (child,) = (pid for pid in reviewing.children(process.pid) if b"review.drain" in _called(pid))
        os.kill(child, signal.SIGKILL)
        until(lambda: grades(2))
        begun = reviewing.children(process.pid)
        assert begun
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
        until(lambda: not [pid for pid in begun if _lives(pid)])  # the child ends with the room
    job = store.find(id)
    assert job and job.is_pending and job.begun == 2
    assert (results.folder / ledger.NAME).read_bytes() == before
    with reviewing.there(results.folder, bank, *options) as (process, link):
        until(lambda: (job := store.find(id)) and not job.is_pending)
        job = store.find(id)
        assert job and job.state == "done" and job.begun == 3 and job.outcomes[0].verdict == "passed"
        assert not _loads_torch(process.pid)  # the room itself never runs, nor could, what was sent
    assert [line["name"] for line in ledger.read(results.folder / ledger.NAME)] == ["ana", "slow.py"]
    assert [line["act"] for line in trail.read(results.folder)].count("graded") == 1
    until(lambda: not [pid for pid in reviewing.children(os.getpid()) if b"review.drain" in _called(pid)])


def _lives(pid: int) -> bool:
    try:
        return "Z" not in Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False


def _called(pid: int) -> bytes:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return b""


def _loads_torch(pid: int) -> bool:
    return re.search(r"libtorch|/torch/", Path(f"/proc/{pid}/maps").read_text()) is not None


def test_what_the_room_is_made_of_brings_in_nothing_that_runs_a_submission() -> None:
    brings = "import sys; import grader.review.app, grader.review.queue, grader.review.server\n"
    asks = "print([name for name in ('torch', 'numpy.random', 'grader.examine.zygote') if name in sys.modules])"
    found = subprocess.run([sys.executable, "-c", brings + asks], capture_output=True, text=True, check=True)
    assert "torch" not in found.stdout and "zygote" not in found.stdout


def test_two_who_send_the_same_name_at_once_get_it_once(idle: Here) -> None:
    browsers = [idle.browser("ina"), idle.browser("ivo"), idle.browser("ada")]
    statuses: list[int] = []
    threads = [
        threading.Thread(target=lambda each=each: statuses.append(each.upload({"same.py": RIGHT}).status))
        for each in browsers
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(statuses) == [303, 409, 409] and len(spool(idle).jobs()) == 1
