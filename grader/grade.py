"""One submission in, one report out: the whole way, readable on one screen."""

from __future__ import annotations

from contextlib import ExitStack
from functools import partial
from pathlib import Path

from grader import diagnose, environment, integrity, scoring, submission
from grader.closing import Closing
from grader.examine.zygote import Zygote
from grader.outcome import Verdict
from grader.question import Question
from grader.recall import Recall
from grader.report import Isolation, QuestionPart, Report, SubmissionPart
from grader.rubric.facts import read_answers
from grader.sandbox.tiers import Tier
from grader.stopwatch import Stopwatch
from grader.warm import Warm


class Engine(Closing):
    """Grades any number of submissions to one question, one after the other.

    Args:
        question: what the submissions answer.
        zygote: one that was started before anything else was imported, to have its start for nothing.
        tier: the strongest isolation to try.
        require: the weakest isolation in which a submission may run.
        warm: what it shares with other engines of the question; by default all is its own, made of the rest.
    """

    def __init__(
        self,
        question: Question,
        zygote: Zygote | None = None,
        *,
        tier: Tier = Tier.SEALED,
        require: Tier = Tier.CONFINED,
        warm: Warm | None = None,
    ) -> None:
        self.question = question
        self._stack = ExitStack()
        self.warm = warm or self._stack.enter_context(Warm(question, zygote, tier, require))
        self.examiner = self._stack.enter_context(self.warm.examiners.another())

    def grade(self, path: Path, seed: int | None = None, recall: Recall | None = None) -> Report:
        """Grade what is at `path`: read it, run the hidden checks, score them, name the mistake.

        Args:
            path: what was sent.
            seed: of the hidden inputs; None for the question's own.
            recall: what was graded before, where the same text need not be graded again.

        Raises:
            CallError: there is nothing at `path` that can be graded.
            QuestionError: the question's own files are wrong.
            GraderFault: the grader failed, or the isolation is weaker than required.
        """
        watch = Stopwatch()
        seed = self.question.seed if seed is None else seed
        try:
            sent = submission.read(path, self.question.asked)
        except submission.Refused as refusal:
            return self._refused(refusal, seed, watch)
        judge = partial(self._judge, sent, seed, watch)
        return recall(sent, seed, judge) if recall else judge()

    def _judge(self, sent: submission.Submission, seed: int, watch: Stopwatch) -> Report:
        question = self.question
        answers, answer_notes = read_answers(sent.answers, sent.answers_problem, question.spec.answers)
        isolation = self.warm.isolation()
        watch.lap("start")
        examination = self.examiner.examine(sent.source, seed, reference=question.reference)
        watch.lap("checks")
        suite = self.warm.suites.grade(sent, seed)
        watch.lap("suite")
        criteria = scoring.criteria(question.spec, examination, answers, suite)
        diagnosis = diagnose.diagnose(question, self.examiner, sent.source, examination, criteria, answers)
        watch.lap("diagnosis")
        return Report(
            question=self._question_part(),
            submission=SubmissionPart(
                name=sent.name,
                digest=sent.digest,
                files=list(sent.files),
                notes=[*sent.notes, *answer_notes, *examination.notes(question.spec.limits)],
            ),
            verdict=scoring.verdict(criteria),
            score=scoring.score(criteria),
            criteria=criteria,
            diagnosis=diagnosis,
            answers=answers,
            suite=suite,
            integrity=integrity.notes(sent.source, question.spec.support),
            isolation=isolation,
            seed=seed,
            environment=environment.versions(),
            timing={**watch.laps, **examination.used()},
        )

    def _refused(self, refusal: submission.Refused, seed: int, watch: Stopwatch) -> Report:
        criteria = scoring.unmeasured(self.question.spec)
        return Report(
            question=self._question_part(),
            submission=SubmissionPart(
                name=refusal.name, digest=refusal.digest, files=list(refusal.files), notes=list(refusal.notes)
            ),
            verdict=Verdict.REFUSED,
            score=scoring.score(criteria),
            criteria=criteria,
            diagnosis=[diagnose.refused(refusal.reason)],
            answers=[],
            integrity=[],
            isolation=Isolation(tier="none", probes={}),
            seed=seed,
            environment=environment.versions(),
            timing=watch.laps,
        )

    def _question_part(self) -> QuestionPart:
        question, spec = self.question, self.question.spec
        return QuestionPart(
            id=spec.id, version=spec.version, title=spec.title, digest=question.digest, variant=dict(question.variant)
        )

    def close(self) -> None:
        """End its processes."""
        self._stack.close()
