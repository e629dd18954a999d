"""The app of a review room: its pages put together, and what is said where something is wrong.

Handlers of pages that are read are plain functions, which run in threads; whoever takes a form awaits it first, and
does the rest in a thread. Every answer passes the middleware of `access`, which also answers for faults of ours.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from grader.errors import GraderError
from grader.question import Question
from grader.review import candidates, export, insight, log, marking, preview, static, uploads
from grader.review.access import Access
from grader.review.pages import render
from grader.review.room import Room

if TYPE_CHECKING:
    from grader.review.queue import Queue

WORDS: Final = {400: "This can't be read", 401: "Sign in first", 403: "Not allowed", 404: "Not found"}
WORDS_ELSE: Final = "This did not work"


def create(results: Path, access: Access, find: Callable[[str], Question], queue: Queue | None = None) -> Starlette:
    """The app of a room.

    Args:
        results: a results folder.
        access: who may come in.
        find: the question of an id.
        queue: takes submissions to be graded; None for a room that takes none.

    Raises:
        CallError: this is no results folder, or a file of it can't be read.
    """
    room = Room(results, access, find, queue)
    room.results()

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        del app
        if queue:
            await queue.start()
        try:
            yield
        finally:
            if queue:
                await queue.stop()

    routes: list[BaseRoute] = [
        Route("/", candidates.every),
        Route("/c/{code}", candidates.one),
        Route("/compare", candidates.two),
        *marking.routes(),
        Route("/question", insight.page),
        Route("/preview", preview.page),
        Route("/log", log.page),
        *export.routes(),
        *static.routes(),
        *access.routes(),
        *(uploads.routes() if queue else ()),
    ]
    app = Starlette(
        routes=routes,
        middleware=access.middleware(),
        exception_handlers={HTTPException: _http, GraderError: _ours},
        lifespan=lifespan,
    )
    app.state.room = room
    return app


async def _http(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    known = {404: "There is no such page.", 405: "This page is not called like that."}
    # Starlette's own words for a status are no sentence of ours.
    said = error.detail if error.detail.endswith((".", "?", ")")) else known.get(error.status_code, "")
    response = _error(request, error.status_code, said)
    response.headers.update(error.headers or {})
    return response


async def _ours(request: Request, error: Exception) -> Response:
    """Where it is may have a candidate's name in it, which those who mark must not see; what it is has not."""
    assert isinstance(error, GraderError)
    return _error(request, 500, f"{error.what[:1].upper()}{error.what[1:]}. {error.next_step or ''}".strip())


def _error(request: Request, status: int, said: str) -> Response:
    return render(request, "error.html.j2", status, title=WORDS.get(status, WORDS_ELSE), said=said)
