"""A question on the terminal, for the interviewer who is about to use it."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING, Final

from grader.render.words import BY_MACHINE
from grader.rubric.levels import KINDS
from grader.rubric.spec import Answer, ChoiceAnswer, FactAnswer, TextAnswer
from grader.variants.spec import Variants

if TYPE_CHECKING:
    from grader.question import Question

WIDTH: Final = 100


def text(question: Question) -> str:
    """The question as plain text, 100 columns wide."""
    spec = question.spec
    points = sum(criterion.points for criterion in spec.criteria)
    lines = [
        f"{spec.title}",
        f"{spec.id} version {spec.version}, {spec.level}, {spec.minutes} minutes, {points:g} points",
        f"for {', '.join(spec.roles)}" if spec.roles else "",
        *(["a draft: it is not proven yet"] if spec.draft else []),
        f"files {question.folder}",
        f"digest {question.digest}",
        "",
        "A submission defines",
        *(_wrapped(f"{each.name}{each.signature}: {each.gives}", "  ", "    ") for each in spec.defines),
        *_variants(spec.variants),
        "",
        "Criteria (* required)",
        *(
            _row(f"{criterion.points:>4g}{'*' if criterion.required else ' '}", criterion.id, criterion.title)
            for criterion in spec.criteria
        ),
        "",
        "Written answers",
        *(line for answer in spec.answers for line in _answer(answer)),
        "",
        "Mistakes that it knows by name",
        *(
            _row("", mistake.id, f"{mistake.title}. Fails {', '.join(mistake.fails)}")
            for mistake in spec.misconceptions
        ),
    ]
    return "\n".join(lines) + "\n"


def _variants(variants: Variants | None) -> list[str]:
    if variants is None:
        return []
    choices = (f"{name}: {', '.join(map(str, values))}" for name, values in variants.choices.items())
    only = f", only with {variants.only}" if variants.only else ""
    return ["", f"Variants, {len(variants.offered)} in all{only}", *(_wrapped(each, "  ", "    ") for each in choices)]


def _answer(answer: Answer) -> list[str]:
    """A fact with what is right, or a text with what a person ticks in it and what the ticks come to."""
    head = _row(f"{answer.kind:<7}", answer.id, _line(answer.prompt))
    return [head, *map(_below, _rubric(answer) if isinstance(answer, TextAnswer) else _fact(answer))]


def _fact(answer: FactAnswer) -> list[str]:
    right = f"{BY_MACHINE}: {answer.right}"
    if isinstance(answer, ChoiceAnswer):
        return [*(f"{id}: {_line(says)}" for id, says in answer.says.items()), right]
    return [right, *(f"accepted: {answer.told(str(each.value))}. {_line(each.note)}" for each in answer.accepted)]


def _rubric(answer: TextAnswer) -> list[str]:
    if not answer.observables:
        return ["no observables, so there is nothing that a person could tick"]
    points = [
        f"{kind:<8}  {each.id}: {_line(each.says)}"
        for kind in KINDS
        for each in answer.observables
        if each.kind == kind
    ]
    return [*points, *answer.levels.told(), f"rubric {answer.rubric}"]


def _below(words: str) -> str:
    return _wrapped(words, " " * 10, " " * 14)


def _line(words: str) -> str:
    return " ".join(words.split())


def _row(first: str, id: str, words: str) -> str:
    start = f"  {first} {id:<24} " if first else f"  {id:<31} "
    return _wrapped(words, start, " " * len(start))


def _wrapped(words: str, first: str, then: str) -> str:
    return textwrap.fill(words, WIDTH, initial_indent=first, subsequent_indent=then, break_on_hyphens=False)
