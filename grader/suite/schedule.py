"""In which order the solutions come up: the reference first, for a broken suite to be told soon, then by chance."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Sequence
from typing import Final

REFERENCE: Final = ""
AMONG: Final = 2  # runs of the reference among those of each round, beside the one that comes first


def chance(*seeds: object) -> random.Random:
    """Random numbers that repeat for the same seeds, and that nobody who lacks one of them can foretell."""
    whole = hashlib.sha256("\0".join(map(str, seeds)).encode()).digest()
    return random.Random(int.from_bytes(whole, "little"))


def a_round(mutants: Sequence[str], rng: random.Random) -> list[str]:
    """The ids of mutants and the reference, each mutant once and the reference `AMONG` times, in a random order."""
    order = [*mutants, *[REFERENCE] * AMONG]
    rng.shuffle(order)
    return order
