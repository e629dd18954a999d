"""Turns source text round, so that it reads otherwise than it runs: it is refused with the line."""

# naive: renders terminal
# here: refused right-to-left override
from pathlib import Path


def submission(folder, constants):
    path = Path(folder, "solution.py")
    words = 'access = "user\u202e \u2066# only for admins\u2069 \u2066"\nprint(access)\n'
    path.write_text(SOURCES["right"] + words, "utf-8")
    return path
