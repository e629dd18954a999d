"""Reading what a candidate sends: which file is the solution, whether it can be graded, and why not.

Bytes only. Nothing here imports, runs or extracts anything, and whatever was sent, it ends in bounded time
and memory. A path that the caller got wrong is a `CallError`; something that the candidate has to change is
`Refused`.
"""

from __future__ import annotations

import hashlib
import stat
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, Protocol

from grader.errors import CallError, GraderFault
from grader.inert import line, listed, short
from grader.sandbox.limits import KIB
from grader.submission import choosing, notebook, signatures, sourcetext, syntax
from grader.submission.archive import ARCHIVE_BYTES, Archive
from grader.submission.asked import Asked, fingerprint
from grader.submission.choosing import MOST_LAYERS, SOLUTION, Choice, last, not_code
from grader.submission.folder import ACCEPTED, Folder, kind_of, read_regular
from grader.submission.manifest import MANIFEST, MOST_BYTES, Manifest
from grader.submission.notebook import NOTEBOOK_BYTES
from grader.submission.sourcetext import SOURCE_BYTES, Script
from grader.submission.unfit import Unfit

ANSWERS_BYTES: Final = 256 * KIB
ANYTHING: Final = Asked()
LIBRARIES: Final = ("numpy", "torch", "typing_extensions")  # the last comes with torch


@dataclass(frozen=True)
class Submission:
    """What was sent, ready to be graded. Every name and note is safe to show.

    Attributes:
        name: the file's or folder's name.
        source: the code, with `\\n` line endings and no byte order mark.
        answers: the text of answers.yaml; None if there is none, or it can't be read.
        answers_problem: why it can't be read; empty if it can, or there is none.
        digest: SHA-256 over the names and bytes that were taken.
        files: the names of the files that were taken.
        notes: what a person should know of how they were read.
        suite: the text of the candidate's own tests; None if there are none, or they can't be read.
        suite_problem: what to change so that they can be read; empty if they can, or there are none.
        manifest: what came along of its origin; None if nothing did.
        lacks: those of the notes that say what the question asks for and the code does not have.
        raw: the bytes of each file that was taken, by name.
    """

    name: str
    source: str
    answers: str | None
    answers_problem: str
    digest: str
    files: tuple[str, ...]
    notes: tuple[str, ...]
    suite: str | None = None
    suite_problem: str = ""
    manifest: Manifest | None = None
    lacks: tuple[str, ...] = ()
    raw: Mapping[str, bytes] = field(default_factory=dict, compare=False, repr=False)


class Refused(Exception):
    """What was sent can't be graded.

    Attributes:
        reason: one sentence that tells the candidate what to change.
        name, digest, files, notes: as of a `Submission`.
    """

    def __init__(self, reason: str, *, name: str, digest: str, files: tuple[str, ...], notes: tuple[str, ...]) -> None:
        self.reason = reason
        self.name = name
        self.digest = digest
        self.files = files
        self.notes = notes
        super().__init__(reason)


@dataclass(frozen=True)
class Taken:
    """The texts of what was sent; the fields are those of a `Submission`."""

    code: Script
    answers: str | None = None
    answers_problem: str = ""
    suite: str | None = None
    suite_problem: str = ""
    manifest: Manifest | None = None


class Shelf(Protocol):
    """Where files are taken from: a folder or an archive."""

    names: list[str]

    def read(self, name: str, most: int) -> bytes:
        """The bytes of a file, but no more than one above `most`."""


@dataclass
class Taking:
    """What has been taken so far, so that a refusal can tell it too."""

    name: str
    raw: dict[str, bytes] = field(default_factory=dict)
    hashes: dict[str, str] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)

    def add(self, name: str, raw: bytes) -> None:
        """Take a file."""
        self.raw[line(name)] = raw
        self.hashes[line(name)] = hashlib.sha256(raw).hexdigest()

    @property
    def files(self) -> tuple[str, ...]:
        """The names that were taken."""
        return tuple(self.hashes)

    @property
    def digest(self) -> str:
        """SHA-256 over the names and bytes that were taken."""
        return hashlib.sha256("".join(f"{name}\0{hash}\n" for name, hash in self.hashes.items()).encode()).hexdigest()


def read(path: Path, asked: Asked = ANYTHING) -> Submission:
    """Read a submission.

    Args:
        path: a .py file, a folder with solution.py and answers.yaml, a .zip of one, or a .ipynb notebook.
        asked: what the question asks for. A name that is not in sight is noted, never refused.

    Raises:
        CallError: there is nothing at the path, nothing that can be read, or no solution in it.
        Refused: the candidate has to change something.
        GraderFault: the parser could not be run.
    """
    taking = Taking(short(path.name or path.resolve().name, 200))
    try:
        taken = take(path, taking, asked)
        code = taken.code
        taking.notes += code.notes
        sourcetext.refuse_disguises(code)
        lacks = missing(parsed(code, asked), asked)
        taking.notes += lacks
        taking.notes += taken.manifest.differences(asked, taking.hashes) if taken.manifest else []
    except Unfit as unfit:
        raise Refused(
            unfit.reason,
            name=taking.name,
            digest=taking.digest,
            files=taking.files,
            notes=tuple(taking.notes),
        ) from None
    return Submission(
        name=taking.name,
        source=code.text,
        answers=taken.answers,
        answers_problem=taken.answers_problem,
        suite=taken.suite,
        suite_problem=taken.suite_problem,
        digest=taking.digest,
        files=taking.files,
        notes=tuple(taking.notes),
        manifest=taken.manifest,
        lacks=tuple(lacks),
        raw=taking.raw,
    )


def origin(path: Path) -> Manifest | None:
    """What came along of a submission's origin, without reading the rest; None if nothing did. Never raises an Unfit.

    It is a stranger's claim: whoever acts on it has to be sure that a false one does no harm.
    """
    taking = Taking("")
    try:
        shelf, choice = several(path, taking, ANYTHING)
        return manifest(shelf, choice.manifest, taking) if shelf and choice else None
    except (Unfit, CallError):
        return None


def sheet(path: Path, asked: Asked = ANYTHING) -> tuple[str | None, str] | None:
    """A `Submission`'s answers and what is wrong with them, also where its code is refused; None if nothing opens."""
    taking = Taking("")
    try:
        shelf, choice = several(path, taking, asked)
        return answers(shelf, choice.answers, taking) if shelf and choice else None
    except (Unfit, CallError):
        return None


def several(path: Path, taking: Taking, asked: Asked) -> tuple[Shelf | None, Choice | None]:
    """The files in a folder or zip, and what they are; None where the path is of one file."""
    if kind_of(path) == stat.S_IFDIR:
        return opened(Folder(path), taking, asked)
    if path.suffix.lower() == ".zip":
        return opened(Archive(read_regular(path, ARCHIVE_BYTES)), taking, asked)
    return None, None


def take(path: Path, taking: Taking, asked: Asked) -> Taken:
    """The texts, from whatever is at the path."""
    if kind_of(path) == stat.S_IFDIR:
        return take_from(Folder(path), path, taking, asked)
    suffix = path.suffix.lower()
    most = {".py": SOURCE_BYTES, ".ipynb": NOTEBOOK_BYTES, ".zip": ARCHIVE_BYTES}.get(suffix)
    if most is None:
        read_regular(path, 0)  # a device or a file that can't be read is a plainer thing to say
        found = f"a {line(suffix)} file" if suffix else "a file without a suffix"
        raise CallError("this kind of file can't be graded", where=line(str(path)), found=found, expected=ACCEPTED)
    raw = read_regular(path, most)
    if suffix != ".zip":
        return Taken(script(path.name, raw, taking))
    return take_from(archive(path.name, raw, taking), path, taking, asked)


def archive(name: str, raw: bytes, taking: Taking) -> Archive:
    """The members of a zip; one that is refused counts as taken."""
    try:
        return Archive(raw)
    except Unfit:
        taking.add(name, raw)
        raise


def take_from(shelf: Shelf, path: Path, taking: Taking, asked: Asked) -> Taken:
    """The texts among several files; what else there is gets noted."""
    shelf, choice = opened(shelf, taking, asked)
    if choice is None:
        raise CallError(
            f"there is no {SOLUTION} in it",
            where=line(str(path)),
            found=listed(shelf.names) or "nothing",
            expected=ACCEPTED,
            next_step=f"Pass the file that is the solution, or the folder that holds {SOLUTION}.",
        )
    name = last(choice.code)
    if name != SOLUTION:
        taking.notes.append(f"there is no {SOLUTION}; {line(choice.code)} was taken for it")
    ignored = list(strangers(shelf, choice, asked))
    if ignored:
        taking.notes.append(f"ignored: {listed(ignored)}")
    raw = shelf.read(choice.code, NOTEBOOK_BYTES if not_code(name) else SOURCE_BYTES)
    return Taken(
        script(name, raw, taking),
        *answers(shelf, choice.answers, taking),
        *own_tests(shelf, choice.tests, taking, asked),
        manifest(shelf, choice.manifest, taking),
    )


def opened(shelf: Shelf, taking: Taking, asked: Asked) -> tuple[Shelf, Choice | None]:
    """The files and what they are. Folders that hold everything are opened, and one zip, which may be in them."""
    below, way = shelf, ""
    choice = choosing.choose(below.names, asked)
    while choice is None and way.count("/") < MOST_LAYERS and not way.endswith(".zip"):
        inner = choosing.inner(below.names)
        if inner is None:
            return shelf, None
        if isinstance(below, Folder) and inner.endswith("/"):
            below = below.below(inner)
        else:
            below = archive(last(inner), below.read(inner, ARCHIVE_BYTES), taking)
        way += inner
        choice = choosing.choose(below.names, asked)
    if choice is None:
        return shelf, None
    if way:
        taking.notes.append(f"{line(way)} in it was read")
    return below, choice


def strangers(shelf: Shelf, choice: Choice, asked: Asked) -> Iterator[str]:
    """The files that are ignored and did not come with the packet as they are."""
    for path in choice.rest:
        name = path.removeprefix(choice.home)
        if choosing.is_ours(name):
            continue
        if name in asked.given and _fingerprint(shelf, path) == asked.given[name]:
            continue
        yield path


def _fingerprint(shelf: Shelf, path: str) -> str:
    try:
        return fingerprint(shelf.read(path, SOURCE_BYTES))
    except (Unfit, CallError):
        return ""


def script(name: str, raw: bytes, taking: Taking) -> Script:
    """The code in a file."""
    taking.add(name, raw)
    reader = notebook.script if not_code(name) else sourcetext.script
    return reader(raw, line(name))


def answers(shelf: Shelf, sheet: str | None, taking: Taking) -> tuple[str | None, str]:
    """The text of the answers, and what is wrong with them. They never keep the code from being graded."""
    if sheet is None:
        return None, ""
    name = sheet.rpartition("/")[2]
    try:
        raw = shelf.read(sheet, ANSWERS_BYTES)
        taking.add(name, raw)
        if len(raw) > ANSWERS_BYTES:
            return None, f"{name} is larger than {ANSWERS_BYTES // KIB} KiB"
        text = sourcetext.decoded(raw, name).removeprefix("\ufeff")
    except (Unfit, CallError) as error:
        return None, f"{name} can't be read: {error}"
    return text.replace("\r\n", "\n").replace("\r", "\n"), ""


def own_tests(shelf: Shelf, path: str | None, taking: Taking, asked: Asked) -> tuple[str | None, str]:
    """The text of the candidate's own tests, and what is wrong with them. They never keep the code from being graded.

    Raises:
        GraderFault: the parser could not be run.
    """
    if path is None:
        return None, ""
    name = path.rpartition("/")[2]
    try:
        code = script(name, shelf.read(path, SOURCE_BYTES), taking)
        sourcetext.refuse_disguises(code)
        parsed(code, asked)
    except Unfit as unfit:
        taking.notes.append(f"{name} can't be used: {unfit.reason}")
        return None, unfit.reason
    except CallError as error:
        taking.notes.append(f"{name} can't be read: {error}")
        return None, f"Send {name} as an ordinary file."
    taking.notes += code.notes
    return code.text, ""


def manifest(shelf: Shelf, path: str | None, taking: Taking) -> Manifest | None:
    """What came along of the submission's origin. It is no part of what is graded."""
    if path is None:
        return None
    try:
        found = Manifest.parse(shelf.read(path, MOST_BYTES))
    except (Unfit, CallError):
        found = None
    if found is None and last(path) == MANIFEST:
        taking.notes.append(f"{MANIFEST} is not as check.py writes it, and was ignored")
    return found


def parsed(code: Script, asked: Asked) -> syntax.Parsed:
    """What the code defines.

    Raises:
        Unfit: it is not Python, with the place and the interpreter's message.
        GraderFault: the parser could not be run.
    """
    try:
        found = syntax.parse(code.text, asked.python)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise GraderFault("the parser could not be run", found=str(error)) from None
    if found.problem:
        place = code.place(found.line, found.column) if found.line else code.name
        version = "Python {}.{} (the version that grades)".format(*asked.python)
        raise Unfit(f"Mend {place}, which {version} can't read: {short(found.problem, 200)}.")
    return found


def missing(found: syntax.Parsed, asked: Asked) -> list[str]:
    """A note for each name that the question needs and the code does not seem to define, or defines otherwise."""
    strange = list(foreign(found, asked))
    if found.star:
        return strange
    absent = [f"does not define {each.name}" for each in asked.defines if each.name not in found.names]
    return [*absent, *signatures.misfits(found.defined, asked.defines), *strange]


def foreign(found: syntax.Parsed, asked: Asked) -> Iterator[str]:
    """A note for each import that is no part of what a solution may import, where the question is known."""
    own = {name.removesuffix(".py") for name in asked.support}
    allowed = {*sys.stdlib_module_names, *LIBRARIES, *own, *asked.imports}
    for name, number in found.imports.items() if asked.question else ():
        if name not in allowed:
            yield (
                f"line {number} imports {short(name, 60)}: a solution may import NumPy, torch, the standard library "
                "and the files of the packet"
            )
