"""Where somebody is in a walk of marking, what comes before it and after, and the addresses of all that."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import quote

from starlette.exceptions import HTTPException
from starlette.requests import Request

from grader.marks.walks import Walk, walk
from grader.marks.work import Item, shuffled

if TYPE_CHECKING:
    from grader.review.people import Person
    from grader.review.room import Room


@dataclass(frozen=True)
class Place:
    """Where somebody is in a walk.

    Attributes:
        which: the walk.
        only: the one answer that it is of; empty if it is of all.
        item: what is in front of them.
        number: its number in the order of the person, from 1, of `count`.
        before, after: the addresses of what comes before and after it; empty before the first, the end after the last.
        left: how many are left in the walk.
    """

    which: Walk
    only: str
    item: Item
    number: int
    count: int
    before: str
    after: str
    left: int

    @property
    def address(self) -> str:
        """Where it is."""
        return address_of(self.which, self.only, self.item)


def found(room: Room, person: Person, request: Request, item: Item) -> Place:
    """Where the request is, in front of an item."""
    which, only = asked(request)
    work = room.work().only([only] if only else [])
    order = shuffled(work.items, person.name)
    keys = [each.key for each in order]
    if item.key not in keys:  # it is of another answer than the walk
        order, keys = [item, *order], [item.key, *keys]
    at = keys.index(item.key)
    left = {each.key for each in walk(room.marks(), work, person.name, which)}
    # A walk through all ends where it ends; the others come round to what was skipped.
    later = order[at + 1 :] if which is Walk.AGAIN else [*order[at + 1 :], *order[:at]]
    after = next((each for each in later if each.key in left), None)
    return Place(
        which,
        only,
        item,
        at + 1,
        len(order),
        address_of(which, only, order[at - 1]) if at else "",
        address_of(which, only, after) if after else f"/mark/{which}?only={quote(only)}&end=1",
        len(left - {item.key}),
    )


def address_of(which: Walk, only: str, item: Item) -> str:
    """The address of an answer in a walk."""
    return f"/mark/{which}/{item.answer.id}/{item.code}?only={quote(only)}"


def asked(request: Request) -> tuple[Walk, str]:
    """The walk that an address names, and the one answer that it is of; empty if it is of all.

    Raises:
        HTTPException: 404, there is no such walk.
    """
    try:
        return Walk(request.path_params["walk"]), request.query_params.get("only", "")
    except ValueError:
        raise HTTPException(404, "There is no such walk.") from None
