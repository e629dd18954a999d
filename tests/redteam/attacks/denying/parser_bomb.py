"""Nests expressions deeper than a parser's stack: it is read in a process of its own, and refused with the place."""

# naive: loses
# here: refused can't read
from pathlib import Path


def submission(folder, constants):
    path = Path(folder, "solution.py")
    path.write_text(SOURCES["right"] + "x = " + "-" * 100_000 + "1\n")
    return path
