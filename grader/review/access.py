"""Who is in the room: one person with the opening link, or the people of a users.toml; and what their posts bring.

Everything that a page needs of it is here: `require`, `csrf`, `form` and `audit` take the request.
"""

from __future__ import annotations

import asyncio
import hmac
import secrets
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import parse_qs

from starlette.exceptions import HTTPException
from starlette.middleware import Middleware

from grader.errors import CallError
from grader.review import trail
from grader.review.guard import Guard
from grader.review.pace import Pace
from grader.review.people import ROLES, Person, may
from grader.review.receiving import drained
from grader.review.sessions import Session, Sessions
from grader.review.users import Users, plain

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.routing import BaseRoute

LOOPBACK: Final = ("127.0.0.1", "localhost", "::1")
FORM_BYTES: Final = 256 << 10
FORM_SECONDS: Final = 20.0
FORM_FIELDS: Final = 500
FIELD: Final = "csrf"
HEADER: Final = "x-csrf-token"


class Access:
    """Who may come into a room, and who is in it.

    Attributes:
        results: the folder of results, where each act leaves a line.
        people: those of a users.toml; None where there is one person with a link.
        names: the names and addresses that the room answers to.
        secure: whether browsers reach it over TLS.
        token: what the opening link carries.
        posts, guesses, tries: how often anybody may post; one name be tried from one address; one address try.
    """

    def __init__(
        self, results: Path, me: Person | None, people: Users | None, names: tuple[str, ...] = (), secure: bool = False
    ) -> None:
        self.results, self.me, self.people, self.secure = results, me, people, secure
        self.names = frozenset(name.lower().strip("[]").rstrip(".") for name in (*LOOPBACK, *names))
        self.token = secrets.token_urlsafe(32)
        self.sessions = Sessions()
        self.posts, self.guesses, self.tries = Pace(1200, 60), Pace(5, 300), Pace(30, 300)

    @property
    def users(self) -> bool:
        """Whether there are users to sign in and out."""
        return self.people is not None

    def link(self, base: str) -> str:
        """The opening link, for the address that the room is at."""
        return f"{base.rstrip('/')}/open?token={self.token}"

    def opens(self, token: str) -> bool:
        """Whether a token is that of the opening link; it takes as long when it is not."""
        return self.me is not None and hmac.compare_digest(_raw(token), _raw(self.token))

    def session(self, request: Request) -> Session | None:
        """The session of the request's cookie; None if there is none, or its person is gone."""
        cookie = request.cookies.get(self.cookie(request), "")
        found = self.sessions.find(cookie) if cookie else None
        if found is not None and self._person(found.who) is None:
            self.sessions.close(cookie)
            return None
        return found

    def person(self, session: Session | None) -> Person | None:
        """Whose session it is, with the roles of this moment."""
        return self._person(session.who) if session else None

    def _person(self, name: str) -> Person | None:
        if self.people:
            return self.people.person(name)
        return self.me if self.me and self.me.name == name else None

    def cookie(self, request: Request) -> str:
        """What the cookie is called. Browsers give a cookie to every port of a host, so the port is in its name."""
        server = request.scope.get("server") or ("", 0)
        return "__Host-review" if self.secure else f"review-{server[1]}"

    def middleware(self) -> list[Middleware]:
        """What every request passes."""
        return [Middleware(Guard, access=self)]

    def routes(self) -> list[BaseRoute]:
        """The ways in and out."""
        from grader.review import signing

        return signing.routes()


def single(name: str, results: Path, *, names: tuple[str, ...] = (), secure: bool = False) -> Access:
    """A room for one person, who may do everything and comes in by the opening link."""
    return Access(results, Person(plain(name), frozenset(ROLES)), None, names, secure)


def with_users(users: Path, results: Path, *, names: tuple[str, ...] = (), secure: bool = False) -> Access:
    """A room for the people of a users.toml.

    Raises:
        CallError: the file can't be read.
    """
    return Access(results, None, Users(users), names, secure)


def check_address(host: str, users: Path | None, tls: bool, names: tuple[str, ...] = ()) -> None:
    """Make sure that nobody reaches a room from elsewhere without a password and a line that nobody reads along.

    Args:
        host: the address to listen at.
        users: the users.toml, if there is one.
        tls: whether a certificate was given, or somebody says that a proxy before the room has one.
        names: what the room is called in browsers, beyond its address.

    Raises:
        CallError: it could be.
    """
    if host in LOOPBACK and all(name in LOOPBACK for name in names):
        return
    where = host if host not in LOOPBACK else ", ".join(names)
    if users is None:
        raise CallError(
            "a room that others can reach needs users",
            where=where,
            next_step="Give --users users.toml; `grader users add` writes one. Or leave out --host and --name.",
        )
    if not tls:
        raise CallError(
            "passwords and answers would cross the network for everybody to read",
            where=where,
            next_step="Give --cert and --key, or say --tls-terminated if a proxy before the room speaks TLS.",
        )
    if host in ("0.0.0.0", "::", "") and not names:
        raise CallError(
            "a room at every address has to know what it is called",
            where=where or "every address",
            next_step="Give --name with the name that is in the browser's address line.",
        )


def require(request: Request, act: str) -> Person:
    """The person, if their role allows an act of `ACTS`; else an HTTPException with 403, and a line in the log."""
    person: Person | None = request.state.person
    if person is None:
        raise HTTPException(401, "Sign in to go on.")
    if not may(person, act):
        audit(request, "refused", wanted=act)
        raise HTTPException(403, f"Your role does not allow this ({act}).")
    return person


def csrf(request: Request) -> str:
    """What each form of a page brings back in the field `csrf`, or a script in the header X-CSRF-Token."""
    session: Session | None = request.state.session
    if session:
        return session.csrf
    nonce = getattr(request.state, "nonce", "")
    return request.state.access.sessions.before(nonce) if nonce else ""


def bears(request: Request, token: str) -> bool:
    """Whether a token is the one that the pages of this session bring back."""
    wanted = csrf(request)
    return bool(wanted) and hmac.compare_digest(_raw(token), _raw(wanted))


async def form(request: Request, limit: int = FORM_BYTES) -> Mapping[str, list[str]]:
    """The fields of an urlencoded form that a page of this session sent.

    Raises:
        HTTPException: 403 without its token, 413 when it is larger than `limit` bytes, 408 when it takes too long, 400
            when it is no such form.
    """
    raw = bytearray()
    try:
        async with asyncio.timeout(FORM_SECONDS):
            async for piece in request.stream():
                raw += piece
                if len(raw) > limit:
                    await drained(request, most=8 * limit)
                    raise HTTPException(413, f"This is too much at once: at most {limit >> 10} KiB are taken.")
    except TimeoutError:
        raise HTTPException(408, "This took too long to arrive. Send it again.") from None
    fields: Mapping[str, list[str]] = {}
    if raw:
        try:
            fields = parse_qs(raw.decode(), keep_blank_values=True, max_num_fields=FORM_FIELDS, errors="strict")
        except ValueError:
            raise HTTPException(400, "This is no form that the room has sent.") from None
    token = request.headers.get(HEADER) or (fields.get(FIELD) or [""])[0]
    if not bears(request, token):
        raise HTTPException(403, "This form is of an earlier session. Go back, load the page again, and send it anew.")
    return fields


def audit(request: Request, act: str, **detail: str | int) -> None:
    """The one line of an act; `detail` holds code names and ids, never words of an answer, a note or a mark."""
    person: Person | None = request.state.person
    trail.add(request.state.access.results, person.name if person else "", act, **detail)


def read_audit(results: Path) -> list[dict[str, Any]]:
    """The lines of a room, newest last; see `trail.read`."""
    return trail.read(results)


def _raw(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")
