"""Slips with statements: one that is left out, though what follows still runs."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from grader.mutation.building import changed
from grader.mutation.sites import Site

GUARDED = (ast.Raise, ast.Return, ast.Continue, ast.Break)


def dropped_statement(site: Site) -> Iterator[ast.AST]:
    """A call, an assignment or a guard replaced by `pass`."""
    node = site.node
    match node:
        case ast.Expr(value=ast.Yield() | ast.YieldFrom()):
            pass  # no generator any more
        case ast.Expr() | ast.AugAssign() | ast.Assert() | ast.Delete():
            yield ast.Pass()
        case ast.Raise() | ast.Continue() | ast.Break() if not (
            isinstance(site.parent, ast.If) and is_guard(site.parent)
        ):
            yield ast.Pass()
        case ast.If() if is_guard(node):
            # An `elif` is no statement of its own in the text: there only what it guards can go.
            yield changed(node, body=[ast.Pass()]) if is_elif(site) else ast.Pass()
        case ast.Assign() | ast.AnnAssign(value=ast.expr()) if all(name in bound_before(site) for name in stored(node)):
            yield ast.Pass()


def is_guard(node: ast.If) -> bool:
    """Whether it only leaves, or does nothing: `if wrong: raise …`."""
    return len(node.body) == 1 and isinstance(node.body[0], GUARDED) and not node.orelse


def is_elif(site: Site) -> bool:
    """Whether an `if` is written as `elif`, which the tree does not tell."""
    columns = [each.col_offset for each in (site.node, site.parent) if isinstance(each, ast.If)]
    return site.field == "orelse" and len(columns) == 2 and columns[0] == columns[1]


def stored(node: ast.AST) -> list[str]:
    """The plain names that a statement binds; `a[0] = …` and `a.b = …` bind none."""
    return [each.id for each in ast.walk(node) if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store)]


def bound_before(site: Site) -> set[str]:
    """The names that the function has bound by then; without its only binding a name is undefined, as any test sees."""
    if site.function is None:
        return set()
    taken, line = site.function.args, site.statement.lineno
    names = {each.arg for each in (*taken.posonlyargs, *taken.args, *taken.kwonlyargs)}
    bound = [each for each in ast.walk(site.function) if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store)]
    return names | {each.id for each in bound if each.lineno < line}
