"""The room's own files for browsers: one stylesheet, put together with that of all our pages, and small scripts."""

from __future__ import annotations

import hashlib
from functools import cache
from importlib.resources import files
from typing import Final

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

SHEETS: Final = (("grader.render", "templates/report.css"), ("grader.render", "templates/panel.css"))
KINDS: Final = {".css": "text/css; charset=utf-8", ".js": "text/javascript; charset=utf-8"}
NAMES: Final = ("room.css", "room.js", "upload.js")


def routes() -> list[BaseRoute]:
    """Where they are."""
    return [Route("/static/{name}", serve)]


def serve(request: Request) -> Response:
    """One of them; nothing else of the disk can be asked for."""
    name = request.path_params["name"]
    if name not in NAMES:
        raise HTTPException(404, "There is no such file.")
    content, tag = _content(name)
    headers = {"etag": tag, "cache-control": "no-cache", "content-type": KINDS[name[name.rindex(".") :]]}
    if request.headers.get("if-none-match") == tag:
        return Response(status_code=304, headers=headers)
    return Response(content, headers=headers)


@cache
def _content(name: str) -> tuple[bytes, str]:
    parts = [*(SHEETS if name == "room.css" else ()), ("grader.review", f"static/{name}")]
    content = b"\n".join(files(package).joinpath(path).read_bytes() for package, path in parts)
    return content, f'"{hashlib.sha256(content).hexdigest()[:16]}"'
