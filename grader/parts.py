"""What the models of a spec have in common: unknown keys are errors, nothing changes after loading, ids are plain."""

from __future__ import annotations

import difflib
from typing import Annotated, Final

from pydantic import BaseModel, ConfigDict, Field

from grader.specfile import Misfit

ID_PATTERN: Final = r"^[a-z][a-z0-9_]*(-[a-z0-9_]+)*$"

Id = Annotated[str, Field(pattern=ID_PATTERN, max_length=64)]
Words = Annotated[str, Field(min_length=1, max_length=4000)]


class Part(BaseModel):
    """A part of a spec: unknown keys are errors, and nothing changes after loading."""

    model_config = ConfigDict(extra="forbid", frozen=True)


def known(ids: list[str], among: list[str], kind: str, *location: str | int) -> None:
    """Raise a Misfit for the first id that is not among the known ones."""
    for id in ids:
        if id not in among:
            close = difflib.get_close_matches(id, among, n=1)
            hint = f"the closest is {close[0]!r}" if close else f"there is {', '.join(among) or 'none'}"
            raise Misfit(f"{id!r} is not {kind}; {hint}", *location)


def once(ids: list[str], what: str, *location: str | int, name: str = "id") -> None:
    """Raise a Misfit for the first id that was there before; `location` is the list's."""
    for place, id in enumerate(ids):
        if id in ids[:place]:
            raise Misfit(f"the {what} {id!r} is there twice", *location, place, name)
