"""Small pieces that operators are made of: changed copies of nodes, integers, names of what is called."""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterator, Sequence
from typing import TypeVar

Node = TypeVar("Node", bound=ast.AST)


def changed(node: Node, **fields: object) -> Node:
    """A copy with other values in some fields."""
    other = copy.copy(node)
    for name, value in fields.items():
        setattr(other, name, value)
    return other


def integer(node: ast.AST | None) -> int | None:
    """The value of an integer literal, with its sign; None for anything else."""
    match node:
        case ast.Constant(value=bool()):
            return None
        case ast.Constant(value=int(value)):
            return value
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int(value))) if not isinstance(value, bool):
            return -value
    return None


def literal(value: float | str | bool) -> ast.expr:
    """A literal; Python knows no negative ones, only a minus before one."""
    if not isinstance(value, str) and value < 0:
        return ast.UnaryOp(ast.USub(), ast.Constant(-value))
    return ast.Constant(value)


def plus(node: ast.expr, step: int) -> ast.expr:
    """The expression and 1 or -1, as a person would write it: `n` and 1 is `n + 1`, `n + 1` and -1 is `n`."""
    value = integer(node)
    if value is not None:
        return literal(value + step)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add | ast.Sub):
        there = integer(node.right)
        if there is not None:
            total = (there if isinstance(node.op, ast.Add) else -there) + step
            return node.left if total == 0 else _sum(node.left, total)
    return _sum(node, step)


def _sum(node: ast.expr, step: int) -> ast.expr:
    return ast.BinOp(node, ast.Add() if step > 0 else ast.Sub(), ast.Constant(abs(step)))


def called(node: ast.AST) -> str:
    """The last name of what a call calls; empty for anything else."""
    if not isinstance(node, ast.Call):
        return ""
    return node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")


def swapped(items: Sequence[ast.expr]) -> Iterator[list[ast.expr]]:
    """The items with two neighbours in each other's place, once for each pair that differs."""
    for place in range(len(items) - 1):
        first, second = items[place : place + 2]
        starred = isinstance(first, ast.Starred) or isinstance(second, ast.Starred)
        if not starred and _is_word(first) == _is_word(second) and ast.dump(first) != ast.dump(second):
            yield [*items[:place], second, first, *items[place + 2 :]]


def _is_word(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str)
