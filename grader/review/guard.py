"""What every request passes before a page sees it, and every answer on its way out.

Theory of operation. In this order: the Host header has to be a name of ours, or a page elsewhere could point its own
name at this machine and read along. Whatever changes something has to come from a page of ours, which the browser says
in Sec-Fetch-Site or Origin. The cookie says who is there; without one, only the way in is open. Then it is counted, so
that no program in a browser can flood the folder. On the way out, each answer gets its headers, and a fault of ours
becomes a sentence without a trace. An answer to a request whose body was not read to its end closes the connection, so
that a sender who never ends holds nothing.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Final
from urllib.parse import quote, urlsplit

from starlette.datastructures import MutableHeaders
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from grader.review.headers import HEADERS, SECURE

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

    from grader.review.access import Access

LOG: Final = logging.getLogger("uvicorn.error")
SAFE: Final = ("GET", "HEAD", "OPTIONS")
SIGN_IN: Final = "Sign in to go on."
FAULT: Final = "This is a fault of the grader. What you have saved is kept; the terminal says more."
TITLES: Final = {401: "Who are you?", 403: "Not allowed", 429: "Too often"}
LINK: Final = "Open the link that `grader serve` printed in the terminal, in this browser."


class Guard:
    """The middleware of a room."""

    def __init__(self, app: ASGIApp, access: Access) -> None:
        self.app, self.access = app, access

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request in, or answer it."""
        if scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 1008})
            return
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        request = Request(scope)
        body = _Body(receive, request)
        out = _Out(send, body, self.access.secure)
        try:
            answer = self._refusal(request)
            await (answer or self.app)(scope, body.receive, out.send)
        except Exception:
            LOG.exception("the review room failed at %s", request.url.path.encode("unicode_escape").decode())
            if out.began:
                raise
            await _said(request, 500, FAULT)(scope, body.receive, out.send)

    def _refusal(self, request: Request) -> Response | None:
        access, path = self.access, request.url.path
        request.state.access, request.state.session, request.state.person = access, None, None
        if not is_ours(request, access.names):
            return _said(request, 421, "This room has another name. Use the address that `grader serve` printed.")
        is_changing = request.method not in SAFE
        if is_changing and not is_from_us(request, access.secure):
            return _said(request, 403, "This did not come from a page of the review room, so nothing was done.")
        request.state.session = access.session(request)
        request.state.person = access.person(request.state.session)
        if request.state.person is None and not is_open(path):
            if access.users and not is_changing:
                return RedirectResponse(f"/sign-in?next={quote(path)}", 303)
            return _said(request, 401, SIGN_IN if access.users else LINK)
        if is_changing and (wait := access.posts.take(_who(request))):
            return _said(request, 429, f"That was too often. Try again in {wait} seconds.", wait)
        return None


def is_open(path: str) -> bool:
    """Whether somebody who is not signed in may ask for it."""
    return path in ("/open", "/sign-in") or path.startswith("/static/")


def is_ours(request: Request, names: frozenset[str]) -> bool:
    """Whether the Host header, which has to be there once, is one of the room's names, with any port."""
    hosts = request.headers.getlist("host")
    if len(hosts) != 1:
        return False
    try:
        name = urlsplit(f"//{hosts[0]}").hostname or ""
    except ValueError:
        return False
    return name.rstrip(".") in names and "@" not in hosts[0]


def is_from_us(request: Request, secure: bool) -> bool:
    """Whether a browser says that a request comes from a page of this very address.

    Every browser sends Origin with a post, and Sec-Fetch-Site since 2023; what sends neither is no browser with a page
    of ours in it.
    """
    site, origin = request.headers.get("sec-fetch-site"), request.headers.get("origin")
    if site is not None and site != "same-origin":
        return False
    if origin is not None:
        return origin == f"{'https' if secure else 'http'}://{request.headers['host']}"
    return site is not None


class _Body:
    """Receives, and knows whether everything that was sent has been."""

    def __init__(self, receive: Receive, request: Request) -> None:
        self._receive = receive
        sends = request.headers.get("content-length", "0") != "0" or "transfer-encoding" in request.headers
        self.is_read = not sends

    async def receive(self) -> Message:
        message = await self._receive()
        if message["type"] == "http.disconnect" or not message.get("more_body", False):
            self.is_read = True
        return message


class _Out:
    """Sends, with the headers of the room where an answer has no other."""

    def __init__(self, send: Send, body: _Body, secure: bool) -> None:
        self._send, self._body = send, body
        self._headers = {**HEADERS, **SECURE} if secure else HEADERS
        self.began = False

    async def send(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.began = True
            headers = MutableHeaders(scope=message)
            for name, value in self._headers.items():
                headers.setdefault(name, value)
            if not self._body.is_read:
                headers["connection"] = "close"
        await self._send(message)


def _who(request: Request) -> str:
    return request.state.person.name if request.state.person else f"from {address(request)}"


def address(request: Request) -> str:
    """Where a request came from."""
    return request.client.host if request.client else ""


def _said(request: Request, status: int, sentence: str, wait: int = 0) -> Response:
    from grader.review.pages import render

    answer = render(request, "error.html.j2", status, title=TITLES.get(status, "This did not work"), said=sentence)
    if wait:
        answer.headers["retry-after"] = str(wait)
    return answer
