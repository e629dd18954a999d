"""Every shipped question is proven: by its reference, by what is unusual and what is wrong, and by mutants.

`grader validate --record` proves a question in full, and writes down of which files. Where the record is of the files
that are there, a few solutions and mutants are graded again here; otherwise the question is proven in full.
"""

from __future__ import annotations

import os

import pytest

from grader.bank import Bank
from grader.bench import cores
from grader.examine.zygote import Zygote
from grader.question import Question
from grader.validate import prove, record

# Whoever runs the tests side by side has given each process a core.
JOBS = 1 if "PYTEST_XDIST_WORKER" in os.environ else cores()


QUESTIONS = Bank.find().finished()


@pytest.mark.parametrize("question", QUESTIONS, ids=lambda question: question.id)
def test_a_shipped_question_is_proven(question: Question, zygotes: tuple[Zygote, Zygote]) -> None:
    proof = prove(question, *zygotes, jobs=JOBS, quick=record.is_kept(question))
    assert proof.holds, [(finding.claim, finding.problems) for finding in proof.findings if not finding.holds]
    assert len(proof.rows) > 2
    assert proof.count("killed") > 0
