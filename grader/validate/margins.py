"""How much room there is: other hidden inputs, other roundings, and the limits on what the reference may use."""

from __future__ import annotations

from typing import Final

from grader.bench import Bench
from grader.examine.brief import Examination
from grader.grade import Engine
from grader.outcome import Outcome
from grader.question import Question
from grader.validate import cases
from grader.validate.proof import Finding, Kind, Row

OTHER_SEEDS: Final = (1, 20_170_612)
NUDGE: Final = 8  # units in the last place: several times what two right routes differ by
OWN_SECONDS: Final = 5.0  # of a check, without what it waits for; on a busy machine, too
ROOM: Final = 3.0  # how many times what the reference uses a limit has to be


def findings(question: Question, bench: Bench, rows: list[Row], *, quick: bool) -> list[Finding]:
    """Grade right and wrong solutions once more under other conditions; only the reference where it has to be quick."""
    reference = question.reference or ""
    again = [case for case in cases.cases(question) if case.kind in (Kind.REFERENCE, Kind.UNUSUAL)]
    pairs = [(case, seed) for case in again for seed in OTHER_SEEDS[: 2 if case.kind is Kind.REFERENCE else 1]]
    if quick:
        pairs = pairs[:1]

    def other_seed(engine: Engine, pair: tuple[cases.Case, int]) -> list[str]:
        row = cases.grade(engine, *pair)
        return [f"{row.name} misses {id} at seed {pair[1]}" for id in row.missed]

    def nudged(engine: Engine, source: str) -> Examination:
        return engine.examiner.examine(source, question.seed, nudge=NUDGE)

    wrong = [case for case in cases.cases(question) if case.kind is Kind.WRONG and case.name.endswith(".py")]

    def lucky(engine: Engine, case: cases.Case) -> list[str]:
        asked = [id for id in case.fails if id in question.brief.criteria]
        if not asked:
            return []
        seen = engine.examiner.examine(question.solution(case.name) or "", OTHER_SEEDS[0], only=asked)
        bitten = {check.criterion for check in seen.checks if check.outcome is not Outcome.PASSED}
        through = [] if seen.unloaded else [id for id in asked if id not in bitten]
        return [f"{case.name} gets through {id} at seed {OTHER_SEEDS[0]}" for id in through]

    def flat(found: list[list[str]]) -> list[str]:
        return [problem for problems in found for problem in problems]

    steady = Finding(
        claim="Other hidden inputs change no mark of what is right", problems=flat(bench.each(other_seed, pairs))
    )
    luck = "Other hidden inputs let nothing wrong through"
    [moved] = bench.each(nudged, [reference])
    return [
        steady,
        *([] if quick else [Finding(claim=luck, problems=flat(bench.each(lucky, wrong)))]),
        Finding(claim="Every tolerance leaves the reference a margin", problems=_refusing(moved)),
        Finding(claim="Every limit leaves the reference a margin", problems=_tight(question, rows, moved)),
        Finding(claim="No hidden check takes long itself", problems=_slow(moved)),
    ]


def _refusing(moved: Examination) -> list[str]:
    return [
        f"{check.title!r} refuses the reference's numbers moved by {NUDGE} units in the last place: {check.seen}"
        for check in moved.checks
        if check.outcome is not Outcome.PASSED
    ]


def _tight(question: Question, rows: list[Row], moved: Examination) -> list[str]:
    limits = question.spec.limits
    used = [("CPU seconds a call", cases.REFERENCE, moved.longest_call_seconds, limits.call_cpu_seconds)]
    for row in rows:
        if row.kind is Kind.REFERENCE:
            used += [
                ("CPU seconds a submission", row.name, row.cpu_seconds, limits.submission_cpu_seconds),
                ("MiB of memory", row.name, row.peak_mib, limits.memory_mib),
            ]
    return [
        f"{name} uses {much:.3g} of the {what} of {most:g}, more than one part in {ROOM:g}"
        for what, name, much, most in used
        if much * ROOM > most
    ]


def _slow(moved: Examination) -> list[str]:
    if moved.slowest_seconds <= OWN_SECONDS:
        return []
    return [
        f"{moved.slowest_check!r} takes {moved.slowest_seconds:.1f} s beside what the reference takes, "
        f"expected at most {OWN_SECONDS:g} s, since each grading waits for it"
    ]
