"""The level of a written answer: a pure function of the observables that a person ticked, and nothing else.

There are four levels and no middle one, so that whoever marks has to lean to one side.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from enum import StrEnum
from typing import Annotated, Final, Literal, Self

from pydantic import Field, model_validator

from grader.parts import Id, Part, Words
from grader.specfile import Misfit


class Level(StrEnum):
    """How much of what was asked an answer shows, the least first."""

    NOT_SHOWN = "not shown"
    WEAK = "weak"
    SOLID = "solid"
    STRONG = "strong"

    @property
    def rank(self) -> int:
        """0 to 3, for order; not a score."""
        return list(Level).index(self)


class Observable(Part):
    """One atomic point of an answer that a person ticks, or leaves."""

    id: Id
    says: Words = Field(description="The point, as one sentence that is either in the answer or not.")
    kind: Literal["required", "optional", "negative"] = Field(
        default="required", description="A negative one is a mistake: ticking it lowers the level."
    )
    terms: list[Words] = Field(default=[], description="Words to highlight in the answer while it is marked.")


class Needs(Part):
    """What has to be ticked for a level: at least so many required and optional ones, at most so many negative ones."""

    required: Annotated[int, Field(ge=0)] | Literal["all"] = 0
    optional: int = Field(default=0, ge=0)
    negative: int = Field(default=0, ge=0, description="How many negative ones it puts up with.")

    def holds(self, observables: Sequence[Observable], ticked: Collection[str]) -> bool:
        """Whether what is ticked is enough."""
        count = {kind: sum(each.kind == kind and each.id in ticked for each in observables) for kind in KINDS}
        wanted = _of(observables, "required") if self.required == "all" else self.required
        return count["required"] >= wanted and count["optional"] >= self.optional and count["negative"] <= self.negative

    def told(self) -> str:
        """In words, as `every required point, at least 1 optional point and no negative one`."""
        parts = []
        if self.required == "all":
            parts.append("every required point")
        elif self.required:
            parts.append(f"at least {self.required} required point{'s' * (self.required > 1)}")
        if self.optional:
            parts.append(f"at least {self.optional} optional point{'s' * (self.optional > 1)}")
        parts.append(f"at most {self.negative} negative" if self.negative else "no negative one")
        return f"{', '.join(parts[:-1])} and {parts[-1]}" if len(parts) > 1 else parts[0]


class Levels(Part):
    """What each level needs, the highest first that holds; below them all an answer shows nothing."""

    strong: Needs = Needs(required="all", optional=1)
    solid: Needs = Needs(required="all")
    weak: Needs = Needs(required=1, negative=1)

    @model_validator(mode="after")
    def _in_order(self) -> Self:
        if self.strong == self.solid or self.solid == self.weak:
            raise Misfit("two levels need the same, so the lower one is never given")
        return self

    def of(self, observables: Sequence[Observable], ticked: Collection[str]) -> Level:
        """The level of an answer in which these observables were ticked."""
        for level, needs in self.steps:
            if needs.holds(observables, ticked):
                return level
        return Level.NOT_SHOWN

    @property
    def steps(self) -> list[tuple[Level, Needs]]:
        """Levels with what they need, the highest first."""
        return [(Level.STRONG, self.strong), (Level.SOLID, self.solid), (Level.WEAK, self.weak)]

    def told(self) -> list[str]:
        """The whole function in words, a line for each level."""
        return [*(f"{level}: {needs.told()}" for level, needs in self.steps), f"{Level.NOT_SHOWN}: anything else"]


KINDS: Final = ("required", "optional", "negative")


def reachable(levels: Levels, observables: Sequence[Observable]) -> None:
    """Raise a Misfit where a level asks for more points than there are."""
    for level, needs in levels.steps:
        for kind, wanted in (("required", needs.required), ("optional", needs.optional)):
            there = _of(observables, kind)
            if wanted != "all" and wanted > there:
                raise Misfit(
                    f"{level} needs {wanted} {kind} point{'s' * (wanted > 1)}, and there {_are(there)}",
                    "levels",
                    level.value,
                    kind,
                )
    if not levels.weak.required and not levels.weak.optional:
        raise Misfit("weak needs at least one point", "levels", "weak")


def _of(observables: Sequence[Observable], kind: str) -> int:
    return sum(each.kind == kind for each in observables)


def _are(count: int) -> str:
    return {0: "is none", 1: "is 1"}.get(count, f"are {count}")
