"""From a source to its mutants: every operator at every site, written back into the text, each program once."""

from __future__ import annotations

import ast
import difflib
import hashlib
import re
import warnings
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final

from grader.mutation.operators import OPERATORS
from grader.mutation.sites import Site, header, sites
from grader.mutation.splice import Splicer

MODULE: Final = "module"  # stands for the qualified name of what no definition holds


@dataclass(frozen=True, slots=True)
class Mutant:
    """One slip in a copy of a source.

    Attributes:
        id: which one, as `function:operator:hash`. It stays the same while the statement that the slip is in stays the
            same, whatever else is edited: an author's mark outlives a change elsewhere, but not one of what it judged.
        operator: the kind of slip.
        line: where it starts, from 1, in the original.
        source: the whole text with the slip in it. It compiles, and outside the slip it is the original.
        diff: the hunks of a unified diff with one line of context.
    """

    id: str
    operator: str
    line: int
    source: str
    diff: str


def mutants(source: str) -> list[Mutant]:
    """Every mutant of a source, in the order of lines, then of operators.

    Left alone are annotations, docstrings, f-strings, imports, what is raised, the message of an `assert`, base
    classes, decorators (but for `no_grad`) and what runs only as a script.

    Raises:
        SyntaxError: the source is not Python.
        GraderFault: a slip could not be written back into the text.
    """
    tree = ast.parse(source)
    splicer = Splicer(source, tree)
    seen = {(number, ast.dump(statement)) for number, statement in enumerate(tree.body)}
    places = {statement: number for number, statement in enumerate(tree.body)}
    made: list[tuple[tuple[int, int], Mutant]] = []
    for site in sites(tree):
        for rank, (operator, slips) in enumerate(OPERATORS.items()):
            for new in slips(site):
                with site.holding(new) as statement:
                    meant = ast.dump(statement)
                # The rest of the module is as it was, so one statement of it tells programs apart.
                if (key := (places[site.outermost], meant)) in seen:
                    continue
                seen.add(key)
                mutated, line = splicer.write(site, new, meant)
                if _compiles(mutated):
                    mutant = Mutant(_id(site, operator, new), operator, line, mutated, _diff(source, mutated))
                    made.append(((line, rank), mutant))
    made.sort(key=lambda pair: pair[0])
    return list(_told_apart(mutant for _, mutant in made))


def _compiles(source: str) -> bool:
    """Whether Python takes it; a slip that it refuses at once, such as a stray assignment target, tests nothing."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # what Python thinks of a slip is no warning of ours
            compile(source, "mutant.py", "exec", dont_inherit=True)
    except SyntaxError:
        return False
    return True


def _id(site: Site, operator: str, new: ast.AST) -> str:
    """The statement as it was, the place in it and what comes there: nothing that an edit elsewhere would change."""
    told = "\0".join((header(site.statement), site.path, ast.unparse(new)))
    return f"{site.qualname or MODULE}:{operator}:{hashlib.sha256(told.encode()).hexdigest()[:6]}"


def _told_apart(made: Iterator[Mutant]) -> Iterator[Mutant]:
    """Number the same slip in statements that repeat each other."""
    counts: Counter[str] = Counter()
    for mutant in made:
        counts[mutant.id] += 1
        yield mutant if counts[mutant.id] == 1 else replace(mutant, id=f"{mutant.id}#{counts[mutant.id]}")


def _diff(before: str, after: str) -> str:
    # Split at line feeds only, as Python and diff do: splitlines would break a form feed inside a line.
    old, new = (re.findall(r"[^\n]*\n|[^\n]+", each) for each in (before, after))
    hunks = list(difflib.unified_diff(old, new, n=1))[2:]  # no file names: a source has none
    return "".join(line if line.endswith("\n") else f"{line}\n" for line in hunks)
