"""What a candidate sends, read as bytes and never run: which file is the solution, and whether it can be graded.

One way in, `read`; the other modules each know one shape that a submission comes in, or one thing that can be wrong.
"""

from grader.submission.reading import Refused, Submission, read

__all__ = ["Refused", "Submission", "read"]
