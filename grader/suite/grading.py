"""All runs of one submission's tests, whether they count, and which mutants they noticed."""

from __future__ import annotations

import difflib
import random
import threading
from dataclasses import replace

from grader.closing import Closing
from grader.errors import QuestionError
from grader.examine import isolation
from grader.examine.zygote import Zygote
from grader.question import Question, Suite, SuiteMutant
from grader.report import Pitfall, SuitePart
from grader.sandbox.limits import Limits
from grader.sandbox.tiers import Tier
from grader.submission import Submission
from grader.suite.decoys import mentioned
from grader.suite.disguise import disguise
from grader.suite.runs import OutOfAllTime, OwnTests, Run, Runner
from grader.suite.schedule import AMONG, REFERENCE, a_round, chance

IMPORTS = ("pytest", "hypothesis")


class Discounted(Exception):
    """The tests don't count.

    Args:
        reason: why, in a sentence that may be shown to the candidate.
        seen: what was seen, for interviewers only.
    """

    def __init__(self, reason: str, seen: str = "") -> None:
        self.reason, self.seen = reason, seen
        super().__init__(reason)


class SuiteGrader(Closing):
    """Grades the tests of any number of submissions to one question. Its zygote starts with the first that has some.

    Args:
        question: what the submissions answer.
        tier: the strongest isolation to try.
        require: the weakest isolation in which tests may run.
    """

    def __init__(self, question: Question, tier: Tier, require: Tier) -> None:
        self.question, self.tier, self.weakest = question, tier, require
        self._zygote: Zygote | None = None
        self._lock = threading.Lock()

    def grade(self, sent: Submission, seed: int) -> SuitePart | None:
        """What the submission's tests are worth; None where the question asks for none.

        Raises:
            QuestionError: the reference or a mutant can't be used.
            GraderFault: the grader failed, or the isolation is weaker than required.
        """
        suite = self.question.spec.suite
        if suite is None:
            return None
        if sent.suite is None:
            return unmeasured(suite, sent.suite_problem)
        zygote = self._warm()
        limits = limits_of(suite, self.question.spec.limits)
        runner = Runner(zygote.control, OwnTests(suite.file, sent.suite), self.question.brief.support, limits)
        return Judging(self.question, suite, runner, chance(seed, sent.digest)).judge(sent.source)

    def _warm(self) -> Zygote:
        with self._lock:  # several engines share it
            if self._zygote is None or not self._zygote.is_alive:
                self.close()
                self._zygote = self._started()
            return self._zygote

    def _started(self) -> Zygote:
        zygote = Zygote(self.tier, (*self.question.spec.imports, *IMPORTS))
        try:
            found = isolation.probe(zygote, self.question.spec.limits)
            isolation.require(found, self.weakest, zygote.missing)
        except BaseException:  # nobody may find it, and run tests in it
            zygote.close()
            raise
        return zygote

    def close(self) -> None:
        """End its zygote."""
        if self._zygote is not None:
            self._zygote.close()


def unmeasured(suite: Suite, problem: str) -> SuitePart:
    """The part of a submission whose tests are missing, or can't be read because of `problem`."""
    return SuitePart(
        file=suite.file,
        outcome="invalid" if problem else "missing",
        reason=problem or f"There is no {suite.file}: send it beside solution.py.",
        killed=0,
        mutants=len(suite.mutants),
        threshold=suite.threshold,
    )


def limits_of(suite: Suite, limits: Limits) -> Limits:
    """What a run may use, and what all may: as much as if each used all that it may, in twice the time if it has to."""
    runs = 2 * len(suite.mutants) + 2 * AMONG + 2
    whole = suite.run_cpu_seconds * runs
    return replace(
        limits,
        call_cpu_seconds=suite.run_cpu_seconds,
        call_wall_seconds=max(limits.call_wall_seconds, 6 * suite.run_cpu_seconds),
        submission_cpu_seconds=whole,
        submission_wall_seconds=max(limits.submission_wall_seconds, 2 * whole),
    )


class Judging:
    """The runs of one submission's tests.

    Args:
        question: the question.
        suite: what its spec says of the tests.
        runner: runs them.
        rng: for the order of the runs and the look of the solutions.
    """

    def __init__(self, question: Question, suite: Suite, runner: Runner, rng: random.Random) -> None:
        self.question, self.suite, self.runner, self.rng = question, suite, runner, rng
        self.mutants = {mutant.id: mutant for mutant in suite.mutants}
        self.texts = {id: question.solution(mutant.solution) or "" for id, mutant in self.mutants.items()}
        self.texts[REFERENCE] = question.reference or ""
        self.names = mentioned(self.texts.values())
        self.own = ""

    def judge(self, own: str) -> SuitePart:
        """Run everything that it takes. `own` is the candidate's solution."""
        part = unmeasured(self.suite, "they were not run")
        try:
            first = self._run(REFERENCE)
            self.own = told(self.runner.run(own))
            self._accept(first)
            noticed = self._round([*self.mutants])
            again = self._round(noticed)
            if again != noticed:
                raise Discounted(
                    "The tests fail in one run and pass in another on the same code: they have to give the same "
                    "result each time."
                )
        except Discounted as error:
            return part.model_copy(update={"reason": error.reason, "seen": error.seen, "own_solution": self.own})
        except OutOfAllTime:
            reason = "All runs of the tests together used up their time: make the tests faster."
            return part.model_copy(update={"reason": reason, "own_solution": self.own})
        return self._scored(part, set(noticed))

    def _run(self, id: str) -> Run:
        try:
            text = disguise(self.texts[id], self.rng, self.names)
        except (SyntaxError, ValueError) as error:
            where = self.mutants[id].solution if id else "reference.py"
            raise QuestionError("tests can't be run against this", where=where, found=str(error)) from None
        return self.runner.run(text)

    def _round(self, ids: list[str]) -> list[str]:
        """Those of the mutants that are noticed, in the order of the spec; the reference is run among them."""
        noticed = set()
        for id in a_round(ids, self.rng):
            run = self._run(id)
            if id == REFERENCE:
                self._accept(run)
            elif run.refused:
                noticed.add(id)
        return [id for id in ids if id in noticed]

    def _accept(self, run: Run) -> None:
        """Raise a Discounted unless a run against the reference was as it should be."""
        if run.accepted:
            return
        if run.failed:
            raise Discounted(f"On right code, {run.failed[0]} fails: tests have to pass on every right solution.")
        if run.broken:
            raise Discounted(f"On right code, {run.broken}.", run.seen)
        raise Discounted(f"There is no test that passes in {self.suite.file}: write at least one.")

    def _scored(self, part: SuitePart, noticed: set[str]) -> SuitePart:
        pitfalls = [self._pitfall(mutant, mutant.id in noticed) for mutant in self.suite.mutants]
        missed = [each.pitfall for each in pitfalls if each.required and not each.killed]
        reason = f"They miss a mistake that they have to notice: {missed[0]}." if missed else ""
        if len(noticed) < part.needed:
            reason = f"They notice {len(noticed)} of {len(pitfalls)} mistakes, and {part.needed} are needed."
        return part.model_copy(
            update={
                "outcome": "failed" if reason else "passed",
                "reason": reason,
                "killed": len(noticed),
                "own_solution": self.own,
                "pitfalls": pitfalls,
            }
        )

    def _pitfall(self, mutant: SuiteMutant, killed: bool) -> Pitfall:
        diff = unified(self.texts[REFERENCE], self.texts[mutant.id], mutant.solution)
        return Pitfall(id=mutant.id, pitfall=mutant.pitfall, required=mutant.required, killed=killed, diff=diff)


def told(run: Run) -> str:
    """A run against the candidate's own solution, in a clause."""
    if run.accepted:
        return "passed"
    if run.failed:
        names = list(dict.fromkeys(run.failed))
        more = f" and {len(names) - 3} more" if len(names) > 3 else ""
        return f"{', '.join(names[:3])}{more} failed"
    return run.broken or "no test passed"


def unified(reference: str, mutant: str, name: str) -> str:
    """What a mutant has that the reference has not, as a unified diff."""
    lines = difflib.unified_diff(reference.splitlines(), mutant.splitlines(), "reference.py", name, n=2, lineterm="")
    return "\n".join(lines)
