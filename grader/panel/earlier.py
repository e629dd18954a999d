"""What an earlier `grader panel` left in a folder: the pages of people who are gone go with them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from pathlib import Path, PurePosixPath
from typing import Final

from grader.render import files

NAME: Final = "panel.json"


def read(out: Path) -> tuple[str, ...]:
    """The files that the last call wrote, relative to the folder; none where the list is missing or is not ours."""
    try:
        listed = json.loads((out / NAME).read_bytes())["files"]
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return ()
    names = listed if isinstance(listed, list) else []
    return tuple(name for name in names if isinstance(name, str) and _is_inside(name))


def replace(out: Path, before: Iterable[str], written: Sequence[Path]) -> None:
    """Remove what was written before and not now, and list what is there now."""
    now = sorted(path.relative_to(out).as_posix() for path in written)
    for name in set(before).difference(now):
        path = out / name
        if path.is_file() or path.is_symlink():
            path.unlink()
        folder = path.parent
        while folder != out and folder.is_dir() and not any(folder.iterdir()):
            folder.rmdir()
            folder = folder.parent
    files.replace(out / NAME, json.dumps({"files": now}, indent=2) + "\n")


def _is_inside(name: str) -> bool:
    path = PurePosixPath(name)
    return not path.is_absolute() and ".." not in path.parts and "\0" not in name and bool(path.parts)
