"""The record of what was proven: `proven.json` beside a bank's questions, so that changes ask for one.

    {"swap-learned-positions": {"version": 1, "digest": "…"}}

A report names a question's version. Two reports of one version have to mean the same, so files that differ from those
that were recorded under a version need another one.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any, Final

from grader.errors import QuestionError
from grader.question import Question
from grader.validate.proof import Finding, Proof

NAME: Final = "proven.json"


def versioned(question: Question) -> Finding:
    """Whether the question's files are those that its version was recorded with."""
    entry = read(path_of(question)).get(question.id)
    problems = []
    if entry and entry["version"] == question.spec.version and entry["digest"] != question.digest:
        problems.append(
            f"its files changed since version {question.spec.version} was recorded: "
            f"set `version: {question.spec.version + 1}`, then run `grader validate {question.id} --record`"
        )
    if entry and entry["version"] > question.spec.version:
        problems.append(f"version {entry['version']} was recorded before, found version {question.spec.version}")
    return Finding(claim="What changed has a version of its own", problems=problems)


def is_kept(question: Question) -> bool:
    """Whether these very files were proven in full."""
    entry = read(path_of(question)).get(question.id)
    return entry == {"version": question.spec.version, "digest": question.digest}


def keep(question: Question, proof: Proof) -> None:
    """Record a question that was proven."""
    path = path_of(question)
    entries = {**read(path), question.id: {"version": proof.version, "digest": proof.digest}}
    fresh = path.with_suffix(".new")
    fresh.write_text(json.dumps(dict(sorted(entries.items())), indent=2) + "\n", "utf-8")
    os.replace(fresh, path)  # noqa: PTH105 - all or nothing


def path_of(question: Question) -> Path:
    """Where the record of a question's bank is kept."""
    return question.folder.parent / NAME


def read(path: Path) -> dict[str, dict[str, Any]]:
    """The record; empty where there is none.

    Raises:
        QuestionError: it is not one.
    """
    if not path.is_file():
        return {}
    try:
        entries = json.loads(path.read_text("utf-8"))
        wanted: dict[str, dict[str, Any]] = {
            str(id): {"version": int(entry["version"]), "digest": str(entry["digest"])} for id, entry in entries.items()
        }
    except (ValueError, TypeError, KeyError, AttributeError):
        raise QuestionError(
            "the record of proven questions can't be read",
            where=str(path),
            expected='{"id": {"version": 1, "digest": "…"}}',
            next_step="Restore it, or delete it and record the questions again.",
        ) from None
    return wanted
