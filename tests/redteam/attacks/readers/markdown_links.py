"""Sends files whose names are Markdown links, headings and HTML: in the feedback they are names."""

# naive: renders markdown
# here: passes
from pathlib import Path


def submission(folder, constants):
    token = constants["ARMED"]
    home = Path(folder, f"[passed](ftp:{token}) <b {token}>")
    home.mkdir()
    Path(home, "solution.py").write_text(SOURCES["right"])
    for name in (f"![x](ftp:{token}).txt", f"`<script {token}>.md", f"x\n# {token}"):
        Path(home, name).write_text("")
    return home
