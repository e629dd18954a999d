"""Sends a folder and files whose names move the cursor: each name is shown as what it is made of."""

# naive: renders terminal
# here: passes
from pathlib import Path


def submission(folder, constants):
    home = Path(folder, "a\x1b[2Jb\u202ec")
    home.mkdir()
    Path(home, "solution.py").write_text(SOURCES["right"])
    Path(home, "notes\x1b]0;title\a.txt").write_text("")
    return home
