"""The block `variants` of question.yaml: the choices that parameters have, and what in the files follows them.

    variants:
      choices:
        max_len: [1024, 2048]
        d_model: [768, 1024]
      only: max_len != d_model
      literals:
        - {text: "1024", follows: max_len, stands: {prompt.md: 2}}
        - {text: "786,432", follows: max_len * d_model, form: "{:,}", stands: {solutions/answers.yaml: 1}}
        - {text: the size of GPT-2 small, instead: the shape of GPT-2 small, stands: {prompt.md: 1}}
        - {text: "1024, 16", stands: {hidden/probes.py: 1}}

The first of its choices is what the files say of a parameter, and each formula has to give what stands there, so the
default is the files as they are.
"""

from __future__ import annotations

import itertools
import keyword
from collections.abc import Callable, Mapping
from functools import cached_property, partial
from typing import Annotated, Final, Self

from pydantic import Field, model_validator
from pydantic.json_schema import SkipJsonSchema

from grader.parts import Part, Words
from grader.specfile import Misfit
from grader.variants import formula
from grader.variants.formula import Value

MOST: Final = 4096  # variants of a question; each is looked at when the spec is loaded

Choices = dict[str, Value]


class Literal(Part):
    """Something that stands in the files, and what stands there in a variant; without either it stays as it is."""

    text: Annotated[str, Field(min_length=1, max_length=200)] = Field(description="What stands in the files, exactly.")
    follows: str = Field(default="", description='The formula that gives it, such as "max_len * d_model".')
    form: str = Field(default="{}", description='How its value is written, as Python formats it: "{:,}", "{:.3e}".')
    instead: Words | SkipJsonSchema[None] = Field(
        default=None, description="What stands there in every variant but the default."
    )
    stands: dict[str, Annotated[int, Field(ge=1)]] = Field(
        min_length=1,
        description="How often it stands in each file; solutions/… for those of the solutions, and * for any name.",
    )

    @property
    def is_number(self) -> bool:
        """Whether the value is written out, and nothing beside it."""
        return bool(self.follows) and self.form.startswith("{") and self.form.endswith("}")

    def now(self, choices: Mapping[str, Value], *, default: bool) -> str:
        """What stands in its place with these choices."""
        if self.follows:
            return formula.written(formula.values(self.follows, choices), self.form)
        return self.text if default or self.instead is None else self.instead


class Variants(Part):
    """What of a question can be chosen, and what follows."""

    choices: dict[str, Annotated[list[Value], Field(min_length=2, max_length=64)]] = Field(
        min_length=1, description="The values of each parameter, the one that the files have first."
    )
    only: str = Field(default="", description='What has to hold of the choices, such as "max_len != d_model".')
    literals: list[Literal] = Field(min_length=1, description="What stands in the files and follows the choices.")

    @model_validator(mode="after")
    def _fits(self) -> Self:
        for name, values in self.choices.items():
            if not name.isidentifier() or keyword.iskeyword(name):
                raise Misfit(f"{name!r} can't be a name in a formula", "choices", name)
            if name in formula.RESERVED:
                raise Misfit(f"{name!r} means something else in a formula", "choices", name)
            if len({(type(each), each) for each in values}) < len(values):
                raise Misfit("a choice is there twice", "choices", name)
        total = 1
        for values in self.choices.values():
            total *= len(values)
        if total > MOST:
            raise Misfit(f"these are {total:,} variants, expected at most {MOST:,}", "choices")
        self._choices_are_open()
        self._literals_follow()
        return self

    def _choices_are_open(self) -> None:
        _located(lambda: self.offered, "only")
        if self.default not in self.offered:
            raise Misfit(f"it rules out the default, {formula.told(self.default)}", "only")
        for name, values in self.choices.items():
            for place, each in enumerate(values):
                if not any(choices[name] == each for choices in self.offered):
                    raise Misfit("`only` rules this choice out", "choices", name, place)
        if len(self.offered) < 2:
            raise Misfit("there is no variant beside the default", "only")

    def _literals_follow(self) -> None:
        for place, literal in enumerate(self.literals):
            if literal.text in [each.text for each in self.literals[:place]]:
                raise Misfit("this text is there twice", "literals", place, "text")
            if literal.follows and literal.instead is not None:
                raise Misfit("a literal follows a formula, or has a text instead; this has both", "literals", place)
            if literal.form != "{}" and not literal.follows:
                raise Misfit("a form is for what follows a formula", "literals", place, "form")
            _located(partial(self._of, literal), "literals", place, "follows")
        followed = {name for literal in self.literals if literal.follows for name in formula.names(literal.follows)}
        for name in self.choices:
            if name not in followed:
                raise Misfit("no literal follows it, so that its choices change nothing", "choices", name)

    def _of(self, literal: Literal) -> None:
        """Raise a Misfit unless a literal has a text in every variant, and in the default the one that is there."""
        texts = [literal.now(choices, default=choices == self.default) for choices in self.offered]
        found = literal.now(self.default, default=True)
        if found != literal.text:
            raise Misfit(f"with {formula.told(self.default)} it is {found!r}, and the text is {literal.text!r}")
        if literal.follows and len(set(texts)) == 1:
            raise Misfit("it is the same in every variant")

    @property
    def default(self) -> Choices:
        """What stands in the files."""
        return {name: values[0] for name, values in self.choices.items()}

    @cached_property
    def offered(self) -> list[Choices]:
        """Every variant that may be sent, the default first."""
        every = (dict(zip(self.choices, each, strict=True)) for each in itertools.product(*self.choices.values()))
        return [choices for choices in every if not self.only or all(formula.values(self.only, choices))]


def _located(work: Callable[[], object], *location: str | int) -> None:
    try:
        work()
    except Misfit as misfit:
        raise Misfit(str(misfit), *location, *misfit.location) from None
