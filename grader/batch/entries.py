"""What a batch grades: the submissions in a folder, in an archive of them, or named in a manifest."""

from __future__ import annotations

import hashlib
import re
import stat
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from grader import inert
from grader.batch import listing
from grader.batch.unpacking import unpack
from grader.errors import CallError
from grader.question import files_of
from grader.results import ledger, manifest
from grader.submission import choosing
from grader.submission.folder import unopened

LEFT_OUT: Final = re.compile(r"^(\.|__MACOSX$|__pycache__$|Thumbs\.db$)")
SUFFIXES: Final = (".py", ".ipynb", ".zip")


@dataclass(frozen=True, slots=True)
class Entry:
    """One submission of a batch.

    Attributes:
        name: what it is called in results and on pages.
        path: where it is.
    """

    name: str
    path: Path

    @property
    def folder(self) -> str:
        """A name for its folder of reports, that is one on every system and no other entry's."""
        plain = re.sub(r"[^A-Za-z0-9._-]+", "-", self.name).strip(".-")[:80]
        # Whoever is called like a folder of ours gets another, and case is not told apart on every disk.
        if plain and plain == self.name.lower() == self.name and not re.search(r"-[0-9a-f]{8}$", plain):
            return plain
        return f"{plain}-{hashlib.sha256(self.name.encode('utf-8', 'surrogatepass')).hexdigest()[:8]}"

    @property
    def digest(self) -> str:
        """SHA-256 over what is there, whatever of it is read later."""
        whole = hashlib.sha256()
        for path in files_of(self.path) if _is_folder(self.path) else [self.path]:
            name = path.relative_to(self.path).as_posix() if path != self.path else path.name
            whole.update(name.encode("utf-8", "surrogatepass") + b"\0")
            whole.update(_hashed(path))
        return whole.hexdigest()


def _hashed(path: Path) -> bytes:
    """The SHA-256 of a regular file; of what it is instead, for a pipe, a device or a link, which is never opened."""
    found = path.lstat()
    if not stat.S_ISREG(found.st_mode):
        return hashlib.sha256(f"{found.st_mode:o}".encode()).digest()
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").digest()


@dataclass(frozen=True)
class Found:
    """What a batch holds: its submissions in the order of their names, and what a person should know of the rest."""

    entries: list[Entry]
    notes: list[str]


def find(source: Path, unpacked: Path) -> Found:
    """The submissions of a batch.

    Args:
        source: a folder with one submission in each file and folder; a .zip of such a folder; or a .csv file with the
            columns `name` and `path`, where a path is relative to the file.
        unpacked: an empty folder for the content of an archive.

    Raises:
        CallError: there is no such thing, it holds no submission, or two have one name.
    """
    where = inert.line(str(source))
    if source.is_dir():
        found = _inside(source)
    elif source.suffix.lower() == ".zip" and source.is_file():
        links = unpack(source, unpacked)
        found = _inside(unpacked, links)
    elif source.suffix.lower() == ".csv" and source.is_file():
        found = Found([Entry(name, path) for name, path in listing.rows(source)], [])
    else:
        raise CallError(
            "this is no batch", where=where, expected="a folder of submissions, a .zip of one, or a .csv manifest"
        )
    if any(entry.path.name == choosing.SOLUTION for entry in found.entries):
        raise CallError("this is one submission", where=where, next_step="Use `grader run` for a single one.")
    if not found.entries:
        raise CallError("there is no submission in it", where=where, found="; ".join(found.notes))
    names = Counter(entry.name for entry in found.entries)
    if twice := [name for name, count in names.items() if count > 1]:
        raise CallError("two submissions have one name", where=where, found=inert.listed(sorted(twice)))
    return Found(sorted(found.entries, key=lambda entry: entry.name), found.notes)


def _inside(folder: Path, links: Sequence[str] = ()) -> Found:
    """The submissions in a folder, where `links` were not made as it was unpacked. No link is followed."""
    try:
        kept = sorted(path for path in folder.iterdir() if not LEFT_OUT.match(path.name) and not _are_results(path))
        only = kept[0] if len(kept) == 1 and _is_folder(kept[0]) else None
        if only and not choosing.are_one([path.name for path in only.iterdir()]):
            return _inside(only, links)  # an archive of one folder that holds them all
    except OSError as error:
        raise unopened(folder, error) from None
    links = [*links, *(path.name for path in kept if path.is_symlink())]
    there = [path for path in kept if not path.is_symlink()]
    taken = [path for path in there if path.is_dir() or path.suffix.lower() in SUFFIXES]
    notes = []
    if others := [path.name for path in there if path not in taken]:
        notes.append(f"left out: {inert.listed(others)}; a submission is a folder, or a {', '.join(SUFFIXES)} file")
    if links:
        notes.append(f"left out: {inert.listed(links)}; links are not followed, and a .csv can say where they lead")
    return Found([Entry(path.name, path) for path in taken], notes)


def _is_folder(path: Path) -> bool:
    return path.is_dir() and not path.is_symlink()


def _are_results(path: Path) -> bool:
    """Whether a folder holds results, as of an earlier batch over the folder that it is in."""
    return (path / manifest.NAME).is_file() and any((path / name).is_file() for name in (manifest.CODES, ledger.NAME))
