"""Giving a text another look each time: what it does stays the same, and nothing else about it does.

A candidate's tests run in the process of the solution that they test, so they can look at its code objects. If the
reference looked the same each time, a test could know it by a hash, or a mutant by its docstring. So each run gets a
text of its own: docstrings and comments dropped, local variables renamed, statements without effect and code that
never runs put in, lines moved. What can't be renamed for sure is left alone: see `Scope`.
"""

from __future__ import annotations

import ast
import random
from collections.abc import Iterator, Sequence
from typing import Final

from grader.suite.decoys import decoys

Function = ast.FunctionDef | ast.AsyncFunctionDef
NESTED: Final = (
    *(ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda),
    *(ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp),
)
# Code that mentions one of these may look at names, lines or code objects, its own among them.
WATCHERS: Final = frozenset(
    ("locals", "vars", "dir", "eval", "exec", "globals", "inspect", "_getframe", "currentframe", "f_locals", "__code__")
)
# Statements that give bytecode of different lengths, and do nothing but bind a name.
IDLE: Final = (
    "{0} = {1}",
    "{0} = [{1}]",
    "{0} = {{{1}: {1}}}",
    "{0} = {1} < {1}",
    "{0} = ({1}, [])",
    "{0} = f'{{None}}'",
)
LEAVING: Final = (ast.Return, ast.Raise, ast.Break, ast.Continue)
MOST_LINES: Final = 4  # blank ones, between two statements at the top level


def disguise(source: str, rng: random.Random, names: Sequence[str] = ()) -> str:
    """The same program as another text.

    Args:
        source: the program.
        rng: what the other text is drawn from.
        names: the dotted names that code which never runs may mention, see `decoys`.

    Raises:
        SyntaxError: the text is not Python.
        ValueError: it holds an f-string that `ast` can't write.
    """
    tree = ast.parse(source)
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            _drop_docstring(node)
    words = {word for node in ast.walk(tree) for word in _words(node)}
    if not words & WATCHERS:
        fresh = Names(words, rng)
        for function in [node for node in ast.walk(tree) if isinstance(node, Function)]:
            _rename(function, fresh, rng)
            _pad(function, fresh, rng, names)
        Wrapping(rng).visit(tree)
        ast.fix_missing_locations(tree)
    gaps = ("\n" * (1 + rng.randrange(MOST_LINES)) for _ in tree.body)
    return "".join(f"{gap}{ast.unparse(statement)}\n" for gap, statement in zip(gaps, tree.body, strict=True))


class Names:
    """Names that the text does not hold.

    Args:
        taken: every identifier of the text.
        rng: where they are drawn from.
    """

    def __init__(self, taken: set[str], rng: random.Random) -> None:
        self.taken, self.rng = set(taken), rng

    def draw(self) -> str:
        """One that nothing else has."""
        while (name := f"v{self.rng.randrange(1 << 32):x}") in self.taken:
            pass
        self.taken.add(name)
        return name


def _drop_docstring(node: ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef) -> None:
    if ast.get_docstring(node, clean=False) is not None:
        node.body[:1] = [] if len(node.body) > 1 or isinstance(node, ast.Module) else [ast.Pass()]


def _words(node: ast.AST) -> Iterator[str]:
    """The identifiers that stand in a node itself: names, attributes, arguments, aliases, keywords."""
    for _, value in ast.iter_fields(node):
        for each in value if isinstance(value, list) else [value]:
            if isinstance(each, str):
                yield from each.split(".")


def _rename(function: Function, fresh: Names, rng: random.Random) -> None:
    """Give local variables other names."""
    scope = Scope(function)
    names = {name: fresh.draw() for name in sorted(scope.renamable) if rng.random() < 0.9}
    for node in scope.nodes:
        if isinstance(node, ast.Name) and node.id in names:
            node.id = names[node.id]


class Scope:
    """What stands in a function itself, with all that lies in functions, classes and comprehensions below it left out.

    Attributes:
        nodes: the nodes.
        renamable: the local variables that are bound by plain assignment alone, and that nothing below it mentions.
    """

    def __init__(self, function: Function) -> None:
        self.nodes: list[ast.AST] = []
        fixed = {word for node in ast.walk(function.args) for word in _words(node)}
        waiting: list[ast.AST] = [*function.body]
        while waiting:
            node = waiting.pop()
            if isinstance(node, NESTED):
                fixed.update(word for inner in ast.walk(node) for word in _words(inner))
                continue
            self.nodes.append(node)
            if not isinstance(node, ast.Name):  # an import, `global`, `except … as`, a pattern
                fixed.update(_words(node))
            waiting += ast.iter_child_nodes(node)
        bound = {node.id for node in self.nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
        self.renamable = {name for name in bound - fixed if not name.startswith("__")}  # a class mangles those


def _pad(function: Function, fresh: Names, rng: random.Random, names: Sequence[str]) -> None:
    """Put in statements whose result nothing reads: one at the start for sure, and some more here and there."""
    arguments = [node.arg for node in ast.walk(function.args) if isinstance(node, ast.arg)]
    blocks = [function.body]
    for node in Scope(function).nodes:
        if isinstance(node, ast.Global | ast.Nonlocal):  # such a name may not be mentioned before
            names = [name for name in names if name.partition(".")[0] not in node.names]
        blocks += filter(None, (_block(node, name) for name in ("body", "orelse", "finalbody")))
    for block in blocks:
        for _ in range(rng.randrange(3)):
            _put(block, _idle(fresh, rng), rng)
    for decoy in decoys([*names, *arguments], fresh.draw, rng):
        _put(rng.choice(blocks), decoy, rng)
    function.body.insert(0, _idle(fresh, rng))


def _put(block: list[ast.stmt], statement: ast.stmt, rng: random.Random) -> None:
    """Put a statement into a block, before what leaves it: nothing is compiled of what stands behind that."""
    end = next((place for place, each in enumerate(block) if isinstance(each, LEAVING)), len(block))
    block.insert(rng.randrange(end + 1), statement)


def _block(node: ast.AST, name: str) -> list[ast.stmt]:
    """The statements that a node has under a name; none for the body of a conditional expression."""
    block = getattr(node, name, None)
    return block if isinstance(block, list) else []


def _idle(fresh: Names, rng: random.Random) -> ast.stmt:
    return ast.parse(rng.choice(IDLE).format(fresh.draw(), rng.randrange(256, 1 << 20))).body[0]


class Wrapping(ast.NodeTransformer):
    """Makes lambdas and comprehensions, which have no statements to put in, give an item of a fresh tuple."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng

    def visit_Lambda(self, node: ast.Lambda) -> ast.AST:
        """Wrap what it returns."""
        node.body = self._wrapped(node.body)
        return self.generic_visit(node)

    def visit_ListComp(self, node: ast.ListComp | ast.SetComp | ast.GeneratorExp) -> ast.AST:
        """Wrap the element."""
        node.elt = self._wrapped(node.elt)
        return self.generic_visit(node)

    visit_SetComp = visit_GeneratorExp = visit_ListComp  # noqa: N815

    def visit_DictComp(self, node: ast.DictComp) -> ast.AST:
        """Wrap the value."""
        node.value = self._wrapped(node.value)
        return self.generic_visit(node)

    def _wrapped(self, value: ast.expr) -> ast.expr:
        items: list[ast.expr] = [ast.Constant(self.rng.randrange(256, 1 << 20)) for _ in range(self.rng.randrange(3))]
        place = self.rng.randrange(len(items) + 1)
        items.insert(place, value)
        return ast.Subscript(ast.Tuple(items, ast.Load()), ast.Constant(place), ast.Load())
