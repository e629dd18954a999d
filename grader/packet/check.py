"""`python check.py` in a packet: the preflight, told on one screen, and the zip that is ready to be sent.

The exit status is 0 if there is nothing to change, 1 if there is, and 2 if the packet itself can't be used.
"""

from __future__ import annotations

import hashlib
import json
import platform
import sys
import zipfile
from collections.abc import Mapping
from importlib import metadata
from pathlib import Path
from typing import Any, Final, TextIO

from grader.inert import line, text
from grader.packet import zips
from grader.packet.preflight import Preflight, Remark, Weight, look
from grader.packet.task import FILES, SKELETON, SUITE, TASK, Task
from grader.submission import Submission
from grader.submission.choosing import SOLUTION, not_code
from grader.submission.manifest import MANIFEST, PACKET, Manifest, manifest_text

RECORDED: Final = ("numpy", "torch", "pytest")
ZIP: Final = "submission.zip"
WIDTH: Final = max(len(weight.value) for weight in Weight)


def main(folder: str, archive: str, arguments: list[str]) -> int:
    """Check what is in a packet's folder, or at the path that is given, and return the exit status.

    Args:
        folder: the packet's folder.
        archive: its preflight.zip.
        arguments: of the command line: nothing, or one path.
    """
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):  # a console that lacks a character shows its number
            stream.reconfigure(errors="backslashreplace")
    try:
        return _check(Path(folder), Path(archive), arguments, sys.stdout)
    except KeyboardInterrupt:
        sys.stderr.write("check.py was stopped; nothing was written.\n")
        return 130
    except Exception as error:  # noqa: BLE001 - a candidate gets a sentence, never a traceback
        why = line(f"{type(error).__name__}: {error}", 300)
        sys.stderr.write(f"check.py could not do its work ({why}). Send your files without it, and tell us.\n")
        return 2


def _check(folder: Path, archive: Path, arguments: list[str], out: TextIO) -> int:
    carried = zips.unpack(archive.read_bytes())
    task = Task.from_json(carried[TASK])
    if len(arguments) > 1 or any(each.startswith("-") for each in arguments):
        out.write("Usage: python check.py [FILE OR FOLDER]; without one it looks at the folder that it is in.\n")
        return 2
    path = Path(arguments[0]) if arguments else folder
    given = {name.removeprefix(FILES): content for name, content in carried.items() if name.startswith(FILES)}
    out.write(f"{task.title} ({task.asked.question}, version {task.asked.version})\n\n")
    found = look(path, task, given, carried[SKELETON].decode(), carried.get(SUITE, b"").decode())
    remarks = [*found.remarks, *_environment(task)]
    for remark in remarks:
        out.write(f"{remark.weight.value:>{WIDTH}}  {text(remark.about)}: {text(remark.words)}\n")
    out.write("\n")
    return _end(folder, task, found, out)


def _environment(task: Task) -> list[Remark]:
    """Where this machine differs from the one that grades."""
    here, there = versions(), task.environment
    apart = [f"{name} {here[name] or 'missing'} here, {there[name]} there" for name in RECORDED if name in there]
    apart = [each for each, name in zip(apart, RECORDED, strict=False) if here[name].partition("+")[0] != there[name]]
    remarks = []
    if sys.version_info[:2] != task.asked.python:
        graded = "{}.{}".format(*task.asked.python)
        words = f"{platform.python_version()} here; {graded} grades, and may not read what only a later one can"
        remarks.append(Remark(Weight.NOTE, "Python", words))
    return remarks + ([Remark(Weight.NOTE, "packages", "; ".join(apart))] if apart else [])


def versions() -> dict[str, str]:
    """The versions here; empty for what is not installed."""
    found = {"python": platform.python_version()}
    for name in RECORDED:
        try:
            found[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            found[name] = ""
    return found


def _end(folder: Path, task: Task, found: Preflight, out: TextIO) -> int:
    if found.submission is None or not found.can_be_sent:
        if found.submission is not None:
            out.write("Not started: write your solution into solution.py, and run this again.\n")
        else:
            out.write("To change: what is marked `stop`. Until then nothing could be graded.\n")
        if _is_ours(folder / ZIP):
            out.write(f"No zip was written; {ZIP} is of an earlier run.\n")
        return 1
    written = write(folder, task, found.submission)
    names = ", ".join(found.submission.files)
    if found.is_ready:
        out.write(f"Ready to send: {line(written.name)}, with {names}.\n")
        return 0
    count = len(found.weighing(Weight.CHANGE))
    out.write(
        f"To change: {count} thing{'s' * (count > 1)}, marked `change`. Each costs what rests on it and nothing else,\n"
        f"so you may also send {line(written.name)} as it is now, with {names}.\n"
    )
    return 1


def write(folder: Path, task: Task, sent: Submission) -> Path:
    """Write the zip that is to be sent: the files that were read, and a manifest of them.

    An earlier zip of ours is replaced; a file of the candidate's that has its name is not.
    """
    files = {_packed_name(name, sent): raw for name, raw in sent.raw.items()}
    hashes = {name: hashlib.sha256(raw).hexdigest() for name, raw in files.items()}
    note = manifest_text(_packet(folder, task), hashes, versions())
    path, number = folder / ZIP, 1
    while path.exists() and not _is_ours(path):
        number += 1
        path = folder / f"submission-{number}.zip"
    part = path.with_name(f".{path.name}.part")
    part.write_bytes(zips.pack({**files, MANIFEST: note.encode()}))
    part.replace(path)
    return path


def _packed_name(name: str, sent: Submission) -> str:
    """The name in the zip: the solution goes by its proper one."""
    if name != sent.files[0]:
        return name
    return "solution.ipynb" if not_code(name) else SOLUTION


def _packet(folder: Path, task: Task) -> Mapping[str, Any]:
    """What packet.json holds, key by key; what is known without it where it is gone."""
    own = {"question": task.asked.question, "version": task.asked.version}
    try:
        raw = (folder / PACKET).read_bytes()
    except OSError:
        return own
    fields: Mapping[str, Any] = json.loads(raw.decode("utf-8-sig")) if Manifest.parse(raw) else own
    return fields


def _is_ours(path: Path) -> bool:
    """Whether a file is a zip that an earlier run wrote."""
    try:
        with zipfile.ZipFile(path) as archive:
            return Manifest.parse(archive.read(MANIFEST)) is not None
    except (OSError, KeyError, ValueError, zipfile.BadZipFile, NotImplementedError, RuntimeError):
        return False
