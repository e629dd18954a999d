"""Grading a candidate's own tests by mutation: they have to pass on right code and to fail on code with a mistake.

Theory of operation. The tests are run many times, each time in a worker of its own: against the reference of the
question, which they have to accept, and against each mutant, the reference with one mistake in it, which they should
notice. What the tests report is a stranger's claim, and may be: whatever a run says of itself, it has to say the right
thing of a solution that it does not know, and only the behaviour of that solution tells which one it is.

    disguise.py   each run gets a text of its own, so that no hash, name or line tells the reference from a mutant
    schedule.py   the reference stands at random places among the mutants, so that no count and no clock tells
    runs.py       one run in one confined worker, and what it comes to
    grading.py    all runs of a submission, and whether the suite counts

A suite counts only if it accepted the reference every time, and noticed twice each mutant that it noticed. So a suite
that fails at random, or at some of its runs, is worth nothing. Workers come from a zygote of their own that has pytest
and Hypothesis loaded, and like the other holds no test, no answer and no path of a question.
"""

from grader.suite.grading import SuiteGrader

__all__ = ["SuiteGrader"]
