"""What engines of one question share: the zygote that workers come from, and the hidden tests, collected once."""

from __future__ import annotations

from contextlib import ExitStack

from grader.closing import Closing
from grader.examine import isolation
from grader.examine.examiner import Examiners
from grader.examine.zygote import Zygote
from grader.question import Question
from grader.report import Isolation
from grader.sandbox.tiers import Tier
from grader.suite import SuiteGrader


class Warm(Closing):
    """The processes that take seconds to start. A context manager; leaving it ends those that it started.

    Args:
        question: what is graded.
        zygote: one that was started before anything else was imported, to have its start for nothing.
        tier: the strongest isolation to try.
        require: the weakest isolation in which a submission may run.
    """

    def __init__(self, question: Question, zygote: Zygote | None, tier: Tier, require: Tier) -> None:
        self.question, self.require = question, require
        self._stack = ExitStack()
        self.zygote = zygote or self._stack.enter_context(Zygote(tier))
        self.zygote.bring_in(question.spec.imports)
        self.examiners = self._stack.enter_context(Examiners(question.brief, self.zygote))
        self.suites = self._stack.enter_context(SuiteGrader(question, tier, require))
        self._isolation: Isolation | None = None

    def isolation(self) -> Isolation:
        """The tier that a probe submission shows, in a worker of the zygote.

        Raises:
            TooLittleIsolation: it is weaker than required.
        """
        if self._isolation is None:
            found = isolation.probe(self.zygote, self.question.spec.limits)
            self._isolation = isolation.require(found, self.require, self.zygote.missing)
        return self._isolation

    @property
    def is_alive(self) -> bool:
        """Whether its processes are there still."""
        return self.zygote.is_alive and self.examiners.is_alive

    def close(self) -> None:
        """End its processes."""
        self._stack.close()
