"""A question in other sizes: its files with other literals in them, in a folder of its own, loaded as any question is.

The folder lives as long as this process. Files that are no text are copied, shared ones as they are. In the place of
the block `variants` stands what was chosen, and empty lines, so that every other line keeps its number.
"""

from __future__ import annotations

import atexit
import json
import os
import re
import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from grader import specfile
from grader.errors import CallError, QuestionError
from grader.question import SPEC_NAME, Question, files_of
from grader.variants import exchange, formula
from grader.variants.formula import Value
from grader.variants.picking import known
from grader.variants.spec import Choices

SOLUTIONS: Final = "solutions/"
BLOCK: Final = re.compile(r"^variants:.*(?:\n|\Z)(?:(?:[ \t#].*)?\n)*(?:[ \t#].*\Z)?", re.MULTILINE)
MARK: Final = "#-variants-"  # stands where the block was, while the numbers around it are exchanged

_made: dict[tuple[str, str], Question] = {}
_folders: list[tuple[int, Path]] = []


def variant(question: Question, choices: Mapping[str, Value]) -> Question:
    """A question with these choices; the question itself where they are its default.

    Raises:
        CallError: it has no such variant.
        QuestionError: its literals can't be told apart, or what comes of them is no question.
    """
    wanted = known(question, choices)
    if wanted == question.variant:
        return question
    key = (question.digest, json.dumps(wanted))
    if key not in _made:
        _made[key] = _render(question, wanted)
    return _made[key]


def of_report(question: Question, choices: Mapping[str, Value]) -> Question:
    """The question that a report is of, whose `choices` it names; the default where it names none.

    A variant that is no longer offered is taken for the default: the words of a report are its own.
    """
    variants = question.spec.variants
    return variant(question, choices) if variants and dict(choices) in variants.offered else question


def problems(question: Question) -> list[str]:
    """Why literals can't be told apart, each in a sentence; nothing if they can, or there are none."""
    variants = question.spec.variants
    return exchange.problems(texts(question), variants) if variants else []


def texts(question: Question) -> dict[str, str]:
    """Every text of the question and its solutions, by the name that `stands` has for it."""
    found: dict[str, str] = {}
    for name, path in _paths(question).items():
        try:
            text = specfile.read_bytes(path).decode("utf-8")
        except UnicodeDecodeError:
            continue
        found[name] = BLOCK.sub(_marked, text) if name == SPEC_NAME else text
    return found


def _paths(question: Question) -> dict[str, Path]:
    own = {path.relative_to(question.folder).as_posix(): path for path in files_of(question.folder)}
    theirs = {path.relative_to(question.solutions).as_posix(): path for path in files_of(question.solutions)}
    return {**own, **{f"{SOLUTIONS}{name}": path for name, path in theirs.items()}}


def _marked(block: re.Match[str]) -> str:
    return MARK + "\n" * block[0].count("\n")


def _render(question: Question, choices: Choices) -> Question:
    variants = question.spec.variants
    assert variants is not None
    before = texts(question)
    if wrong := exchange.problems(before, variants):
        raise QuestionError(
            f"no variant of it can be made: {wrong[0]}",
            where=str(question.folder / SPEC_NAME),
            next_step=f"`grader validate {question.id}` lists all {len(wrong)}." if len(wrong) > 1 else None,
        )
    after = exchange.exchanged(before, variants, choices)
    after[SPEC_NAME] = after[SPEC_NAME].replace(MARK, f"variant: {json.dumps(choices)}", 1)
    try:
        made = Question.load(*_written(question, after))
    except OSError as error:
        raise CallError("a variant can't be written", where=tempfile.gettempdir(), found=error.strerror) from None
    except QuestionError as error:
        told = f"with {formula.told(choices)} it is no question that can be loaded"
        raise QuestionError(told, where=str(question.folder / SPEC_NAME), found=str(error)) from None
    _agrees(question, made)
    return made


def _written(question: Question, texts: Mapping[str, str]) -> tuple[Path, Path]:
    """A copy of a question and its solutions with these texts in it: the folders of both."""
    top = _folder()
    folder, solutions = top / "questions" / question.id, top / "solutions" / question.id
    for name, path in _paths(question).items():
        to = solutions / name.removeprefix(SOLUTIONS) if name.startswith(SOLUTIONS) else folder / name
        to.parent.mkdir(parents=True, exist_ok=True)
        to.write_bytes(texts[name].encode() if name in texts else specfile.read_bytes(path))
    for path in files_of(question.shared):
        to = folder.parent / "shared" / path.relative_to(question.shared)
        to.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, to)
    return folder, solutions


def _agrees(question: Question, made: Question) -> None:
    """Raise a QuestionError where a parameter of the variant is not what was chosen, or a text has another rubric.

    Marks of a text are compared whatever variant it was of, so all of them have to be by one rubric.
    """
    for name, chosen in made.variant.items():
        found = made.spec.parameters.get(name, chosen)
        if found != chosen:
            raise QuestionError(
                f"with {formula.told(made.variant)}, no literal exchanges the parameter {name}",
                where=str(question.folder / SPEC_NAME),
                found=str(found),
                expected=str(chosen),
            )
    rubrics = {answer.id: answer.rubric for answer in question.spec.answers if answer.kind == "text"}
    for answer in made.spec.answers:
        if answer.kind == "text" and answer.rubric != rubrics.get(answer.id):
            raise QuestionError(
                f"with {formula.told(made.variant)}, a literal changes the rubric of the text {answer.id}",
                where=str(question.folder / SPEC_NAME),
                next_step="Leave it out of prompt, points and levels, so that all are marked by one rubric.",
            )


def _folder() -> Path:
    """A new folder that nobody else can read, and that goes with this process."""
    if not _folders:
        atexit.register(_clear)
    folder = Path(tempfile.mkdtemp(prefix="variant-"))
    _folders.append((os.getpid(), folder))
    return folder


def _clear() -> None:
    for owner, folder in _folders:
        if owner == os.getpid():  # not in a fork, which inherited the list
            shutil.rmtree(folder, ignore_errors=True)
