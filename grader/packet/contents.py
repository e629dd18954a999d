"""What a packet holds: one list, from which packets are written and in which `grader validate` looks for giveaways."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Mapping
from importlib import metadata
from pathlib import Path
from typing import Any, Final

from grader import specfile
from grader.bank import PACKAGE
from grader.errors import QuestionError
from grader.packet import carried, templates, zips
from grader.packet.settings import Settings
from grader.packet.task import FILES, SKELETON, SUITE, TASK, Task
from grader.question import Question
from grader.submission.choosing import ANSWERS, CHECK, PREFLIGHT, PROMPT, README, REQUIREMENTS, SOLUTION
from grader.submission.manifest import PACKET, packet_text

PINNED: Final = ("numpy", "torch", "pytest")
STARTER: Final = "test_solution.py"
PYTHON: Final = "{}.{}".format(*sys.version_info[:2])


Signed = Callable[[Mapping[str, Any]], Mapping[str, Any]]  # what packet.json says, with the team's signature of it


def contents(question: Question, settings: Settings, signed: Signed | None = None) -> dict[str, bytes]:
    """The files of a packet, by name. Nothing in them depends on the day, the machine or the folder.

    Args:
        question: what the candidate is asked.
        settings: what the team says of itself.
        signed: where packet.json says which variant it is of, with a signature.

    Raises:
        QuestionError: a file of the question has the name of one of the packet, or is no text.
    """
    archive = zips.pack({**carried.modules(), **told(question)})
    files = {**pages(question, settings), CHECK: templates.copied(CHECK), PREFLIGHT: archive}
    spec = question.spec
    about: Mapping[str, Any] = {"question": spec.id, "version": spec.version, "digest": zips.digest(files), "code": ""}
    if signed is not None:
        about = signed({**about, "variant": dict(question.variant)})
    return {**files, PACKET: packet_text(about).encode()}


def coded(files: Mapping[str, bytes], code: str, signed: Signed | None = None) -> dict[str, bytes]:
    """A packet for the candidate of a code name, who is told by packet.json alone."""
    about: Mapping[str, Any] = {**json.loads(files[PACKET]), "code": code}
    return {**files, PACKET: packet_text(signed(about) if signed else about).encode()}


def pages(question: Question, settings: Settings) -> dict[str, bytes]:
    """The files of a packet that are of the question, by name."""
    spec = question.spec
    files = {
        README: readme(question, settings),
        PROMPT: _raw(question.folder / spec.prompt),
        SOLUTION: _raw(question.folder / spec.skeleton),
        **answer_sheet(question),
        **own_tests(question),
        REQUIREMENTS: templates.rendered(REQUIREMENTS, python=PYTHON, pins=pins()),
    }
    for name, content in given(question).items():
        if name in files or name in (CHECK, PREFLIGHT, PACKET):
            raise QuestionError("a file of the question has the name of one of the packet", where=name)
        files[name] = content
    return files


def texts(question: Question) -> dict[str, str]:
    """All that a candidate can read of the question, by the path in the packet; what is there twice is told once."""
    files = pages(question, Settings())
    inside = {f"{PREFLIGHT}/{name}": content for name, content in told(question).items()}
    more = {name: content for name, content in inside.items() if content not in files.values()}
    return {name: content.decode() for name, content in {**files, **more}.items()}


def given(question: Question) -> dict[str, bytes]:
    """The files that a candidate leaves as they came: support files and public tests."""
    return {path.name: _raw(path) for path in (*question.support, *question.public)}


def told(question: Question) -> dict[str, bytes]:
    """What check.py is told of the question, by the path in preflight.zip."""
    spec = question.spec
    task = Task(
        title=spec.title,
        asked=question.asked,
        forms=tuple(answer.asked for answer in spec.answers),
        public=tuple(path.name for path in question.public),
        cpu_seconds=spec.limits.submission_cpu_seconds,
        suite_cpu_seconds=spec.suite.run_cpu_seconds if spec.suite else 0.0,
        environment={"python": PYTHON, **pins()},
    )
    files = {TASK: task.to_json().encode(), SKELETON: _raw(question.folder / spec.skeleton)}
    for content in own_tests(question).values():
        files[SUITE] = content
    return {**files, **{f"{FILES}{name}": content for name, content in given(question).items()}}


def readme(question: Question, settings: Settings) -> bytes:
    """The page that a candidate reads first."""
    spec = question.spec
    return templates.rendered(
        README,
        spec=spec,
        settings=settings,
        python=PYTHON,
        facts=[answer for answer in spec.answers if answer.kind != "text"],
        words=[answer for answer in spec.answers if answer.kind == "text"],
        support=[path.name for path in question.support],
        public=[path.name for path in question.public],
        suite=question.suite_file,
    )


def answer_sheet(question: Question) -> dict[str, bytes]:
    """answers.yaml, with each prompt and a place to write; nothing where the question has no written answers."""
    answers = question.spec.answers
    return {ANSWERS[0]: templates.rendered(ANSWERS[0], answers=answers)} if answers else {}


def own_tests(question: Question) -> dict[str, bytes]:
    """The file for the candidate's own tests: the question's, or a plain one; nothing where none are asked for."""
    if question.suite_file is None:
        return {}
    path = question.folder / question.suite_file
    plain = templates.rendered(STARTER, file=question.suite_file, name=question.defines[0])
    return {question.suite_file: _raw(path) if path.is_file() else plain}


def pins() -> Mapping[str, str]:
    """The versions that grade: those of constraints.txt in a checkout, or else those that are installed here."""
    path = PACKAGE.parent / "constraints.txt"
    text = path.read_text("utf-8") if path.is_file() else ""
    written = dict(re.findall(r"^([\w.-]+)==(\S+)$", text, re.MULTILINE))
    return {name: written.get(name) or metadata.version(name).partition("+")[0] for name in PINNED}


def _raw(path: Path) -> bytes:
    return specfile.read_text(path).encode()
