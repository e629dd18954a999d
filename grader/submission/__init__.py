"""What a candidate sends, read as bytes and never run: which file is the solution, and whether it can be graded.

One way in, `read`; the other modules each know one shape that a submission comes in, or one thing that can be wrong.
They use the standard library alone and run on every system, since each packet carries a copy of them: what check.py
says to a candidate is what the grader will say.
"""

from grader.submission.asked import Asked, Wanted
from grader.submission.reading import Refused, Submission, origin, read, sheet

__all__ = ["Asked", "Refused", "Submission", "Wanted", "origin", "read", "sheet"]
