"""Automatic mutants of the reference: each has to be killed by a hidden check, or marked equivalent with a reason."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from grader import mutation
from grader.bench import Bench
from grader.grade import Engine
from grader.mutation import Mutant
from grader.outcome import Outcome
from grader.question import Question
from grader.validate.cases import spread
from grader.validate.proof import Finding, MutantRow

# A mutant that loops is as dead as one that fails, and need not be waited for as a candidate is.
CALL_CPU_SECONDS: Final = 2.0
SUBMISSION_CPU_SECONDS: Final = 15.0


def try_all(question: Question, bench: Bench, *, most: int | None = None) -> list[MutantRow]:
    """The fate of every mutant of the reference, or of at most so many."""
    marked = {each.mutant: each.reason for each in question.spec.equivalent}
    limits = replace(
        question.spec.limits,
        call_cpu_seconds=min(CALL_CPU_SECONDS, question.spec.limits.call_cpu_seconds),
        submission_cpu_seconds=min(SUBMISSION_CPU_SECONDS, question.spec.limits.submission_cpu_seconds),
    )

    def fate(engine: Engine, mutant: Mutant) -> MutantRow:
        examination = engine.examiner.examine(mutant.source, question.seed, until_failure=True, limits=limits)
        by = "loading the file" if examination.unloaded else ""
        by = next((check.title for check in examination.checks if check.outcome is not Outcome.PASSED), by)
        if by:
            return MutantRow(id=mutant.id, diff=mutant.diff, fate="killed", by=by)
        if mutant.id in marked:
            return MutantRow(id=mutant.id, diff=mutant.diff, fate="equivalent", reason=marked[mutant.id])
        return MutantRow(id=mutant.id, diff=mutant.diff, fate="survived")

    made = mutation.mutants(question.reference or "")
    return bench.each(fate, made if most is None else spread(made, most))


def findings(question: Question, tried: list[MutantRow], *, quick: bool) -> list[Finding]:
    """Whether none survived, and every mark of the author's is of use."""
    by_id = {mutant.id: mutant for mutant in tried}
    marks = []
    for each in question.spec.equivalent:
        if each.mutant not in by_id:
            if quick:
                continue
            marks.append(f"{each.mutant} is marked equivalent, but there is no such mutant")
        elif by_id[each.mutant].fate == "killed":
            marks.append(f"{each.mutant} is marked equivalent, but {by_id[each.mutant].by!r} kills it")
    survivors = [f"{mutant.id} survives" for mutant in tried if mutant.fate == "survived"]
    return [
        Finding(claim="Hidden tests kill every mutant of the reference", problems=survivors),
        Finding(claim="Every mutant that is marked equivalent survives", problems=marks),
    ]
