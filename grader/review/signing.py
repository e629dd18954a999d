"""The ways into the room and out: the opening link, the form to sign in, and signing out."""

from __future__ import annotations

import re
import secrets
from typing import TYPE_CHECKING, Final

from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.responses import RedirectResponse, Response
from starlette.routing import BaseRoute, Route

from grader.review import access, trail
from grader.review.guard import address
from grader.review.pages import render

if TYPE_CHECKING:
    from starlette.requests import Request

    from grader.review.access import Access

WITHIN: Final = re.compile(r"/(?![/\\])[\x21-\x5b\x5d-\x7e]*")  # a path of ours, and no other site
WRONG: Final = "That name and password don't go together."


def routes() -> list[BaseRoute]:
    """`/open`, `/sign-in` and `/sign-out`."""
    return [
        Route("/open", opened),
        Route("/sign-in", asked, methods=["GET"]),
        Route("/sign-in", signed_in, methods=["POST"]),
        Route("/sign-out", signed_out, methods=["POST"]),
    ]


def opened(request: Request) -> Response:
    """Take the token out of the address line, and give a cookie for it."""
    room = _access(request)
    _patience(room, request)
    if not room.opens(request.query_params.get("token", "")):
        room.tries.count(address(request))
        raise HTTPException(403, "This link is not of this room, or of an earlier start of it.")
    assert room.me
    trail.add(room.results, room.me.name, "opened")
    return _in(room, request, room.me.name, "/")


def asked(request: Request) -> Response:
    """The form to sign in."""
    room = _access(request)
    if request.state.person or not room.users:
        return RedirectResponse("/", 303)
    return _page(room, request, _within(request.query_params.get("next", "/")))


async def signed_in(request: Request) -> Response:
    """Who brings a name and its password is in, under a session that nobody had before."""
    room = _access(request)
    if room.people is None:
        raise HTTPException(404, "There is nobody to sign in here.")
    request.state.nonce = request.cookies.get(_nonce(room, request), "")
    request.state.session = None  # whoever was signed in here signs in anew
    fields = await access.form(request, 16 << 10)
    name, password = (_first(fields.get(key)) for key in ("name", "password"))
    to = _within(_first(fields.get("next")))
    key = (name.casefold(), address(request))
    _patience(room, request, room.guesses.wait(key))
    room.guesses.count(key)
    person = await run_in_threadpool(room.people.signed_in, name, password)
    if person is None:
        room.tries.count(address(request))
        known = name if room.people.person(name) else "somebody unknown"  # people type passwords into the wrong field
        trail.add(room.results, known, "not signed in")
        return _page(room, request, to, WRONG, name)
    room.guesses.forget(key)
    trail.add(room.results, person.name, "signed in")
    return _in(room, request, person.name, to)


async def signed_out(request: Request) -> Response:
    """End the session, here and in the browser."""
    room = _access(request)
    await access.form(request)
    access.audit(request, "signed out")
    cookie = room.cookie(request)
    room.sessions.close(request.cookies.get(cookie, ""))
    answer = RedirectResponse("/sign-in" if room.users else "/", 303)
    answer.delete_cookie(cookie, secure=room.secure, httponly=True, samesite="strict")
    return answer


def _in(room: Access, request: Request, who: str, to: str) -> Response:
    cookie = room.cookie(request)
    answer = RedirectResponse(to, 303)
    fresh = room.sessions.open(who, request.cookies.get(cookie, ""))
    answer.set_cookie(cookie, fresh, secure=room.secure, httponly=True, samesite="strict", path="/")
    return answer


def _page(room: Access, request: Request, to: str, wrong: str = "", name: str = "") -> Response:
    kept = request.cookies.get(_nonce(room, request), "")
    request.state.nonce = kept or secrets.token_urlsafe(32)
    answer = render(request, "sign-in.html.j2", 401 if wrong else 200, to=to, wrong=wrong, who=name)
    if not kept:
        answer.set_cookie(
            _nonce(room, request),
            request.state.nonce,
            secure=room.secure,
            httponly=True,
            samesite="strict",
            path="/",
        )
    return answer


def _patience(room: Access, request: Request, more: int = 0) -> None:
    if wait := max(more, room.tries.wait(address(request))):
        raise HTTPException(
            429, f"That was too often. Try again in {wait} seconds.", headers={"retry-after": str(wait)}
        )


def _within(path: str) -> str:
    return path if WITHIN.fullmatch(path) else "/"


def _nonce(room: Access, request: Request) -> str:
    return f"{room.cookie(request)}-before"


def _access(request: Request) -> Access:
    found: Access = request.state.access
    return found


def _first(values: list[str] | None) -> str:
    return values[0] if values else ""
