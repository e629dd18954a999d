"""Mutants of a reference: what each operator makes of a line, and what stays as it was."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

from grader.bank import Bank
from grader.errors import GraderFault
from grader.mutation import Mutant, mutants
from grader.mutation.operators import OPERATORS
from grader.mutation.sites import sites
from grader.mutation.splice import Splicer

REFERENCES: Final = [question.solutions / "reference.py" for question in Bank.find().finished()]


def changes(source: str, operator: str | None = None) -> list[str]:
    """The lines that come in place of others, one mutant after the other."""
    made = [mutant for mutant in mutants(source) if operator in (None, mutant.operator)]
    return [line[1:].strip() for mutant in made for line in mutant.diff.splitlines() if line.startswith("+")]


def operators_of(source: str) -> set[str]:
    """The kinds of slip that a source allows."""
    return {mutant.operator for mutant in mutants(source)}


def before_and_after() -> Iterator[tuple[str, str, list[str]]]:
    """For every operator, lines and what becomes of them: all of it, in order."""
    yield "arithmetic", "a + b", ["a - b"]
    yield "arithmetic", "a * b", ["a / b", "a + b"]
    yield "arithmetic", "a / b", ["a * b", "a // b"]
    yield "arithmetic", "a // b", ["a / b"]
    yield "arithmetic", "a % b", ["a // b"]
    yield "arithmetic", "a ** b", ["a * b"]
    yield "arithmetic", "a @ b", ["a * b"]
    yield "arithmetic", "a & b", ["a | b"]
    yield "arithmetic", "-a", ["a"]
    yield "arithmetic", "~mask", ["mask"]
    yield "arithmetic", "total -= a", ["total += a"]
    yield "arithmetic", "'%d' % a", []
    yield "arithmetic", "[a] + b", []
    yield "operands", "a - b", ["b - a"]
    yield "operands", "q @ k", ["k @ q"]
    yield "operands", "a + b", []
    yield "drop-operand", "x + f(x)", ["x", "f(x)"]
    yield "drop-operand", "scores / n", ["scores"]
    yield "drop-operand", "a and b", ["b", "a"]
    yield "drop-operand", "a or b or c", ["b or c", "a or c", "a or b"]
    yield "comparison", "a < b", ["a <= b", "a > b"]
    yield "comparison", "a >= b", ["a > b", "a <= b"]
    yield "comparison", "a == b", ["a != b"]
    yield "comparison", "a is b", ["a is not b"]
    yield "comparison", "a is  not b", ["a is b"]
    yield "comparison", "a not in b", ["a in b"]
    yield "comparison", "0 <= a < b", ["0 < a < b", "0 >= a < b", "0 <= a <= b", "0 <= a > b"]
    yield "condition", "f(not a)", ["f(a)"]
    yield "condition", "a and b", ["a or b"]
    yield "condition", "b = 1 if a else 2", ["b = 1 if not a else 2"]
    yield "condition", "b = [i for i in a if i]", ["b = [i for i in a if not i]"]
    yield "condition", "assert a < b, 'no'", ["assert a >= b, 'no'"]
    yield "constant", "f(0)", ["f(1)"]
    yield "constant", "f(1)", ["f(2)"]
    yield "constant", "f(2)", ["f(1)"]
    yield "constant", "f(7)", ["f(8)"]
    yield "constant", "f(-7)", ["f(-8)"]
    yield "constant", "f(10_000.0)", ["f(20000.0)"]
    yield "constant", "f(0.0)", ["f(1.0)"]
    yield "constant", "f(eps=1e-6)", ["f(eps=1e-05)"]
    yield "constant", "f(keepdim=True)", ["f(keepdim=False)"]
    yield "constant", "f(None, 'a word', ...)", []
    yield "constant", "a.astype('float64')", ["a.astype('float32')"]
    yield "constant", "f(reduction='mean')", ["f(reduction='sum')"]
    yield "constant", "einsum('bhqd,bhkd->bhqk', q, k)", ["einsum('bhqd,bhkd->bhkq', q, k)"]
    yield (
        "default",
        "def f(a, base=10000.0, bias=False): ...",
        [
            "def f(a, base=20000.0, bias=False): ...",
            "def f(a, base=10000.0, bias=True): ...",
        ],
    )
    yield "slice-bound", "a[1:n]", ["a[:n]", "a[0:n]", "a[1:]", "a[1:n - 1]", "a[1:n + 1]"]
    yield "slice-bound", "a[:-1]", ["a[1:-1]", "a[:]", "a[:-2]"]
    yield "slice-bound", "a[0::2]", ["a[1::2]", "a[0::1]"]
    yield "slice-bound", "a[:, 1::2]", ["a[:, ::2]", "a[:, 0::2]", "a[:, 1::1]"]
    yield "slice-bound", "a[:, n + 1 :]", ["a[:, :]", "a[:, n + 2 :]"]
    yield "slice-bound", "a[:]", []
    yield "axis", "a.softmax(dim=-1)", ["a.softmax(dim=-2)", "a.softmax(dim=0)"]
    yield "axis", "a.mean(axis=1)", ["a.mean(axis=0)"]
    yield "axis", "a.sum(0)", ["a.sum(1)"]
    yield "axis", "a.transpose(-2, -1)", ["a.transpose(-1, -1)", "a.transpose(-2, -2)", "a.transpose(-2, 0)"]
    yield "axis", "x.shape[1]", ["x.shape[0]"]
    yield "axis", "a[:, None]", ["a[None, :]"]
    yield "axis", "f(1, x[1])", []
    yield "off-by-one", "range(n)", ["range(n - 1)", "range(n + 1)"]
    yield "off-by-one", "range(1, n + 1)", ["range(0, n + 1)", "range(2, n + 1)", "range(1, n)", "range(1, n + 2)"]
    yield "off-by-one", "np.arange(0.0, 1.0)", []
    yield "off-by-one", "len(a)", ["len(a) - 1"]
    yield "swap", "f(a, b)", ["f(b, a)"]
    yield "swap", "where(m, a, b)", ["where(a, m, b)", "where(m, b, a)"]
    yield "swap", "stack([sin, cos])", ["stack([cos, sin])"]
    yield "swap", "zeros((T, d))", ["zeros((d, T))"]
    yield "swap", "q, k, v = a", ["k, q, v = a", "q, v, k = a"]
    yield "swap", "def f(): return a, b", ["def f(): return b, a"]
    yield "swap", "max(a, b); transpose(a, b); isinstance(a, b); f(a, a); f('word', a); f(*a, b)", []
    yield "drop-keyword", "attend(q, mask=mask, dim=-1)", ["attend(q, dim=-1)"]
    yield "drop-keyword", "np.arange(n, dtype=np.float64)", ["np.arange(n)"]
    yield "drop-keyword", "f(mask=mask); f(a, dim=-1, keepdim=True); f(a, **more)", []
    yield "dtype", "torch.float64", ["torch.float32"]
    yield "dtype", "np.int64", ["np.int32"]
    yield "dtype", "a.double()", ["a.float()"]
    yield "dtype", "model.float32", []
    yield "neighbour", "np.sin(a)", ["np.cos(a)"]
    yield "neighbour", "a.sum()", ["a.mean()"]
    yield "neighbour", "torch.tril(a)", ["torch.triu(a)"]
    yield "neighbour", "torch.zeros_like(a)", ["torch.ones_like(a)"]
    yield "neighbour", "F.relu(a)", ["F.gelu(a)"]
    yield "neighbour", "max(a)", ["min(a)"]
    yield "neighbour", "a.max", []
    yield "drop-call", "f(a.clone())", ["f(a)"]
    yield "drop-call", "(a + b).detach()", ["a + b"]
    yield "drop-call", "c * (a + b).contiguous()", ["c * (a + b)"]
    yield "drop-call", "k.transpose(1, 2)", ["k"]
    yield "drop-call", "float(a)", ["a"]
    yield "drop-call", "a.T", ["a"]
    yield "drop-call", "np.exp(a)", ["a"]
    yield "drop-call", "torch.transpose(a, 0, 1); float('inf')", []


@pytest.mark.parametrize(("operator", "before", "after"), list(before_and_after()))
def test_an_operator_makes_of_a_line(operator: str, before: str, after: list[str]) -> None:
    assert changes(before, operator) == after


def test_every_operator_has_a_case() -> None:
    shown = {operator for operator, _, after in before_and_after() if after}
    assert shown | {"drop-statement", "in-place"} == set(OPERATORS)


def test_in_place_is_for_what_the_caller_of_forward_passed() -> None:
    body = "        y = f(x)\n        return x + g(y), y * 2, n + 1\n"
    method = f"class M:\n    def forward(self, x: torch.Tensor, n: int):\n{body}"
    assert changes(method, "in-place") == ["return x.add_(g(y)), y * 2, n + 1"]
    assert changes(method.replace("forward", "helper"), "in-place") == []


def test_a_statement_is_dropped_where_the_rest_still_runs() -> None:
    source = (
        "def f(a, out):\n    b = a\n    a = a * 2\n    out[0] = a\n    out.more = b\n    total = 0\n    total += b\n"
        "    init(out)\n    if a:\n        raise ValueError(a)\n    return total\n"
    )
    dropped = [mutant for mutant in mutants(source) if mutant.operator == "drop-statement"]
    assert [mutant.line for mutant in dropped] == [3, 4, 5, 7, 8, 9]
    assert dropped[-1].source.endswith("    init(out)\n    pass\n    return total\n")


def test_the_guard_of_an_elif_loses_its_body() -> None:
    source = "def f(a):\n    if a > 1:\n        a = 2\n    elif a > 0:\n        raise ValueError\n    return a\n"
    dropped = [mutant.source for mutant in mutants(source) if mutant.operator == "drop-statement"]
    assert "    elif a > 0:\n        pass\n    return a\n" in dropped[-1]


def test_no_grad_comes_off_as_a_context_and_as_a_decorator() -> None:
    source = "@torch.no_grad()\ndef f():\n    with torch.no_grad():\n        g()\n"
    assert changes(source, "neighbour") == ["@torch.enable_grad()", "with torch.enable_grad():"]


@pytest.mark.parametrize(
    "source",
    [
        '"""1 + 2"""\n',
        "def f(a: Literal[1] = ...) -> Literal[2]:\n    '''mean'''\n    b: Literal[3]\n",
        "class A(B[1], metaclass=C(2)):\n    'sum'\n    x: Literal[-1]\n",
        "__all__ = ['mean', 'sum']\n",
        "from a import b\nimport c\n",
        "@decorated(1, True)\ndef f(): ...\n",
        "b = f'{a + 1} of {len(a)}'\n",
        "if __name__ == '__main__':\n    main(1)\n",
        "if TYPE_CHECKING:\n    n = 1\n",
    ],
)
def test_what_does_nothing_is_left_alone(source: str) -> None:
    assert mutants(source) == []


def test_what_is_raised_and_asserted_is_left_alone() -> None:
    source = "def f(a):\n    if a:\n        raise ValueError(a + 1, 'mean')\n    assert a, a - 1\n"
    assert operators_of(source) == {"drop-statement", "condition"}


@pytest.mark.parametrize(
    ("source", "mutated"),
    [
        ("c - a * b\n", "c - (a + b)\n"),  # one character would have given (c - a) + b
        ("(a +  b)  *  c  # sum\n", "(a -  b)  *  c  # sum\n"),
        ("a + b - c\n", "c - (a + b)\n"),
        ("x | y | z\n", "(x | y) & z\n"),
        ("f(\n    a,  # first\n    b,\n)\n", "f(\n    b,  # first\n    a,\n)\n"),
        ("f(a  # the sum\n  - b)\n", "f(a  # the sum\n  + b)\n"),
        ("é = 'é' if  ü<ö else 0\n", "é = 'é' if  ü<=ö else 0\n"),
        ("a \\\n  +  \\\n  b\n", "a \\\n  -  \\\n  b\n"),
        ("sum( (i  for i in a) )\n", "max( (i  for i in a) )\n"),
        ("f( g( a ) [ 1: ] )\n", "f( g( a ) [ : ] )\n"),
        ("if (  # why\n    a and\n    b):\n    f()\n", "if (  # why\n    a or\n    b):\n    f()\n"),
        ("x = (a +\n     b).clone()  # new\n", "x = (a +\n     b)  # new\n"),
    ],
)
def test_the_text_around_a_slip_is_kept(source: str, mutated: str) -> None:
    assert mutated in [mutant.source for mutant in mutants(source)]


def test_a_slip_that_cannot_be_written_is_our_fault() -> None:
    tree = ast.parse("a = b\n")
    site = next(each for each in sites(tree) if isinstance(each.node, ast.Name))
    with pytest.raises(GraderFault, match="line 1: a mutant can't be written: found c"):
        Splicer("a = b\n", tree).write(site, ast.Name("c", ast.Store()), "a tree that no text has")


def test_a_source_that_is_not_python_is_refused() -> None:
    with pytest.raises(SyntaxError):
        mutants("def f(:\n")


def test_what_python_thinks_of_a_slip_is_no_warning_of_ours() -> None:
    assert changes("a = b is 1\n", "comparison") == ["a = b is not 1"]


# The shipped references


@pytest.fixture(scope="module", params=REFERENCES, ids=lambda path: path.parent.name)
def reference(request: pytest.FixtureRequest) -> tuple[str, list[Mutant]]:
    """A reference, and its mutants."""
    path: Path = request.param
    source = path.read_text("utf-8")
    return source, mutants(source)


def test_there_is_a_reference() -> None:
    assert REFERENCES


def test_mutants_compile_and_no_two_are_the_same_program(reference: tuple[str, list[Mutant]]) -> None:
    source, made = reference
    trees = [ast.dump(ast.parse(text)) for text in (source, *(mutant.source for mutant in made))]
    assert len(set(trees)) == len(made) + 1
    for mutant in made:
        compile(mutant.source, "mutant.py", "exec", dont_inherit=True)


def test_mutants_differ_from_the_original_around_their_line_and_the_diff_shows_it_all(
    reference: tuple[str, list[Mutant]],
) -> None:
    source, made = reference
    for mutant in made:
        assert mutant.diff.startswith("@@"), mutant.diff
        text, first, last = patched(source, mutant.diff)
        assert text == mutant.source
        assert first <= mutant.line <= last


def patched(source: str, diff: str) -> tuple[str, int, int]:
    """What a diff makes of a text, and between which of its lines, counted from 1, it stands."""
    before, after, done, first = source.splitlines(keepends=True), [], 0, 0
    for hunk in re.split(r"^@@ -", diff, flags=re.MULTILINE)[1:]:
        start = int(hunk.partition(",")[0]) - 1
        lines = hunk.splitlines(keepends=True)[1:]
        there = [line[1:] for line in lines if line[0] in " -"]
        assert before[start : start + len(there)] == there
        after += [*before[done:start], *(line[1:] for line in lines if line[0] in " +")]
        done, first = start + len(there), first or start + 1
    return "".join([*after, *before[done:]]), first, done


def test_mutants_stand_in_the_order_of_lines_and_always_the_same(reference: tuple[str, list[Mutant]]) -> None:
    source, made = reference
    order = list(OPERATORS)
    keys = [(mutant.line, order.index(mutant.operator)) for mutant in made]
    assert keys == sorted(keys)
    assert mutants(source) == made


def test_ids_are_unique_short_and_fit_a_spec(reference: tuple[str, list[Mutant]]) -> None:
    _, made = reference
    ids = [mutant.id for mutant in made]
    assert len(set(ids)) == len(ids)
    for mutant in made:
        assert re.fullmatch(rf"[\w.]+:{mutant.operator}:[0-9a-f]{{6}}(#\d+)?", mutant.id)
        assert len(mutant.id) <= 100


def test_ids_outlive_edits_elsewhere(reference: tuple[str, list[Mutant]]) -> None:
    source, made = reference
    future = re.search(r"^from __future__.*\n", source, re.MULTILINE)
    assert future is None, "what is added below has to come after it"
    above = "# A comment.\n\n\ndef unrelated_addition(a):\n    return a - 1\n\n\n"
    edited = mutants(above + source.replace("  # (", "  # shape ("))
    assert [mutant.id for mutant in edited if not mutant.id.startswith("unrelated_addition")] == [
        mutant.id for mutant in made
    ]


def test_prose_and_annotations_are_the_same_in_every_mutant(reference: tuple[str, list[Mutant]]) -> None:
    source, made = reference
    whole = Counter(prose(source))
    for mutant in made:
        theirs = Counter(prose(mutant.source))
        lost = whole - theirs
        assert not theirs - whole, mutant.diff
        # A statement that is dropped may take the annotation of its variable along.
        assert lost.total() <= (mutant.operator == "drop-statement"), mutant.diff


def prose(source: str) -> list[str]:
    """Docstrings and annotations; messages may go, with the guard that raises them."""
    tree = ast.parse(source)
    found = [ast.get_docstring(tree, clean=False) or ""]
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            found.append(ast.get_docstring(node, clean=False) or "")
        for field in ("annotation", "returns"):
            part = getattr(node, field, None)
            if isinstance(part, ast.AST):
                found.append(ast.unparse(part))
    return found


# Ids


def test_an_id_changes_with_its_own_statement_and_with_no_other() -> None:
    before, after = "def f(a):\n    b = a + 1\n    return b * 2\n", "def f(a):\n    b = a + 3\n    return b * 2\n"
    stayed = {mutant.id for mutant in mutants(before)} & {mutant.id for mutant in mutants(after)}
    assert stayed == {mutant.id for mutant in mutants(before) if mutant.line == 3}


def test_the_same_slip_in_repeated_statements_is_numbered() -> None:
    ids = [mutant.id for mutant in mutants("def f(a):\n    g(a)\n    g(a)\n    g(a)\n")]
    assert len(ids) == 3
    assert [id.removeprefix(ids[0]) for id in ids] == ["", "#2", "#3"]


def test_methods_and_nested_functions_have_qualified_names() -> None:
    source = "x = 1\nclass A:\n    y = 3\n    def f(self):\n        def g(): return 5\n        return g\n"
    assert [mutant.id.partition(":")[0] for mutant in mutants(source)] == ["module", "A", "A.f.g"]
