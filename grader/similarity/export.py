"""The code of a study in the layouts that other tools take, under code names.

JPlag: one folder a submission, and a folder of base code beside them.

    DIR/submissions/<code>/solution.py
    DIR/base/skeleton.py, and support files

Dolos: files with info.csv beside them; the same in a .zip for its web page; and one file of code to be ignored.

    DIR/<code>.py   DIR/info.csv   DIR/dolos.zip   DIR/ignore.py

What candidates wrote is copied as it is read: code can name its author where a file name does not.
"""

from __future__ import annotations

import csv
import io
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Final

from grader import inert
from grader.errors import CallError
from grader.similarity.study import Study

INFO: Final = ("filename", "full_name", "id", "status", "submission_id", "created_at", "labels")


def export(kind: str, study: Study, folder: Path) -> str:
    """Write a study's code into a new or empty folder.

    Args:
        kind: one of `KINDS`.
        study: what was compared.
        folder: where to.

    Returns:
        How to call the tool on it.

    Raises:
        CallError: the folder holds something, or can't be written.
    """
    where = inert.line(str(folder))
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if any(folder.iterdir()):
            raise CallError(
                "this folder holds something already", where=where, next_step="Name a new folder, or empty it."
            )
        return KINDS[kind](study, folder)
    except OSError as error:
        raise CallError("the export can't be written", where=where, found=error.strerror) from None


def _jplag(study: Study, folder: Path) -> str:
    for code, source in study.sources.items():
        _write(folder / "submissions" / code / "solution.py", source)
    for name, text in study.given.items():
        _write(folder / "base" / name, text)
    return f"java -jar jplag.jar -l python3 -bc {folder / 'base'} {folder / 'submissions'}"


def _dolos(study: Study, folder: Path) -> str:
    table = io.StringIO()
    rows = csv.writer(table, lineterminator="\n")
    rows.writerow(INFO)
    for number, code in enumerate(study.sources, start=1):
        rows.writerow([f"{code}.py", code, number, "", number, study.day.isoformat(), study.question])
    files = {"info.csv": table.getvalue(), **{f"{code}.py": source for code, source in study.sources.items()}}
    for name, text in files.items():
        _write(folder / name, text)
    _write(folder / "ignore.py", "\n\n".join(study.given.values()))
    with zipfile.ZipFile(folder / "dolos.zip", "w", zipfile.ZIP_DEFLATED) as packed:
        for name in files:
            packed.write(folder / name, name)
    return f"dolos run -l python -i {folder / 'ignore.py'} {folder / 'info.csv'}"


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8", errors="backslashreplace", newline="\n")


KINDS: Final[dict[str, Callable[[Study, Path], str]]] = {"jplag": _jplag, "dolos": _dolos}
