"""Which of several files is what: the solution, the answers, the tests, the manifest, and what is nobody's."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Final

from grader.inert import listed
from grader.submission.asked import Asked
from grader.submission.manifest import MANIFEST, PACKET
from grader.submission.unfit import Unfit

SOLUTION: Final = "solution.py"
ANSWERS: Final = ("answers.yaml", "answers.yml")
CHECK: Final = "check.py"
PREFLIGHT: Final = "preflight.zip"
README: Final = "README.md"
PROMPT: Final = "prompt.md"
REQUIREMENTS: Final = "requirements.txt"
OURS: Final = frozenset({README, PROMPT, CHECK, PREFLIGHT, REQUIREMENTS, PACKET, MANIFEST})
PACKED: Final = re.compile(r"submission(-\d+)?\.zip")  # what check.py writes
MOST_LAYERS: Final = 3  # of folders around a submission, each with nothing else in it
NO_SOLUTION: Final = re.compile(
    r"^(test_.*|.*_test|tests|conftest|setup|noxfile|sitecustomize|usercustomize|__init__|__main__|check)\.py$",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Choice:
    """What the files of a submission are, by their paths in it.

    Attributes:
        home: the folder of the solution, with a slash at its end; empty for the top.
        code: the solution.
        answers, tests, manifest: those beside it; None where there is none.
        rest: all other files, code first.
    """

    home: str
    code: str
    answers: str | None
    tests: str | None
    manifest: str | None
    rest: tuple[str, ...]


def choose(names: Sequence[str], asked: Asked) -> Choice | None:
    """What the files are; None if none of them can be the solution, or several could.

    Raises:
        Unfit: there are two files called solution.py.
    """
    code = solution_among(names, asked.support)
    if code is None:
        return None
    home = code[: len(code) - len(last(code))]

    def beside(*wanted: str) -> str | None:
        return next((f"{home}{each}" for each in wanted if f"{home}{each}" in names), None)

    answers, tests = beside(*ANSWERS), beside(asked.suite) if asked.suite else None
    manifest = beside(MANIFEST, PACKET)
    used = (code, answers, tests)
    rest = sorted((each for each in names if each not in used), key=lambda each: (not_code(each), each))
    return Choice(home, code, answers, tests, manifest, tuple(rest))


def last(path: str) -> str:
    """The last step of a path."""
    return path.rpartition("/")[2]


def not_code(name: str) -> bool:
    """Whether a file is something else than Python code."""
    return not name.lower().endswith(".py")


def is_ours(name: str) -> bool:
    """Whether a file came with the packet, or was written by check.py, going by its name."""
    return name in OURS or PACKED.fullmatch(name) is not None


def solution_among(names: Sequence[str], support: Collection[str]) -> str | None:
    """The path of the solution: solution.py, or the only file that could be it.

    Raises:
        Unfit: there are two.
    """
    named = [path for path in names if last(path) == SOLUTION]
    if len(named) > 1:
        raise Unfit(f"Send one {SOLUTION}, not several: there are {listed(named)}.")
    if named:
        return named[0]
    for suffix in (".py", ".ipynb"):
        files = [path for path in names if path.lower().endswith(suffix)]
        possible = [path for path in files if not ruled_out(last(path), support)]
        if possible:
            return possible[0] if len(possible) == 1 else None
    return None


def ruled_out(name: str, support: Collection[str]) -> bool:
    """Whether a file is no solution, going by its name."""
    return name in support or NO_SOLUTION.match(name) is not None


def are_one(names: Sequence[str]) -> bool:
    """Whether the files of a folder are those of one submission, going by names that everybody's have.

    Then what tells whose it is, is the name of the folder.
    """
    if {SOLUTION, *ANSWERS} & set(names):
        return True
    packed = [name for name in names if PACKED.fullmatch(name)]
    return len(packed) == 1 and all(map(is_ours, names))


def inner(names: Sequence[str]) -> str | None:
    """The one folder or zip that everything is in, where a mail program or an unpacker has put one around it."""
    others = [name for name in names if not is_ours(name) or PACKED.fullmatch(name)]
    folders, zips = ([name for name in others if name.lower().endswith(end)] for end in ("/", ".zip"))
    if len(folders) == len(others) == 1:
        return folders[0]
    return zips[0] if len(zips) == 1 else None
