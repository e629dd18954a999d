"""What a batch grades: the submissions in a folder, in an archive of them, or named in a manifest."""

from __future__ import annotations

import csv
import hashlib
import re
import stat
import zipfile
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from grader import inert
from grader.errors import CallError
from grader.question import files_of
from grader.results import manifest

MOST_BYTES: Final = 4 << 30  # of an archive, unpacked
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
        inside = self.path.is_dir() and not self.path.is_symlink()
        for path in files_of(self.path) if inside else [self.path]:
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


def find(source: Path, unpacked: Path) -> list[Entry]:
    """The submissions of a batch, in the order of their names.

    Args:
        source: a folder with one submission in each file and folder; a .zip of such a folder; or a .csv file with the
            columns `name` and `path`, where a path is relative to the file.
        unpacked: an empty folder for the content of an archive.

    Raises:
        CallError: there is no such thing, it holds no submission, or two have one name.
    """
    where = inert.line(str(source))
    if source.is_dir():
        entries = _inside(source)
    elif source.suffix.lower() == ".zip" and source.is_file():
        entries = _inside(_unpack(source, unpacked))
    elif source.suffix.lower() == ".csv" and source.is_file():
        entries = _listed(source)
    else:
        raise CallError(
            "this is no batch", where=where, expected="a folder of submissions, a .zip of one, or a .csv manifest"
        )
    if any(entry.path.name == "solution.py" for entry in entries):
        raise CallError("this is one submission", where=where, next_step="Use `grader run` for a single one.")
    if not entries:
        raise CallError("there is no submission in it", where=where)
    names = [entry.name for entry in entries]
    if twice := sorted({name for name in names if names.count(name) > 1}):
        raise CallError("two submissions have one name", where=where, found=inert.line(twice[0]))
    return sorted(entries, key=lambda entry: entry.name)


def _inside(folder: Path) -> list[Entry]:
    kept = [path for path in folder.iterdir() if not LEFT_OUT.match(path.name) and not _are_results(path)]
    if len(kept) == 1 and kept[0].is_dir() and not (kept[0] / "solution.py").exists():
        return _inside(kept[0])  # an archive of one folder that holds them all
    return [Entry(path.name, path) for path in kept if path.is_dir() or path.suffix.lower() in SUFFIXES]


def _are_results(path: Path) -> bool:
    """Whether a folder holds results, as of an earlier batch over the folder that it is in."""
    return (path / manifest.NAME).is_file() and (path / manifest.CODES).is_file()


def _unpack(archive: Path, folder: Path) -> Path:
    try:
        with zipfile.ZipFile(archive) as packed:
            size = sum(info.file_size for info in packed.infolist())
            if size > MOST_BYTES:
                raise CallError(
                    "this archive is too large",
                    where=inert.line(str(archive)),
                    found=f"{size >> 20:,} MiB unpacked",
                    expected=f"at most {MOST_BYTES >> 20:,} MiB",
                )
            packed.extractall(folder)  # leaves out `..` and drives, and makes no links
    except (zipfile.BadZipFile, OSError, NotImplementedError, RuntimeError) as error:
        raise CallError("this archive can't be read", where=inert.line(str(archive)), found=str(error)) from None
    return folder


def _listed(listed: Path) -> list[Entry]:
    try:
        with listed.open(encoding="utf-8-sig", newline="") as stream:
            rows = list(csv.DictReader(stream))
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise CallError("this manifest can't be read", where=inert.line(str(listed)), found=str(error)) from None
    entries = []
    for number, row in enumerate(rows, start=2):
        name, path = row.get("name"), row.get("path")
        if not name or not path:
            raise CallError(
                "a row of the manifest is not complete",
                where=f"{inert.line(str(listed))}:{number}",
                expected="the columns name and path, both filled in",
            )
        try:
            (listed.parent / path).lstat()
        except FileNotFoundError:
            pass  # told when it is its turn, and costs that row
        except (OSError, ValueError):
            raise CallError(
                "a row of the manifest names no path",
                where=f"{inert.line(str(listed))}:{number}",
                found=inert.short(path, 60),
            ) from None
        entries.append(Entry(name, listed.parent / path))
    return entries
