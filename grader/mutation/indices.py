"""Slips with indices: slice bounds, axes, counts that are off by one, and arguments in each other's place."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Final

from grader.mutation.building import called, changed, integer, literal, plus, swapped
from grader.mutation.sites import Site

AXIS_KEYWORDS: Final = {"dim", "axis", "dims", "axes", "start_dim", "end_dim", "dim0", "dim1"}
TAKES_AXES: Final = {
    "sum", "mean", "prod", "max", "min", "amax", "amin", "argmax", "argmin", "var", "std", "norm", "any", "all",
    "cumsum", "cumprod", "softmax", "log_softmax", "logsumexp", "cat", "concat", "concatenate", "stack", "chunk",
    "split", "squeeze", "unsqueeze", "expand_dims", "flatten", "unflatten", "transpose", "permute", "swapaxes",
    "moveaxis", "movedim", "size", "gather", "index_select", "narrow", "select", "roll", "flip", "sort", "topk",
    "repeat_interleave", "repeat", "unbind", "diff",
}  # fmt: skip
COUNTS: Final = {"range", "arange", "linspace"}
# Swapped here, arguments either fail at once, in a way that nobody would write, or change nothing.
UNSWAPPED: Final = {
    "isinstance", "issubclass", "getattr", "setattr", "hasattr", "super", "cast", "print",
    "max", "min", "maximum", "minimum", "transpose", "swapaxes", "swapdims", "equal", "allclose",
}  # fmt: skip


def slice_bound(site: Site) -> Iterator[ast.AST]:
    """`a[1:n]` as `a[:n]`, `a[1:n - 1]`, `a[1:]`; `a[0::2]` as `a[1::2]` and as `a[0::1]`."""
    node = site.node
    if not isinstance(node, ast.Slice) or (node.lower is node.upper is node.step is None):
        return
    if node.lower is None:
        yield changed(node, lower=literal(1))
    else:
        if integer(node.lower) != 0:
            yield changed(node, lower=None)
        yield changed(node, lower=plus(node.lower, -1 if integer(node.lower) == 1 else 1))
    if node.upper is not None:
        yield changed(node, upper=None)
        yield from (changed(node, upper=plus(node.upper, step)) for step in (-1, 1) if _moves(node.upper, step))
    if node.step is not None:
        yield changed(node, step=literal(1) if integer(node.step) == 2 else None)


def _moves(bound: ast.expr, step: int) -> bool:
    """Whether the bound stays on its side of zero: `a[:-1]` one further would be the empty `a[:0]`."""
    value = integer(bound)
    return value is None or (value + step != 0 and (value > 0) == (value + step > 0))


def axis(site: Site) -> Iterator[ast.AST]:
    """`dim=-1` as `dim=-2` and as `dim=0`; `a.shape[1]` as `a.shape[0]`; `a[:, None]` as `a[None, :]`."""
    node, parent = site.node, site.parent
    value = integer(node)
    if value is not None and _is_axis(site):
        others = (-2, 0) if value == -1 else (value + 1 if value <= 0 else value - 1,)
        yield from (literal(other) for other in others)
    if isinstance(node, ast.Tuple) and isinstance(parent, ast.Subscript) and any(map(_is_none, node.elts)):
        yield from (changed(node, elts=elements) for elements in swapped(node.elts))


def _is_axis(site: Site) -> bool:
    """Whether a number here counts dimensions."""
    match site.parent:
        case ast.keyword(arg=name):
            return name in AXIS_KEYWORDS
        case ast.Subscript(value=ast.Attribute(attr="shape")):
            return site.field == "slice"
        case ast.Call():
            return site.field == "args" and called(site.parent) in TAKES_AXES
    return False


def _is_none(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is None


def off_by_one(site: Site) -> Iterator[ast.AST]:
    """`range(n)` as `range(n - 1)` and as `range(n + 1)`; `len(a)` as `len(a) - 1`."""
    node = site.node
    if isinstance(node, ast.expr) and site.field == "args" and called(site.parent) in COUNTS and _counts(site):
        yield from (plus(node, step) for step in (-1, 1))
    if isinstance(node, ast.Call) and called(node) == "len":
        yield plus(node, -1)


def _counts(site: Site) -> bool:
    """Whether the argument is an integer at all, as far as can be seen: `np.arange(0.0, …)` has others."""
    return not isinstance(site.node, ast.Starred | ast.Constant) or integer(site.node) is not None


def dropped_keyword(site: Site) -> Iterator[ast.AST]:
    """`f(a, mask=mask)` as `f(a)`, if it is a value that was worked out; a literal has slips of its own."""
    node = site.node
    if isinstance(node, ast.Call) and (node.args or len(node.keywords) > 1):
        for keyword in node.keywords:
            if keyword.arg is not None and not isinstance(keyword.value, ast.Constant | ast.UnaryOp):
                yield changed(node, keywords=[each for each in node.keywords if each is not keyword])


def arguments(site: Site) -> Iterator[ast.AST]:
    """`f(a, b)` as `f(b, a)`; `stack([a, b])` as `stack([b, a])`; `q, k = …` as `k, q = …`; `return a, b`."""
    node = site.node
    if isinstance(node, ast.Call) and called(node) not in UNSWAPPED:
        yield from (changed(node, args=args) for args in swapped(node.args))
    elif isinstance(node, ast.Tuple | ast.List) and (
        (isinstance(site.parent, ast.Call) and called(site.parent) not in UNSWAPPED)
        or isinstance(site.parent, ast.Return)
        or (isinstance(site.parent, ast.Assign) and site.field == "targets")
    ):
        yield from (changed(node, elts=elements) for elements in swapped(node.elts))
