"""A submission beside the reference, definition by definition. Both are read as text; nothing of either is run.

definitions.py   a source as a tree of definitions, each with its own lines
matching.py      which definition of the submission stands beside which of the reference
rows.py          two definitions as rows of lines, with the words that differ
comparison.py    a question and a submission in, a `Comparison` out
command.py       `grader diff`
"""

from grader.alignment.comparison import Comparison, compare

__all__ = ["Comparison", "compare"]
