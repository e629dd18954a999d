"""Mutants of a reference solution: the slips that a person makes in numeric and tensor code, one in each copy.

Source text in, mutants out. Nothing is run here: `grader validate` grades the mutants, to show that a question's hidden
tests notice every one.

    for mutant in mutants(source):
        mutant.id, mutant.operator, mutant.line, mutant.diff, mutant.source
"""

from grader.mutation.mutants import Mutant, mutants

__all__ = ["Mutant", "mutants"]
