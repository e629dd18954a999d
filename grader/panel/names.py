"""Taking a candidate's name out of what is shown: the panel reads what was done, and not by whom.

People write their names into comments and answers, and graders write file names into notes. Each is replaced by the
code name. A part of a name that is also a word of the question, as `table` or `max`, is only replaced where it stands
together with the rest.
"""

from __future__ import annotations

import builtins
import keyword
import re
import sys
import unicodedata
from collections.abc import Callable, Collection, Iterable, Iterator
from itertools import combinations
from pathlib import PurePath
from typing import Any, Final

from grader import inert

SHORTEST: Final = 3  # letters of a name that stands alone
SHORTEST_PART: Final = 4  # letters of a part of one
SHORTEST_TWO: Final = 6  # letters of two parts together
SHORTEST_NUMBER: Final = 5  # characters of a name that is digits for the most part
MOST_PARTS: Final = 6
LONG: Final = 40  # characters of a name of which the beginning says who it is
SUFFIXES: Final = (".py", ".ipynb", ".zip", ".yaml", ".yml", ".md", ".txt")
ORDINARY: Final = """
answer answers assignment attempt candidate challenge code copy draft exercise file final home homework main new
notebook question readme result results sample solution solutions src submission submissions submit take task test
tests untitled version work
"""
PYTHON: Final = (*keyword.kwlist, *keyword.softkwlist, *sys.stdlib_module_names, *dir(builtins))
PLAIN: Final = frozenset(map(str.lower, (*ORDINARY.split(), *PYTHON)))

Redact = Callable[[str], str]


def redactor(names: Iterable[str], code: str, vocabulary: Collection[str] = frozenset()) -> Redact:
    """A function that puts the code name in the place of a candidate's names.

    Args:
        names: what the submission and its files were called.
        code: the code name.
        vocabulary: words of the question, in lower case.
    """
    known = PLAIN | set(vocabulary)
    steps = {step for name in names for step in PurePath(name.replace("\\", "/")).parts}
    patterns = sorted({each for step in steps for each in _patterns(step, known)}, key=lambda each: (-len(each), each))
    if not patterns:
        return lambda text: text
    found = re.compile("|".join(patterns), re.IGNORECASE)
    return lambda text: found.sub(code, text)


def throughout(value: Any, redact: Redact, keys: Collection[str], *, inside: bool = False) -> Any:
    """A value as JSON knows them, with names taken out of the texts below some keys."""
    match value:
        case str():
            return redact(value) if inside else value
        case list():
            return [throughout(item, redact, keys, inside=inside) for item in value]
        case dict():
            return {key: throughout(item, redact, keys, inside=inside or key in keys) for key, item in value.items()}
    return value


def words(texts: Iterable[str]) -> set[str]:
    """The words of some texts, in lower case; a name in code counts in its parts."""
    return {word.lower() for text in texts for word in re.findall(r"[^\W\d_]+", text)}


def _patterns(name: str, known: Collection[str]) -> Iterator[str]:
    name = unicodedata.normalize("NFC", name.strip())
    stem = _stem(name)
    parts = _parts(stem)
    plain = all(part.lower() in known for part in parts)
    if not parts:
        return
    for form in _forms(name):
        if name != stem and not plain:
            yield _alone(re.escape(form))
        if len(form) > LONG:
            yield rf"{re.escape(form[:LONG])}\S*"
    for run in _runs(parts):
        if not all(part.lower() in known for part in run):
            for forms in zip(*map(_forms, run), strict=True):
                yield _alone(r"(?:[^\w\n]|_)*".join(map(re.escape, forms)))
    for part in parts:
        if part.isalpha() and len(part) >= SHORTEST_PART and part.lower() not in known:
            yield from map(_alone, map(re.escape, _forms(part)))


def _stem(name: str) -> str:
    path = PurePath(name.replace("\\", "/").rstrip("/"))
    return path.stem if path.suffix.lower() in SUFFIXES else path.name


def _parts(stem: str) -> list[str]:
    """`anaLopez_2` is `ana`, `Lopez` and `2`."""
    return re.findall(r"[^\W\d_]+|\d+", re.sub(r"(?<=[a-z])(?=[A-Z])", " ", stem))


def _runs(parts: list[str]) -> Iterator[list[str]]:
    """All parts together, and any two of letters: those who are called `ana-maria-lopez` sign as Ana Lopez.

    Few letters or digits are left alone: `v1` and `1, 0` are code before they are anybody.
    """
    letters = [part for part in parts if part.isalpha()]
    if len("".join(letters)) >= SHORTEST or len("".join(parts)) >= SHORTEST_NUMBER:
        yield parts
    for two in combinations(letters[:MOST_PARTS], 2):
        if len("".join(two)) >= SHORTEST_TWO:
            yield list(two)


def _forms(name: str) -> list[str]:
    """The ways in which a name may be written: composed, decomposed, without accents, and made visible."""
    composed, decomposed = (unicodedata.normalize(form, name) for form in ("NFC", "NFD"))
    bare = "".join(character for character in decomposed if not unicodedata.combining(character))
    return [composed, decomposed, bare, inert.line(name)]


def _alone(pattern: str) -> str:
    return rf"(?<![^\W_]){pattern}(?![^\W_])"
