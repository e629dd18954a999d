"""The pages that are read: candidates by criterion, one of them, and two side by side."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from grader.outcome import Outcome, Verdict
from grader.review import access
from grader.review.index import Wanted
from grader.review.pages import render
from grader.review.people import may

if TYPE_CHECKING:
    from grader.panel.views import SheetView
    from grader.review.room import Room


def every(request: Request) -> Response:
    """All candidates, or those of a filter: a strip of outcomes each, in the order of their code names."""
    person = access.require(request, "read")
    room: Room = request.app.state.room
    spec = room.question.spec
    wanted = _wanted(request, [each.id for each in spec.criteria], [each.id for each in spec.misconceptions])
    asked: dict[str, int] = {}
    for item in room.work().items:
        asked[item.code] = asked.get(item.code, 0) + 1
    with room.index() as index:
        rows, count, marked = index.find(wanted), index.count(), index.marked(person.name)
    return render(
        request,
        "candidates.html.j2",
        rows=rows,
        count=count,
        wanted=wanted,
        filtered=any(asdict(wanted).values()),
        question=room.question,
        criteria={each.id: each.title for each in spec.criteria},
        mistakes={each.id: each.title for each in spec.misconceptions},
        marked=marked,
        asked=asked,
        keep_until=room.results().manifest.retain_until.isoformat(),
        troubles=room.work().troubles,
    )


def one(request: Request) -> Response:
    """One candidate: the tests with their evidence, what people read, and the code."""
    person = access.require(request, "read")
    room: Room = request.app.state.room
    code = request.path_params["code"]
    sheet = room.sheet(code, person)
    codes = [each.code for each in room.results().candidates]
    place = codes.index(code)
    marks = room.marks()
    marking: dict[str, Any] = {}
    if may(person, "mark"):
        marking["mark_at"] = lambda answer: f"/mark/again/{answer}/{code}"
    return render(
        request,
        "candidate.html.j2",
        code=code,
        sheet=sheet,
        before=codes[place - 1] if place else "",
        after=codes[place + 1] if place + 1 < len(codes) else "",
        own=lambda answer: marks.own(person.name, code, answer) is not None,
        **marking,
    )


def two(request: Request) -> Response:
    """Two candidates side by side, criterion by criterion, text by text, and code beside code."""
    person = access.require(request, "read")
    room: Room = request.app.state.room
    codes = [each.code for each in room.results().candidates]
    chosen = [request.query_params.get(key, "") for key in ("a", "b")]
    sheets: list[SheetView] = []
    if all(chosen):
        sheets = [room.sheet(code, person) for code in chosen]
    spec = room.question.spec
    return render(
        request,
        "compare.html.j2",
        codes=codes,
        a=chosen[0],
        b=chosen[1],
        sheets=sheets,
        same=bool(sheets) and chosen[0] == chosen[1],
        criteria={each.id: each.title for each in spec.criteria},
        texts=[each for each in spec.answers if each.kind == "text"],
        facts=[each for each in spec.answers if each.kind != "text"],
        differs=_differs,
    )


def _differs(sheets: Sequence[SheetView], criterion: str) -> bool:
    one, other = (each.criterion(criterion) for each in sheets)
    return (one.outcome if one else None) != (other.outcome if other else None)


def _wanted(request: Request, criteria: list[str], mistakes: list[str]) -> Wanted:
    """The filter in the address. What is not there to be chosen is refused, so that no page is empty by a slip."""
    asked = {key: request.query_params.get(key, "") for key in ("code", "verdict", "criterion", "outcome", "mistake")}
    known = {"verdict": [*Verdict], "criterion": criteria, "outcome": [*Outcome], "mistake": mistakes}
    for key, values in known.items():
        if asked[key] and asked[key] not in values:
            raise HTTPException(400, f"This question has no such {key} to filter by.")
    return Wanted(**asked)
