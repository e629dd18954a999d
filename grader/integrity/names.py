"""Which dotted path a name in a text stands for, as far as imports and plain assignments tell.

`import os as o`, `from os import system as s`, `s = os.system` and `getattr(os, "system")` are followed, through the
scopes of functions and classes, and no further: nothing is run.
"""

from __future__ import annotations

import ast
import builtins
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Final

from grader.integrity.rules import watched

MOST_NODES: Final = 40_000  # dozens of times what a solution needs
MOST_STEPS: Final = 8  # of an alias of an alias
IMPORTING: Final = {"__import__", "import_module"}


@dataclass
class Bound:
    """What one name is bound to in a scope.

    Attributes:
        paths: the first few dotted paths, by imports.
        value: the first expression that may lead to one.
        times: how often it is bound.
        imported: how many of those are imports.
    """

    paths: list[str] = field(default_factory=list)
    value: ast.expr | None = None
    times: int = 0
    imported: int = 0

    def add(self, to: str | ast.expr | None) -> None:
        """One more binding; None for what is not followed."""
        self.times += 1
        if isinstance(to, str):
            self.imported += 1
            if to not in self.paths[:MOST_STEPS]:
                self.paths.append(to)
        elif isinstance(to, ast.Name | ast.Attribute | ast.Call) and self.value is None:
            self.value = to

    @property
    def sure(self) -> bool:
        """Whether it is always an import, or once something."""
        return self.times in (1, self.imported)


@dataclass(eq=False)
class Scope:
    """The names that a module, class or function binds."""

    parent: Scope | None = None
    is_class: bool = False
    names: dict[str, Bound] = field(default_factory=lambda: defaultdict(Bound))

    def holder(self, name: str) -> Scope | None:
        """The scope in which a name that is used here was bound."""
        scope: Scope | None = self
        while scope is not None:
            if name in scope.names and (scope is self or not scope.is_class):
                return scope
            scope = scope.parent
        return None


class Names:
    """The names of one text. Looks at no more than `MOST_NODES` nodes of it."""

    def __init__(self, tree: ast.Module) -> None:
        self.tree = tree
        self.top = Scope()
        self.stars: list[str] = []
        self._scopes: dict[ast.AST, Scope] = {}
        self._assigned: set[ast.AST] = set()
        self._walked = list(self._walk(guarded=True))
        for node, scope in self._walked:
            self._bind(node, scope)

    def walk(self) -> Iterable[tuple[ast.AST, Scope]]:
        """Each node with the scope that it is in, in the order of the text; attributes of attributes as one.

        What is under `if __name__ == "__main__":` is left out, since it never runs, unless the text sets `__name__`.
        """
        return self._walk(guarded=False) if "__name__" in self.top.names else self._walked

    def _walk(self, guarded: bool) -> Iterator[tuple[ast.AST, Scope]]:
        waiting: list[tuple[ast.AST, Scope]] = [(self.tree, self.top)]
        for _ in range(MOST_NODES + 1):
            if not waiting:
                return
            node, scope = waiting.pop()
            yield node, scope
            waiting += reversed([(child, self._scope(node, part, scope)) for part, child in children(node, guarded)])

    def _scope(self, node: ast.AST, part: str, scope: Scope) -> Scope:
        """The scope of a node's children in one field: decorators, bases and annotations are outside."""
        opens = isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
        if not opens or part not in ("body", "args"):
            return scope
        return self._scopes.setdefault(node, Scope(scope, isinstance(node, ast.ClassDef)))

    def _bind(self, node: ast.AST, scope: Scope) -> None:
        match node:
            case ast.Import(names=aliases):
                for alias in aliases:
                    top = alias.name.partition(".")[0]
                    scope.names[alias.asname or top].add(alias.name if alias.asname else top)
            case ast.ImportFrom(module=str(module), names=[ast.alias(name="*")]):
                self.stars.append(module)
            case ast.ImportFrom(module=str(module), names=aliases, level=0):
                for alias in aliases:
                    scope.names[alias.asname or alias.name].add(f"{module}.{alias.name}")
            case ast.Assign(targets=targets, value=value):
                for target in targets:
                    self._assign(target, value, scope)
            case ast.NamedExpr(target=target, value=value) | ast.AnnAssign(target=target, value=ast.expr() as value):
                self._assign(target, value, scope)
            case ast.Name(id=name, ctx=ast.Store()) if node not in self._assigned:  # a loop, a with, an unpacking
                scope.names[name].add(None)
            case ast.arg(arg=name) | ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                scope.names[name].add(None)
            case ast.ClassDef(name=name) | ast.ExceptHandler(name=str(name)) | ast.MatchAs(name=str(name)):
                scope.names[name].add(None)
            case ast.Global(names=names):
                for name in names:
                    scope.names[name] = self.top.names[name]

    def _assign(self, target: ast.expr, value: ast.expr, scope: Scope) -> None:
        if isinstance(target, ast.Name):
            scope.names[target.id].add(value)
            self._assigned.add(target)

    def path(self, node: ast.expr, scope: Scope, surely: bool = False) -> str | None:
        """The dotted path that an expression stands for; `builtins.open` for a builtin; None if it isn't known.

        Args:
            node: the expression.
            scope: where it stands.
            surely: whether every binding of its name has to be an import, or its one binding an alias.
        """
        tail: list[str] = []
        for _ in range(MOST_STEPS):
            tail = [*reversed(list(chain(node))), *tail]
            match root(node):
                case ast.Name(id=name):
                    bound = self._bound(name, scope)
                    if surely and not bound.sure:
                        return None
                    paths = [".".join([path, *tail]) for path in bound.paths[:MOST_STEPS]]
                    if paths:
                        return next(filter(watched, paths), paths[0])
                    if bound.value is None:
                        return None
                    node = bound.value
                case ast.Call(func=ast.Name(id="getattr"), args=[of, ast.Constant(value=str(name)), *_]):
                    node, tail = of, [name, *tail]
                case ast.Call(func=ast.Name(id=called) | ast.Attribute(attr=called), args=[argument, *_]):
                    text = constant(argument) if called in IMPORTING else None
                    return ".".join([text, *tail]) if text else None
                case _:
                    return None
        return None

    def _bound(self, name: str, scope: Scope) -> Bound:
        """What a name is bound to where it is used; if nothing binds it, a name from a star, or a builtin."""
        holder = scope.holder(name)
        if holder is not None:
            return holder.names[name]
        bound = Bound()
        starred = [f"{module}.{name}" for module in self.stars[:MOST_STEPS] if watched(f"{module}.{name}")]
        if name == "__builtins__":
            bound.add("builtins")
        elif starred or hasattr(builtins, name):
            bound.add(starred[0] if starred else f"builtins.{name}")
        return bound


def children(node: ast.AST, guarded: bool) -> Iterator[tuple[str, ast.AST]]:
    """A node's children with the field that each is in; of a chain of attributes, what they are asked of.

    Numbers in a list are left out: they are counted where the list is looked at.
    """
    if isinstance(node, ast.Attribute):
        yield "value", root(node)
        return
    skipped = "body" if guarded and is_main_guard(node) else ""
    listed = isinstance(node, ast.List | ast.Tuple | ast.Set | ast.Dict)
    for part, value in ast.iter_fields(node):
        if part != skipped:
            for child in value if isinstance(value, list) else [value]:
                if isinstance(child, ast.AST) and not (listed and is_number(child)):
                    yield part, child


def is_number(node: ast.AST | None) -> bool:
    """Whether a node is a number as written."""
    return isinstance(node, ast.Constant) and type(node.value) in (int, float, complex)


def is_main_guard(node: ast.AST) -> bool:
    """Whether a node is `if __name__ == "__main__":`."""
    match node:
        case ast.If(
            test=ast.Compare(ast.Name(id="__name__"), ops=[ast.Eq()], comparators=[ast.Constant(value="__main__")])
        ):
            return True
    return False


def chain(node: ast.expr) -> Iterator[str]:
    """The attribute names of `a.b.c`, the last one first."""
    while isinstance(node, ast.Attribute):
        yield node.attr
        node = node.value


def root(node: ast.expr) -> ast.expr:
    """The `a` of `a.b.c`."""
    while isinstance(node, ast.Attribute):
        node = node.value
    return node


def constant(node: ast.expr) -> str | None:
    """The text of a string literal; None for anything else."""
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else None
