"""The question as a candidate sees it: the files of the packet, and nothing of what is hidden."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import PurePath
from typing import TYPE_CHECKING

from starlette.requests import Request
from starlette.responses import Response

from grader.packet import contents
from grader.packet.settings import Settings
from grader.render import code as coding
from grader.render.code import Line
from grader.review import access
from grader.review.pages import render
from grader.review.prose import Block, blocks
from grader.review.room import Room, stamp
from grader.submission.choosing import PROMPT, SOLUTION

if TYPE_CHECKING:
    from grader.question import Question


@dataclass(frozen=True)
class File:
    """One file of a packet: prose in `blocks`, code in `lines`, or else its text."""

    name: str
    text: str
    blocks: tuple[Block, ...] = ()
    lines: tuple[Line, ...] = ()


def page(request: Request) -> Response:
    """What is in the packet."""
    access.require(request, "read")
    room: Room = request.app.state.room
    question = room.question
    there = [stamp(path) for path in (*sorted(question.folder.rglob("*")), *question.support)]
    shown = room.once("preview", there, lambda: files(question))
    return render(request, "preview.html.j2", question=question, files=shown)


def files(question: Question) -> list[File]:
    """The files of the packet that are of the question, the prompt first."""
    there = contents.pages(question, Settings())
    first = [PROMPT, SOLUTION, *contents.answer_sheet(question), *contents.own_tests(question)]
    names = [*(name for name in first if name in there), *(name for name in there if name not in first)]
    return [_file(name, there[name].decode()) for name in names]


def _file(name: str, text: str) -> File:
    match PurePath(name).suffix:
        case ".md":
            return File(name, text, blocks=tuple(blocks(text)))
        case ".py":
            return File(name, text, lines=tuple(coding.lines(text)))
    return File(name, text)
