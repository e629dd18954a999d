"""The places of a source that a slip may change, each with what an operator has to know of its surroundings."""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any, Final

Function = ast.FunctionDef | ast.AsyncFunctionDef

# What says nothing of what the code does, or whose change no check should have to see.
UNTOUCHED: Final = {
    "annotation", "returns", "type_params", "type_comment", "bases", "exc", "cause", "msg", "ctx", "pattern",
}  # fmt: skip
SKIPPED: Final = (ast.Import, ast.ImportFrom, ast.JoinedStr, ast.Global, ast.Nonlocal)
NO_GRAD: Final = ("no_grad", "inference_mode")
SCRIPT_ONLY: Final = ("__name__", "TYPE_CHECKING")
BODIES: Final = ("body", "orelse", "finalbody", "handlers", "cases", "decorator_list")


@dataclass(frozen=True, slots=True)
class Site:
    """A node, and where it stands.

    Attributes:
        node: an expression or a statement of the tree.
        parent: what holds it.
        field: the parent's field.
        index: the place in that field, if it is a list.
        statement: the innermost statement around it, or itself.
        outermost: the statement of the module around it, or itself.
        path: how to get from that statement to the node.
        qualname: the definitions around it, as `Class.method`; empty at the top level.
        function: the innermost function around it.
    """

    node: ast.AST
    parent: ast.AST
    field: str
    index: int | None
    statement: ast.stmt
    outermost: ast.stmt
    path: str
    qualname: str = ""
    function: Function | None = None

    @contextmanager
    def holding(self, new: ast.AST) -> Iterator[ast.AST]:
        """The outermost statement with something else at this site, for as long as the context lasts."""
        self._put(new)
        try:
            yield new if self.node is self.outermost else self.outermost
        finally:
            self._put(self.node)

    def _put(self, node: ast.AST) -> None:
        if self.index is None:
            setattr(self.parent, self.field, node)
        else:
            getattr(self.parent, self.field)[self.index] = node


def sites(tree: ast.Module) -> Iterator[Site]:
    """Every site, parents first."""
    for index, statement in enumerate(tree.body):
        yield from _below(Site(statement, tree, "body", index, statement, statement, ""))


def header(statement: ast.stmt) -> str:
    """The statement on one line, without the statements that it holds."""
    alone = copy.copy(statement)
    for field in BODIES:
        if isinstance(getattr(alone, field, None), list):
            setattr(alone, field, [ast.Pass()] if field == "body" else [])
    if isinstance(alone, ast.Try) or type(alone).__name__ == "TryStar":
        return "try"
    return ast.unparse(alone)


def _below(site: Site) -> Iterator[Site]:
    node = site.node
    if isinstance(node, SKIPPED) or _is_prose(node) or _is_for_scripts(node) or _is_all(node):
        return
    if isinstance(node, ast.expr | ast.stmt):
        yield site
    function, qualname = site.function, site.qualname
    if isinstance(node, Function | ast.ClassDef):
        qualname = f"{qualname}.{node.name}".lstrip(".")
        function = node if isinstance(node, Function) else None
    for field, index, child in _children(node):
        place = field if index is None else f"{field}[{index}]"
        statement = child if isinstance(child, ast.stmt) else site.statement
        path = "" if isinstance(child, ast.stmt) else f"{site.path}.{place}"
        below = replace(site, node=child, parent=node, field=field, index=index, statement=statement, path=path)
        yield from _below(replace(below, qualname=qualname, function=function))


def _children(node: ast.AST) -> Iterator[tuple[str, int | None, ast.AST]]:
    for field, value in ast.iter_fields(node):
        if field in UNTOUCHED or (field == "keywords" and isinstance(node, ast.ClassDef)):
            continue
        several: list[tuple[int | None, Any]] = list(enumerate(value)) if isinstance(value, list) else [(None, value)]
        for index, child in several:
            if isinstance(child, ast.AST) and (field != "decorator_list" or _names(child) in NO_GRAD):
                yield field, index, child


def _names(node: ast.AST) -> str:
    """The last name of `a.b.c` or `a.b.c()`."""
    node = node.func if isinstance(node, ast.Call) else node
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


def _is_prose(node: ast.AST) -> bool:
    """A docstring, or `...`."""
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def _is_for_scripts(node: ast.AST) -> bool:
    return isinstance(node, ast.If) and any(_names(each) in SCRIPT_ONLY for each in ast.walk(node.test))


def _is_all(node: ast.AST) -> bool:
    return isinstance(node, ast.Assign) and any(_names(target) == "__all__" for target in node.targets)
