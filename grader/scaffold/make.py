"""Copying the template of a question under another id.

The template is a question that can be proven as it stands, apart from the marks: so each step of its author's either
keeps it proven, or `grader validate` says what broke.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

from grader.errors import CallError
from grader.parts import ID_PATTERN
from grader.question import files_of

MARK: Final = "TO WRITE"
TEMPLATE: Final = Path(__file__).resolve().parent / "template"
PLACEHOLDER: Final = "new-question"


def make(id: str, bank: Path) -> list[Path]:
    """Write the files of a new question into a bank, and its solutions beside it.

    Args:
        id: the question's id, which is the name of its folder.
        bank: a folder of questions; it is made if it is not there.

    Returns:
        The files that hold something that is still to be written.

    Raises:
        CallError: the id is none, there is such a question already, or the files can't be written.
    """
    if not re.fullmatch(ID_PATTERN, id):
        raise CallError("this is no id", found=repr(id), expected="small letters, digits and hyphens, a letter first")
    targets = {"questions": bank / id, "solutions": bank.parent / "solutions" / id}
    for target in targets.values():
        if target.exists():
            raise CallError("there is such a folder already", where=str(target), next_step="Choose another id.")
    marked = []
    for kind, target in targets.items():
        source = TEMPLATE / kind / PLACEHOLDER
        for path in files_of(source):
            text = path.read_text("utf-8").replace(PLACEHOLDER, id)
            written = target / path.relative_to(source)
            try:
                written.parent.mkdir(parents=True, exist_ok=True)
                written.write_text(text, "utf-8")
            except OSError as error:
                raise CallError("a file can't be written", where=str(written), found=str(error)) from None
            if MARK in text:
                marked.append(written)
    return marked
