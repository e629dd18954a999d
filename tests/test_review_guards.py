"""Who gets into a review room, and what is refused at its door. Guards are taken away once, and the attack succeeds."""

from __future__ import annotations

import re
import socket
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("starlette", reason="the extra `web` is not installed")

from click.testing import CliRunner

from grader.cli import main
from grader.errors import CallError
from grader.review import access, guard, headers, passwords, patience, trail, users
from grader.review.app import create
from grader.review.pace import Pace
from grader.review.people import ACTS, ROLES, Person, may
from grader.review.sessions import IDLE_SECONDS, LIFE_SECONDS, Sessions
from tests import marking, reviewing
from tests.reviewing import PASSWORD, Browser, Here


@pytest.fixture(scope="module")
def alone(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Here]:
    """A room for one."""
    with reviewing.here(tmp_path_factory.mktemp("alone")) as room:
        yield room


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Here]:
    """A room with users."""
    with reviewing.here(tmp_path_factory.mktemp("shared"), people=True) as room:
        yield room


@pytest.fixture(autouse=True)
def _patient(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Tests try more in a minute than people do, and make more passwords."""
    assert passwords.COST >= 15
    monkeypatch.setattr(passwords, "COST", 10)
    for name in {"alone", "shared"} & set(request.fixturenames):
        room = request.getfixturevalue(name)
        room.access.posts, room.access.guesses, room.access.tries = Pace(9999, 60), Pace(9999, 60), Pace(9999, 60)


# The opening link


def test_the_link_lets_in_once_its_token_is_exchanged_for_a_cookie(alone: Here) -> None:
    browser = Browser(alone.base)
    assert browser.get("/").status == 401
    opened = browser.get(alone.access.link(""))
    assert (opened.status, opened.to) == (303, "/")
    assert "token" not in opened.text and "Bearer" not in str(opened.headers)
    assert browser.get("/").status == 200


def test_another_token_lets_nobody_in(alone: Here) -> None:
    for token in ("", "x", alone.access.token[:-1], alone.access.token + "x", "%00", "\u00e9"):
        browser = Browser(alone.base)
        assert browser.get(f"/open?token={reviewing.quoted(token)}").status == 403
        assert browser.get("/").status == 401 and not browser.cookies


def test_a_room_with_users_has_no_link(shared: Here) -> None:
    assert Browser(shared.base).get(shared.access.link("")).status == 403


def test_tokens_are_not_tried_without_end(alone: Here) -> None:
    alone.access.tries = Pace(3, 60)
    replies = [Browser(alone.base).get("/open?token=x") for _ in range(4)]
    assert [reply.status for reply in replies] == [403, 403, 403, 429]
    assert int(replies[-1].headers["retry-after"]) > 0
    assert Browser(alone.base).get(alone.access.link("")).status == 429  # the right one waits with the others


# Cookies


def test_a_cookie_is_for_the_browser_alone(alone: Here) -> None:
    said = Browser(alone.base).get(alone.access.link("")).headers["set-cookie"]
    assert "HttpOnly" in said and "SameSite=strict" in said and "Path=/" in said
    assert alone.base.rpartition(":")[2] in said.partition("=")[0]  # other ports of this host have other cookies


def test_over_tls_a_cookie_never_leaves_it(tmp_path: Path) -> None:
    with reviewing.here(tmp_path, secure=True) as room:
        reply = Browser(room.base).get(room.access.link(""))
    assert reply.headers["set-cookie"].startswith("__Host-review=") and "Secure" in reply.headers["set-cookie"]
    assert reply.headers["strict-transport-security"] == "max-age=31536000"


def test_a_forged_cookie_is_nobody(alone: Here, monkeypatch: pytest.MonkeyPatch) -> None:
    good = alone.browser("me")
    (name,) = good.cookies
    for forged in ("", "x", good.cookies[name][:-1], "me", "admin", "%7B%22who%22%3A%22me%22%7D", "x" * 5000):
        assert Browser(alone.base, {name: forged}).get("/").status == 401
    first = next(iter(alone.access.sessions._open.values()))
    monkeypatch.setattr(Sessions, "find", lambda *_: first)
    assert Browser(alone.base, {name: "x"}).get("/").status == 200


def test_a_session_ends_when_it_idles_and_in_any_case_at_the_end_of_a_day() -> None:
    now = [0.0]
    sessions = Sessions(lambda: now[0])
    cookie = sessions.open("ana")
    now[0] = IDLE_SECONDS - 1
    assert sessions.find(cookie)
    now[0] += IDLE_SECONDS + 1
    assert sessions.find(cookie) is None
    kept, end = sessions.open("ana"), now[0] + LIFE_SECONDS
    while now[0] + IDLE_SECONDS / 2 < end:
        now[0] += IDLE_SECONDS / 2
        assert sessions.find(kept)
    now[0] = end + 1
    assert sessions.find(kept) is None


def test_the_room_keeps_no_cookie_that_could_be_read_out_of_it() -> None:
    sessions = Sessions()
    cookie = sessions.open("ana")
    assert cookie not in repr(sessions.__dict__)


def test_signing_in_gives_a_new_session_and_ends_the_old_one(shared: Here) -> None:
    old = shared.browser("ina")
    (name,) = (name for name in old.cookies if not name.endswith("before"))
    form = Browser(shared.base)
    token = form.get("/sign-in").token
    both = Browser(shared.base, {**old.cookies, **form.cookies})
    assert both.post("/sign-in", {"csrf": token, "name": "pat", "password": PASSWORD}).status == 303
    assert both.cookies[name] != old.cookies[name] and "<strong>pat" in both.get("/").text
    assert old.get("/").to.startswith("/sign-in")


def test_signing_out_ends_the_session_also_for_who_kept_the_cookie(shared: Here) -> None:
    browser = shared.browser("ina")
    kept = Browser(shared.base, dict(browser.cookies))
    assert browser.post("/sign-out", {"csrf": browser.get("/").token}).to == "/sign-in"
    assert kept.get("/").to.startswith("/sign-in")


# Signing in


def test_a_wrong_password_and_an_unknown_name_are_told_alike(shared: Here) -> None:
    wrong, unknown = Browser(shared.base).sign_in("ina", "x" * 12), Browser(shared.base).sign_in("nobody")
    assert wrong.status == unknown.status == 401
    assert wrong.text.replace("ina", "").replace(wrong.token, "") == unknown.text.replace("nobody", "").replace(
        unknown.token, ""
    )


def test_a_name_that_nobody_has_is_not_written_to_the_log(shared: Here) -> None:
    Browser(shared.base).sign_in("my-secret-password")
    assert "my-secret-password" not in trail.path_of(shared.results.folder).read_text()
    assert shared.log[-1] == ("somebody unknown", "not signed in")


def test_passwords_are_not_guessed_without_end(shared: Here) -> None:
    shared.access.guesses = Pace(3, 60)
    replies = [Browser(shared.base).sign_in("ina", f"a wrong guess {n}").status for n in range(4)]
    assert replies == [401, 401, 401, 429]
    assert Browser(shared.base).sign_in("ina").status == 429  # the right one waits with the others
    assert Browser(shared.base).sign_in("pat").status == 303  # and nobody else does
    shared.access.guesses = Pace(9999, 60)
    assert Browser(shared.base).sign_in("ina").status == 303


def test_after_signing_in_nobody_is_led_to_another_site(shared: Here) -> None:
    for to in ("//evil.example", "/\\evil.example", "https://evil.example/", "/\t/evil.example", "evil", ""):
        browser = Browser(shared.base)
        token = browser.get(f"/sign-in?next={reviewing.quoted(to)}").token
        reply = browser.post("/sign-in", {"csrf": token, "name": "ina", "password": PASSWORD, "next": to})
        assert (reply.status, reply.to) == (303, "/"), to
    browser = Browser(shared.base)
    token = browser.get("/sign-in").token
    fields = {"csrf": token, "name": "ina", "password": PASSWORD, "next": "/compare?a=1"}
    assert browser.post("/sign-in", fields).to == "/compare?a=1"


def test_who_is_taken_out_of_the_file_is_out_of_the_room_at_once(tmp_path: Path) -> None:
    with reviewing.here(tmp_path, people=True) as room:
        browser = room.browser("pat")
        path = tmp_path / "users.toml"
        everybody = path.read_text()
        path.write_text("".join(line for line in everybody.splitlines(True) if not line.startswith("pat")))
        assert browser.get("/").to.startswith("/sign-in") and Browser(room.base).sign_in("pat").status == 401
        assert room.browser("ina").get("/").status == 200
        path.write_text("nonsense")
        assert Browser(room.base).sign_in("ina").status == 401  # a file that can't be read lets nobody in


# Posts from elsewhere


@pytest.mark.parametrize(
    "said",
    [
        {"Sec-Fetch-Site": "cross-site", "Origin": "https://evil.example"},
        {"Sec-Fetch-Site": "same-site", "Origin": ""},
        {"Sec-Fetch-Site": "none"},
        {"Sec-Fetch-Site": "", "Origin": "https://evil.example"},
        {"Sec-Fetch-Site": "", "Origin": "null"},
        {"Sec-Fetch-Site": "", "Origin": "http://127.0.0.1:1"},
        {"Sec-Fetch-Site": ""},
    ],
    ids=lambda said: " ".join(f"{key}={value}" for key, value in said.items()),
)
def test_a_post_from_elsewhere_is_refused_even_with_the_token(
    shared: Here, monkeypatch: pytest.MonkeyPatch, said: dict[str, str]
) -> None:
    browser = shared.browser("ina")
    fields = {"csrf": browser.get("/").token}
    assert browser.post("/sign-out", fields, said).status == 403
    assert browser.get("/").status == 200
    monkeypatch.setattr(guard, "is_from_us", lambda *_: True)
    assert browser.post("/sign-out", fields, said).status == 303


def test_a_browser_that_says_where_it_comes_from_in_either_header_is_heard(shared: Here) -> None:
    for said in ({"Sec-Fetch-Site": "", "Origin": shared.base}, {"Origin": shared.base}, {}):
        browser = shared.browser("ina")
        assert browser.post("/sign-out", {"csrf": browser.get("/").token}, said).status == 303


def test_a_post_without_the_token_of_its_session_is_refused(shared: Here, monkeypatch: pytest.MonkeyPatch) -> None:
    browser, other = shared.browser("ina"), shared.browser("pat")
    for token in ("", "x", other.get("/").token, browser.get("/").token[:-1]):
        assert browser.post("/sign-out", {"csrf": token}).status == 403
    assert browser.post("/sign-out", {}, {"X-CSRF-Token": "x"}).status == 403
    assert browser.get("/").status == 200
    monkeypatch.setattr(access, "bears", lambda *_: True)
    assert browser.post("/sign-out", {}).status == 303


def test_nobody_can_be_signed_in_from_elsewhere_under_another_name(shared: Here) -> None:
    victim, attacker = Browser(shared.base), Browser(shared.base)
    victim.get("/sign-in")
    token = attacker.get("/sign-in").token  # a token of another browser, as a page elsewhere could have one
    assert victim.post("/sign-in", {"csrf": token, "name": "ivo", "password": PASSWORD}).status == 403
    assert Browser(shared.base).post("/sign-in", {"csrf": "", "name": "ivo", "password": PASSWORD}).status == 403


# Names of the room


@pytest.mark.parametrize(
    "host", ["evil.example", "127.0.0.1.evil.example", "evil.example:80", "127.0.0.1@evil", "", "["]
)
def test_a_page_that_points_its_own_name_at_the_room_reads_nothing(
    alone: Here, monkeypatch: pytest.MonkeyPatch, host: str
) -> None:
    browser = alone.browser("me")
    port = alone.base.rpartition(":")[2]
    assert raw(
        alone, f"GET / HTTP/1.1\r\nHost: {host}\r\nCookie: {cookie(browser)}\r\nConnection: close\r\n\r\n"
    ).startswith(b"HTTP/1.1 421")
    ours = f"GET / HTTP/1.1\r\nHost: LOCALHOST:{port}\r\nCookie: {cookie(browser)}\r\nConnection: close\r\n\r\n"
    assert raw(alone, ours).startswith(b"HTTP/1.1 200")
    assert raw(alone, ours.replace(f"LOCALHOST:{port}", host)).startswith(b"HTTP/1.1 421")
    monkeypatch.setattr(guard, "is_ours", lambda *_: True)
    assert raw(alone, ours.replace(f"LOCALHOST:{port}", host)).startswith(b"HTTP/1.1 200")


def test_further_names_are_those_that_were_given(tmp_path: Path) -> None:
    with reviewing.here(tmp_path) as room:
        browser = room.browser("me")
        assert browser.get("/", Host="review.example").status == 421
        room.access.names |= {"review.example"}
        assert browser.get("/", Host="review.example:8443").status == 200


# Addresses


@pytest.mark.parametrize(
    ("host", "with_users", "tls", "names", "fine"),
    [
        ("127.0.0.1", False, False, (), True),
        ("::1", False, False, (), True),
        ("localhost", True, False, (), True),
        ("192.0.2.1", False, False, (), False),
        ("192.0.2.1", True, False, (), False),
        ("192.0.2.1", False, True, (), False),
        ("192.0.2.1", True, True, (), True),
        ("0.0.0.0", True, True, (), False),
        ("0.0.0.0", True, True, ("review.example",), True),
        ("127.0.0.1", False, False, ("review.example",), False),
        ("127.0.0.1", True, True, ("review.example",), True),
    ],
)
def test_beyond_loopback_a_room_has_users_and_tls_or_does_not_open(
    host: str, with_users: bool, tls: bool, names: tuple[str, ...], fine: bool
) -> None:
    def check() -> None:
        access.check_address(host, Path("users.toml") if with_users else None, tls, names)

    if fine:
        check()
    else:
        with pytest.raises(CallError) as told:
            check()
        assert "Give --" in str(told.value)


def test_the_command_refuses_to_open_to_everybody(tmp_path: Path) -> None:
    _, results = marking.folder(tmp_path, "ana")
    call = ["serve", str(results.folder), "--questions", str(tmp_path / "questions"), "--port", "0"]
    for more in (["--host", "0.0.0.0"], ["--name", "review.example"]):
        told = CliRunner().invoke(main, [*call, *more])
        assert told.exit_code == 2 and "needs users" in told.stderr
    told = CliRunner().invoke(main, [*call, "--host", "0.0.0.0", "--users", str(reviewing.users_file(tmp_path))])
    assert told.exit_code == 2 and "--cert and --key" in told.stderr


# Roles


def test_the_table_of_who_may_do_what() -> None:
    table = {act: {role for role in ROLES if may(Person("x", frozenset({role})), act)} for act in ACTS}
    assert table == {
        "read": {"interviewer", "panel", "admin"},
        "mark": {"interviewer", "panel"},
        "export": {"interviewer", "panel", "admin"},
        "upload": {"interviewer", "admin"},
        "log": {"admin"},
    }


def test_the_wrong_role_is_refused_and_that_is_logged(shared: Here, monkeypatch: pytest.MonkeyPatch) -> None:
    for who, status in (("ina", 403), ("pat", 403), ("ada", 200)):
        assert shared.browser(who).get("/log").status == status
        assert 'href="/log"' not in shared.browser("pat").get("/").text
    assert ("ina", "refused") in shared.log and ("ada", "refused") not in shared.log
    monkeypatch.setattr(access, "may", lambda *_: True)
    assert shared.browser("pat").get("/log").status == 200


def test_everything_but_the_way_in_wants_somebody(shared: Here, monkeypatch: pytest.MonkeyPatch) -> None:
    code = shared.results.candidates[0].code
    pages = ["/", f"/c/{code}", "/mark", "/compare", "/question", "/preview", "/log", "/export", "/no-such-page"]
    for path in (*pages, "/sign-in/../log", "//log", "/static", "/openx", "/%2e%2e/log"):
        reply = Browser(shared.base).get(path)
        assert reply.to.startswith("/sign-in?next=") and code not in reply.text, path
    assert Browser(shared.base).get("/static/room.css").status == 200
    monkeypatch.setattr(guard, "is_open", lambda _: True)
    for path in pages:
        assert Browser(shared.base).get(path).status in (401, 404), path  # each page asks once more
    monkeypatch.setattr(access.Access, "person", lambda *_: Person("x", frozenset(ROLES)))
    assert Browser(shared.base).get("/").status == 200


# Paths


@pytest.mark.parametrize("path", ["/static/", "/c/", "/export/", "/mark/again/why_interleave/"])
@pytest.mark.parametrize("step", ["../", "..%2f", "%2e%2e/", "..%5c", "%252e%252e%252f", "....//", "%00"])
def test_no_path_leads_out_of_the_room(alone: Here, path: str, step: str) -> None:
    browser = alone.browser("me")
    for wanted in ("codes.json", "results/codes.json", "etc/passwd"):
        reply = browser.get(f"{path}{step * 5}{wanted}")
        assert reply.status in (400, 404, 405) and "root:" not in reply.text and '"ana"' not in reply.text


# What answers carry


def test_every_answer_has_the_headers_also_one_that_refuses(alone: Here) -> None:
    browser = alone.browser("me")
    nobody = Browser(alone.base)
    for reply in (browser.get("/"), browser.get("/nothing"), nobody.get("/"), nobody.get("/", Host="evil.example")):
        for name, value in headers.HEADERS.items():
            assert reply.headers[name] == value
        assert "server" not in reply.headers
    assert browser.get("/static/room.css").headers["content-security-policy"] == headers.POLICY


def test_the_policy_lets_nothing_inline_run_and_no_page_has_any(alone: Here) -> None:
    assert "unsafe" not in headers.POLICY and headers.POLICY.startswith("default-src 'none'")
    browser = alone.browser("me")
    code = alone.results.candidates[0].code
    for path in (
        "/",
        f"/c/{code}",
        "/mark",
        f"/mark/again/why_interleave/{code}",
        "/compare",
        "/question",
        "/preview",
        "/log",
    ):
        text = browser.get(path).text
        assert not re.search(r"<script(?![^>]*\bsrc=\"/static/)|<style|\sstyle=|\son[a-z]+=|javascript:", text), path


def test_a_fault_of_ours_is_a_sentence_and_no_trace(alone: Here, monkeypatch: pytest.MonkeyPatch) -> None:
    browser = alone.browser("me")
    where = alone.results.folder

    def broken(*_: Any) -> Any:
        raise RuntimeError(f"secret at {where}")

    monkeypatch.setattr(type(alone.access.sessions), "find", broken)
    monkeypatch.setattr(guard, "LOG", type("Quiet", (), {"exception": lambda *_: None}))
    reply = browser.get("/")
    assert reply.status == 500 and "fault of the grader" in reply.text
    assert "secret" not in reply.text and "Traceback" not in reply.text and str(where) not in reply.text
    assert reply.headers["content-security-policy"] == headers.POLICY


# Hostile words


HOSTILE = ["<script>alert(1)</script>.py", '"><img src=x onerror=alert(1)>', "{{ 7*7 }}", "a\u202eb", "a\x1b[2Jb"]


def test_what_strangers_write_stays_words(tmp_path: Path) -> None:
    given = {**marking.GIVEN, "why_interleave": "</textarea><script>alert(1)</script>\u202e {{ 7*7 }} \x1b[2J"}
    question = marking.question(marking.bank(tmp_path))
    made = marking.make(question, tmp_path / "results", dict.fromkeys(HOSTILE, given))
    way = access.single("me", made.folder)
    with reviewing.served(create(made.folder, way, lambda _: question)) as base:
        browser = reviewing.entered(way.link(base))
        code = made.candidates[0].code
        mark = f"/mark/again/why_interleave/{code}"
        for path in ("/", f"/c/{code}", mark, f"/compare?a={code}", "/question", "/log"):
            text = browser.get(path).text
            assert "<script>" not in text and "<img src=x" not in text and "\u202e" not in text and "\x1b" not in text
            assert not any(name in text for name in ("alert(1)</script>.py", "onerror=alert(1)>"))
        page = browser.get(mark).text
        assert "&lt;script&gt;alert(1)&lt;/script&gt;" in page and "{{ 7*7 }}" in page


def test_what_a_browser_asks_for_comes_back_as_words(alone: Here) -> None:
    browser = alone.browser("me")
    for path in ("/{}", "/c/{}", "/?code={}", "/compare?a={}&b={}", "/mark/again/{}/x", "/sign-in?next={}"):
        text = browser.get(path.replace("{}", reviewing.quoted('"><script>alert(1)</script>'))).text
        assert "<script>alert" not in text


# Bodies


def test_a_form_has_a_size_that_holds_while_it_streams(shared: Here, monkeypatch: pytest.MonkeyPatch) -> None:
    browser = shared.browser("ina")
    token = browser.get("/").token
    large = {"csrf": token, "x": "x" * (300 << 10)}
    assert browser.post("/sign-out", large).status == 413
    chunked = iter([f"csrf={token}&x=".encode(), *[b"x" * 4096] * 100])
    reply = browser.ask("POST", "/sign-out", chunked, {"Content-Type": "application/x-www-form-urlencoded"})
    assert reply.status == 413 and browser.get("/").status == 200
    assert browser.post("/sign-out", {"csrf": token, **{f"f{n}": "" for n in range(600)}}).status == 400
    monkeypatch.setattr(access.form, "__defaults__", (1 << 30,))
    assert browser.post("/sign-out", large).status == 303


def test_a_form_that_never_ends_is_given_up(shared: Here, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(access, "FORM_SECONDS", 0.3)
    browser = shared.browser("ina")
    head = f"POST /sign-out HTTP/1.1\r\nHost: {shared.base[7:]}\r\nCookie: {cookie(browser)}\r\n"
    head += "Sec-Fetch-Site: same-origin\r\nContent-Length: 1000\r\n\r\n"
    said = raw(shared, head + "csrf=")  # and nothing more; that this returns says that the room has hung up
    assert said.startswith(b"HTTP/1.1 408") and b"connection: close" in said


def test_a_head_that_never_ends_is_given_up(alone: Here, monkeypatch: pytest.MonkeyPatch) -> None:
    """Slowloris: a header every now and then keeps no connection."""
    monkeypatch.setattr(patience.Patient, "head_seconds", 0.5)
    head = f"GET / HTTP/1.1\r\nHost: {alone.base[7:]}\r\n"
    assert drip(alone, head, "X-More: x\r\n", most=40) < 40
    assert drip(alone, "", "", most=0) == 0  # one that never says anything
    monkeypatch.setattr(patience.Patient, "head_seconds", 1e6)
    assert drip(alone, head, "X-More: x\r\n", most=15) == 15


def test_a_second_head_on_a_connection_has_no_more_time_than_the_first(
    alone: Here, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(patience.Patient, "head_seconds", 0.5)
    first = f"GET /static/room.css HTTP/1.1\r\nHost: {alone.base[7:]}\r\n\r\n"
    assert drip(alone, first + "GET / HTTP/1.1\r\n", "X-More: x\r\n", most=40) < 40


def test_a_reader_who_does_not_read_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(patience.Patient, "reader_seconds", 0.5)

    async def endless(scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] == "lifespan":
            for _ in range(2):
                message = await receive()
                await send({"type": message["type"] + ".complete"})
            return
        await send({"type": "http.response.start", "status": 200, "headers": []})
        while True:
            await send({"type": "http.response.body", "body": b"x" * (1 << 20), "more_body": True})
            if gone.is_set():
                return

    gone = threading.Event()
    with reviewing.served(endless) as base, line_to(base) as line:
        line.sendall(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        reviewing.until(lambda: has_gone(line))
        gone.set()


# Paces, passwords, the file of users


def test_a_pace_is_of_a_key_and_of_a_time() -> None:
    now = [0.0]
    pace = Pace(2, 10, lambda: now[0])
    assert [pace.take("a"), pace.take("a"), pace.take("b")] == [0, 0, 0]
    assert pace.take("a") > 0
    now[0] = 10.5
    assert pace.take("a") == 0
    pace.take("a")
    pace.forget("a")
    assert pace.take("a") == 0


def test_posts_have_a_pace(shared: Here) -> None:
    browser = shared.browser("ina")
    shared.access.posts = Pace(3, 60)
    statuses = [browser.post("/sign-out", {"csrf": "x"}).status for _ in range(4)]
    assert statuses == [403, 403, 403, 429]
    assert browser.get("/").status == 200  # reading goes on


def test_a_password_is_kept_as_a_salted_hash_alone() -> None:
    one, two = passwords.hashed(PASSWORD), passwords.hashed(PASSWORD)
    assert one != two and PASSWORD not in one
    assert passwords.fits(PASSWORD, one) and passwords.fits(PASSWORD, two)
    assert not passwords.fits(PASSWORD + "x", one) and not passwords.fits("", one) and not passwords.fits(PASSWORD, "")
    for short in ("", "x" * 11, "x" * 1001):
        with pytest.raises(CallError):
            passwords.hashed(short)


def test_the_command_writes_a_user_and_shows_no_password(tmp_path: Path) -> None:
    path = tmp_path / "users.toml"
    typed = f"{PASSWORD}\n{PASSWORD}\n"

    def add(*call: str) -> Any:
        return CliRunner().invoke(main, ["users", "add", str(path), *call], input=typed)

    assert add("ana", "--role", "panel").exit_code == 0
    assert add("Ivo Ü", "--role", "panel", "--role", "admin").exit_code == 0
    told = add("ana", "--role", "interviewer")
    assert told.exit_code == 0 and "Changed ana" in told.output and PASSWORD not in told.output + path.read_text()
    assert path.stat().st_mode & 0o777 == 0o600
    found = users.Users(path)
    assert found.signed_in("ana", PASSWORD) == Person("ana", frozenset({"interviewer"}))
    assert found.signed_in("Ivo Ü", PASSWORD) == Person("Ivo Ü", frozenset({"panel", "admin"}))
    assert found.signed_in("ana", "x" * 12) is None and found.person("bo") is None
    printed = add("bo", "--role", "panel", "--print")
    assert 'bo = {roles = ["panel"]' in printed.output and found.person("bo") is None


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "no file of users"),
        ("[users]\n", "no file of users"),
        ("x", "can't be read"),
        ('[users]\nana = {roles = ["king"], password = "%s"}', "roles"),
        ('[users]\nana = {roles = [], password = "%s"}', "roles"),
        ('[users]\nana = {roles = ["panel"], password = "secret"}', "no hash"),
        ('[users]\nana = {roles = ["panel"], password = "%s", x = 1}', "x"),
        ('[users]\n" ana" = {roles = ["panel"], password = "%s"}', "no name"),
        ('[users]\nana = {roles = ["panel"], password = "%s"}\nAna = {roles = ["panel"], password = "%s"}', "capitals"),
    ],
)
def test_a_file_of_users_that_is_wrong_is_told(tmp_path: Path, text: str, told: str) -> None:
    path = tmp_path / "users.toml"
    path.write_text(text.replace("%s", HASHED), "utf-8")
    path.chmod(0o600)
    with pytest.raises(CallError, match=re.escape(str(path))) as error:
        users.Users(path)
    assert told in str(error.value) and HASHED not in str(error.value)


def test_a_file_of_users_that_others_may_write_is_refused(tmp_path: Path) -> None:
    path = reviewing.users_file(tmp_path)
    users.Users(path)
    path.chmod(0o622)
    with pytest.raises(CallError, match="let themselves in"):
        users.Users(path)


# The log


def test_each_act_leaves_a_line_that_proves_the_one_before(tmp_path: Path) -> None:
    trail.add(tmp_path, "ana", "opened")
    trail.add(tmp_path, "bo", "marked", code="amber-coot-17", answer="why")
    first, second = trail.read(tmp_path)
    assert (first["by"], second["detail"]) == ("ana", {"answer": "why", "code": "amber-coot-17"})
    path = trail.path_of(tmp_path)
    whole = path.read_bytes()
    assert path.stat().st_mode & 0o777 == 0o600
    lines = whole.splitlines(True)
    for broken in (whole.replace(b"opened", b"closed"), lines[1], b"".join(lines[::-1]), whole.replace(b":1", b":2")):
        path.write_bytes(broken)
        with pytest.raises(CallError):
            trail.read(tmp_path)
    path.write_bytes(whole + b'{"act":"ha')  # the machine stopped
    assert len(trail.read(tmp_path)) == 2
    trail.add(tmp_path, "cy", "opened")
    assert [line["by"] for line in trail.read(tmp_path)] == ["ana", "bo", "cy"]


def test_the_log_names_no_submission(shared: Here) -> None:
    shared.browser("ina").get(f"/c/{shared.results.candidates[0].code}")
    said = [line["detail"] for line in trail.read(shared.results.folder)]
    assert said and not {"ana", "bo"} & {str(value) for detail in said for value in detail.values()}


HASHED = reviewing.cheap_hash()


def cookie(browser: Browser) -> str:
    """The header of a browser's cookies."""
    return "; ".join(f"{name}={value}" for name, value in browser.cookies.items())


def line_to(base: str) -> socket.socket:
    """A connection."""
    host, _, port = base.partition("//")[2].partition(":")
    return socket.create_connection((host, int(port)), timeout=60)


def raw(room: Here, said: str) -> bytes:
    """Everything that comes back, until the room hangs up."""
    with line_to(room.base) as line:
        line.sendall(said.encode())
        found = b""
        while piece := line.recv(1 << 16):
            found += piece
        return found


def drip(room: Here, first: str, then: str, most: int) -> int:
    """How many pieces a sender gets through, a tenth of a second apart, before the room hangs up."""
    with line_to(room.base) as line:
        line.sendall(first.encode())
        for number in range(most):
            line.settimeout(0.1)
            try:
                while line.recv(1 << 16):
                    pass
                return number
            except TimeoutError:
                pass
            except ConnectionError:
                return number
            try:
                line.sendall(then.encode())
            except ConnectionError:
                return number
        if most == 0:
            line.settimeout(60)
            assert line.recv(1) == b""
        return most


def has_gone(line: socket.socket) -> bool:
    """Whether the other side has ended a connection that nobody reads."""
    try:
        line.send(b"x")
    except ConnectionError:
        return True
    return False
