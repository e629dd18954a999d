"""Proving a question: everything that it claims of itself is tried, and what does not hold is named.

proof = prove(question, jobs=2)
proof.holds, proof.findings, proof.rows, proof.mutants
"""

from grader.validate.prove import prove

__all__ = ["prove"]
