"""Slips with arrays and tensors: dtypes, functions taken for a neighbour, steps left out, and writing in place."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Final

from grader.mutation.building import called, changed
from grader.mutation.sites import Site

DTYPES: Final = {
    "float64": "float32", "double": "float32", "float32": "float64", "float": "float64", "float16": "float32",
    "bfloat16": "float32", "half": "float32", "int64": "int32", "long": "int32", "int32": "int64",
}  # fmt: skip
CASTS: Final = {"double": "float", "float": "double", "half": "float", "bfloat16": "float", "long": "int"}
NAMESPACES: Final = ("np", "numpy", "torch", "math", "F", "nn")

PAIRS: Final = (
    ("sin", "cos"), ("sum", "mean"), ("max", "min"), ("amax", "amin"), ("argmax", "argmin"), ("maximum", "minimum"),
    ("zeros", "ones"), ("zeros_like", "ones_like"), ("zeros_", "ones_"), ("tril", "triu"), ("any", "all"),
    ("relu", "gelu"), ("ReLU", "GELU"), ("softmax", "log_softmax"), ("exp", "expm1"), ("log", "log1p"),
    ("floor", "ceil"), ("cumsum", "cumprod"), ("var", "std"), ("stack", "concatenate"), ("vstack", "hstack"),
    ("rand", "randn"), ("parameters", "buffers"), ("named_parameters", "named_buffers"), ("children", "modules"),
    ("logical_and", "logical_or"),
)  # fmt: skip
NEIGHBOURS: Final = {
    **dict(PAIRS),
    **{second: first for first, second in reversed(PAIRS)},
    "cat": "stack", "sqrt": "square", "rsqrt": "sqrt", "tanh": "sigmoid", "sigmoid": "tanh", "silu": "gelu",
    "LayerNorm": "RMSNorm", "no_grad": "enable_grad", "inference_mode": "enable_grad", "numel": "dim",
}  # fmt: skip
BUILTINS: Final = {"max": "min", "min": "max", "any": "all", "all": "any", "sum": "max"}

# Methods whose result stands in for what they were called on, so that code without the call often runs on.
METHODS: Final = {
    "clone", "detach", "contiguous", "copy", "transpose", "t", "permute", "to", "astype", "double", "float", "half",
    "type_as", "squeeze", "unsqueeze", "abs", "sqrt", "exp", "flatten", "masked_fill", "softmax", "item", "tolist",
}  # fmt: skip
WRAPPERS: Final = {"float", "int", "abs", "sorted", "list", "tuple", "set", "sqrt", "exp", "log", "dropout"}
IN_PLACE: Final[dict[type[ast.operator], str]] = {
    ast.Add: "add_", ast.Sub: "sub_", ast.Mult: "mul_", ast.Div: "div_",
}  # fmt: skip


def dtype(site: Site) -> Iterator[ast.AST]:
    """`torch.float64` as `torch.float32`, `.double()` as `.float()`."""
    node = site.node
    if isinstance(node, ast.Attribute) and _is_namespace(node.value) and node.attr in DTYPES:
        yield changed(node, attr=DTYPES[node.attr])
    elif (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and not node.args
        and node.func.attr in CASTS
    ):
        yield changed(node, func=changed(node.func, attr=CASTS[node.func.attr]))


def neighbour(site: Site) -> Iterator[ast.AST]:
    """`sin` as `cos`, `sum` as `mean`, `tril` as `triu`, `no_grad` as `enable_grad`."""
    node = site.node
    if site.field != "func" and not (site.field == "decorator_list" and isinstance(node, ast.Attribute | ast.Name)):
        return
    if isinstance(node, ast.Attribute) and node.attr in NEIGHBOURS:
        yield changed(node, attr=NEIGHBOURS[node.attr])
    elif isinstance(node, ast.Name) and node.id in BUILTINS:
        yield changed(node, id=BUILTINS[node.id])


def dropped_call(site: Site) -> Iterator[ast.AST]:
    """`a.clone()`, `a.transpose(1, 2)` and `float(a)` as `a`; `a.T` as `a`."""
    node = site.node
    if isinstance(node, ast.Attribute) and node.attr in ("T", "mT") and isinstance(node.ctx, ast.Load):
        yield node.value
    if not isinstance(node, ast.Call):
        return
    if isinstance(node.func, ast.Attribute) and node.func.attr in METHODS and not _is_namespace(node.func.value):
        yield node.func.value
    elif called(node) in WRAPPERS and node.args and not isinstance(node.args[0], ast.Starred | ast.Constant):
        yield node.args[0]


def _is_namespace(node: ast.expr) -> bool:
    """Whether `node.f(…)` calls a module's function, and not a tensor's method."""
    return isinstance(node, ast.Name) and node.id in NAMESPACES


def in_place(site: Site) -> Iterator[ast.AST]:
    """`x + y` as `x.add_(y)` in a module's `forward`, where x came from the caller."""
    node, function = site.node, site.function
    if not isinstance(node, ast.BinOp) or function is None or function.name not in ("forward", "__call__"):
        return
    taken = [*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs]
    tensors = {each.arg for each in taken if each.annotation is None or "Tensor" in ast.unparse(each.annotation)}
    if isinstance(node.left, ast.Name) and node.left.id in tensors and type(node.op) in IN_PLACE:
        yield ast.Call(ast.Attribute(node.left, IN_PLACE[type(node.op)], ast.Load()), [node.right], [])
