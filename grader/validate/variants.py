"""The variants of a question: literals are told apart, and each choice is in one that is tried like a question."""

from __future__ import annotations

from grader.question import Question
from grader.validate.proof import Finding, MutantRow, Row, VariantPart
from grader.variants import formula, picking, render


def chosen(question: Question, *, quick: bool) -> tuple[list[Finding], list[Question]]:
    """What is claimed of the literals, and the variants to try: one where it has to be quick, none without claims."""
    offered = question.spec.variants
    if offered is None:
        return [], []
    problems = render.problems(question)
    found = [Finding(claim="Every literal of a variant is told apart", problems=problems)]
    if problems:  # then there is nothing that could be tried
        return found, []
    others = picking.covering(offered)[1:]
    return found, [render.variant(question, choices) for choices in (others[:1] if quick else others)]


def part(
    question: Question, variant: Question, rows: list[Row], tried: list[MutantRow], found: list[Finding]
) -> VariantPart:
    """What was tried of a variant, and what stands in its files in the place of what."""
    offered, choices = question.spec.variants, dict(variant.variant)
    assert offered is not None
    now = {literal.text: literal.now(choices, default=False) for literal in offered.literals}
    return VariantPart(
        choices=choices,
        digest=variant.digest,
        literals={text: other for text, other in now.items() if other != text},
        submissions=len(rows),
        mutants=len(tried),
        problems=[f"{finding.claim}: {problem}" for finding in found for problem in finding.problems],
    )


def findings(parts: list[VariantPart]) -> list[Finding]:
    """Whether every variant that was tried holds what the question claims."""
    return [
        Finding(claim=f"All of this holds with {formula.told(each.choices)}", problems=each.problems) for each in parts
    ]
