"""The files that a run leaves behind, each of them there in full or not at all."""

import re
import secrets
from pathlib import Path
from typing import Final

from grader import inert
from grader.errors import CallError
from grader.render import candidate
from grader.render.feedback import feedback
from grader.render.html import page
from grader.report import Report

NAMES: Final = ("report.json", "report.html", "feedback.md", "feedback.html")


def write(report: Report, folder: Path) -> list[Path]:
    """Write report.json and report.html, and feedback.md and feedback.html for the candidate, into the folder.

    The folder is made if it is not there.

    Returns:
        Their paths, in that order.

    Raises:
        CallError: the folder or a file can't be written.
    """
    texts = (inert.json_text(report.to_json()), page(report), feedback(report), candidate.page(report))
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise _refused(folder, error) from None
    return [replace(folder / name, text) for name, text in zip(NAMES, texts, strict=True)]


def are_there(folder: Path) -> bool:
    """Whether a folder holds all that `write` leaves. What a machine lost as it stopped is an empty file."""
    return all((path := folder / name).is_file() and path.stat().st_size for name in NAMES)


def replace(path: Path, text: str) -> Path:
    """Write beside the file and rename, so that a reader meets the old text or the new one, never a part."""
    part = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    try:
        with part.open("x", encoding="utf-8", newline="\n") as stream:
            stream.write(text)
        part.replace(path)
    except OSError as error:
        raise _refused(path, error) from None
    finally:
        part.unlink(missing_ok=True)
    return path


def is_part(name: str) -> bool:
    """Whether `replace` would call a file so while it writes it; one that stays is of a call that was killed."""
    return re.fullmatch(r"\..+\.[0-9a-f]{8}", name) is not None


def _refused(path: Path, error: OSError) -> CallError:
    return CallError(
        f"this can't be written ({error.strerror or error})",
        where=inert.line(str(path)),
        next_step="Name a folder that you may write to.",
    )
