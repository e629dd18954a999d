"""changes.json: what a regrade found, kept with its page until a candidate is removed from both."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Final, Literal

from pydantic import ValidationError

from grader import inert
from grader.errors import CallError
from grader.regrade.changes import Change, Part
from grader.render import files
from grader.results import places

NAME: Final = "changes.json"
PAGE: Final = "changes.html"
SCHEMA: Final = "takehome-grader/changes/1"


class Version(Part):
    """A question as it was graded with: its version and digest, and the environment."""

    version: int
    digest: str
    environment: dict[str, str]


class Record(Part):
    """What a regrade found.

    Attributes:
        question: its id, and `title` its title as it is now.
        before: what most of the old reports were made with.
        after: what the new ones were made with.
        changes: every submission that has both reports, in the order of the ledger, changed or not.
        rubrics: texts whose rubric is another one now.
        troubles: those without a new report or a readable old one, by name, and why.
        stopped: why grading ended early; empty if it did not.
        history: where the old reports are, relative to RESULTS; empty while nothing has been applied.
    """

    schema_: Literal["takehome-grader/changes/1"] = SCHEMA
    question: str
    title: str
    before: Version
    after: Version
    changes: list[Change]
    rubrics: list[str]
    troubles: dict[str, str]
    stopped: str = ""
    history: str = ""

    @property
    def changed(self) -> list[Change]:
        """The submissions that changed."""
        return [change for change in self.changes if change.changed]

    @property
    def same(self) -> list[Change]:
        """Those that did not."""
        return [change for change in self.changes if not change.changed]

    @property
    def differences(self) -> list[str]:
        """What the environment differs in, as `torch 2.12.0 → 2.13.0`."""
        old, new = self.before.environment, self.after.environment
        names = [name for name in {**old, **new} if old.get(name) != new.get(name)]
        return [f"{name} {old.get(name, 'none')} → {new.get(name, 'none')}" for name in names]

    def to_json(self) -> str:
        """The text of changes.json."""
        body = self.model_dump(mode="json")
        return json.dumps({"schema": body.pop("schema_"), **body}, indent=2, ensure_ascii=False) + "\n"

    def write(self, folder: Path) -> Path:
        """Write changes.json and changes.html into the folder of the regrade, and return the page."""
        from grader.render import regrade as render

        files.replace(folder / NAME, inert.json_text(self.to_json()))
        return files.replace(folder / PAGE, render.page(self))


def read(folder: Path) -> Record | None:
    """The record of a regrade's folder; None where there is none.

    Raises:
        CallError: it is damaged.
    """
    path = folder / NAME
    if not path.is_file():
        return None
    try:
        fields = json.loads(path.read_bytes())
        return Record.model_validate({"schema_": fields.pop("schema"), **fields})
    except (OSError, ValueError, KeyError, TypeError, AttributeError, ValidationError) as error:
        raise CallError(
            "this record of a regrade can't be read",
            where=str(path),
            found=inert.short(str(error).split("\n")[0], 120),
            next_step="Remove it, and run the same `grader regrade` again.",
        ) from None


def forget(results: Path, name: str) -> None:
    """Take a submission out of every record and page of a regrade; they are written anew.

    Raises:
        CallError: a record is damaged, or can't be written.
    """
    for folder in places.rounds(results):
        found = read(folder)
        if found is not None:
            changes = [change for change in found.changes if change.name != name]
            troubles = {who: why for who, why in found.troubles.items() if who != name}
            found.model_copy(update={"changes": changes, "troubles": troubles}).write(folder)
