"""What a batch asks of every node: the same question, the same versions, enough isolation."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

from grader import environment
from grader.bank import Bank
from grader.errors import GraderFault
from grader.question import Question
from grader.sandbox.tiers import Tier
from grader.variants import render
from grader.variants.formula import Value


@dataclass(frozen=True)
class Terms:
    """The terms of one batch; they travel as JSON.

    Attributes:
        question: its id.
        variant: what is chosen of its variants, if it is not as it stands in the bank.
        digest: that of its files.
        folders: where to look for questions besides the shipped ones, on a disk that nodes share.
        seed: of the hidden inputs.
        versions: what reports record of where they are made.
        require: the weakest tier to grade in.
        secret: what replies are sealed with, in hexadecimal digits; it is drawn for each batch.
    """

    question: str
    variant: dict[str, Value]
    digest: str
    folders: tuple[str, ...]
    seed: int
    versions: dict[str, str]
    require: str
    secret: str

    @classmethod
    def of(cls, question: Question, seed: int | None, folders: tuple[Path, ...], require: Tier, secret: str) -> Terms:
        """The terms under which a question is graded from here."""
        return cls(
            question.id,
            dict(question.variant) if question.is_variant else {},
            question.digest,
            tuple(str(folder.resolve()) for folder in folders),
            question.seed if seed is None else seed,
            environment.versions(),
            require.value,
            secret,
        )

    def to_bytes(self) -> bytes:
        """JSON, the same for the same terms."""
        return json.dumps(asdict(self), sort_keys=True).encode()

    @classmethod
    def from_bytes(cls, text: bytes) -> Terms:
        """The terms that `to_bytes` wrote."""
        told: dict[str, Any] = json.loads(text)
        told["folders"] = tuple(told["folders"])
        return cls(**{field.name: told[field.name] for field in fields(cls)})

    def find_question(self) -> Question:
        """The question, as it is here.

        Raises:
            GraderError: there is none, it is another, or the versions here are others. The sentence says which.
        """
        if differing := differences(self.versions, environment.versions()):
            raise GraderFault("the versions are others", found=differing)
        there = [Path(folder) for folder in self.folders if Path(folder).is_dir()]
        question = Bank.find(there).get(self.question)
        question = render.variant(question, self.variant) if self.variant else question
        if question.digest != self.digest:
            raise GraderFault(
                f"the question {self.question} is another",
                found=f"digest {question.digest[:12]}",
                expected=f"digest {self.digest[:12]}",
            )
        return question


def differences(wanted: Mapping[str, str], found: Mapping[str, str]) -> str:
    """What differs, as `torch 2.12.0 there, 2.13.0 here`; empty if nothing does."""
    names = [name for name in {**wanted, **found} if wanted.get(name) != found.get(name)]
    return ", ".join(f"{name} {found.get(name, 'none')} there, {wanted.get(name, 'none')} here" for name in names)
