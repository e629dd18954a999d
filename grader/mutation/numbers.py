"""Slips with numbers and conditions: operators, comparisons, constants, defaults, and tests turned round."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Final

from grader.mutation.building import called, changed, literal
from grader.mutation.sites import Site

ARITHMETIC: Final[dict[type[ast.operator], tuple[type[ast.operator], ...]]] = {
    ast.Add: (ast.Sub,),
    ast.Sub: (ast.Add,),
    ast.Mult: (ast.Div, ast.Add),
    ast.Div: (ast.Mult, ast.FloorDiv),
    ast.FloorDiv: (ast.Div,),
    ast.Mod: (ast.FloorDiv,),
    ast.Pow: (ast.Mult,),
    ast.MatMult: (ast.Mult,),
    ast.BitAnd: (ast.BitOr,),
    ast.BitOr: (ast.BitAnd,),
}
COMPARISONS: Final[dict[type[ast.cmpop], tuple[type[ast.cmpop], ...]]] = {
    ast.Lt: (ast.LtE, ast.Gt),
    ast.LtE: (ast.Lt, ast.GtE),
    ast.Gt: (ast.GtE, ast.Lt),
    ast.GtE: (ast.Gt, ast.LtE),
    ast.Eq: (ast.NotEq,),
    ast.NotEq: (ast.Eq,),
    ast.Is: (ast.IsNot,),
    ast.IsNot: (ast.Is,),
    ast.In: (ast.NotIn,),
    ast.NotIn: (ast.In,),
}
OPPOSITES: Final[dict[type[ast.cmpop], type[ast.cmpop]]] = {
    ast.Lt: ast.GtE, ast.GtE: ast.Lt, ast.Gt: ast.LtE, ast.LtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.In: ast.NotIn, ast.NotIn: ast.In,
}  # fmt: skip
# Names of dtypes, modes, reductions and indexing orders that are passed as text.
STRINGS: Final = {
    "float64": "float32", "float32": "float64", "float16": "bfloat16", "bfloat16": "float16", "int64": "int32",
    "mean": "sum", "sum": "mean", "batchmean": "mean", "ij": "xy", "xy": "ij", "left": "right", "right": "left",
    "same": "valid", "valid": "same", "constant": "edge", "edge": "reflect", "reflect": "edge", "nearest": "bilinear",
    "bilinear": "nearest", "tanh": "none", "relu": "gelu", "gelu": "relu", "fan_in": "fan_out", "fan_out": "fan_in",
}  # fmt: skip
TINY: Final = 0.01  # below it a float is an epsilon or a rate, and a slip takes another power of ten
NOT_NUMBERS: Final = (ast.JoinedStr, ast.List, ast.ListComp, ast.Dict)


def arithmetic(site: Site) -> Iterator[ast.AST]:
    """`a + b` as `a - b`, `-a` as `a`, `~a` as `a`."""
    node = site.node
    if isinstance(node, ast.BinOp | ast.AugAssign):
        for operand in (node.left, node.right) if isinstance(node, ast.BinOp) else (node.value,):
            if isinstance(operand, NOT_NUMBERS) or isinstance(getattr(operand, "value", None), str):
                return
        for other in ARITHMETIC.get(type(node.op), ()):
            yield changed(node, op=other())
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub | ast.Invert):
        yield node.operand


def operands(site: Site) -> Iterator[ast.AST]:
    """`a - b` as `b - a`, where the order counts."""
    node = site.node
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Sub | ast.Div | ast.Pow | ast.MatMult):
        yield changed(node, left=node.right, right=node.left)


def dropped_operand(site: Site) -> Iterator[ast.AST]:
    """`x + f(x)` as `f(x)` and as `x`; `a / b` as `a`; one of the conditions of an `and` or `or` left out."""
    node = site.node
    if isinstance(node, ast.BinOp) and type(node.op) in (ast.Add, ast.Sub, ast.Mult, ast.Div):
        yield node.left
        if isinstance(node.op, ast.Add | ast.Mult):
            yield node.right
    elif isinstance(node, ast.BoolOp):
        for place in range(len(node.values)):
            others = [*node.values[:place], *node.values[place + 1 :]]
            yield changed(node, values=others) if len(others) > 1 else others[0]


def comparison(site: Site) -> Iterator[ast.AST]:
    """`a < b` as `a <= b` and as `a > b`; `a is b` as `a is not b`."""
    node = site.node
    if isinstance(node, ast.Compare):
        for place, op in enumerate(node.ops):
            for other in COMPARISONS[type(op)]:
                yield changed(node, ops=[*node.ops[:place], other(), *node.ops[place + 1 :]])


def condition(site: Site) -> Iterator[ast.AST]:
    """A test turned round; `and` as `or`; `not a` as `a`."""
    node = site.node
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        yield node.operand
    elif isinstance(node, ast.BoolOp):
        yield changed(node, op=ast.Or() if isinstance(node.op, ast.And) else ast.And())
    if isinstance(node, ast.expr) and site.field in ("test", "ifs", "guard"):
        if isinstance(node, ast.Compare) and len(node.ops) == 1:
            yield changed(node, ops=[OPPOSITES[type(node.ops[0])]()])
        elif not isinstance(node, ast.UnaryOp):
            yield ast.UnaryOp(ast.Not(), node)


def constant(site: Site) -> Iterator[ast.AST]:
    """0 as 1, 1 as 2, 2 as 1, n as n + 1; a float doubled; True as False; "float64" as "float32"."""
    if isinstance(site.parent, ast.arguments):
        return
    yield from _others(site)
    if isinstance(site.node, ast.Constant) and isinstance(site.node.value, str) and called(site.parent) == "einsum":
        inputs, arrow, output = site.node.value.partition("->")
        if arrow and output[-2:].isalpha() and len(output) > 1:
            yield literal(f"{inputs}{arrow}{output[:-2]}{output[-1]}{output[-2]}")


def default(site: Site) -> Iterator[ast.AST]:
    """The default of a parameter: another base, a flag the other way."""
    if isinstance(site.parent, ast.arguments):
        yield from _others(site)


def _others(site: Site) -> Iterator[ast.expr]:
    if not isinstance(site.node, ast.Constant):
        return
    match site.node.value:
        case bool(value):
            yield literal(not value)
        case int(value):
            yield literal(1 if value == 2 else value + 1)
        case float(value):
            # 1e-05 times 10 is 0.0001 only after rounding; nobody would write the rest.
            yield literal(1.0 if value == 0 else float(f"{value * (10 if value < TINY else 2):.15g}"))
        case str(value) if value in STRINGS:
            yield literal(STRINGS[value])
