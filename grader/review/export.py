"""What a panel takes along: the pages of `grader panel`, scorecards and other exports, made as they are asked for."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Final

from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from grader.packet import zips
from grader.panel import command
from grader.review import access
from grader.review.pages import render

if TYPE_CHECKING:
    from grader.review.people import Person
    from grader.review.room import Room

# What can be taken along: its kind, and what it is.
FILES: Final = {
    "panel.zip": ("application/zip", "all of it: a page for each candidate, the comparison, and the files below"),
    "scorecard.csv": ("text/csv; charset=utf-8", "scorecards as a table; no cell is a formula"),
    "scorecard.json": ("application/json", "scorecards for applicant systems"),
    "junit.xml": ("application/xml", "the checks as test results"),
}


def routes() -> list[BaseRoute]:
    """The page, and the files."""
    return [Route("/export", page), Route("/export/{name}", take, methods=["POST"])]


def page(request: Request) -> Response:
    """What there is to take along."""
    person = access.require(request, "export")
    room: Room = request.app.state.room
    told = {name: what for name, (_, what) in FILES.items()}
    hidden = len(room.hidden_from(person))
    return render(
        request, "export.html.j2", files=told, hidden=hidden, count=len(room.results().candidates),
        keep_until=room.results().manifest.retain_until.isoformat(),
    )  # fmt: skip


async def take(request: Request) -> Response:
    """One file. It is a post, since it leaves a line in the log."""
    await access.form(request)
    return await run_in_threadpool(_take, request)


def _take(request: Request) -> Response:
    person = access.require(request, "export")
    room: Room = request.app.state.room
    name = request.path_params["name"]
    if name not in FILES:
        raise HTTPException(404, "There is no such file to export.")
    if not room.results().candidates:
        raise HTTPException(409, "Nothing was graded in this folder yet, so there is nothing to export.")
    content = _made(room, person, name)
    access.audit(request, "export", file=name)
    kind, _ = FILES[name]
    headers = {"content-disposition": f'attachment; filename="{room.question.id}-{name}"', "cache-control": "no-store"}
    return Response(content, media_type=kind, headers=headers)


def _made(room: Room, person: Person, name: str) -> bytes:
    """A file of the export. All marks are in it, so it is for those from whom none is hidden any more.

    Raises:
        HTTPException: 409, this person has to mark first.
    """
    if hidden := len(room.hidden_from(person)):
        answers = "One answer has a mark" if hidden == 1 else f"{hidden} answers have marks"
        raise HTTPException(
            409, f"{answers} of others that you may not see before your own is in, and an export holds all marks."
        )
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "panel"
        command.write([room.folder], out, lambda _: room.question)
        if name != "panel.zip":
            return (out / name).read_bytes()
        files = (path for path in sorted(out.rglob("*")) if path.is_file() and path.name != "panel.json")
        return zips.pack({path.relative_to(out).as_posix(): path.read_bytes() for path in files})
