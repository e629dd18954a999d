"""Winnowing: of all runs of k tokens, the few whose hashes stand for a document.

Source: S. Schleimer, D. S. Wilkerson, A. Aiken, "Winnowing: Local Algorithms for Document Fingerprinting", SIGMOD 2003,
sections 3 and 4.1. From every window of w neighbouring hashes the smallest is taken, the last one if there are several.
So two documents with a common run of at least w + k - 1 tokens share a fingerprint that lies in that run; and what is
shorter than k tokens is never found.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

K: Final = 12  # tokens of a run
W: Final = 6  # runs of a window; a common run of 17 tokens is always found


@dataclass(frozen=True, slots=True)
class Fingerprint:
    """The hash of a run of k tokens, and where the run begins."""

    hash: int
    start: int


def winnow(kinds: Sequence[str], k: int = K, w: int = W) -> list[Fingerprint]:
    """The fingerprints of a row of tokens, in order; none if it has fewer than k tokens.

    A row with fewer than w runs is one window.

    Raises:
        ValueError: k or w is less than one.
    """
    if k < 1 or w < 1:
        raise ValueError(f"k and w must be at least 1, and are {k} and {w}")
    hashes = grams(kinds, k)
    chosen: dict[int, Fingerprint] = {}
    for first in range(max(len(hashes) - w, 0) + 1 if hashes else 0):
        window = range(first, min(first + w, len(hashes)))
        start = min(window, key=lambda place: (hashes[place], -place))
        chosen[start] = Fingerprint(hashes[start], start)
    return [chosen[start] for start in sorted(chosen)]


def grams(kinds: Sequence[str], k: int = K) -> list[int]:
    """The hash of each run of k tokens, in order: 64 bits, the same on every machine."""
    return [_hash(kinds[start : start + k]) for start in range(len(kinds) - k + 1)]


def _hash(run: Iterable[str]) -> int:
    return int.from_bytes(hashlib.blake2b("\0".join(run).encode("utf-8", "surrogatepass"), digest_size=8).digest())
