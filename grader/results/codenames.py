"""Code names: two plain words and a number, drawn at random, that say nothing of whose they are."""

from __future__ import annotations

import secrets
from collections.abc import Iterable
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


def draw(names: Iterable[str], taken: dict[str, str]) -> dict[str, str]:
    """The code names that are taken, by name, and a new one for each name that has none."""
    colours, birds = COLOURS.split(), BIRDS.split()
    codes = dict(taken)
    used = set(taken.values())
    for name in names:
        while name not in codes:
            code = f"{secrets.choice(colours)}-{secrets.choice(birds)}-{secrets.choice(NUMBERS)}"
            if code not in used:
                codes[name] = code
                used.add(code)
    return codes
