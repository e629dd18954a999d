"""Extracting an archive of many submissions: all of it, or nothing is graded.

It is held against the same as the archive of one, grader/submission/archive.py. And no file is ever written over
another, so that no submission is lost on a disk that takes two names for one.
"""

from __future__ import annotations

import shutil
import zipfile
from pathlib import Path
from typing import Final

from grader import inert
from grader.errors import CallError
from grader.submission import archive
from grader.submission.unfit import Unfit

MOST_BYTES: Final = 4 << 30  # unpacked


def unpack(packed: Path, folder: Path) -> list[str]:
    """Extract an archive into an empty folder.

    Returns:
        The paths in it that are links or devices, which are not made.

    Raises:
        CallError: it can't be read, is too large, or holds what could lead astray or write over something else.
    """
    where = inert.line(str(packed))
    try:
        with zipfile.ZipFile(packed) as opened:
            members = archive.by_name(opened.infolist())
            size = sum(member.file_size for member in members.values())
            if size > MOST_BYTES:
                raise CallError(
                    "this archive is too large",
                    where=where,
                    found=f"{size >> 20:,} MiB unpacked",
                    expected=f"at most {MOST_BYTES >> 20:,} MiB",
                )
            odd = [name for name, member in members.items() if archive.kind(member)]
            for name, member in members.items():
                if not archive.kind(member):
                    _extract(opened, member, folder / name)
    except (Unfit, *archive.CORRUPT) as error:
        unfit = error if isinstance(error, Unfit) else archive.broken(error)
        raise CallError("this archive can't be unpacked", where=where, next_step=unfit.reason) from None
    return odd


def _extract(opened: zipfile.ZipFile, member: zipfile.ZipInfo, target: Path) -> None:
    shown = inert.short(member.filename, 80)
    try:
        (target if member.is_dir() else target.parent).mkdir(parents=True, exist_ok=True)
        if member.is_dir():
            return
        archive.refuse_rare(member)
        with target.open("xb") as copy, opened.open(member) as content:
            shutil.copyfileobj(content, copy)
    except (FileExistsError, NotADirectoryError):
        raise Unfit(f"Give each file in it a name of its own: {shown} and another are one on this disk.") from None
    except OSError as error:
        raise Unfit(f"Make the zip again: its member {shown} can't be unpacked ({error.strerror or error}).") from None
