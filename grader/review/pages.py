"""Drawing a page of the room. What strangers wrote is made inert and escaped in every value, as on all our pages."""

from __future__ import annotations

from functools import lru_cache, partial
from typing import TYPE_CHECKING, Any, Final

from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from grader.outcome import Outcome, Verdict
from grader.render import pages, words
from grader.render.heatmap import Picture
from grader.render.heatmap import picture as drawn
from grader.render.panel import level_class, level_glyph
from grader.report import TablePart
from grader.review.people import may
from grader.rubric.levels import Level

if TYPE_CHECKING:
    from grader.review.room import Room

# Where a person can go, what it is called, and the act that they need for it.
PLACES: Final = (
    ("/", "Candidates", "read"),
    ("/mark", "Mark", "mark"),
    ("/compare", "Compare", "read"),
    ("/question", "Question", "read"),
    ("/preview", "Preview", "read"),
    ("/uploads", "Upload", "upload"),
    ("/export", "Export", "export"),
    ("/log", "Log", "log"),
)


def picture(table: TablePart) -> Picture:
    """The heat maps of a table, drawn once for all who look at it."""
    return _picture(table.model_dump_json())


@lru_cache(maxsize=512)
def _picture(table: str) -> Picture:
    return drawn(TablePart.model_validate_json(table))


SHARED: Final = {
    "Outcome": Outcome,
    "Verdict": Verdict,
    "Level": Level,
    "words": words,
    "picture": picture,
    "level_class": level_class,
    "level_glyph": level_glyph,
}


def render(request: Request, name: str, status: int = 200, **context: Any) -> Response:
    """A page. Besides `context` a template has the person, their token for forms, and where they can go."""
    from grader.review import access

    person = getattr(request.state, "person", None)
    room: Room = request.app.state.room
    text = (
        pages.environment("grader.review")
        .get_template(name)
        .render(
            {
                **SHARED,
                "person": person,
                "may": partial(may, person) if person else lambda act: False,  # noqa: ARG005 - nobody may do anything
                "csrf_token": access.csrf(request),
                "room": room,
                "places": [place for place in PLACES if person and may(person, place[2]) and _is_open(room, place[0])],
                "here": request.url.path,
                **context,
            }
        )
    )
    return HTMLResponse(text.encode("utf-8", "backslashreplace"), status)


def _is_open(room: Room, path: str) -> bool:
    return path != "/uploads" or room.queue is not None
