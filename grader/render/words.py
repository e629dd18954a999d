"""The words that more than one renderer needs, so that they all say the same thing in the same way."""

from collections.abc import Mapping
from typing import Final, Protocol

from grader.outcome import Outcome, Verdict
from grader.report import AnswerPart, CriterionPart, Pitfall, Report, SuitePart
from grader.variants.formula import Value, told

# What an outcome means, where its name alone leaves a reader guessing. Nothing here depends on a check.
MEANING: Final = {
    Outcome.CRASHED: "The code raised an error here, or ended the process that ran it.",
    Outcome.TIMED_OUT: "The code was still running when its time was used up.",
    Outcome.OUT_OF_MEMORY: "The code asked for more memory than it may use.",
    Outcome.NOT_REACHED: "This was not looked at, because something that it rests on did not pass.",
    Outcome.GRADER_FAULT: "The grader failed here, so this was not measured. It says nothing about the code.",
}
FOR_A_PERSON: Final = "for a person to read"
BY_MACHINE: Final = "checked by the grader"


class Which(Protocol):
    """A question as reports and views name it."""

    @property
    def version(self) -> int: ...

    @property
    def variant(self) -> Mapping[str, Value]: ...


def which(question: Which) -> str:
    """Its version, and the variant where there is one: `version 1, variant max_len 2048, d_model 1024`."""
    return f"version {question.version}" + (f", variant {told(question.variant)}" if question.variant else "")


def points(criterion: CriterionPart) -> str:
    """Earned and possible: `7/10`. What was not measured has no number: `–/10`."""
    measured = criterion.outcome is not Outcome.GRADER_FAULT
    return f"{criterion.earned:g}/{criterion.points:g}" if measured else f"–/{criterion.points:g}"


def seen(criterion: CriterionPart) -> str:
    """What the first check that did not pass saw; empty if none says."""
    return next((each.seen for each in criterion.evidence if each.outcome is not Outcome.PASSED and each.seen), "")


def refusal(report: Report) -> str:
    """Why nothing was graded; empty for a run that was graded."""
    if report.verdict is not Verdict.REFUSED:
        return ""
    reasons = [entry.why for entry in report.diagnosis if entry.id == "refused"]
    return reasons[0] if reasons else "No reason was recorded."


def unmeasured(report: Report) -> str:
    """Why nothing in the file could be measured, in words about the candidate's own file alone; empty otherwise."""
    return next((entry.why for entry in report.diagnosis if entry.id in ("does-not-load", "not-started")), "")


def required(report: Report) -> str:
    """How the required criteria ended, in a sentence; empty if there are none, or if nothing was graded."""
    if report.verdict is Verdict.REFUSED:
        return ""
    outcomes = [criterion.outcome for criterion in report.criteria if criterion.required]
    missed = sum(outcome is not Outcome.PASSED for outcome in outcomes)
    if not outcomes:
        return ""
    if len(outcomes) == 1:
        return f"The one required criterion {'did not pass' if missed else 'passed'}."
    if missed == 0:
        return f"All {len(outcomes)} required criteria passed."
    return f"{missed} of {len(outcomes)} required criteria did not pass."


def suite(part: SuitePart) -> str:
    """How the candidate's own tests did: `10 of 13 mistakes noticed, 11 needed`; `not counted` without a measure."""
    if not part.pitfalls:
        return "not sent" if part.outcome == "missing" else "not counted"
    return f"{part.killed} of {part.mutants} mistakes noticed, {part.needed} needed"


def noticed(pitfall: Pitfall) -> str:
    """`✓ noticed`, `✗ missed`, or `✗ missed, required`."""
    if pitfall.killed:
        return f"{Outcome.PASSED.glyph} noticed"
    return f"{Outcome.FAILED.glyph} missed{', required' if pitfall.required else ''}"


def titles(report: Report, ids: list[str]) -> list[str]:
    """The titles of criteria; an id that the report does not list stands for itself."""
    known = {criterion.id: criterion.title for criterion in report.criteria}
    return [known.get(id, id) for id in ids]


def isolation(report: Report) -> str:
    """The tier, and what its probes found: `sealed, all 9 probes held`."""
    tier, probes = report.isolation.tier, report.isolation.probes
    failed = [name for name, held in probes.items() if not held]
    if not probes:
        return f"{tier}, nothing was probed"
    if failed:
        return f"{tier}, {len(failed)} of {len(probes)} probes did not hold: {', '.join(failed)}"
    return f"{tier}, all {len(probes)} probes held"


def rubric(answer: AnswerPart) -> str:
    """What a person ticks in a text: `3 required, 1 optional, 1 negative point`; empty for one without a rubric."""
    kinds = [each.kind for each in answer.observables]
    counts = [f"{kinds.count(kind)} {kind}" for kind in dict.fromkeys(kinds)]
    return f"{', '.join(counts)} point{'s' * (kinds.count(kinds[-1]) > 1)}" if kinds else ""


def functions(answers: list[AnswerPart]) -> list[tuple[list[str], list[str]]]:
    """How ticks make a level: the ids of the texts that are marked alike, with the line for each level."""
    alike: dict[tuple[str, ...], list[str]] = {}
    for each in answers:
        if each.levels:
            alike.setdefault(tuple(each.levels), []).append(each.id)
    return [(ids, list(levels)) for levels, ids in alike.items()]


def is_given(answer: AnswerPart) -> bool:
    """Whether anything was written."""
    return bool(answer.given.strip())


def reading(answer: AnswerPart) -> str:
    """How a fact that did not pass was read, or why it could not be; empty for all else.

    A right one may have been accepted with a note, which says what was expected.
    """
    return answer.note if answer.outcome is Outcome.FAILED and is_given(answer) else ""
