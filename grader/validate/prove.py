"""All of a question's claims, tried one after the other."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Final

from grader.bench import Bench
from grader.examine.zygote import Zygote
from grader.question import Question
from grader.validate import cases, claims, margins, mutants, packet, public, record, variants
from grader.validate.proof import Finding, MutantRow, Proof, Row


@dataclass(frozen=True)
class Extent:
    """How much of a question is tried; without a number, all.

    Attributes:
        solutions: how many of the unusual, and of the wrong.
        mutants: how many of them. Where it is a few, other hidden inputs are left out, too.
    """

    solutions: int | None = None
    mutants: int | None = None


WHOLE: Final = Extent()
# In a variant the checks are those of the question, and how closely they look has been seen there; that they fit its
# numbers, each solution shows.
VARIANT: Final = Extent(mutants=5)
QUICK: Final = Extent(solutions=1, mutants=2)
QUICK_VARIANT: Final = Extent(solutions=1, mutants=0)


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
        quick: leave out most mutants, most of what is unusual and wrong, other hidden inputs, and all variants but
            one, of which the least is graded: enough to see that the grader still does what it did, not to prove a
            question.
        progress: told what is going on, after each submission.

    Raises:
        QuestionError: the question can't be examined at all, or has no reference that can be.
        GraderFault: the grader failed.
    """
    started = time.monotonic()
    graded = 0

    def moved() -> None:
        nonlocal graded
        graded += 1
        progress(f"{question.id}: {graded} gradings")

    with ExitStack() as stack:
        warm = zygote or stack.enter_context(Zygote())
        trial = _Trial(warm, tests or stack.enter_context(public.warm()), jobs, moved)
        rows, tried, found = trial.of(question, QUICK if quick else WHOLE)
        apart, others = variants.chosen(question, quick=quick)
        shown = []
        for each in others:
            their_rows, their_mutants, their_findings = trial.of(each, QUICK_VARIANT if quick else VARIANT)
            shown.append(variants.part(question, each, their_rows, their_mutants, their_findings))
    return Proof(
        id=question.id,
        version=question.spec.version,
        title=question.spec.title,
        digest=question.digest,
        findings=[record.versioned(question), *found, *apart, *variants.findings(shown)],
        rows=rows,
        mutants=tried,
        variants=shown,
        whole=not quick,
        seconds=round(time.monotonic() - started, 1),
    )


@dataclass(frozen=True)
class _Trial:
    """What questions are tried with."""

    zygote: Zygote
    tests: Zygote
    jobs: int
    moved: Callable[[], None]

    def of(self, question: Question, extent: Extent) -> tuple[list[Row], list[MutantRow], list[Finding]]:
        """Grade the solutions and mutants of a question, or of a variant of one."""
        brief = extent.mutants is not None
        cases.need_reference(question)
        found = [*packet.findings(question), *claims.files(question)]
        with Bench(question, self.zygote, self.jobs, done=self.moved) as bench:
            rows = cases.grade_all(bench, cases.cases(question, most=extent.solutions))
            found += claims.of_rows(question, rows, quick=extent.solutions is not None)
            found += margins.findings(question, bench, rows, quick=brief)
            found += public.findings(question, self.tests)
            tried = mutants.try_all(question, bench, most=extent.mutants)
            found += mutants.findings(question, tried, quick=brief)
        return rows, tried, found
