"""Which files of an upload are one submission, and what each is called in results."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from starlette.exceptions import HTTPException

from grader import inert
from grader.batch.entries import SUFFIXES
from grader.results.codenames import is_code
from grader.review.receiving import Received, file_name
from grader.review.spool import SENT, Sent
from grader.submission.choosing import ANSWERS, SOLUTION

LONGEST: Final = 100
TOGETHER: Final = (SOLUTION, *ANSWERS)  # whoever sends one of these with others sends one submission


def named(part: Path, got: Received) -> list[Sent]:
    """The submissions of an upload. Files that are one submission are moved into a folder of their own.

    Args:
        part: the folder of the upload.
        got: what the form brought; its field `name` says what the submission is called.

    Raises:
        HTTPException: 400 for no file, or for several submissions under one name; 415 for a kind that can't be graded.
    """
    name = got.fields.get("name", "").strip()
    if not got.files:
        raise HTTPException(400, "No file was chosen. Choose a .py, .ipynb or .zip file, or several.")
    if len(name) > LONGEST or inert.line(name) != name:
        raise HTTPException(400, f"A name has at most {LONGEST} characters that can be seen.")
    if is_code(name):
        raise HTTPException(400, "This is a code name. Say what the submission is called.")
    if len(got.files) > 1 and any(file in TOGETHER for file, _ in got.files):
        if not name:
            raise HTTPException(400, "Say what this submission is called: several files of it don't.")
        return [_together(part, got, name)]
    if name and len(got.files) > 1:
        raise HTTPException(400, "These are several submissions, and one name is not enough: leave it empty.")
    if odd := [file for file, path in got.files if path.suffix.lower() not in SUFFIXES]:
        raise HTTPException(415, f"Expected .py, .ipynb or .zip files, found {inert.listed(odd)}.")
    found = [Sent(name=name or file, path=path.relative_to(part).as_posix()) for file, path in got.files]
    if len({each.name for each in found}) < len(found):
        raise HTTPException(400, "Two of these files have one name. Send them one after the other.")
    return found


def _together(part: Path, got: Received, name: str) -> Sent:
    names = [file for file, _ in got.files]
    if len(set(names)) < len(names):
        raise HTTPException(400, "Two of these files have one name, so they are no one submission.")
    folder = part / SENT / "whole" / file_name(name)
    folder.mkdir(parents=True)
    for file, path in got.files:
        path.replace(folder / file)
    return Sent(name=name, path=folder.relative_to(part).as_posix())
