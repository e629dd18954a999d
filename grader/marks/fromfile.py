"""Marks from a YAML file, for scripts and for those who would rather type. All of them are kept, or none is.

- {candidate: amber-coot-17, answer: why_interleave, ticked: [one-angle], quote: one angle}
- {candidate: jade-heron-42, answer: why_interleave, cannot_assess: true, note: It is in French.}
"""

from __future__ import annotations

import difflib
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import Field, RootModel, ValidationError

from grader import inert, specfile
from grader.errors import CallError, GraderError
from grader.marks.book import Marks
from grader.marks.judging import Unfit, judge
from grader.marks.mark import Mark
from grader.marks.work import Work
from grader.parts import Part

if TYPE_CHECKING:
    from grader.results import Results


class Entry(Part):
    """One mark, as it is written in the file; `candidate` is a code name or the name of what was sent."""

    candidate: str
    answer: str
    ticked: list[str] | None = None
    cannot_assess: bool = False
    quote: str = ""
    note: str = ""
    reason: str = Field(default="", description="Why an earlier mark of the same person was changed.")


class Entries(RootModel[list[Entry]]):
    """The whole file."""


def read(path: Path, by: str, results: Results, marks: Marks, work: Work) -> list[Mark]:
    """The marks of a file, each checked against the answer that it is of.

    Raises:
        CallError: with a line for everything that is wrong: file:line:column, what was found and expected.
    """
    document = _document(path)
    wrong: list[str] = []
    found: dict[tuple[str, str], Mark] = {}
    for place, entry in enumerate(_entries(document, path)):
        try:
            mark = _mark(entry, by, results, work)
            if (mark.code, mark.answer) in found:
                raise Unfit("answer", "this answer is marked twice in the file", "Keep one.")
            marks.checked(mark)
            found[mark.code, mark.answer] = mark
        except Unfit as unfit:
            wrong.append(_told(path, document, [place, unfit.key], str(unfit), unfit.hint))
        except CallError as error:
            said = error.what + (f": found {error.found}" if error.found else "")
            wrong.append(_told(path, document, [place], said, error.next_step or ""))
    if wrong:
        raise CallError("\n".join(wrong).removesuffix("."))
    return list(found.values())


def _document(path: Path) -> Any:
    try:
        return specfile.parse_yaml(path.read_text("utf-8"), str(path))
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else "bytes that are not UTF-8"
        raise CallError("this file of marks can't be read", where=inert.line(str(path)), found=why) from None


def _entries(document: Any, path: Path) -> list[Entry]:
    try:
        return Entries.model_validate(specfile.plain(document)).root
    except ValidationError as error:
        told = [specfile.told(each, document, path, Entries) for each in error.errors()]
        raise CallError("\n".join(f"{what}. {hint}".strip() for what, hint in told).removesuffix(".")) from None


def _mark(entry: Entry, by: str, results: Results, work: Work) -> Mark:
    try:
        code = results.find(entry.candidate).code
    except GraderError as error:
        raise Unfit("candidate", f"{error.what}: found {error.found}", error.next_step or "") from None
    item = next((item for item in work.items if item.key == (code, entry.answer)), None)
    if item is None:
        theirs = [each.answer.id for each in work.items if each.code == code]
        close = difflib.get_close_matches(entry.answer, theirs, n=1)
        hint = f"Did you mean {close[0]}?" if close else f"There is {', '.join(theirs) or 'none'}."
        raise Unfit("answer", f"{code} has no answer to be marked that is called {inert.short(entry.answer, 60)}", hint)
    if entry.ticked is None and not entry.cannot_assess:
        raise Unfit("candidate", "it is not said what is ticked", "Write `ticked: []` for nothing, or cannot_assess.")
    return judge(
        item,
        by,
        ticked=entry.ticked or [],
        cannot_assess=entry.cannot_assess,
        quote=entry.quote,
        note=entry.note,
        reason=entry.reason,
    )


def _told(path: Path, document: Any, location: list[str | int], what: str, hint: str) -> str:
    line, column = specfile.position(document, location)
    return f"{path}:{line}:{column}: {what}. {hint}".strip()
