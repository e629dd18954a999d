"""A question on the terminal, for the interviewer who is about to use it."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING, Final

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
        f"files {question.folder}",
        f"digest {question.digest}",
        "",
        "A submission defines",
        *(_wrapped(f"{each.name}{each.signature}: {each.gives}", "  ", "    ") for each in spec.defines),
        "",
        "Criteria (* required)",
        *(
            _row(f"{criterion.points:>4g}{'*' if criterion.required else ' '}", criterion.id, criterion.title)
            for criterion in spec.criteria
        ),
        "",
        "Written answers",
        *(_row(f"{answer.kind:<7}", answer.id, " ".join(answer.prompt.split())) for answer in spec.answers),
        "",
        "Mistakes that it knows by name",
        *(
            _row("", mistake.id, f"{mistake.title}. Fails {', '.join(mistake.fails)}")
            for mistake in spec.misconceptions
        ),
    ]
    return "\n".join(lines) + "\n"


def _row(first: str, id: str, words: str) -> str:
    start = f"  {first} {id:<24} " if first else f"  {id:<31} "
    return _wrapped(words, start, " " * len(start))


def _wrapped(words: str, first: str, then: str) -> str:
    return textwrap.fill(words, WIDTH, initial_indent=first, subsequent_indent=then, break_on_hyphens=False)
