"""Every shipped question is proven: by its reference, by what is unusual and what is wrong, and by mutants."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

from grader.bank import Bank
from grader.bench import cores
from grader.examine.zygote import Zygote
from grader.question import Question
from grader.validate import prove, public

# Whoever runs the tests side by side has given each process a core.
JOBS = 1 if "PYTEST_XDIST_WORKER" in os.environ else cores()


@pytest.fixture(scope="module")
def zygotes() -> Iterator[tuple[Zygote, Zygote]]:
    """Warm interpreters for submissions and for tests."""
    with Zygote() as zygote, public.warm() as tests:
        yield zygote, tests


@pytest.mark.parametrize("question", Bank.find().all(), ids=lambda question: question.id)
def test_a_shipped_question_is_proven(question: Question, zygotes: tuple[Zygote, Zygote]) -> None:
    proof = prove(question, *zygotes, jobs=JOBS)
    assert proof.holds, [(finding.claim, finding.problems) for finding in proof.findings if not finding.holds]
    assert len(proof.rows) > 2
    assert proof.count("killed") > 0
