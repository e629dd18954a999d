"""Code names: two plain words and a number, drawn at random, that say nothing of whose they are."""

from __future__ import annotations

import re
import secrets
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Final

COLOURS: Final = """
amber azure beige black blue bronze brown coral cream crimson cyan ebony gold green grey indigo ivory jade khaki lemon
lilac lime maroon mauve mint navy ochre olive orange peach pearl pink plum purple red rose ruby russet sand scarlet
sepia silver slate tan teal umber violet white yellow
"""
BIRDS: Final = """
avocet bittern bunting buzzard chough condor coot crane curlew dipper dove duck dunlin egret eider falcon finch fulmar
gannet goose grebe grouse gull harrier hawk heron hoopoe ibis jackdaw jay kestrel kite lapwing lark linnet magpie
martin merlin oriole osprey owl pipit plover puffin quail rail raven robin rook ruff shrike siskin snipe stilt stork
swallow swan swift teal tern thrush tit wagtail warbler wren
"""
NUMBERS: Final = range(10, 100)


def draw(names: Iterable[str], taken: dict[str, str], retired: Iterable[str] = ()) -> dict[str, str]:
    """The code names that are taken, by name, and a new one for each name that has none; never a retired one."""
    colours, birds = COLOURS.split(), BIRDS.split()
    codes = dict(taken)
    used = {*taken.values(), *retired}
    for name in names:
        while name not in codes:
            code = f"{secrets.choice(colours)}-{secrets.choice(birds)}-{secrets.choice(NUMBERS)}"
            if code not in used:
                codes[name] = code
                used.add(code)
    return codes


def claimed(
    claims: Mapping[str, str], taken: Mapping[str, str], retired: Iterable[str] = ()
) -> tuple[dict[str, str], list[str]]:
    """The code names with those that submissions brought along in their packets, and which claims were not believed.

    Anybody can write down anybody's code name. So one that is somebody's already is nobody else's, and one that two
    bring along is neither's: whoever gets none is drawn a new one, and no two submissions ever become one.

    Args:
        claims: what each submission without a code name says, by name; what is no code name is left alone.
        taken: the code names that are given, by name.
        retired: those that were somebody's once.
    """
    codes, doubts = dict(taken), []
    used = {*taken.values(), *retired}
    times = Counter(claims.values())
    for name, code in claims.items():
        if name in codes or not is_code(code):
            continue
        if code in used or times[code] > 1:
            doubts.append(f"{name} came with the code name {code}, which another has or brought too; it gets a new one")
        else:
            codes[name] = code
    return codes, doubts


def is_code(text: str) -> bool:
    """Whether a text could have been drawn here."""
    match text.split("-"):
        case [colour, bird, number]:
            return colour in COLOURS.split() and bird in BIRDS.split() and number in map(str, NUMBERS)
    return False


def retired(marks: Path) -> set[str]:
    """The code names in marks.jsonl: that of a candidate who was removed is given to nobody else.

    They are found in whatever is there, so that marks that were damaged keep nobody from grading.
    """
    text = marks.read_bytes() if marks.is_file() else b""
    return {found.decode() for found in re.findall(rb'"code":"([a-z]+-[a-z]+-[0-9]+)"', text)}
