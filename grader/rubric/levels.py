"""The level of a written answer: a pure function of the observables that a person ticked, and nothing else.

There are four levels and no middle one, so that whoever marks has to lean to one side. Each level is a number of
points to reach and of mistakes to stay within, so one more point never lowers a level and one more mistake never
raises it. `check` holds a spec to that, and to levels that can all be reached.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from enum import StrEnum
from itertools import pairwise, product
from typing import Annotated, Any, Final, Literal

from pydantic import Field, field_validator

from grader.parts import Id, Part, Words
from grader.specfile import Misfit

LEAST: Final = 2  # observables of a rubric
MOST: Final = 5
KINDS: Final = ("required", "optional", "negative")
Counts = tuple[int, int, int]  # of required, optional and negative ones


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

    required: Annotated[int, Field(ge=0)] | Literal["all"] = Field(default=0, description="How many, or `all`.")
    optional: int = Field(default=0, ge=0)
    negative: int = Field(default=0, ge=0, description="How many negative ones it puts up with.")

    @field_validator("required", mode="before")
    @classmethod
    def _how_many(cls, required: Any) -> Any:
        if required != "all" and (type(required) is not int or required < 0):
            raise Misfit("expected how many points, or all")
        return required

    def of(self, there: Counts) -> Counts:
        """How many of each kind are needed, or put up with, where so many are there."""
        return there[0] if self.required == "all" else self.required, self.optional, self.negative

    def holds(self, there: Counts, ticked: Counts) -> bool:
        """Whether what is ticked is enough."""
        required, optional, negative = self.of(there)
        return ticked[0] >= required and ticked[1] >= optional and ticked[2] <= negative

    def told(self) -> str:
        """In words, as `every required point, at least 1 optional point and no negative one`."""
        parts = ["every required point"] if self.required == "all" else []
        if self.required != "all" and self.required:
            parts.append(f"at least {_counted(self.required, 'required')}")
        if self.optional:
            parts.append(f"at least {_counted(self.optional, 'optional')}")
        parts.append(f"at most {_counted(self.negative, 'negative')}" if self.negative else "no negative point")
        return f"{', '.join(parts[:-1])} and {parts[-1]}" if len(parts) > 1 else parts[0]


class Levels(Part):
    """What each level needs, the highest first that holds; below them all an answer shows nothing."""

    strong: Needs = Needs(required="all", optional=1)
    solid: Needs = Needs(required="all")
    weak: Needs = Needs(required=1, negative=1)

    def of(self, observables: Sequence[Observable], ticked: Collection[str]) -> Level:
        """The level of an answer in which these observables were ticked; without any observables nothing is shown."""
        return self.at(counts(observables), counts(observables, ticked)) if observables else Level.NOT_SHOWN

    def at(self, there: Counts, ticked: Counts) -> Level:
        """The level for so many ticked of those that are there."""
        return next((level for level, needs in self.steps if needs.holds(there, ticked)), Level.NOT_SHOWN)

    @property
    def steps(self) -> list[tuple[Level, Needs]]:
        """Levels with what they need, the highest first."""
        return [(Level.STRONG, self.strong), (Level.SOLID, self.solid), (Level.WEAK, self.weak)]

    def told(self) -> list[str]:
        """The whole function in words, a line for each level; the first line that fits is the level."""
        return [*(f"{level}: {needs.told()}" for level, needs in self.steps), f"{Level.NOT_SHOWN}: anything else"]


def counts(observables: Sequence[Observable], ticked: Collection[str] | None = None) -> Counts:
    """How many there are of each kind, among the ticked ones if any are named."""
    kinds = [each.kind for each in observables if ticked is None or each.id in ticked]
    return kinds.count("required"), kinds.count("optional"), kinds.count("negative")


def check(levels: Levels, observables: Sequence[Observable]) -> None:
    """Hold the levels against the observables: each one can be reached, and each tick counts in its direction.

    Raises:
        Misfit: a level asks for more than there is or less than the one below it, is never given, is given for
            nothing, or one more tick moves it the wrong way.
    """
    there = counts(observables)
    for level, needs in levels.steps:
        _is_there(level, needs, there)
    for (above, needs), (below, lesser) in pairwise(levels.steps):
        _is_more(above, needs.of(there), below, lesser.of(there))
    if (given := levels.at(there, (0, 0, 0))) is not Level.NOT_SHOWN:
        raise Misfit(f"{given} is given to an answer in which nothing is ticked", "levels", given.value)
    required, optional, negative = (range(count + 1) for count in there)
    every = {ticked: levels.at(there, ticked) for ticked in product(required, optional, negative)}
    for level, _ in levels.steps:
        if level not in every.values():
            raise Misfit(f"{level} is never given, whatever is ticked", "levels", level.value)
    for (r, o, n), level in every.items():
        for kind, one_more in zip(KINDS, ((r + 1, o, n), (r, o + 1, n), (r, o, n + 1)), strict=True):
            more = every.get(one_more, level)
            if (more.rank > level.rank) if kind == "negative" else (more.rank < level.rank):
                raise Misfit(f"one more {kind} point turns {level} into {more}", "levels")


def _is_there(level: Level, needs: Needs, there: Counts) -> None:
    for kind, wanted, count in zip(KINDS[:2], needs.of(there), there, strict=False):
        if wanted > count:
            are = {0: "there is none", 1: "there is 1"}.get(count, f"there are {count}")
            raise Misfit(f"{level} needs {_counted(wanted, kind)}, and {are}", "levels", level.value, kind)


def _is_more(above: Level, needs: Counts, below: Level, lesser: Counts) -> None:
    if needs == lesser:
        raise Misfit(f"{above} needs the same as {below}, so {below} is never given", "levels", below.value)
    for kind, higher, lower in zip(KINDS, needs, lesser, strict=True):
        if kind == "negative" and higher > lower:
            raise Misfit(f"{above} puts up with more than {below}", "levels", above.value, kind)
        if kind != "negative" and higher < lower:
            raise Misfit(f"{above} needs fewer {kind} points than {below}", "levels", above.value, kind)


def _counted(count: int, kind: str) -> str:
    return f"{count} {kind} point{'s' * (count > 1)}"
