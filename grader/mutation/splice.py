"""Writing a changed expression back into the text it came from, so that nothing outside the change moves.

Theory of operation. The old node and the new one are compared from the top: as long as both are of a kind, only the
fields that differ are looked at, so that a changed operator costs one token and a changed argument its own characters.
What is new there is unparsed, but each part that was in the text before is taken over from it, comments and line breaks
included. Where that reads as something else, for want of parentheses, it is tried again with them: a text is accepted
only when Python parses it as exactly the tree that was meant.
"""

from __future__ import annotations

import ast
import copy
import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise, product
from typing import Final

from grader.errors import GraderFault
from grader.mutation.sites import Site

SYMBOLS: Final[dict[type[ast.AST], str]] = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.FloorDiv: "//", ast.Mod: "%", ast.Pow: "**",
    ast.MatMult: "@", ast.BitAnd: "&", ast.BitOr: "|", ast.BitXor: "^", ast.LShift: "<<", ast.RShift: ">>",
    ast.Eq: "==", ast.NotEq: "!=", ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=",
    ast.Is: "is", ast.IsNot: "is not", ast.In: "in", ast.NotIn: "not in", ast.And: "and", ast.Or: "or",
}  # fmt: skip
BETWEEN: Final = r"(?:[\s()\\]|#[^\n]*)*"  # what may stand beside an operator: blanks, parentheses, comments
ATOMS: Final = (ast.Name, ast.Constant, ast.Call, ast.Attribute, ast.Subscript, ast.List, ast.Dict, ast.Slice)


@dataclass(frozen=True, slots=True)
class Edit:
    """What comes in place of the characters from `start` up to `end`: text, or a node to be written as text."""

    start: int
    end: int
    new: str | ast.AST


class Splicer:
    """Edits one source.

    Args:
        source: the text.
        tree: what `ast.parse` made of it.
    """

    def __init__(self, source: str, tree: ast.Module) -> None:
        self.source = source
        self._lines = [0, *(match.end() for match in re.finditer("\n", source))]
        self._known = {id(node) for node in ast.walk(tree) if isinstance(node, ast.expr)}

    def write(self, site: Site, new: ast.AST, meant: str) -> tuple[str, int]:
        """The text with `new` at the site, and the line of the first character that changed.

        Args:
            meant: the dump of what the outermost statement has to be parsed as.

        Raises:
            GraderFault: no way to write it gives that tree.
        """
        smallest = sorted(self._edits(site.node, new), key=lambda edit: edit.start)
        whole = [Edit(*self._span(site.node), new)]
        line = self.source.count("\n", 0, smallest[0].start) + 1
        first, last = self._span_with_decorators(site.outermost)
        for edits, parentheses, around in product((smallest, whole), (False, True), (False, True)):
            text = self._applied(edits, parentheses, self._span(site.node) if around else None)
            if _dump(text[first : last + len(text) - len(self.source)]) == meant:
                return text, line
        raise GraderFault("a mutant can't be written", where=f"line {line}", found=ast.unparse(new))

    def _span(self, node: ast.AST) -> tuple[int, int]:
        assert isinstance(node, ast.expr | ast.stmt | ast.keyword)
        assert node.end_lineno is not None and node.end_col_offset is not None
        return self._offset(node.lineno, node.col_offset), self._offset(node.end_lineno, node.end_col_offset)

    def _span_with_decorators(self, node: ast.stmt) -> tuple[int, int]:
        start, end = self._span(node)
        decorators: list[ast.expr] = getattr(node, "decorator_list", [])
        return min([start, *(self._lines[each.lineno - 1] for each in decorators)]), end

    def _offset(self, line: int, column: int) -> int:
        """The character at a line from 1 and a column in UTF-8 bytes."""
        start = self._lines[line - 1]
        return start + len(self.source[start : start + column].encode()[:column].decode())

    def _edits(self, old: ast.AST, new: ast.AST) -> list[Edit]:
        """The smallest edits that this module knows how to make of one node another."""
        if type(old) is type(new) and id(new) not in self._known and (edits := self._inside(old, new)) is not None:
            return edits
        return [Edit(*self._span(old), new)]

    def _inside(self, old: ast.AST, new: ast.AST) -> list[Edit] | None:
        """The edits of the fields that differ; None if one of them has no place of its own in the text."""
        edits: list[Edit] = []
        for field, before in ast.iter_fields(old):
            after = getattr(new, field)
            if isinstance(before, list) and isinstance(after, list) and len(before) == len(after):
                pairs = [(a, b) for a, b in zip(before, after, strict=True) if a is not b]
            else:
                pairs = [] if before is after or before == after else [(before, after)]
            for a, b in pairs:
                if isinstance(a, ast.AST) and type(a) is type(b) and not a._fields:
                    continue  # the same operator or context, in another object
                if type(a) in SYMBOLS and type(b) in SYMBOLS:
                    edits += self._tokens(old, new)
                elif isinstance(a, ast.AST) and isinstance(b, ast.AST):
                    edits += self._edits(a, b)
                elif isinstance(old, ast.Attribute) and field == "attr":
                    end = self._span(old)[1]
                    edits.append(Edit(end - len(old.attr.encode().decode()), end, b))
                else:
                    return None
        return edits or None

    def _tokens(self, old: ast.AST, new: ast.AST) -> Iterator[Edit]:
        """The operators that differ, each between its operands."""
        for (left, op, right), (_, other, _) in zip(_operations(old), _operations(new), strict=True):
            if type(op) is not type(other):
                start, symbol = self._span(left)[1], SYMBOLS[type(op)]
                pattern = re.compile(f"({BETWEEN})({re.escape(symbol).replace(chr(92) + ' ', BETWEEN)})")
                match = pattern.match(self.source, start, self._span(right)[0])
                assert match is not None, (symbol, self.source[start : self._span(right)[0]])
                yield Edit(*match.span(2), SYMBOLS[type(other)])

    def _applied(self, edits: list[Edit], parentheses: bool, around: tuple[int, int] | None) -> str:
        pieces = [(edit.start, edit.end, self._text(edit.new, parentheses)) for edit in edits]
        if around:
            start, end = around
            pieces = [(start, start, "("), *pieces, (end, end, ")")]
        done, position = "", 0
        for start, end, text in pieces:
            done += self.source[position:start] + text
            position = end
        return done + self.source[position:]

    def _text(self, new: str | ast.AST, parentheses: bool) -> str:
        """A node as text; with `parentheses`, around each part from the original that might need them."""
        if isinstance(new, str):
            return new
        kept: list[ast.AST] = []
        text = ast.unparse(self._marked(new, kept))
        for number, node in enumerate(kept):
            start, end = self._span(node)
            segment = self.source[start:end]
            if parentheses and not isinstance(node, ATOMS):
                segment = f"({segment})"
            text = text.replace(_mark(number), segment, 1)
        return text

    def _marked(self, node: ast.AST, kept: list[ast.AST]) -> ast.AST:
        """A copy in which a mark stands for each part that is in the original."""
        if id(node) in self._known:
            kept.append(node)
            return ast.Name(_mark(len(kept) - 1), ast.Load())
        marked = copy.copy(node)
        for field, value in ast.iter_fields(node):
            if isinstance(value, ast.AST):
                setattr(marked, field, self._marked(value, kept))
            elif isinstance(value, list):
                made = [self._marked(each, kept) if isinstance(each, ast.AST) else each for each in value]
                setattr(marked, field, made)
        return marked


def _operations(node: ast.AST) -> list[tuple[ast.AST, ast.AST, ast.AST]]:
    """Each operator of a node, between its operands."""
    match node:
        case ast.BinOp():
            return [(node.left, node.op, node.right)]
        case ast.AugAssign():
            return [(node.target, node.op, node.value)]
        case ast.BoolOp():
            return [(left, node.op, right) for left, right in pairwise(node.values)]
        case ast.Compare():
            operands = pairwise([node.left, *node.comparators])
            return [(left, op, right) for (left, right), op in zip(operands, node.ops, strict=True)]
    raise TypeError(type(node).__name__)


def _mark(number: int) -> str:
    return f"_KEPT_{number}_"


def _dump(text: str) -> str | None:
    """The dump of the only statement of a text; None if it is not Python, or more than that."""
    try:
        body = ast.parse(text).body
    except SyntaxError:
        return None
    return ast.dump(body[0]) if len(body) == 1 else None
