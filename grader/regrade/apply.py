"""Putting new reports in the place of the old ones, which stay.

Theory of operation. Every step can be done twice, and applying.json says that they were begun, so that whoever runs the
same command again after a kill finishes it:

    1. applying.json names the folder of history; the old lines are copied there
    2. for each submission: the old reports move to history, the new ones to where those were
    3. results.jsonl, the manifest and summary.html
    4. changes.json and its page, whose links lead to other places now
    5. the regrade's ledger, and at last applying.json, are removed

The names are those of the regrade's own ledger, which says what was graded. Marks, code names and what was sent are
never touched.
"""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Final

from grader import inert
from grader.errors import CallError
from grader.question import Spec
from grader.regrade import record
from grader.regrade.record import Record
from grader.render import files
from grader.render import results as page
from grader.results import ledger, lock, manifest, places
from grader.results.folder import REPORTS
from grader.results.ledger import Ledger

JOURNAL: Final = "applying.json"


def pending(results: Path) -> Path | None:
    """The folder of a regrade that was being applied as everything stopped."""
    return next((each for each in places.rounds(results) if (each / JOURNAL).is_file()), None)


def begin(results: Path, folder: Path, found: Record) -> None:
    """Write down that a regrade is applied, and where the old reports go."""
    digest = found.before.digest[: places.DIGITS]
    history, number = Path(places.HISTORY) / digest, 1
    while (results / history).exists():  # the question was there before, or only the environment is another
        number += 1
        history = Path(places.HISTORY) / f"{digest}-{number}"
    files.replace(folder / JOURNAL, json.dumps({"history": history.as_posix()}) + "\n")


def finish(results: Path, folder: Path, spec: Spec) -> Record:
    """Do what is left of it.

    Args:
        results: the folder of results.
        folder: that of the regrade, which `begin` has been called for.
        spec: that of the question, for the titles of summary.html.

    Raises:
        CallError: a file can't be read, moved or written; nothing is lost, and the same call goes on.
    """
    found = record.read(folder)
    if found is None:
        raise CallError("this regrade has lost its record", where=str(folder), expected=record.NAME)
    with lock.held(results):
        return _finished(results, folder, spec, found)


def _finished(results: Path, folder: Path, spec: Spec, found: Record) -> Record:
    try:
        history = results / _history(folder)
        new = {line["name"]: line for line in ledger.read(folder / ledger.NAME)}
        old = Ledger(results)
        history.mkdir(parents=True, exist_ok=True)
        kept = Ledger(history)
        for name in new:
            if name in old.lines and name not in kept.lines:
                kept.add(old.lines[name])
        for line in new.values():
            _swap(results, folder, history, str(line["reports"]).rpartition("/")[2])
        old.lines = {name: ledger.renewed(line, new.get(name, line)) for name, line in old.lines.items()}
        old.finish(list(old.lines))
        manifest.renewed(results, found.question, found.after.version, found.after.digest, None)
        page.write_page(spec, list(old.lines.values()), {}, results)
        applied = found.model_copy(update={"history": history.relative_to(results).as_posix()})
        applied.write(folder)
        (folder / ledger.NAME).unlink(missing_ok=True)
        shutil.rmtree(folder / REPORTS, ignore_errors=True)
        (folder / JOURNAL).unlink()
    except OSError as error:
        raise CallError(
            "the new reports could not all be put in place",
            where=inert.line(str(error.filename or results)),
            found=error.strerror,
            next_step="Run the same `grader regrade --apply` again; it goes on from here.",
        ) from None
    return applied


def _history(folder: Path) -> str:
    path = folder / JOURNAL
    try:
        name = Path(json.loads(path.read_bytes())["history"])
        if name.parent != Path(places.HISTORY):
            raise ValueError(f"{name} is not in {places.HISTORY}/")
    except (ValueError, KeyError, TypeError) as error:
        raise CallError("this journal can't be read", where=str(path), found=inert.short(str(error), 120)) from None
    return name.as_posix()


def _swap(results: Path, folder: Path, history: Path, name: str) -> None:
    """Move the old reports away and the new ones in. That the new ones are still here says that it is not done."""
    new, now, past = (each / REPORTS / name for each in (folder, results, history))
    if not new.is_dir():
        return
    past.parent.mkdir(parents=True, exist_ok=True)
    now.parent.mkdir(parents=True, exist_ok=True)
    if now.is_dir() and not past.exists():
        now.replace(past)
    shutil.rmtree(now, ignore_errors=True)  # what a batch has graded there since; the old reports are in history
    new.replace(now)
