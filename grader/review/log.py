"""The log: what was done in the room, what was marked, and whether both are what was written."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from grader.marks.events import MarkEvent
from grader.marks.ledger import Ledger
from grader.review import access
from grader.review.pages import render

if TYPE_CHECKING:
    from grader.review.room import Room

MOST: Final = 200  # lines on a page


@dataclass(frozen=True)
class Entry:
    """One line: when, who, what, and of what."""

    at: str
    by: str
    what: str
    of: str = ""
    source: str = ""


def page(request: Request) -> Response:
    """The newest lines, or those before `before`."""
    access.require(request, "log")
    room: Room = request.app.state.room
    entries = _entries(room)
    asked = request.query_params.get("before", str(len(entries)))
    if not asked.isdecimal() or len(asked) > 12:
        raise HTTPException(400, "This is no place in the log.")
    end = min(int(asked), len(entries))
    start = max(end - MOST, 0)
    proof = Ledger(room.folder).prove()
    return render(
        request, "log.html.j2", entries=entries[start:end][::-1], start=start, count=len(entries), proof=proof
    )


def _entries(room: Room) -> list[Entry]:
    """All lines, the oldest first. Of a mark it is told that it was made, and not what it says."""
    # The room writes a line of each mark too; the one among the marks is that of the terminal as well, and says more.
    lines = [line for line in access.read_audit(room.folder) if line["act"] != "mark"]
    done = [Entry(line["at"], line["by"], line["act"], _detail(line), "room") for line in lines]
    said = [_event(event) for event in Ledger(room.folder).read()]
    return sorted([*done, *said], key=lambda each: each.at)


def _event(event: Any) -> Entry:
    if isinstance(event, MarkEvent):
        of = f"{event.code}, {event.answer}{', blind' if event.blind else ''}"
        return Entry(event.at, event.actor, "marked", of, "marks")
    counts = ", ".join(f"{name.replace('_', ' ')}: {count}" for name, count in event.counts.items())
    return Entry(event.at, event.actor, "purged", f"{event.code} ({counts})", "marks")


def _detail(line: dict[str, Any]) -> str:
    return ", ".join(f"{name} {value}" for name, value in line["detail"].items())
