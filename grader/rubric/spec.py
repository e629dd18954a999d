"""The written answers that a spec asks for: facts that a machine checks, and texts that a person marks."""

from __future__ import annotations

import hashlib
import json
from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from grader.parts import Id, Part, Words, known, once
from grader.rubric import levels
from grader.rubric.levels import Level, Levels, Observable
from grader.specfile import Misfit


class KnownWrong(Part):
    """A wrong answer that interviewers hear, and what to say to it.

    Where `ticks` are written, they are what a person ticks in it, and `level` what they come to: a rubric that can't
    tell a known wrong answer from a right one is an error of the spec.
    """

    says: Words
    rebuttal: Words
    ticks: list[Id] = Field(default=[], description="The observables that a person ticks in it.")


class AcceptedInteger(Part):
    """Another value that is accepted, with a note on why."""

    value: int
    note: Words


class Fact(Part):
    """What every machine-checked answer has."""

    id: Id
    criterion: Id = Field(description="The criterion that the answer decides.")
    prompt: Words


class IntegerAnswer(Fact):
    """One integer, compared exactly."""

    kind: Literal["integer"]
    expected: int
    accepted: list[AcceptedInteger] = Field(default=[])


class AcceptedNumber(Part):
    """Another value that is accepted within the same tolerance, with a note on why."""

    value: float = Field(allow_inf_nan=False)
    note: Words


class NumberAnswer(Fact):
    """One number, right within a tolerance, in a unit."""

    kind: Literal["number"]
    expected: float = Field(allow_inf_nan=False, description="In `unit`.")
    tolerance: float = Field(ge=0, allow_inf_nan=False, description="The largest error that is right, in `unit`.")
    unit: str = Field(default="", max_length=40, description="What the number counts; empty for a bare number.")
    units: dict[str, float] = Field(
        default={}, description="Other units that may be written, each with its size in `unit`, as `ms: 0.001`."
    )
    accepted: list[AcceptedNumber] = Field(default=[])

    @model_validator(mode="after")
    def _units(self) -> Self:
        if self.units and not self.unit:
            raise Misfit("there are other units, but none that `expected` is in", "units")
        for name, size in self.units.items():
            if name == self.unit or not 0 < size < float("inf"):
                raise Misfit("another unit has another name, and a size above zero", "units", name)
        return self


class Choice(Part):
    """One thing to choose."""

    id: Id
    says: Words


class ChoiceAnswer(Fact):
    """One of several, by its id."""

    kind: Literal["choice"]
    choices: list[Choice] = Field(min_length=2)
    expected: Id

    @model_validator(mode="after")
    def _resolves(self) -> Self:
        ids = [each.id for each in self.choices]
        once(ids, "choice", "choices")
        known([self.expected], ids, "a choice", "expected")
        return self


class TextAnswer(Part):
    """An answer that a person marks by ticking observables. The machine gives it no mark."""

    id: Id
    kind: Literal["text"]
    level: Words = Field(description="Whom it is for, as `L2 Working` or `L3 Senior`.")
    roles: list[Words] = Field(default=[], description="The roles that it tells most about.")
    prompt: Words
    expected: Words
    observables: list[Observable] = Field(default=[], max_length=5)
    levels: Levels = Levels()
    known_wrong: list[KnownWrong] = Field(default=[])

    @model_validator(mode="after")
    def _tells_apart(self) -> Self:
        ids = [each.id for each in self.observables]
        once(ids, "observable", "observables")
        if self.observables:
            if len(ids) < 2:
                raise Misfit("one observable is no rubric; write two to five", "observables")
            levels.reachable(self.levels, self.observables)
        for place, wrong in enumerate(self.known_wrong):
            known(wrong.ticks, ids, "an observable", "known_wrong", place, "ticks")
            if wrong.ticks and self.level_of(wrong.ticks).rank >= Level.SOLID.rank:
                raise Misfit(
                    f"a known wrong answer comes to {self.level_of(wrong.ticks)}", "known_wrong", place, "ticks"
                )
        return self

    def level_of(self, ticked: list[str]) -> Level:
        """The level of an answer in which these observables were ticked."""
        return self.levels.of(self.observables, ticked)

    @property
    def rubric(self) -> str:
        """The first 12 hexadecimal digits of a SHA-256 over all that a mark depends on."""
        parts = self.model_dump(mode="json", include={"prompt", "observables", "levels"})
        return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()[:12]


FactAnswer = IntegerAnswer | NumberAnswer | ChoiceAnswer

Answer = Annotated[IntegerAnswer | NumberAnswer | ChoiceAnswer | TextAnswer, Field(discriminator="kind")]
