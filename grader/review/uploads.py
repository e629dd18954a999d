"""The page where a submission is dropped, and the page of an upload: how it stands, live, and its report in the end.

A post is held to the same as all others, and to its size and pace while it streams. Who sends something may see that;
an admin sees everybody's.
"""

from __future__ import annotations

import asyncio
import json
import shutil
from collections.abc import AsyncIterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.responses import RedirectResponse, Response, StreamingResponse
from starlette.routing import BaseRoute, Route

from grader.outcome import Verdict
from grader.results import manifest
from grader.review import access
from grader.review.access import audit, require
from grader.review.naming import named
from grader.review.pages import render
from grader.review.receiving import Bounds, Received, drained, receive
from grader.review.spool import PART, Job, Sent

if TYPE_CHECKING:
    from starlette.requests import Request

    from grader.review.people import Person
    from grader.review.queue import Queue

BOUNDS: Final = Bounds()
SPARE: Final = 4  # times the largest upload has to be free on the disk
LOOK_SECONDS: Final = 0.4
BEAT_SECONDS: Final = 15.0
LIVE_SECONDS: Final = 600.0  # then the browser asks again, with its cookie
SHOWN: Final = 50


def routes() -> list[BaseRoute]:
    """`/uploads` and what is below it."""
    return [
        Route("/uploads", every, methods=["GET"]),
        Route("/uploads", sent, methods=["POST"]),
        Route("/uploads/{id}", one, methods=["GET"]),
        Route("/uploads/{id}/events", events, methods=["GET"]),
        Route("/uploads/{id}/again", again, methods=["POST"]),
        Route("/uploads/{id}/remove", removed, methods=["POST"]),
    ]


def every(request: Request) -> Response:
    """The form, and the uploads of a person; of everybody, for an admin."""
    person = require(request, "upload")
    jobs = [job for job in _queue(request).spool.jobs() if _may_see(person, job)]
    return _page(request, jobs)


async def sent(request: Request) -> Response:
    """Take an upload, and put it in the queue."""
    person = require(request, "upload")
    queue = _queue(request)
    if wait := queue.pace.wait(person.name):
        raise HTTPException(429, f"That was too often. Try again in {wait} seconds.", {"retry-after": str(wait)})
    if why := await run_in_threadpool(queue.refusal, person.name):
        return await _refused(request, 409, why)
    try:
        queue.pace.count(person.name)
        job = await _taken(request, queue, person)
    except HTTPException as error:
        if error.status_code in (408, 403):
            raise
        return await _refused(request, error.status_code, error.detail)
    finally:
        queue.sent(person.name)
    queue.wake()
    return RedirectResponse(f"/uploads/{job.id}", 303)


async def _taken(request: Request, queue: Queue, person: Person) -> Job:
    if int(request.headers.get("content-length") or 0) > BOUNDS.whole:
        raise HTTPException(413, f"This is too large: at most {BOUNDS.whole >> 20} MiB are taken at once.")
    if shutil.disk_usage(queue.results).free < SPARE * BOUNDS.whole:
        raise HTTPException(507, "The disk of the review room is nearly full. Nothing was taken.")
    part = await run_in_threadpool(queue.spool.arriving)
    try:
        got = await receive(request, part / "sent", lambda token: access.bears(request, token), BOUNDS)
        return await run_in_threadpool(_queued, request, queue, part, got, person)
    finally:
        await run_in_threadpool(shutil.rmtree, part, ignore_errors=True)


def _queued(request: Request, queue: Queue, part: Path, got: Received, person: Person) -> Job:
    replacing = bool(got.fields.get("replace"))
    found = named(part, got)
    with queue.one:  # two who send the same name at once
        return _put(request, queue, part, got, person, found, replacing)


def _put(
    request: Request, queue: Queue, part: Path, got: Received, person: Person, found: list[Sent], replacing: bool
) -> Job:
    taken = set(manifest.read_codes(queue.results)) if not replacing else set()
    taken |= {each.name for job in queue.spool.pending() for each in job.sent}
    if twice := next((each.name for each in found if each.name in taken), None):
        raise HTTPException(
            409,
            f"“{twice}” is there already. Give this one another name, or tick that it takes the place of the other.",
        )
    audit(request, "uploaded", job=part.name.removeprefix(PART), submissions=len(found), bytes=got.size)
    return queue.spool.arrived(part, person.name, found, replacing)


def one(request: Request) -> Response:
    """How one upload stands. Without scripts, the page has a link to itself until it has ended."""
    job, _ = _job(request)
    before = [each.id for each in _queue(request).spool.pending() if each.id < job.id]
    return render(request, "upload.html.j2", job=job, said=said(job, len(before)), Verdict=Verdict)


async def events(request: Request) -> Response:
    """How one upload stands, as server-sent events: one as it changes, and the last when it has ended."""
    job, _ = await run_in_threadpool(_job, request)
    return StreamingResponse(_live(_queue(request), job.id), media_type="text/event-stream")


async def _live(queue: Queue, id: str) -> AsyncIterator[str]:
    told, silent = "", 0.0
    for _ in range(int(LIVE_SECONDS / LOOK_SECONDS)):
        job, before = await run_in_threadpool(_state, queue, id)
        state: dict[str, Any] = {"ended": True} if job is None else {"ended": not job.is_pending}
        if job is not None:
            state |= {"said": said(job, before), "done": job.ended, "total": job.total, "state": job.state}
        fresh = json.dumps(state)
        if fresh != told:
            told, silent = fresh, 0.0
            yield f"data: {fresh}\n\n"
        elif silent >= BEAT_SECONDS:
            silent = 0.0
            yield ":\n\n"
        if state["ended"]:
            return
        silent += LOOK_SECONDS
        await asyncio.sleep(LOOK_SECONDS)


def _state(queue: Queue, id: str) -> tuple[Job | None, int]:
    return queue.spool.find(id), sum(each.id < id for each in queue.spool.pending())


async def again(request: Request) -> Response:
    """Try once more to grade what could not be graded."""
    await access.form(request)
    job, queue = await run_in_threadpool(_job, request)
    if job.state == "trouble" and job.sent:
        audit(request, "tried again", job=job.id)
        await run_in_threadpool(queue.spool.again, job)
        queue.wake()
    return RedirectResponse(f"/uploads/{job.id}", 303)


async def removed(request: Request) -> Response:
    """Forget an upload that has ended, with whatever of it could not be graded."""
    await access.form(request)
    job, queue = await run_in_threadpool(_job, request)
    if job.is_pending:
        raise HTTPException(409, "This upload is still to be graded. It can be removed when it has ended.")
    audit(request, "removed an upload", job=job.id)
    await run_in_threadpool(queue.spool.remove, job)
    return RedirectResponse("/uploads", 303)


def said(job: Job, before: int) -> str:
    """How a job stands, in a sentence."""
    if job.state == "waiting":
        return f"Waiting: {before} before it." if before else "Waiting for its turn."
    if job.state == "starting":
        return "Starting the workers, sealed off from this machine."
    if job.state == "held":
        return "Waiting for a batch that writes into the same results."
    if job.state == "grading":
        return "Grading." if job.total < 2 else f"Grading: {job.ended} of {job.total} are done."
    return "Graded." if job.state == "done" else "Some of it could not be graded."


def _page(request: Request, jobs: list[Job], status: int = 200, refused: str = "") -> Response:
    shown = [(job, said(job, 0)) for job in reversed(jobs[-SHOWN:])]
    most = f"{BOUNDS.whole >> 20} MiB"
    return render(request, "uploads.html.j2", status, jobs=shown, refused=refused, most=most, limit=BOUNDS.whole)


async def _refused(request: Request, status: int, why: str) -> Response:
    await drained(request)
    jobs = [job for job in _queue(request).spool.jobs() if _may_see(request.state.person, job)]
    return await run_in_threadpool(_page, request, jobs, status, why)


def _job(request: Request) -> tuple[Job, Queue]:
    person, queue = require(request, "upload"), _queue(request)
    job = queue.spool.find(request.path_params["id"])
    if job is None or not _may_see(person, job):
        raise HTTPException(404, "There is no such upload.")
    return job, queue


def _may_see(person: Person, job: Job) -> bool:
    return job.by == person.name or "admin" in person.roles


def _queue(request: Request) -> Queue:
    found: Queue = request.app.state.room.queue
    return found
