"""A folder that an experiment keeps its state in, so that it can be killed at any moment and go on.

    settings.json           what the experiment is; a folder goes on with the same settings only
    tokenizer.json          the vocabulary
    checkpoints/<job>.pt    where a job is
    runs/<job>.json         what a job that is done has measured

Each file is written beside its place, flushed to the disk and moved there: a reader meets the old one or the new one.
"""

from __future__ import annotations

import fcntl
import json
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from grader.errors import CallError

PATIENCE: Final = 10.0  # seconds to wait for the lock


class Folder:
    """The folder of one experiment, held by one process at a time.

    Args:
        path: the folder; it is made if it is not there.
        settings: what the experiment is, JSON-ready.
        resume: go on with what is there.

    Raises:
        CallError: it can't be written, another process holds it, it holds something and `resume` was not asked for, or
            what it holds was begun with other settings.
    """

    def __init__(self, path: Path, settings: dict[str, Any], *, resume: bool) -> None:
        self.path = path
        try:
            for part in (path, path / "checkpoints", path / "runs"):
                part.mkdir(parents=True, exist_ok=True)
            self._lock = (path / ".lock").open("w")
        except OSError as error:
            raise CallError(
                f"this folder can't be written ({error.strerror})", where=str(path), next_step="Name another --out."
            ) from None
        try:
            self._hold()
            self._agree(settings, resume=resume)
        except CallError:
            self.close()
            raise

    def _agree(self, settings: dict[str, Any], *, resume: bool) -> None:
        """Note the settings of a new folder, or hold them against those that it was begun with."""
        begun = read(self.path / "settings.json")
        if begun is None:
            self.write("settings.json", settings)
        elif not resume:
            raise CallError(
                "an experiment was begun here",
                where=str(self.path),
                next_step="Go on with --resume, or name another --out.",
            )
        elif other := differing(begun, json.loads(json.dumps(settings))):
            name, found, expected = other
            raise CallError(
                f"this experiment was begun with another {name}",
                where=str(self.path / "settings.json"),
                found=found,
                expected=expected,
                next_step="Go on as it was begun, or name another --out.",
            )

    def _hold(self) -> None:
        """Take the lock. Children of a process that was killed hold it a moment longer than their parent."""
        until = time.monotonic() + PATIENCE
        while True:
            try:
                return fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                if time.monotonic() > until:
                    raise CallError(
                        "another process is running this experiment",
                        where=str(self.path),
                        next_step="Wait for it, or name another --out.",
                    ) from None
                time.sleep(0.1)

    def close(self) -> None:
        """Let another process have it."""
        self._lock.close()

    def write(self, name: str, value: Any) -> Path:
        """Keep a JSON-ready value."""
        text = json.dumps(value, indent=1, ensure_ascii=False) + "\n"
        return self.write_text(name, text)

    def write_text(self, name: str, text: str) -> Path:
        """Keep a text."""
        return self.replace(name, lambda path: path.write_bytes(text.encode()))

    def load(self, job: str, load: Callable[[Path], object]) -> float:
        """Have a job go on from its checkpoint, if it has one, and return the seconds that its updates took so far.

        Raises:
            CallError: the file can't be read.
        """
        path = self.path / "checkpoints" / f"{job}.pt"
        if not path.exists():
            return 0.0
        try:
            load(path)
        except Exception as error:
            # A damaged file raises whatever its first wrong byte leads to.
            raise CallError(
                f"this checkpoint can't be read ({type(error).__name__})",
                where=str(path),
                next_step="Remove it, and its run begins anew.",
            ) from error
        return float((read(self.path / "checkpoints" / f"{job}.json") or {}).get("seconds", 0.0))

    def save(self, job: str, save: Callable[[Path], object], seconds: float) -> None:
        """Keep where a job is, in place of where it was."""
        self.replace(f"checkpoints/{job}.pt", save)
        self.write(f"checkpoints/{job}.json", {"seconds": seconds})

    def run(self, job: str) -> Any:
        """What a job has measured; None if it is not done."""
        return read(self.path / "runs" / f"{job}.json")

    def replace(self, name: str, fill: Callable[[Path], object]) -> Path:
        """Have a file filled beside its place, and moved there when it is on the disk."""
        return replace(self.path / name, fill)


def replace(path: Path, fill: Callable[[Path], object]) -> Path:
    """Have a file filled beside its place, and moved there when it is on the disk.

    Raises:
        CallError: it can't be written; what was there before is as it was.
    """
    part = path.with_name(f".{path.name}.new")  # one process has a file at a time, so one name is enough
    try:
        fill(part)
        with part.open("rb") as stream:
            os.fsync(stream.fileno())
        part.replace(path)
        above = os.open(path.parent, os.O_RDONLY)
        try:
            os.fsync(above)  # the new name, too, is on the disk
        finally:
            os.close(above)
    except (OSError, RuntimeError) as error:  # torch.save turns a full disk into a RuntimeError
        raise CallError(
            f"this can't be written ({getattr(error, 'strerror', None) or error})",
            where=str(path),
            next_step="Make room, and go on with --resume: nothing is lost.",
        ) from None
    finally:
        part.unlink(missing_ok=True)
    return path


def read(path: Path) -> Any:
    """What a JSON file holds; None if it is not there.

    Raises:
        CallError: it can't be read.
    """
    if not path.exists():
        return None
    try:
        return json.loads(path.read_text("utf-8"))
    except (ValueError, OSError) as error:
        raise CallError(
            f"this file can't be read ({error})", where=str(path), next_step="Remove it, and it is made anew."
        ) from None


def differing(begun: Any, asked: Any) -> tuple[str, str, str] | None:
    """The first setting that is another, as it was and as it is asked for; None if all are alike."""
    if not isinstance(begun, dict):
        return "form of settings", type(begun).__name__, "an object"
    for name in [*asked, *(set(begun) - set(asked))]:
        one, other = begun.get(name), asked.get(name)
        if isinstance(one, dict) and isinstance(other, dict):
            if inner := differing(one, other):
                return f"{name} {inner[0]}", *inner[1:]
        elif one != other:
            return name.replace("_", " "), str(other), str(one)
    return None
