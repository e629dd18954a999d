"""Code that never runs, made of the names that the reference and its mutants use.

Which names, operations and arguments stand in a function tells one mutant from another without calling it. With decoys
in it any function may mention any of them, so that such a look tells nothing.
"""

from __future__ import annotations

import ast
import random
from collections.abc import Callable, Iterable, Sequence
from itertools import chain, count
from typing import Final

NEVER: Final = (
    "if {low} > {high}:\n    {name} = {what}",
    "{name} = {low} > {high} and {what}",
    "{name} = {what} if {low} > {high} else {low}",
    "while {low} > {high}:\n    {name} = {what}",
)
OPERATIONS: Final = ("+", "-", "*", "/", "//", "%", "**", "@", "<", "<=", "==", "!=", ">", "and", "or")
NUMBERS: Final = ("0", "1", "2", "3")  # which code holds for reasons of its own
MOST_TIMES: Final = 3  # that one decoy or another mentions a thing
LONGEST: Final = 6  # names in an expression


def mentioned(texts: Iterable[str]) -> list[str]:
    """The dotted names that any of the texts reads, sorted; of a text that is not Python none."""
    found: set[str] = set()
    for text in texts:
        try:
            nodes = ast.walk(ast.parse(text))
        except SyntaxError:
            continue
        found.update(
            ast.unparse(node) for node in nodes if isinstance(node, ast.Name | ast.Attribute) and _dotted(node)
        )
    return sorted(found)


def _dotted(node: ast.expr) -> bool:
    while isinstance(node, ast.Attribute):
        node = node.value
    return isinstance(node, ast.Name)


def decoys(names: Sequence[str], draw: Callable[[], str], rng: random.Random) -> list[ast.stmt]:
    """Statements whose expressions are never evaluated, and which mention each name and each operation at least once.

    Args:
        names: what is mentioned.
        draw: gives a variable that nothing else has.
        rng: what they are drawn from.
    """
    words = [*names, *NUMBERS] * MOST_TIMES
    rng.shuffle(words)
    words = [*names, *NUMBERS, *words[: rng.randrange(len(words))]]
    rng.shuffle(words)
    operations = chain.from_iterable(rng.sample(OPERATIONS, len(OPERATIONS)) for _ in count())
    made = []
    mentioned = 0
    while words or mentioned < len(OPERATIONS):
        size = rng.randrange(2, LONGEST)
        group, words = words[:size], words[size:]
        what = rng.choice(names or ("len",))  # two numbers would be computed as it is compiled
        for word in group or NUMBERS:
            mentioned += 1
            what = f"({what} {next(operations)} {_reached(word, rng)})"
        low = rng.randrange(256, 1 << 16)
        text = rng.choice(NEVER).format(name=draw(), low=low, high=low + rng.randrange(1, 1 << 16), what=what)
        made += ast.parse(text).body
    return made


def _reached(word: str, rng: random.Random) -> str:
    """A name, its call or an item of it; a number as it is."""
    form = "{0}" if word in NUMBERS else rng.choice(("{0}", "{0}", "{0}({1})", "{0}[{1}]"))
    return form.format(word, rng.choice(NUMBERS))
