"""Huge pages for a process that forks often: most of what a fork costs is copying page tables, and now they are few."""

from __future__ import annotations

import ctypes
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

MADV_COLLAPSE: Final = 25  # since Linux 6.1; see madvise(2)
PAGE: Final = Path("/sys/kernel/mm/transparent_hugepage/hpage_pmd_size")
OWN: Final = re.compile(r"([0-9a-f]+)-([0-9a-f]+) rw-p 00000000 00:00 0 *(?:\[heap\])?$", re.MULTILINE)


class HugePages:
    """What this process holds in memory when this is made, to be moved into huge pages where the kernel does that."""

    def __init__(self) -> None:
        try:
            size = int(PAGE.read_text("ascii"))
            maps = Path("/proc/self/maps").read_text("utf-8", errors="replace")
        except (OSError, ValueError):
            self._parts = []
        else:
            self._parts = list(aligned(maps, size))

    def gather(self) -> None:
        """Move it, the first time; nothing else changes. It costs about as much as copying it.

        Call it after the first fork, which then need not wait for it.
        """
        parts, self._parts = self._parts, []
        madvise = ctypes.CDLL(None).madvise if parts else None
        for start, end in parts:
            assert madvise is not None
            madvise(
                ctypes.c_void_p(start), ctypes.c_size_t(end - start), MADV_COLLAPSE
            )  # where it is refused, it stays


def aligned(maps: str, size: int) -> Iterator[tuple[int, int]]:
    """Start and end of the anonymous memory in a text of /proc/self/maps that whole huge pages of `size` bytes fit."""
    for match in OWN.finditer(maps):
        start, end = (int(match[side], 16) for side in (1, 2))
        start, end = -(-start // size) * size, end // size * size
        if start < end:
            yield start, end
