"""A zip that a candidate sent. Nothing is extracted: two members are read, in memory, under a cap.

The list of members is a stranger's claim. So the whole archive is refused for any member that an extracting
program could be led astray by, sizes are never trusted, and only the two compressions are read that can be
stopped halfway. An archive of many submissions, which grader/batch/unpacking.py extracts, is held against the same.
"""

from __future__ import annotations

import io
import re
import stat
import struct
import zipfile
import zlib
from collections import Counter
from collections.abc import Iterable
from typing import Final

from grader.inert import listed, short
from grader.sandbox.limits import MIB
from grader.submission.folder import MOST_FILES
from grader.submission.unfit import Unfit

ARCHIVE_BYTES: Final = 64 * MIB  # of the file, and of all members together
DIRECTORY_BYTES: Final = MIB  # far above the list of 2000 members
READABLE: Final = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
ENCRYPTED: Final = 0x1
CORRUPT: Final = (
    zipfile.BadZipFile,
    zlib.error,
    struct.error,
    EOFError,
    NotImplementedError,
    RuntimeError,
    ValueError,
    OverflowError,
    OSError,
)
OUTSIDE: Final = re.compile(r"^/|^[A-Za-z]:|\\|\0|(^|/)\.\.(/|$)")
SKIPPED: Final = re.compile(r"(^|/)(__MACOSX|__pycache__|\.[^/]*)(/|$)")


class Archive:
    """The members of a zip.

    Attributes:
        names: their paths, folders and hidden ones left out, sorted.
    """

    def __init__(self, raw: bytes) -> None:
        """Look at the list of members.

        Raises:
            Unfit: the zip is corrupt, too large, or holds a member that is not safe to extract.
        """
        if len(raw) > ARCHIVE_BYTES:
            raise Unfit(f"Send only solution.py and answers.yaml: the zip is larger than {ARCHIVE_BYTES // MIB} MiB.")
        try:
            self.zip = zipfile.ZipFile(Sparing(raw))
        except CORRUPT as error:
            raise broken(error) from None
        every = self.zip.infolist()
        if len(every) > MOST_FILES:
            raise too_many()
        named = by_name(every)
        if odd := next((member for member in every if kind(member)), None):
            raise Unfit(
                f"Make the zip again with the files themselves in it: its member {short(odd.orig_filename, 80)} is "
                f"{kind(odd)}."
            )
        if sum(member.file_size for member in every) > ARCHIVE_BYTES:
            raise Unfit(f"Send only solution.py and answers.yaml: the zip unpacks to over {ARCHIVE_BYTES // MIB} MiB.")
        self.members = {name: each for name, each in named.items() if not each.is_dir() and not SKIPPED.search(name)}
        self.names = sorted(self.members)

    def read(self, name: str, most: int) -> bytes:
        """The bytes of one member, but no more than one above `most`.

        Raises:
            Unfit: the member is corrupt, or compressed in a way that can't be read under a cap.
        """
        member = self.members[name]
        refuse_rare(member)
        try:
            with self.zip.open(member) as file:
                return file.read(most + 1)
        except CORRUPT as error:
            raise broken(error) from None


class Sparing(io.BytesIO):
    """The archive's bytes for zipfile, which reads the list of members in one go, whatever length it claims."""

    def read(self, size: int | None = -1, /) -> bytes:
        """As of any file, but never more than a list of 2000 members could take."""
        content = super().read(DIRECTORY_BYTES + 1 if size is None or size < 0 else min(size, DIRECTORY_BYTES + 1))
        if len(content) > DIRECTORY_BYTES:
            raise too_many()
        return content


def by_name(members: Iterable[zipfile.ZipInfo]) -> dict[str, zipfile.ZipInfo]:
    """The members of an archive by their plain paths; an Unfit for one whose path leads elsewhere or is there twice."""
    every = list(members)
    for member in every:
        refuse_unsafe(member)
    names = [plain_name(member.filename) for member in every]
    twice = sorted(name for name, count in Counter(names).items() if count > 1)
    if twice:
        raise Unfit(f"Make the zip again with each file in it once: it holds {listed(twice)} twice.")
    return dict(zip(names, every, strict=True))


def refuse_unsafe(member: zipfile.ZipInfo) -> None:
    """Raise an Unfit for a member whose path an extracting program could be led astray by, or that is encrypted."""
    name = member.orig_filename
    shown = short(name, 80)
    if OUTSIDE.search(name):
        raise Unfit(f"Make the zip again from inside the folder: its member {shown} has a path that leads elsewhere.")
    if member.flag_bits & ENCRYPTED:
        raise Unfit(f"Make the zip again without a password: its member {shown} is encrypted.")


def refuse_rare(member: zipfile.ZipInfo) -> None:
    """Raise an Unfit for a member in a compression that can't be read under a cap."""
    if member.compress_type not in READABLE:
        shown = short(member.orig_filename, 80)
        raise Unfit(f"Make the zip again with ordinary compression: {shown} is compressed in a rare way.")


def kind(member: zipfile.ZipInfo) -> str:
    """What a member is, if it is neither a file nor a folder; else empty."""
    found = stat.S_IFMT(member.external_attr >> 16)
    if found in (0, stat.S_IFREG, stat.S_IFDIR):
        return ""
    return "a symbolic link" if found == stat.S_IFLNK else "neither a file nor a folder"


def plain_name(name: str) -> str:
    """A member's path without empty and `.` steps."""
    return "/".join(step for step in name.split("/") if step not in ("", "."))


def broken(error: Exception) -> Unfit:
    """The refusal of a corrupt archive."""
    why = short(str(error) or type(error).__name__, 80)
    return Unfit(f"Make the zip again: it can't be read ({why}).")


def too_many() -> Unfit:
    """The refusal of an archive with thousands of members."""
    return Unfit(f"Send only solution.py and answers.yaml: the zip holds more than {MOST_FILES} files.")
