"""A submission as bytes, and back into files on a node: a tar of what grading can look at, and of nothing else.

Files that are too large to be graded are cut one byte above what may be read of them, which changes no verdict.
Links and pipes travel as what they are, so that a node refuses them in the same words.
"""

from __future__ import annotations

import io
import os
import stat
import tarfile
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from grader import inert
from grader.errors import CallError
from grader.submission.archive import ARCHIVE_BYTES
from grader.submission.choosing import MOST_LAYERS

MOST_BYTES: Final = 256 << 20
MOST_FILES: Final = 10_000
DEEPEST: Final = MOST_LAYERS  # the innermost folder that is opened; what lies in folders of it is not looked at


def pack(path: Path) -> bytes:
    """What is at a path, under the path's own name.

    Raises:
        CallError: it is not there, can't be read, or is too much to be sent.
    """
    packed = io.BytesIO()
    size = files = 0
    try:
        with tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as tar:
            top = path.resolve() if path.is_symlink() else path  # as grading follows it, and no other link
            for each, name in _inside(top, path.name or top.resolve().name, DEEPEST):
                member = tar.gettarinfo(str(each), name)
                if not member:  # a socket, for which gettarinfo gives None
                    continue
                member.type = tarfile.REGTYPE if member.islnk() else member.type  # its twin may be far away
                member.mode, member.uid, member.gid, member.uname, member.gname = 0o700, 0, 0, "", ""
                member.size = min(each.lstat().st_size, ARCHIVE_BYTES + 1) if member.isreg() else 0
                size, files = size + member.size, files + 1
                if size > MOST_BYTES or files > MOST_FILES:
                    raise _too_much(path)
                if member.isreg():
                    with open(os.open(each, os.O_RDONLY | os.O_NOFOLLOW), "rb") as stream:
                        tar.addfile(member, stream)
                else:
                    tar.addfile(member)
    except (OSError, tarfile.TarError) as error:
        raise CallError("this can't be sent to a node", where=inert.line(str(path)), found=str(error)) from None
    return packed.getvalue()


def unpack(parcel: bytes, folder: Path) -> Path:
    """The submission, in an empty folder.

    Raises:
        CallError: this is no parcel.
    """
    try:
        with tarfile.open(fileobj=io.BytesIO(parcel), mode="r:") as tar:
            first = tar.next()
            if first is None:
                raise CallError("a node was sent nothing to grade")
            tar.extractall(folder, filter="tar")  # nothing is written outside the folder, not through a link either
            return folder / first.name
    except (OSError, tarfile.TarError) as error:
        raise CallError("what a node was sent can't be unpacked", found=str(error)) from None


def _inside(path: Path, name: str, deep: int) -> Iterator[tuple[Path, str]]:
    """What is at a path and in it, the path first."""
    yield path, name
    if not stat.S_ISDIR(path.lstat().st_mode):
        return
    for each in sorted(path.iterdir()):
        if deep or not each.is_dir() or each.is_symlink():
            yield from _inside(each, f"{name}/{each.name}", deep - 1)
        else:
            yield each, f"{name}/{each.name}"


def _too_much(path: Path) -> CallError:
    return CallError(
        "this is too much to be sent to a node",
        where=inert.line(str(path)),
        expected=f"at most {MOST_FILES:,} files and {MOST_BYTES >> 20} MiB",
        next_step="Grade it on this machine, without --cluster.",
    )
