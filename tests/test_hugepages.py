"""Promises of huge pages: whole ones only, nothing but one's own memory, and no number changes."""

from __future__ import annotations

import subprocess
import sys

import pytest

from grader.sandbox.hugepages import PAGE, aligned

MIB = 1 << 20
MAPS = """\
00200000-00a00000 rw-p 00000000 00:00 0                          [heap]
7f0000100000-7f0000700000 rw-p 00000000 00:00 0 
7f0001000000-7f0001800000 r--p 00000000 00:00 0 
7f0002000000-7f0002800000 rw-p 00001000 fe:01 42                 /usr/lib/libtorch.so
7f0003000000-7f00031ff000 rw-p 00000000 00:00 0 
7ffc00000000-7ffc00800000 rw-p 00000000 00:00 0                  [stack]
"""  # noqa: W291 - as the kernel writes it

GATHER = """
import re, sys
from grader.sandbox.hugepages import HugePages
kept = [bytes([number % 251]) * 1000 for number in range(40_000)]
memory = HugePages()
memory.gather()
memory.gather()
assert all(each == bytes([number % 251]) * 1000 for number, each in enumerate(kept))
print(sum(map(int, re.findall(r"AnonHugePages: +([0-9]+)", open("/proc/self/smaps").read()))))
"""


def test_only_whole_pages_of_memory_that_is_ones_own() -> None:
    assert list(aligned(MAPS, 2 * MIB)) == [(0x200000, 0xA00000), (0x7F0000200000, 0x7F0000600000)]
    assert list(aligned(MAPS, 512 * MIB)) == []


def test_a_process_is_the_same_afterwards_and_its_memory_in_huge_pages() -> None:
    done = subprocess.run([sys.executable, "-c", GATHER], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    if not PAGE.exists() or int(done.stdout) == 0:
        pytest.skip("this kernel has no huge pages to move memory into; not shown: that a heap lies in them")
    assert int(done.stdout) > 20_000  # KiB, of the 40 MB that are kept
