"""Marking in a browser: an answer beside its observables, by the rules of the terminal and into the same ledger.

Theory of operation. The page is a form, and works as one. A script sends it to `…/draft` while it is filled in, where
it is kept as the terminal keeps a draft. Saving it makes a mark, which is on the disk before the next answer is shown.
What can't be saved comes back as it was, with what is missing. Two windows of one person change one mark by the
ledger's own rule, which asks the second for a reason; and a draft is replaced only by a window that has seen it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final
from urllib.parse import quote as quoted_for_url

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.routing import BaseRoute, Route

from grader.errors import CallError
from grader.marks import Marks, comparing, drafts
from grader.marks import status as state
from grader.marks.quoting import piece
from grader.marks.saving import Draft, Held, Hold, settle, unsaved
from grader.marks.walks import Walk, walk
from grader.marks.work import Item
from grader.review import access, walking
from grader.review.pages import render
from grader.review.passages import passages

if TYPE_CHECKING:
    from grader.review.people import Person
    from grader.review.room import Room

Form = Mapping[str, list[str]]
CHANGED: Final = "The answer or its rubric has changed since this page was made. Look at it again, and save."
ELSEWHERE: Final = (
    "This answer is open in another window, which has kept something else. "
    "Nothing here is lost: save, or load the page to see the other."
)


def routes() -> list[BaseRoute]:
    """The pages of marking."""
    return [
        Route("/mark", board),
        Route("/mark/{walk}", begin),
        Route("/mark/{walk}/{answer}/{code}", look),
        Route("/mark/{walk}/{answer}/{code}", save, methods=["POST"]),
        Route("/mark/{walk}/{answer}/{code}/draft", keep, methods=["POST"]),
    ]


def board(request: Request) -> Response:
    """How far the marking is, the walks that there are, and where one's marks and those of others differ."""
    person, room = _marker(request)
    marks, work = room.marks(), room.work()
    return render(
        request,
        "mark-board.html.j2",
        state=state.status(marks, work),
        walks={which: len(walk(marks, work, person.name, which)) for which in Walk},
        own={item.answer.id: 0 for item in work.items} | _own_counts(marks, person.name),
        prompts={item.answer.id: item.answer.prompt for item in work.items},
        both=comparing.compared(marks, work, person.name),
        hidden=len(room.hidden_from(person)),
    )


def begin(request: Request) -> Response:
    """The first answer of a walk, or that it has none."""
    person, room = _marker(request)
    which, only = walking.asked(request)
    items = walk(room.marks(), room.work().only([only] if only else []), person.name, which)
    if items and "end" not in request.query_params:
        return RedirectResponse(walking.address_of(which, only, items[0]), 303)
    return render(request, "mark-end.html.j2", which=which, left=len(items), saved=_saved(request, room, person))


def look(request: Request) -> Response:
    """One answer, with the draft or the mark that this person has of it."""
    person, room = _marker(request)
    item = _item(request, room)
    kept = drafts.read(drafts.path_of(room.folder, person.name), [item]).get(item.key)
    return _page(request, room, person, item, kept, said=_saved(request, room, person))


async def save(request: Request) -> Response:
    """Make a mark of the form, and go on; or say what is missing."""
    form = await access.form(request)
    return await run_in_threadpool(_save, request, form)


async def keep(request: Request) -> Response:
    """Keep the form as a draft, and say what it comes to."""
    form = await access.form(request)
    return await run_in_threadpool(_keep, request, form)


def _save(request: Request, form: Form) -> Response:
    person, room = _marker(request)
    item = _item(request, room)
    draft, was = _draft(form, item), _one(form, "was")
    marks = Marks.open(room.results())
    path = drafts.path_of(room.folder, person.name)
    if _one(form, "do") == "draft":
        done = drafts.exchange(path, item, was, unsaved(draft, marks.own(person.name, *item.key)))
        if done:
            return RedirectResponse(walking.found(room, person, request, item).address + "&kept=1", 303)
        return _again(request, room, person, item, draft, was, ELSEWHERE)
    if _one(form, "shown") != _shown(item):
        return _again(request, room, person, item, draft, was, CHANGED)
    own = marks.own(person.name, *item.key)
    found = settle(item, person.name, draft, own, sure=_one(form, "sure") == "1")
    if isinstance(found, Held):
        if found.hold is not Hold.SAME:
            return _again(request, room, person, item, draft, was, _words(found, item, draft), hold=found.hold)
    else:
        try:
            marks.add(found)
        except CallError as error:
            # It was marked in another window meanwhile, or its candidate was purged.
            said = f"{error.what[:1].upper()}{error.what[1:]}. {error.next_step or ''}".strip()
            hold = Hold.REASON if marks.own(person.name, *item.key) else None
            return _again(request, room, person, item, draft, was, said, hold=hold)
        access.audit(request, "mark", code=item.code, answer=item.answer.id)
    place = walking.found(room, person, request, item)
    drafts.exchange(path, item, was, None)
    return RedirectResponse(f"{place.after}&saved={quoted_for_url('/'.join((item.answer.id, item.code)))}", 303)


def _keep(request: Request, form: Form) -> Response:
    person, room = _marker(request)
    item = _item(request, room)
    own = room.marks().own(person.name, *item.key)
    draft = unsaved(_draft(form, item), own)
    path = drafts.path_of(room.folder, person.name)
    if _one(form, "shown") != _shown(item):
        return JSONResponse({"kept": False, "said": CHANGED}, 409)
    if not drafts.exchange(path, item, _one(form, "was"), draft):
        return JSONResponse({"kept": False, "said": ELSEWHERE}, 409)
    return JSONResponse({"kept": True, "was": drafts.token(draft), "level": _level(item, draft or Draft.of(own))})


def _again(
    request: Request,
    room: Room,
    person: Person,
    item: Item,
    draft: Draft,
    was: str,
    said: str,
    *,
    hold: Hold | None = None,
) -> Response:
    """The form as it was sent, kept as a draft too, with what is to be said of it."""
    own = Marks.open(room.results()).own(person.name, *item.key)
    kept = unsaved(draft, own)
    path = drafts.path_of(room.folder, person.name)
    if drafts.exchange(path, item, was, kept):
        was = drafts.token(kept)
    return _page(request, room, person, item, draft, said=said, hold=hold, was=was, status=409)


def _page(
    request: Request,
    room: Room,
    person: Person,
    item: Item,
    kept: Draft | None,
    *,
    said: str = "",
    hold: Hold | None = None,
    was: str | None = None,
    status: int = 200,
) -> Response:
    marks = room.marks()
    own = marks.own(person.name, *item.key)
    draft = kept or Draft.of(own)
    seen = marks.visible_to(person.name, *item.key)
    return render(
        request,
        "mark.html.j2",
        status,
        place=walking.found(room, person, request, item),
        item=item,
        own=own,
        draft=draft,
        unsaved=kept is not None and unsaved(kept, own) is not None,
        was=drafts.token(kept) if was is None else was,
        shown=_shown(item),
        level=_level(item, draft),
        passages=passages(item, draft.quote),
        others=[mark for mark in seen if mark.by != person.name],
        level_of=lambda mark: _level(item, Draft.of(mark)),
        hidden=len(marks.of(*item.key)) - len(seen),
        look_again=item.outdates(own) if own else "",
        said=said or ("Kept as a draft." if "kept" in request.query_params else ""),
        hold=hold,
        Hold=Hold,
    )


def _marker(request: Request) -> tuple[Person, Room]:
    room: Room = request.app.state.room
    return access.require(request, "mark"), room


def _item(request: Request, room: Room) -> Item:
    return room.item(request.path_params["code"], request.path_params["answer"])


def _saved(request: Request, room: Room, person: Person) -> str:
    """What to say of the mark that was saved just now, which the address names."""
    answer, _, code = request.query_params.get("saved", "").partition("/")
    mark = room.marks().own(person.name, code, answer)
    item = next((each for each in room.work().items if each.key == (code, answer)), None)
    return f"Saved {code}: {_level(item, Draft.of(mark))}." if mark and item else ""


def _draft(form: Form, item: Item) -> Draft:
    known = {each.id for each in item.answer.observables}
    quote = _text(form, "quote")
    cannot = _one(form, "cannot_assess") == "1"
    return Draft(
        ticked=frozenset(known.intersection(form.get("ticked", []))),
        cannot_assess=cannot,
        quote=(piece(item.text, quote) or quote) if quote else "",
        note=_text(form, "note"),
        reason=_text(form, "reason"),
    )


def _words(held: Held, item: Item, draft: Draft) -> str:
    match held.hold:
        case Hold.UNSURE:
            level = _level(item, draft)
            return f"Nothing is ticked. Save once more if nothing of it is in the answer: it then is “{level}”."
        case Hold.REASON:
            return "You are changing your mark. Say why; the earlier one stays on record."
    return held.words


def _level(item: Item, draft: Draft) -> str:
    return "none, cannot assess" if draft.cannot_assess else str(item.answer.level_of(sorted(draft.ticked)))


def _shown(item: Item) -> str:
    return f"{item.answer.rubric} {item.digest}"


def _own_counts(marks: Marks, name: str) -> dict[str, int]:
    counts: dict[str, int] = {}
    for mark in marks.all:
        if mark.by == name:
            counts[mark.answer] = counts.get(mark.answer, 0) + 1
    return counts


def _one(form: Form, key: str) -> str:
    return (form.get(key) or [""])[0]


def _text(form: Form, key: str) -> str:
    return _one(form, key).replace("\r\n", "\n").strip()
