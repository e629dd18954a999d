"""Every shipped question is proven: by its reference, by what is unusual and what is wrong, and by mutants.

`grader validate --record` proved each of them in full, and wrote down of which files. Here the record has to be of the
files that are there, and all solutions are graded again, with every sixth mutant.
"""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

from grader.bank import Bank
from grader.bench import cores
from grader.examine.zygote import Zygote
from grader.question import Question
from grader.validate import prove, public, record

# Whoever runs the tests side by side has given each process a core.
JOBS = 1 if "PYTEST_XDIST_WORKER" in os.environ else cores()


@pytest.fixture(scope="module")
def zygotes() -> Iterator[tuple[Zygote, Zygote]]:
    """Warm interpreters for submissions and for tests."""
    with Zygote() as zygote, public.warm() as tests:
        yield zygote, tests


QUESTIONS = Bank.find().all()


@pytest.mark.parametrize("question", QUESTIONS, ids=lambda question: question.id)
def test_the_record_is_of_these_files(question: Question) -> None:
    entry = record.read(record.path_of(question)).get(question.id)
    assert entry == {"version": question.spec.version, "digest": question.digest}, (
        f"prove it in full: grader validate {question.id} --record"
    )


@pytest.mark.parametrize("question", QUESTIONS, ids=lambda question: question.id)
def test_every_solution_gets_what_it_should(question: Question, zygotes: tuple[Zygote, Zygote]) -> None:
    proof = prove(question, *zygotes, jobs=JOBS, quick=True)
    assert proof.holds, [(finding.claim, finding.problems) for finding in proof.findings if not finding.holds]
    assert len(proof.rows) > 2
    assert proof.count("killed") > 0
