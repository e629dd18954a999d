"""All of a question's claims, tried one after the other."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import ExitStack

from grader.bench import Bench
from grader.examine.zygote import Zygote
from grader.question import Question
from grader.validate import claims, margins, mutants, packet, public, record
from grader.validate.cases import cases, grade_all
from grader.validate.proof import Proof


def prove(
    question: Question,
    zygote: Zygote | None = None,
    tests: Zygote | None = None,
    *,
    jobs: int = 2,
    quick: bool = False,
    progress: Callable[[str], None] = lambda _: None,
) -> Proof:
    """Try everything that a question claims of itself.

    Args:
        question: the question, with its solutions.
        zygote: a warm one; by default one is started.
        tests: a warm one with pytest, see `public.warm`; by default one is started.
        jobs: how many submissions are graded at once.
        quick: leave out most mutants, most of what is unusual and wrong, and other hidden inputs: enough to see that
            the grader still does what it did, not to prove a question.
        progress: told what is going on, after each submission.

    Raises:
        QuestionError: the question can't be examined at all.
        GraderFault: the grader failed.
    """
    started = time.monotonic()
    found = [record.versioned(question), *packet.findings(question), *claims.files(question)]
    wanted = cases(question, quick=quick)
    graded = 0

    def moved() -> None:
        nonlocal graded
        graded += 1
        progress(f"{question.id}: {graded} gradings")

    with ExitStack() as stack:
        warm = zygote or stack.enter_context(Zygote())
        bench = stack.enter_context(Bench(question, warm, jobs, done=moved))
        rows = grade_all(bench, wanted)
        found += claims.of_rows(question, rows, quick=quick)
        found += margins.findings(question, bench, rows, quick=quick)
        found += public.findings(question, tests or stack.enter_context(public.warm()))
        tried = mutants.try_all(question, bench, quick=quick)
        found += mutants.findings(question, tried, quick=quick)
    return Proof(
        id=question.id,
        version=question.spec.version,
        title=question.spec.title,
        digest=question.digest,
        findings=found,
        rows=rows,
        mutants=tried,
        seconds=round(time.monotonic() - started, 1),
    )
