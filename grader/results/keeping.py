"""Keeping what was sent, as it was sent: to be read beside its report, graded again, and removed one day."""

from __future__ import annotations

import shutil
import stat
from pathlib import Path
from typing import Final

MOST_BYTES: Final = 64 << 20
MOST_FILES: Final = 2000


def keep(sent: Path, folder: Path) -> bool:
    """Copy a submission into a folder that holds it alone, in the place of an older one.

    Only regular files are copied, and no link is followed. What is too large to be graded is not kept.

    Returns:
        Whether it was kept.
    """
    part = folder.with_name(f".{folder.name}.part")
    shutil.rmtree(part, ignore_errors=True)
    names = _taken(sent)
    if not names:
        shutil.rmtree(folder, ignore_errors=True)
        return False
    for path, name in names.items():
        target = part / name
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, target, follow_symlinks=False)
    shutil.rmtree(folder, ignore_errors=True)
    part.replace(folder)
    return True


def is_kept(sent: Path, folder: Path) -> bool:
    """Whether everything is there that `keep` copies. Sizes are compared, and nothing is read."""
    return all(
        (copy := folder / name).is_file() and copy.stat().st_size == path.lstat().st_size
        for path, name in _taken(sent).items()
    )


def _taken(sent: Path) -> dict[Path, str]:
    """What is copied, and the name of each copy."""
    return {sent: sent.name} if _is_regular(sent) else _inside(sent)


def _inside(sent: Path) -> dict[Path, str]:
    if sent.is_symlink() or not sent.is_dir():
        return {}
    names: dict[Path, str] = {}
    size = 0
    for path in sorted(sent.rglob("*")):
        if not _is_regular(path) or "__pycache__" in path.parts:
            continue
        names[path] = f"{sent.name}/{path.relative_to(sent).as_posix()}"
        size += path.lstat().st_size
        if size > MOST_BYTES or len(names) > MOST_FILES:
            return {}
    return names


def _is_regular(path: Path) -> bool:
    try:
        found = path.lstat()
    except OSError:
        return False
    return stat.S_ISREG(found.st_mode) and found.st_size <= MOST_BYTES
