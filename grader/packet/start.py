"""Writing a packet: a folder, a zip of it, or both. What is there already is never overwritten."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from pathlib import Path

from grader import inert
from grader.errors import CallError
from grader.packet import zips


def refuse_overwriting(*paths: Path) -> None:
    """Raise a CallError for the first path where something is; an empty folder is nothing."""
    for path in paths:
        if path.exists() and not (path.is_dir() and not any(path.iterdir())):
            raise CallError(
                "there is something at this path already",
                where=inert.line(str(path)),
                next_step="Name an --out that is empty, or not there yet.",
            )


def write_folder(files: Mapping[str, bytes], folder: Path) -> None:
    """Write the files of a packet into a folder, which is made.

    Raises:
        CallError: there is something in the folder, or it can't be written.
    """
    try:
        refuse_overwriting(folder)
        folder.mkdir(parents=True, exist_ok=True)
        for name, content in files.items():
            (folder / name).write_bytes(content)
    except OSError as error:
        raise _unwritten(folder, error) from None


def write_zip(files: Mapping[str, bytes], path: Path, folder: str) -> None:
    """Write a zip in which the files lie in one folder, so that unpacking it spills nothing.

    Raises:
        CallError: there is something at the path, or it can't be written.
    """
    refuse_overwriting(path)
    part = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        part.write_bytes(zips.pack({f"{folder}/{name}": content for name, content in files.items()}))
        part.replace(path)
    except OSError as error:
        raise _unwritten(path, error) from None
    finally:
        part.unlink(missing_ok=True)


def _unwritten(path: Path, error: OSError) -> CallError:
    return CallError(
        f"this can't be written ({error.strerror or error})",
        where=inert.line(str(path)),
        next_step="Name a place that you may write to.",
    )
