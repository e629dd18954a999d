"""Which variant of a question a submission answers: what its packet says, if the team's key has signed that.

A packet comes back from a candidate, so what it says is a claim. The signature binds the choices to the question, its
version, the packet's digest and its code name: an easier variant, another candidate's variant under one's own code
name, and a made-up one all fail, and nothing is graded then until a person says by hand which variant it is. What came
without a word of a variant is graded as the default, and its report says so.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from grader import inert, submission
from grader.errors import CallError
from grader.question import Question
from grader.submission.manifest import Manifest
from grader.variants import formula, picking, render
from grader.variants.formula import Value
from grader.variants.keys import VARIABLE, Keeper

BY_HAND: Final = "Ask for the packet as it came, or say which variant it is with --variant."


@dataclass(frozen=True)
class Assigned:
    """The question in the variant that a submission answers, and what a person should know of how that was found."""

    question: Question
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Assigner:
    """Finds the variant of each submission.

    Attributes:
        question: what they answer, as it is on disk.
        keeper: where the team's key is; it is only looked for where something was signed.
        by_hand: the variant of all of them, as an option names it; empty to believe what was signed.
    """

    question: Question
    keeper: Keeper = field(default_factory=Keeper.here)
    by_hand: str = ""

    def of(self, path: Path, graded: Mapping[str, Value] | None = None) -> Assigned:
        """The variant that what is at a path answers.

        Args:
            path: what was sent.
            graded: the choices that it was graded with before; they are the team's own, and need no signature.

        Raises:
            CallError: what came along was changed, was signed with another key, there is no key to see that with, or
                the question has no such variant.
        """
        if self.question.spec.variants is None:
            return self._without_variants(path)
        claim = submission.origin(path)
        if claim is not None and claim.question != self.question.id:
            claim = None  # whatever it was signed for, it says nothing of this question
        if self.by_hand:
            choices: Mapping[str, Value] = picking.wanted(self.question, self.by_hand, claim.code if claim else "")
        elif graded and dict(graded) in self.question.spec.variants.offered:
            choices = dict(graded)
        elif claim is not None and claim.names_variant:
            choices = self._believed(claim, path)
        else:
            choices = self.question.spec.variants.default
        question = render.variant(self.question, choices)
        return Assigned(question, tuple(self._notes(claim, question.variant)))

    def _believed(self, claim: Manifest, path: Path) -> Mapping[str, Value]:
        """The choices of a claim that was signed."""
        where = inert.line(str(path))
        key = self.keeper.find()
        if key is None:
            raise CallError(
                "the packet's variant is signed, and the team's key is not here to see whether it was changed",
                where=where,
                expected=f"the key in {VARIABLE}, or in {inert.line(str(self.keeper.file))}",
                next_step="Bring the key of those who made the packet, or say which variant it is with --variant.",
            )
        if why := key.verify(claim):
            raise CallError(f"what the packet says of its variant {why}", where=where, next_step=BY_HAND)
        try:
            return picking.known(self.question, claim.variant)
        except CallError as error:
            raise CallError(
                error.what, where=where, found=error.found, expected=error.expected, next_step=BY_HAND
            ) from None

    def _notes(self, claim: Manifest | None, choices: Mapping[str, Value]) -> list[str]:
        """What has to be said of a variant that was not simply the signed one of the packet.

        A team without a key has made no packet of another variant than the default, so there is nothing to doubt.
        """
        if claim is None or not claim.names_variant:
            if not self.by_hand and not self.keeper.has_one:
                return []
            return [f"nothing that came along says which variant it answers; it was graded as {formula.told(choices)}"]
        if claim.variant != choices:
            said = inert.short(formula.told(claim.variant), 200) or "nothing that can be read"
            return [f"its packet names the variant {said}; it was graded as {formula.told(choices)}, as the team said"]
        return []

    def _without_variants(self, path: Path) -> Assigned:
        if self.by_hand:
            picking.offered(self.question)  # which it hasn't
        claim = submission.origin(path)
        if claim is not None and claim.names_variant and claim.question == self.question.id:
            note = "its packet names a variant of the question, which has none now; it was graded as the question is"
            return Assigned(self.question, (note,))
        return Assigned(self.question)
