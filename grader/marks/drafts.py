"""What is ticked and written and not saved yet, on disk after every key: a kill in mid-sentence costs nothing.

A file for each person in RESULTS/marks.drafts/. A draft is taken up again while the rubric and the answer are the ones
that it was made for. One person may have several windows open, so each writes only of the answers that changed in it.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Final

from grader.errors import CallError
from grader.marks.ledger import only_writer
from grader.marks.saving import Draft
from grader.marks.work import Item, Key
from grader.render import files
from grader.results import manifest

FOLDER: Final = "marks.drafts"


def path_of(results: Path, actor: str) -> Path:
    """The file of a person's drafts."""
    return results / FOLDER / f"{hashlib.sha256(actor.encode()).hexdigest()[:16]}.json"


def read(path: Path, items: Iterable[Item]) -> dict[Key, Draft]:
    """The drafts that still fit, by answer; none where there is no file.

    Raises:
        CallError: the file is damaged.
    """
    there = {(item.code, item.answer.id, item.answer.rubric, item.digest): item.key for item in items}
    found = {}
    try:
        for entry in _entries(path):
            if key := there.get((entry["code"], entry["answer"], entry["rubric"], entry["digest"])):
                ticked = frozenset(map(str, entry["ticked"]))
                words = (str(entry["quote"]), str(entry["note"]), str(entry["reason"]))
                found[key] = Draft(ticked, bool(entry["cannot_assess"]), *words)
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise CallError(
            "these drafts can't be read",
            where=str(path),
            found=type(error).__name__,
            next_step="Remove the file; saved marks are not in it.",
        ) from None
    return found


def write(path: Path, items: Iterable[Item], drafts: Mapping[Key, Draft]) -> None:
    """Keep the drafts of these answers, and those that the file has of others; no file where there is none.

    Nothing is kept of a candidate who was removed while they were being marked.
    """
    with only_writer(path.parent.parent):
        _write(path, items, drafts)


def exchange(path: Path, item: Item, was: str, now: Draft | None) -> bool:
    """Put a draft, or none, in the place of the one that it was made from, which `was` is the token of.

    Returns:
        Whether it was kept. It is not where another window has kept something else in the meantime.
    """
    with only_writer(path.parent.parent):
        there = read(path, [item]).get(item.key)
        if there != now and token(there) != was:
            return False
        if there != now:
            _write(path, [item], {} if now is None else {item.key: now})
        return True


def token(draft: Draft | None) -> str:
    """A few characters that stand for what a draft says; `none` for no draft."""
    if draft is None:
        return "none"
    said = [sorted(draft.ticked), draft.cannot_assess, draft.quote, draft.note, draft.reason]
    return hashlib.sha256(json.dumps(said).encode()).hexdigest()[:16]


def _write(path: Path, items: Iterable[Item], drafts: Mapping[Key, Draft]) -> None:
    here = set(manifest.read_codes(path.parent.parent).values())
    every = {item.key: item for item in items}
    others = [entry for entry in _entries(path) if (entry["code"], entry["answer"]) not in every]
    _put(path, [*others, *(_entry(every[key], draft) for key, draft in drafts.items() if key[0] in here)])


def forget(results: Path, code: str) -> int:
    """Remove everybody's drafts on a candidate's answers.

    Returns:
        How many there were. A file that can't be read is removed too, since nobody knows what is in it.
    """
    with only_writer(results):
        return sum(_forget(path, code) for path in sorted((results / FOLDER).glob("*")))


def _forget(path: Path, code: str) -> int:
    try:
        entries = _entries(path)
        rest = [entry for entry in entries if entry["code"] != code]
    except (ValueError, KeyError, TypeError):
        path.unlink()
        return 1
    if len(rest) < len(entries):
        _put(path, rest)
    return len(entries) - len(rest)


def _entry(item: Item, draft: Draft) -> dict[str, Any]:
    return {
        "code": item.code,
        "answer": item.answer.id,
        "rubric": item.answer.rubric,
        "digest": item.digest,
        "ticked": sorted(draft.ticked),
        "cannot_assess": draft.cannot_assess,
        "quote": draft.quote,
        "note": draft.note,
        "reason": draft.reason,
    }


def _entries(path: Path) -> list[dict[str, Any]]:
    if not path.is_file():
        return []
    found = json.loads(path.read_bytes())
    if not isinstance(found, list) or not all(isinstance(entry, dict) for entry in found):
        raise ValueError("no list of drafts")
    return found


def _put(path: Path, entries: list[dict[str, Any]]) -> None:
    if entries:
        path.parent.mkdir(exist_ok=True)
        files.replace(path, json.dumps(entries, indent=1) + "\n")
    else:
        path.unlink(missing_ok=True)
        if path.parent.is_dir() and not any(path.parent.iterdir()):
            path.parent.rmdir()
