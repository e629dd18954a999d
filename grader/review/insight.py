"""What the results say of the question itself: how hard criteria are, which mistakes were met, how far people agree."""

from __future__ import annotations

from typing import TYPE_CHECKING

from starlette.requests import Request
from starlette.responses import Response

from grader.agreement import TooFew, in_words
from grader.agreement.items import FEWEST
from grader.agreement.pairs import percent
from grader.review import access
from grader.review.pages import render

if TYPE_CHECKING:
    from grader.review.room import Room


def page(request: Request) -> Response:
    """The page of the question. What it says of marks is of all marks together, and of twenty pairs at least."""
    access.require(request, "read")
    room: Room = request.app.state.room
    found = room.analysis()
    spec = room.question.spec
    return render(
        request,
        "question.html.j2",
        question=room.question,
        found=found,
        points={each.id: each.points for each in spec.criteria},
        required={each.id for each in spec.criteria if each.required},
        told={id: in_words(each) for id, each in found.texts.items()},
        together=in_words(found.together),
        levels=None if isinstance(found.together, TooFew) else found.together.levels,
        prompts={each.id: each.prompt for each in spec.answers},
        why={each.id: each.why for each in spec.misconceptions},
        percent=percent,
        fewest=FEWEST,
    )
