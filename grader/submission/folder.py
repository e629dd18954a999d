"""A folder that a candidate sent, and how its files are opened.

Nothing is waited for: a device or a pipe is told by its type and never opened. Nothing outside the folder is
read.
"""

from __future__ import annotations

import os
import stat
from itertools import islice
from pathlib import Path
from typing import Final

from grader.errors import CallError
from grader.inert import line
from grader.submission.unfit import Unfit

MOST_FILES: Final = 2000
ACCEPTED: Final = "a .py file, a folder with solution.py, a .zip of one, or a .ipynb notebook"
HIDDEN: Final = (".", "__pycache__", "__MACOSX")
# Windows has neither pipes with names nor terminals to be taken over by, and would read a file as text.
OPEN_FLAGS: Final = os.O_RDONLY | sum(
    getattr(os, name, 0) for name in ("O_NONBLOCK", "O_CLOEXEC", "O_NOCTTY", "O_BINARY")
)
KINDS: Final = {
    stat.S_IFDIR: "a folder",
    stat.S_IFIFO: "a named pipe",
    stat.S_IFSOCK: "a socket",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
}


class Folder:
    """The files that lie directly in a folder; what is in folders below it is not looked at.

    Attributes:
        names: the entries, hidden ones left out, sorted; a folder's name ends in a slash.
    """

    def __init__(self, path: Path) -> None:
        """List a folder.

        Raises:
            CallError: it can't be listed.
            Unfit: it holds thousands of files.
        """
        self.path = path
        try:
            with os.scandir(path) as entries:
                listed = [
                    f"{entry.name}/" if entry.is_dir() else entry.name for entry in islice(entries, MOST_FILES + 1)
                ]
        except OSError as error:
            raise unopened(path, error) from None
        if len(listed) > MOST_FILES:
            raise Unfit(f"Send only solution.py and answers.yaml: the folder holds more than {MOST_FILES} files.")
        self.names = sorted(name for name in listed if not name.startswith(HIDDEN))

    def below(self, name: str) -> Folder:
        """A folder in it, by its name with or without a slash.

        Raises:
            CallError: it can't be listed.
            Unfit: it is a link to a place outside the folder, or holds thousands of files.
        """
        self._inside(name)
        return Folder(self.path / name)

    def read(self, name: str, most: int) -> bytes:
        """The bytes of one of the files, but no more than one above `most`.

        Raises:
            CallError: it can't be opened, or is no regular file.
            Unfit: it is a link to a place outside the folder.
        """
        return read_regular(self._inside(name), most)

    def _inside(self, name: str) -> Path:
        home, target = self.path.resolve(), (self.path / name).resolve()
        if not target.is_relative_to(home):
            raise Unfit(f"Put the file itself where {line(name)} is: it is a link to a place outside the folder.")
        return target


def read_regular(path: Path, most: int) -> bytes:
    """The bytes of a regular file, but no more than one above `most`.

    Raises:
        CallError: it can't be opened, or is something else.
    """
    with open(open_regular(path), "rb") as file:
        return file.read(most + 1)


def open_regular(path: Path) -> int:
    """A descriptor of a regular file. A device is never opened, and no pipe is waited for.

    Raises:
        CallError: it can't be opened, or is something else.
    """
    refuse_others(path, kind_of(path))
    try:
        descriptor = os.open(path, OPEN_FLAGS)
    except OSError as error:
        raise unopened(path, error) from None
    try:
        refuse_others(path, stat.S_IFMT(os.fstat(descriptor).st_mode))  # it may have been exchanged since
    except CallError:
        os.close(descriptor)
        raise
    return descriptor


def kind_of(path: Path) -> int:
    """The file type bits of what a path leads to; a CallError if it leads nowhere."""
    try:
        return stat.S_IFMT(path.stat().st_mode)
    except (FileNotFoundError, NotADirectoryError, ValueError):
        raise CallError("there is nothing at this path", where=line(str(path)), next_step=f"Pass {ACCEPTED}.") from None
    except OSError as error:
        raise unopened(path, error) from None


def refuse_others(path: Path, kind: int) -> None:
    """Raise a CallError for what is no regular file."""
    if kind != stat.S_IFREG:
        found = KINDS.get(kind, "something else")
        raise CallError("this is not a file", where=line(str(path)), found=found, next_step=f"Pass {ACCEPTED}.")


def unopened(path: Path, error: OSError) -> CallError:
    """The error for what the system wouldn't open."""
    return CallError(
        "this can't be read",
        where=line(str(path)),
        found=(error.strerror or "an error").lower(),
        next_step=f"Make it readable, or pass another: {ACCEPTED}.",
    )
