"""Which choices: drawn from a seed, said by hand, or those that show every choice once."""

from __future__ import annotations

import difflib
import hashlib
import json
from collections.abc import Mapping
from typing import Final

from grader import inert
from grader.errors import CallError
from grader.question import Question
from grader.variants import formula
from grader.variants.formula import Value
from grader.variants.spec import Choices, Variants

DEFAULT: Final = "default"


def drawn(variants: Variants, question: str, seed: str, code: str = "") -> Choices:
    """The choices of a seed: always the same, and each variant as likely as another.

    Args:
        variants: what there is.
        question: the question's id.
        seed: any text.
        code: a candidate's code name, so that each gets a variant of their own; empty for one packet.
    """
    digest = hashlib.sha256(json.dumps([question, seed, code]).encode()).digest()
    return variants.offered[int.from_bytes(digest) % len(variants.offered)]


def wanted(question: Question, said: str, code: str = "") -> Choices:
    """The choices that an option `--variant` names: `default`, `max_len=2048,d_model=1024`, or a seed.

    Raises:
        CallError: the question has no variants, or none like this.
    """
    variants = offered(question)
    if said == DEFAULT:
        return variants.default
    if "=" not in said:
        return drawn(variants, question.id, said, code)
    choices = dict(variants.default)
    for part in said.split(","):
        name, _, text = (piece.strip() for piece in part.partition("="))
        if name not in choices:
            raise _no_such("there is no such choice in the question's variants", name, list(choices))
        values = {_spelled(each): each for each in variants.choices[name]}
        if text not in values:
            raise _no_such(f"{name} has no such choice", text, list(values))
        choices[name] = values[text]
    return known(question, choices)


def known(question: Question, choices: Mapping[str, Value]) -> Choices:
    """These choices, as the question has them.

    Raises:
        CallError: the question has no such variant.
    """
    variants = offered(question)
    found = next((each for each in variants.offered if each == choices), None)
    if found is None:
        raise CallError(
            f"{question.id} has no such variant",
            found=inert.short(formula.told(choices), 200),
            expected="; ".join(
                f"{name} {' or '.join(map(_spelled, values))}" for name, values in variants.choices.items()
            ),
            next_step=f"Only variants with {variants.only} are offered." if variants.only else None,
        )
    return found


def offered(question: Question) -> Variants:
    """The variants of a question; a CallError if it has none."""
    if question.spec.variants is None:
        raise CallError("this question has no variants", found=question.id, next_step="Leave --variant out.")
    return question.spec.variants


def covering(variants: Variants) -> list[Choices]:
    """Few variants, the default first, in which each choice of each parameter appears at least once."""
    missing = {(name, value) for name, values in variants.choices.items() for value in values}
    taken = [variants.default]
    missing -= set(variants.default.items())
    while missing:
        best = max(variants.offered, key=lambda choices: len(missing & set(choices.items())))
        taken.append(best)
        missing -= set(best.items())
    return taken


def _spelled(value: Value) -> str:
    return f"{value:.12g}" if type(value) is float else str(value)


def _no_such(what: str, found: str, among: list[str]) -> CallError:
    close = difflib.get_close_matches(found, among, n=1)
    hint = f"Did you mean {close[0]}?" if close else f"There is {', '.join(among)}."
    return CallError(what, found=inert.short(found, 60) or "nothing", next_step=hint)
