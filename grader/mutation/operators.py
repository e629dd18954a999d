"""The kinds of slip, by the name that a mutant's id carries. What two of them make counts for the first."""

import ast
from collections.abc import Callable, Iterator
from typing import Final

from grader.mutation import indices, numbers, statements, tensors
from grader.mutation.sites import Site

Operator = Callable[[Site], Iterator[ast.AST]]

OPERATORS: Final[dict[str, Operator]] = {
    "drop-statement": statements.dropped_statement,
    "slice-bound": indices.slice_bound,
    "axis": indices.axis,
    "off-by-one": indices.off_by_one,
    "swap": indices.arguments,
    "drop-keyword": indices.dropped_keyword,
    "dtype": tensors.dtype,
    "neighbour": tensors.neighbour,
    "drop-call": tensors.dropped_call,
    "in-place": tensors.in_place,
    "default": numbers.default,
    "arithmetic": numbers.arithmetic,
    "operands": numbers.operands,
    "drop-operand": numbers.dropped_operand,
    "comparison": numbers.comparison,
    "condition": numbers.condition,
    "constant": numbers.constant,
}
