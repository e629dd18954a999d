"""manifest.json and codes.json: which question the results are of, how long they may be kept, and who is who."""

from __future__ import annotations

import json
from collections.abc import Collection
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any, Final, Literal

from pydantic import BaseModel, ConfigDict, ValidationError

from grader import inert
from grader.errors import CallError
from grader.render import files
from grader.results import ledger
from grader.results.codenames import is_code

NAME: Final = "manifest.json"
CODES: Final = "codes.json"
SCHEMA: Final = "takehome-grader/results/1"
KEPT_DAYS: Final = 180
PRIVATE: Final = 0o600  # who is who is not for everybody on the machine


class Manifest(BaseModel):
    """What a results folder is.

    Attributes:
        question: the id of the question that was graded.
        version: its version, and `digest` its files', when this was last graded.
        created: the day of the first grading.
        retain_until: the day after which `grader purge --due` removes what candidates sent.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    schema_: Literal["takehome-grader/results/1"] = SCHEMA
    question: str
    version: int
    digest: str
    created: date
    retain_until: date

    def write(self, folder: Path) -> None:
        """Write it into the folder."""
        body = self.model_dump(mode="json")
        text = json.dumps({"schema": body.pop("schema_"), **body}, indent=2) + "\n"
        files.replace(folder / NAME, text)


def today() -> date:
    """The day, in UTC, so that it is the same on every machine of a team."""
    return datetime.now(UTC).date()


def renewed(
    folder: Path, question: str, version: int, digest: str, retain_until: date | None, kept_days: int = KEPT_DAYS
) -> Manifest:
    """The manifest of a folder that is about to be graded into; it is written, too.

    Args:
        folder: the folder.
        question: the id of the question that it is graded with, `version` its version, `digest` its files'.
        retain_until: the last day on which what was sent may be kept; None for what was said before.
        kept_days: how long that is from the first grading, where nobody ever said.

    Raises:
        CallError: the folder holds results of another question.
    """
    old = read(folder) if (folder / NAME).is_file() else None
    if old is not None and old.question != question:
        raise CallError(
            "this folder holds results of another question",
            where=str(folder),
            found=old.question,
            expected=question,
            next_step="Name another --out.",
        )
    created = old.created if old else today()
    until = retain_until or (old.retain_until if old else created + timedelta(days=kept_days))
    manifest = Manifest(question=question, version=version, digest=digest, created=created, retain_until=until)
    if manifest != old:
        manifest.write(folder)
    return manifest


def unchanged(folder: Path, version: int, digest: str) -> None:
    """Make sure that a folder holds no results of the question as it was before it changed.

    Raises:
        CallError: it does; grading into it would replace them without a word.
    """
    old = read(folder) if (folder / NAME).is_file() else None
    if old is not None and old.digest != digest and ledger.read(folder / ledger.NAME):
        raise CallError(
            "the question has changed since these results were graded",
            where=str(folder),
            found=f"version {old.version}, digest {old.digest[:12]}",
            expected=f"version {version}, digest {digest[:12]}",
            next_step="`grader regrade` says who would change, before anything is replaced; or name another --out.",
        )


def read(folder: Path) -> Manifest:
    """The manifest of a results folder.

    Raises:
        CallError: there is none, or it is not one.
    """
    fields = _object(folder / NAME)
    try:
        return Manifest.model_validate({"schema_": fields.pop("schema", None), **fields})
    except ValidationError as error:
        first = error.errors()[0]
        found = f"{'.'.join(map(str, first['loc']))}: {first['msg']}"
        raise CallError("this is no manifest of results", where=str(folder / NAME), found=found) from None


def read_codes(folder: Path) -> dict[str, str]:
    """The code name of each submission; none where nothing was graded."""
    path = folder / CODES
    codes = _object(path) if path.exists() else {}
    for name, code in codes.items():
        if not isinstance(code, str) or not is_code(code):
            raise CallError("this is no code name", where=str(path), found=inert.short(f"{name}: {code}", 100))
    if len(set(codes.values())) < len(codes):
        raise CallError("two submissions have one code name", where=str(path), next_step="Restore the file.")
    return codes


def refuse_lost_codes(folder: Path, graded: Collection[object]) -> None:
    """Make sure that what was graded has its code names: new ones would cut it off from its marks without a word.

    Raises:
        CallError: something was graded, and the file of code names is gone.
    """
    path = folder / CODES
    if graded and not path.exists():
        raise CallError(
            "the code names of these results are lost",
            where=inert.line(str(path)),
            found="no file, and marks and pages know candidates by code name",
            next_step="Restore the file, or grade into another --out.",
        )


def write_codes(folder: Path, codes: dict[str, str]) -> None:
    """Write the code names."""
    files.replace(folder / CODES, json.dumps(codes, indent=2, sort_keys=True) + "\n").chmod(PRIVATE)


def _object(path: Path) -> dict[str, Any]:
    try:
        fields = json.loads(path.read_bytes())
    except FileNotFoundError:
        raise CallError(
            "this is no results folder",
            where=str(path.parent),
            expected=f"a folder that `grader batch --out` wrote, with {path.name}",
        ) from None
    except (OSError, ValueError, RecursionError) as error:
        raise CallError("this file of results can't be read", where=str(path), found=str(error)) from None
    if not isinstance(fields, dict):
        raise CallError("this file of results can't be read", where=str(path), found="no JSON object")
    return fields
