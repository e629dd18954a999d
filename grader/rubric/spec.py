"""The written answers that a spec asks for: facts that a machine checks, and texts that a person marks."""

from __future__ import annotations

import hashlib
import json
from abc import abstractmethod
from collections.abc import Collection
from fractions import Fraction
from typing import Annotated, Final, Literal, Self

from pydantic import Field, model_validator

from grader.parts import Id, Part, Words, known, once
from grader.rubric import numerals
from grader.rubric.choosing import alike
from grader.rubric.levels import LEAST, MOST, Level, Levels, Observable, check
from grader.rubric.written import Form
from grader.specfile import Misfit

EXAMPLE: Final = -123
NOTHING: Final = "null"  # the one id that YAML takes for nothing


class KnownWrong(Part):
    """A wrong answer that interviewers hear, and what to say to it.

    Where `ticks` are written, they are what a person ticks in it: a rubric by which a known wrong answer comes to
    solid or strong is an error of the spec.
    """

    says: Words
    rebuttal: Words
    ticks: list[Id] = Field(default=[], description="The observables that a person ticks in it.")


class Fact(Part):
    """What every machine-checked answer has."""

    id: Id
    criterion: Id = Field(description="The criterion that the answer decides.")
    prompt: Words

    @property
    @abstractmethod  # pydantic's metaclass knows it: a kind without a form can't be made
    def asked(self) -> Form:
        """What has to be written, for those who read it."""

    def told(self, read: str) -> str:
        """A value that was read, for people."""
        return self.asked.told(read)


class AcceptedInteger(Part):
    """Another value that is accepted, with a note on why."""

    value: int
    note: Words


class IntegerAnswer(Fact):
    """One integer, compared exactly."""

    kind: Literal["integer"]
    expected: int
    accepted: list[AcceptedInteger] = Field(default=[])

    @property
    def form(self) -> str:
        """What has to be written, in words that don't hold the expected value."""
        right = {self.expected, *(each.value for each in self.accepted)}
        return "an integer" if EXAMPLE in right else f"an integer such as {EXAMPLE}"

    @property
    def asked(self) -> Form:
        """What has to be written, for those who read it."""
        return Form(self.id, self.kind, self.form)

    @property
    def right(self) -> str:
        """The right answer, for interviewers."""
        return self.told(str(self.expected))


class AcceptedNumber(Part):
    """Another value that is accepted within the same tolerance, with a note on why."""

    value: float = Field(allow_inf_nan=False)
    note: Words


class NumberAnswer(Fact):
    """One number, right within a tolerance, in a unit that may be written or left out."""

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
        for name in self.sizes:
            if not _is_unit(name):
                where = ["units", name] if name in self.units else ["unit"]
                raise Misfit("a unit has to be told from the number before it", *where)
        return self

    @model_validator(mode="after")
    def _accepts_another(self) -> Self:
        for place, each in enumerate(self.accepted):
            if self.are_near(exact(each.value), exact(self.expected)):
                raise Misfit("this is right within the tolerance already", "accepted", place, "value")
        return self

    @property
    def sizes(self) -> dict[str, Fraction]:
        """Every unit that may be written, with its size in `unit`; none for a bare number."""
        own = {self.unit: Fraction(1)} if self.unit else {}
        return own | {name: exact(size) for name, size in self.units.items()}

    @property
    def form(self) -> str:
        """What has to be written, in words that don't hold the expected value."""
        return f"one number in {' or '.join(self.sizes)}" if self.unit else "one number"

    def are_near(self, one: Fraction, other: Fraction) -> bool:
        """Whether two values are within the tolerance of each other, in exact arithmetic."""
        return abs(one - other) <= exact(self.tolerance)

    @property
    def asked(self) -> Form:
        """What has to be written, for those who read it."""
        sizes = {name: str(size) for name, size in self.sizes.items()}
        return Form(self.id, self.kind, self.form, self.unit, sizes)

    @property
    def right(self) -> str:
        """The right answer, for interviewers: `0.005 s, give or take 0.001`."""
        right = self.told(numerals.spelled(exact(self.expected)))
        return f"{right}, give or take {numerals.spelled(exact(self.tolerance))}" if self.tolerance else right


class Choice(Part):
    """One thing to choose."""

    id: Id
    says: Words


class ChoiceAnswer(Fact):
    """One of several, by its id or its text."""

    kind: Literal["choice"]
    choices: list[Choice] = Field(min_length=2)
    expected: Id

    @model_validator(mode="after")
    def _resolves(self) -> Self:
        ids = [each.id for each in self.choices]
        once(ids, "choice", "choices")
        known([self.expected], ids, "a choice", "expected")
        forms: dict[str, int] = {}
        for place, each in enumerate(self.choices):
            if each.id == NOTHING:
                raise Misfit("in YAML this is nothing, so nobody can choose it", "choices", place, "id")
            for form in (alike(each.id), alike(each.says)):
                if forms.setdefault(form, place) != place:
                    raise Misfit(f"this reads the same as the choice {ids[forms[form]]!r}", "choices", place, "says")
        return self

    @property
    def says(self) -> dict[str, str]:
        """The text of each choice, by its id."""
        return {each.id: each.says for each in self.choices}

    @property
    def form(self) -> str:
        """What has to be written, in words that don't tell the right choice from the others."""
        return f"one of {', '.join(self.says)}"

    @property
    def asked(self) -> Form:
        """What has to be written, for those who read it."""
        return Form(self.id, self.kind, self.form, choices=self.says)

    @property
    def right(self) -> str:
        """The right answer, for interviewers."""
        return self.told(self.expected)


class TextAnswer(Part):
    """An answer that a person marks by ticking observables. The machine gives it no mark."""

    id: Id
    kind: Literal["text"]
    level: Words = Field(description="Whom it is for, as `L2 Working` or `L3 Senior`.")
    roles: list[Words] = Field(default=[], description="The roles that it tells most about.")
    prompt: Words
    expected: Words
    observables: list[Observable] = Field(
        default=[], max_length=MOST, description="The points that a person ticks: two to five."
    )
    levels: Levels = Field(default=Levels(), description="What each level needs; the default suits most texts.")
    known_wrong: list[KnownWrong] = Field(default=[])

    @model_validator(mode="after")
    def _tells_apart(self) -> Self:
        ids = [each.id for each in self.observables]
        once(ids, "observable", "observables")
        if self.observables:
            if len(ids) < LEAST:
                raise Misfit("one observable is no rubric; write two to five", "observables")
            check(self.levels, self.observables)
        for place, wrong in enumerate(self.known_wrong):
            known(wrong.ticks, ids, "an observable", "known_wrong", place, "ticks")
            if self.level_of(wrong.ticks).rank >= Level.SOLID.rank:
                raise Misfit(
                    f"a known wrong answer comes to {self.level_of(wrong.ticks)}; it may come to weak at most",
                    *("known_wrong", place, "ticks"),
                )
        return self

    @property
    def asked(self) -> Form:
        """What has to be written, for those who read it."""
        return Form(self.id, self.kind)

    def level_of(self, ticked: Collection[str]) -> Level:
        """The level of an answer in which these observables were ticked."""
        return self.levels.of(self.observables, ticked)

    @property
    def rubric(self) -> str:
        """The first 12 hexadecimal digits of a SHA-256 over all that a mark depends on: what is highlighted is not."""
        points = {"__all__": {"id", "says", "kind"}}
        parts = self.model_dump(mode="json", include={"prompt": True, "levels": True, "observables": points})
        return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()[:12]


FactAnswer = IntegerAnswer | NumberAnswer | ChoiceAnswer

Answer = Annotated[IntegerAnswer | NumberAnswer | ChoiceAnswer | TextAnswer, Field(discriminator="kind")]


def exact(number: float) -> Fraction:
    """A float as the decimal that it was written as: 0.1 is a tenth."""
    return Fraction(repr(number))


def _is_unit(name: str) -> bool:
    """Whether a unit is read as such, right behind a number and after a space."""
    try:
        found = [numerals.quantity(f"12{space}{name}", {name: Fraction(1)}) for space in ("", " ")]
    except numerals.Unread:
        return False
    return found == [numerals.Quantity(Fraction(12), name)] * 2
