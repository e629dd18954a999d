"""Formulas: arithmetic on a question's parameters as a spec writes it, such as `max_len * d_model`, and how to write
what comes out."""

from __future__ import annotations

import ast
import math
import re
import string
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from grader.specfile import Misfit

Value = int | float | str | bool
FUNCTIONS: Final[Mapping[str, Callable[..., Any]]] = {
    "round": round,
    "min": min,
    "max": max,
    "sqrt": math.sqrt,
    "log": math.log,
}
CONSTANTS: Final = {"pi": math.pi}
RESERVED: Final = frozenset({*FUNCTIONS, *CONSTANTS})
NODES: Final = (
    ast.Expression, ast.Tuple, ast.BinOp, ast.UnaryOp, ast.BoolOp, ast.Compare, ast.Constant, ast.Name, ast.Call,
    ast.Load, ast.operator, ast.unaryop, ast.boolop, ast.cmpop,
)  # fmt: skip


def values(formula: str, parameters: Mapping[str, Value]) -> tuple[Value, ...]:
    """What a formula comes to: one value, or several where commas part several formulas.

    Args:
        formula: numbers, parameters, `pi`, `+ - * / // % **`, comparisons, `and`, `or`, `not`, and the functions
            round, min, max, sqrt and log.
        parameters: the value of each name.

    Raises:
        Misfit: it is no formula, names what is not there, or has no finite value.
    """
    tree = _parsed(formula, parameters)
    try:
        # Only the nodes above are in it, so there is nothing here that could be reached beyond these names.
        found = eval(compile(tree, "formula", "eval"), {"__builtins__": {}}, {**FUNCTIONS, **CONSTANTS, **parameters})
    except (ArithmeticError, ValueError, TypeError) as error:
        raise Misfit(f"{formula!r} has no value with {told(parameters)} ({error})") from None
    every = found if isinstance(tree.body, ast.Tuple) else (found,)
    for each in every:
        if not isinstance(each, int | float | str) or (isinstance(each, float) and not math.isfinite(each)):
            raise Misfit(f"{formula!r} is no number with {told(parameters)}")
    return tuple(every)


def names(formula: str) -> set[str]:
    """The parameters that a formula looks at."""
    found = {node.id for node in ast.walk(ast.parse(formula, mode="eval")) if isinstance(node, ast.Name)}
    return found - RESERVED


def _parsed(formula: str, parameters: Mapping[str, Value]) -> ast.Expression:
    try:
        tree = ast.parse(formula.strip(), mode="eval")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise Misfit(f'a formula looks like "max_len * d_model", found {formula!r}') from None
    for node in ast.walk(tree):
        if not isinstance(node, NODES) or (isinstance(node, ast.Call) and not _is_plain(node)):
            raise Misfit(f"a formula has numbers, parameters and arithmetic, found {ast.unparse(node)!r}")
        if isinstance(node, ast.Name) and node.id not in RESERVED and node.id not in parameters:
            raise Misfit(f"there is no parameter {node.id!r} with choices; there is {', '.join(parameters)}")
    return tree


def _is_plain(call: ast.Call) -> bool:
    return isinstance(call.func, ast.Name) and call.func.id in FUNCTIONS and not call.keywords


def written(found: Sequence[Value], form: str) -> str:
    """Values as a text has them, by a format such as `{:,}`; exponents have no leading zeros.

    Raises:
        Misfit: it is no such format, or not one for these values.
    """
    try:
        fields = [field for _, field, _, _ in string.Formatter().parse(form) if field is not None]
        if fields != [""] * len(found):
            raise ValueError(f"found {len(fields)} pairs of braces, expected {len(found)} without a name in it")
        text = form.format(*found)
    except (ValueError, TypeError, IndexError, KeyError) as error:
        raise Misfit(f'a form looks like "{{:,}}", found {form!r} ({error})') from None
    return re.sub(r"(?<=\d)e([+-])0+(?=\d)", r"e\1", text)


def told(parameters: Mapping[str, Value]) -> str:
    """The parameters in words: `max_len 2048, d_model 1024`."""
    return ", ".join(
        f"{name} {each:.12g}" if type(each) is float else f"{name} {each}" for name, each in parameters.items()
    )
