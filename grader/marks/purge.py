"""Removing a candidate from a results folder, and leaving proof that it was done and of everything else.

Theory of operation. The steps are done in an order in which each can be done again, and codes.json, which says that
there is somebody to remove, is the last to forget them. So whoever runs a purge that was killed finishes it:

    1. marks.jsonl: the bodies of their marks are blanked and the purge is appended, in one step
    2. drafts, what was sent, also what waits in the review room to be graded, and the reports
    3. their lines in results.jsonl, also in those of regrades and of history; summary.html, and records of regrades
    4. what a writer that was killed has left beside its file
    5. codes.json

Blocks on a disk, snapshots and copies elsewhere are beyond what a program can reach.
"""

from __future__ import annotations

import html
import json
import re
import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from grader import inert
from grader.batch.entries import Entry
from grader.errors import CallError, GraderError
from grader.marks import drafts
from grader.marks.book import now
from grader.marks.events import START, MarkEvent, PurgeEvent
from grader.marks.ledger import AnyEvent, Ledger
from grader.regrade import record
from grader.render import results as page
from grader.results import ledger as lines
from grader.results import lock, manifest, places
from grader.results.folder import MARKS, REPORTS, SUBMISSIONS
from grader.review import index, spool, trail

if TYPE_CHECKING:
    from grader.question import Spec

LEFT_BY_A_KILL: Final = re.compile(r"^\..+\.[0-9a-f]{8}$|^results\.new$")


@dataclass(frozen=True)
class Target:
    """Somebody to remove: the name of what they sent, empty where it is not known, and the code name that it got."""

    name: str
    code: str

    @property
    def folder(self) -> str:
        """What their folders in submissions/ and reports/ are called."""
        return Entry(self.name, Path(self.name)).folder


@dataclass(frozen=True)
class Purged:
    """What was removed.

    Attributes:
        counts: files that were sent, files of reports, marks whose words were blanked.
        mentions: files of the folder that still hold the name or the code name.
    """

    target: Target
    counts: dict[str, int]
    mentions: list[str]


def everybody(folder: Path) -> list[Target]:
    """Who is in a results folder: also those who left the batch, could not be graded, or are in marks alone.

    Raises:
        CallError: it is no results folder, or a file of it can't be read.
    """
    manifest.read(folder)
    codes = manifest.read_codes(folder)
    graded = {line["name"]: line["key"][:12] for _, there in places.ledgers(folder) for line in there}
    found = [Target(name, code) for name, code in sorted({**graded, **codes}.items())]
    events = Ledger(folder).read()
    gone = {event.code for event in events if isinstance(event, PurgeEvent)} | {target.code for target in found}
    marked = dict.fromkeys(event.code for event in events)
    return [*found, *(Target("", code) for code in marked if code not in gone)]


def purge(
    folder: Path, target: Target, actor: str, spec: Spec | None, waiting: Callable[[], object] = lambda: None
) -> Purged:
    """Remove one of `everybody`. Without a spec, summary.html is removed too, and not written anew.

    A batch or an upload that writes results there is waited for, and `waiting` called.

    Raises:
        CallError: a line of marks.jsonl can't be read, so it is not known whose it is; nothing was removed then. Or a
            file can't be removed.
    """
    with lock.held(folder, waiting):
        return _purged(folder, target, actor, spec)


def _purged(folder: Path, target: Target, actor: str, spec: Spec | None) -> Purged:
    for _ in places.ledgers(folder):  # a line that can't be read is told before anything is removed
        pass
    kept = [*places.content(folder, target.folder)] if target.name else []  # who is in marks alone has no folder
    counts = {
        "submission_files": sum(
            _count(each) for each in kept if each.parent.name == SUBMISSIONS and each.name[0] != "."
        ),
        "report_files": sum(_count(each) for each in kept if each.parent.name == REPORTS),
        "marks": 0,
    }
    Ledger(folder).rewrite(_blanked(target.code, actor, counts))
    try:
        drafts.forget(folder, target.code)
        spool.Spool(folder).forget(target.name, target.code)
        for path in kept:
            _remove(path)
        _forget_lines(folder, target, spec)
        for path in [path for each in places.rounds(folder) for path in each.iterdir()]:
            if LEFT_BY_A_KILL.match(path.name):
                path.unlink(missing_ok=True)
        codes = manifest.read_codes(folder)
        manifest.write_codes(folder, {name: code for name, code in codes.items() if name != target.name})
        index.forget(folder)  # last: a room that is open makes it anew from what is there now
    except OSError as error:
        raise CallError(
            "this can't be removed",
            where=inert.line(str(error.filename or folder)),
            found=error.strerror,
            next_step="Run the same purge again when it can.",
        ) from None
    return Purged(target, counts, _mentions(folder, target))


def strays(folder: Path) -> int:
    """Remove what is left in submissions/ and reports/ when nobody is on record, and say how much it was."""
    tops = [folder / SUBMISSIONS, spool.Spool(folder).folder, *(each / REPORTS for each in places.rounds(folder))]
    found = [path for top in tops if top.is_dir() for path in top.iterdir()]
    for path in found:
        _remove(path)
    return len(found)


def _blanked(code: str, actor: str, counts: dict[str, int]) -> Callable[[Sequence[AnyEvent]], list[AnyEvent]]:
    def make(there: Sequence[AnyEvent]) -> list[AnyEvent]:
        theirs = [event for event in there if isinstance(event, MarkEvent) and event.code == code]
        counts["marks"] = len(theirs)
        kept = [event.model_copy(update={"body": None}) if event in theirs else event for event in there]
        if any(isinstance(event, PurgeEvent) and event.code == code for event in there):
            return kept  # a purge that was killed has said so already
        return [*kept, PurgeEvent(seq=0, previous=START, actor=actor, at=now(), code=code, counts=counts)]

    return make


def _forget_lines(folder: Path, target: Target, spec: Spec | None) -> None:
    for each, _ in places.ledgers(folder):
        ledger = lines.Ledger(each)
        ledger.finish([name for name in ledger.lines if name != target.name])
    record.forget(folder, target.name)
    if spec is None:
        (folder / page.PAGE).unlink(missing_ok=True)
    else:
        page.write_page(spec, lines.read(folder / lines.NAME), {}, folder)


def _remove(path: Path) -> None:
    if path.is_symlink() or path.is_file():
        path.unlink()
    elif path.exists():
        shutil.rmtree(path)


def _count(path: Path) -> int:
    return sum(each.is_file() for each in path.rglob("*")) if path.is_dir() and not path.is_symlink() else 0


def _mentions(folder: Path, target: Target) -> list[str]:
    """Files that still name them, which other commands wrote. What others sent, and what is said of it, is theirs.

    The log of the review room says what was done to a code name, as marks.jsonl does, and stays.
    """
    plain = {target.name, target.code, target.folder} - {""}
    words = {form for word in plain for form in (word, json.dumps(word)[1:-1], html.escape(word))}
    pattern = re.compile(rb"(?<![\w.-])(?:%s)(?![\w-])" % b"|".join(re.escape(_bytes(word)) for word in sorted(words)))
    found = []
    for path in sorted(folder.rglob("*")):
        within = path.relative_to(folder)
        if not path.is_file() or {SUBMISSIONS, REPORTS, MARKS, trail.NAME} & set(within.parts):
            continue
        if pattern.search(_bytes(str(within))) or pattern.search(path.read_bytes()):
            found.append(str(within))
    return found


def _bytes(words: str) -> bytes:
    return words.encode("utf-8", "surrogateescape")


def spec_of(folder: Path, get: Callable[[str], Spec]) -> tuple[Spec | None, str]:
    """The spec of the question that a folder is of; None, and why, where it can't be had."""
    try:
        return get(manifest.read(folder).question), ""
    except GraderError as error:
        return None, str(error)
