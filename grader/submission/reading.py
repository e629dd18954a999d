"""Reading what a candidate sends: which file is the solution, whether it can be graded, and why not.

Bytes only. Nothing here imports, runs or extracts anything, and whatever was sent, it ends in bounded time
and memory. A path that the caller got wrong is a `CallError`; something that the candidate has to change is
`Refused`.
"""

from __future__ import annotations

import hashlib
import re
import stat
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, Protocol

from grader.errors import CallError, GraderFault
from grader.inert import line, listed, short
from grader.sandbox.limits import KIB
from grader.submission import notebook, sourcetext, syntax
from grader.submission.archive import ARCHIVE_BYTES, Archive
from grader.submission.folder import ACCEPTED, Folder, kind_of, read_regular
from grader.submission.notebook import NOTEBOOK_BYTES
from grader.submission.sourcetext import SOURCE_BYTES, Script
from grader.submission.unfit import Unfit

SOLUTION: Final = "solution.py"
ANSWERS: Final = ("answers.yaml", "answers.yml")
ANSWERS_BYTES: Final = 256 * KIB
NO_SOLUTION: Final = re.compile(
    r"^(test_.*|.*_test|tests|conftest|setup|noxfile|sitecustomize|usercustomize|__init__|__main__)\.py$",
    re.IGNORECASE,
)
PYTHON: Final = f"Python {sys.version_info.major}.{sys.version_info.minor}"


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


class Shelf(Protocol):
    """Where files are taken from: a folder or an archive."""

    names: list[str]

    def read(self, name: str, most: int) -> bytes:
        """The bytes of a file, but no more than one above `most`."""


@dataclass
class Taking:
    """What has been taken so far, so that a refusal can tell it too."""

    name: str
    hashes: dict[str, str] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)

    def add(self, name: str, raw: bytes) -> None:
        """Take a file."""
        self.hashes[line(name)] = hashlib.sha256(raw).hexdigest()

    @property
    def files(self) -> tuple[str, ...]:
        """The names that were taken."""
        return tuple(self.hashes)

    @property
    def digest(self) -> str:
        """SHA-256 over the names and bytes that were taken."""
        return hashlib.sha256("".join(f"{name}\0{hash}\n" for name, hash in self.hashes.items()).encode()).hexdigest()


def read(path: Path, defines: Sequence[str] = (), support: Sequence[str] = (), suite: str | None = None) -> Submission:
    """Read a submission.

    Args:
        path: a .py file, a folder with solution.py and answers.yaml, a .zip of one, or a .ipynb notebook.
        defines: the names that the question needs. One that is not in sight is noted, never refused.
        support: the question's own files, which are no solution whatever they are called.
        suite: the name of the file of the candidate's own tests, if the question asks for some.

    Raises:
        CallError: there is nothing at the path, nothing that can be read, or no solution in it.
        Refused: the candidate has to change something.
        GraderFault: the parser could not be run.
    """
    taking = Taking(short(path.name or path.resolve().name, 200))
    try:
        taken = take(path, taking, support, suite)
        code = taken.code
        taking.notes += code.notes
        sourcetext.refuse_disguises(code)
        taking.notes += missing(parsed(code), defines)
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
    )


def take(path: Path, taking: Taking, support: Sequence[str], suite: str | None) -> Taken:
    """The texts, from whatever is at the path."""
    if kind_of(path) == stat.S_IFDIR:
        return take_from(Folder(path), path, taking, support, suite)
    suffix = path.suffix.lower()
    most = {".py": SOURCE_BYTES, ".ipynb": NOTEBOOK_BYTES, ".zip": ARCHIVE_BYTES}.get(suffix)
    if most is None:
        read_regular(path, 0)  # a device or a file that can't be read is a plainer thing to say
        found = f"a {line(suffix)} file" if suffix else "a file without a suffix"
        raise CallError("this kind of file can't be graded", where=line(str(path)), found=found, expected=ACCEPTED)
    raw = read_regular(path, most)
    if suffix != ".zip":
        return Taken(script(path.name, raw, taking))
    try:
        archive = Archive(raw)
    except Unfit:
        taking.add(path.name, raw)
        raise
    return take_from(archive, path, taking, support, suite)


def take_from(shelf: Shelf, path: Path, taking: Taking, support: Sequence[str], suite: str | None) -> Taken:
    """The code, the answers and the tests among several files; what else there is gets noted."""
    chosen = solution_among(shelf.names, support)
    if chosen is None:
        raise CallError(
            f"there is no {SOLUTION} in it",
            where=line(str(path)),
            found=listed(shelf.names) or "nothing",
            expected=ACCEPTED,
            next_step=f"Pass the file that is the solution, or the folder that holds {SOLUTION}.",
        )
    home, _, name = chosen.rpartition("/")
    if name != SOLUTION:
        taking.notes.append(f"there is no {SOLUTION}; {line(chosen)} was taken for it")
    beside = [f"{home}/{each}" if home else each for each in ANSWERS]
    sheet = next((each for each in beside if each in shelf.names), None)
    own = f"{home}/{suite}" if home and suite else suite
    tests = own if own in shelf.names else None
    used = (chosen, sheet, tests)
    ignored = sorted((each for each in shelf.names if each not in used), key=lambda each: (not_code(each), each))
    if ignored:
        taking.notes.append(f"ignored: {listed(ignored)}")
    code = script(name, shelf.read(chosen, NOTEBOOK_BYTES if not_code(name) else SOURCE_BYTES), taking)
    return Taken(code, *answers(shelf, sheet, taking), *own_tests(shelf, tests, taking))


def not_code(name: str) -> bool:
    """Whether a file is something else than Python code."""
    return not name.lower().endswith(".py")


def solution_among(names: Sequence[str], support: Sequence[str]) -> str | None:
    """The path of the solution: solution.py, or the only file that could be it.

    Raises:
        Unfit: there are two.
    """
    named = [path for path in names if path.rpartition("/")[2] == SOLUTION]
    if len(named) > 1:
        raise Unfit(f"Send one {SOLUTION}, not several: there are {listed(named)}.")
    if named:
        return named[0]
    for suffix in (".py", ".ipynb"):
        files = [path for path in names if path.lower().endswith(suffix)]
        possible = [path for path in files if not ruled_out(path.rpartition("/")[2], support)]
        if possible:
            return possible[0] if len(possible) == 1 else None
    return None


def ruled_out(name: str, support: Sequence[str]) -> bool:
    """Whether a file is no solution, going by its name."""
    return name in support or NO_SOLUTION.match(name) is not None


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


def own_tests(shelf: Shelf, path: str | None, taking: Taking) -> tuple[str | None, str]:
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
        parsed(code)
    except Unfit as unfit:
        taking.notes.append(f"{name} can't be used: {unfit.reason}")
        return None, unfit.reason
    except CallError as error:
        taking.notes.append(f"{name} can't be read: {error}")
        return None, f"Send {name} as an ordinary file."
    taking.notes += code.notes
    return code.text, ""


def parsed(code: Script) -> syntax.Parsed:
    """What the code defines.

    Raises:
        Unfit: it is not Python, with the place and the interpreter's message.
        GraderFault: the parser could not be run.
    """
    try:
        found = syntax.parse(code.text)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise GraderFault("the parser could not be run", found=str(error)) from None
    if found.problem:
        place = code.place(found.line, found.column) if found.line else code.name
        why = short(found.problem, 200)
        raise Unfit(f"Mend {place}, which {PYTHON} (the version that grades) can't read: {why}.")
    return found


def missing(found: syntax.Parsed, defines: Sequence[str]) -> list[str]:
    """A note for each name that the question needs and the code does not seem to define."""
    return [] if found.star else [f"does not define {name}" for name in defines if name not in found.names]
