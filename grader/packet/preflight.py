"""What can be said of a submission before it is sent: what the grader will say, and how the public tests go.

Each remark has a weight. What has to be changed before the grader can read anything is told apart from what costs
points, and both from what is only good to know, such as an answer that is still empty.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Final

from grader.errors import CallError
from grader.packet import trial
from grader.packet.task import Task
from grader.packet.trial import Trial
from grader.rubric import written
from grader.rubric.answersheet import EMPTY
from grader.rubric.written import FILE, NOT_GIVEN
from grader.submission import Refused, Submission, read, sheet
from grader.submission.started import is_unstarted

INSTALL: Final = "python -m pip install -r requirements.txt"
NOT_STARTED: Final = "not started"
START_SECONDS: Final = 60.0  # for Python and torch to start, on a slow machine


class Weight(Enum):
    """How much a remark weighs."""

    FINE = "ok"
    NOTE = "note"
    LATER = "open"  # allowed, and unfinished
    CHANGE = "change"  # costs points
    REFUSED = "stop"  # nothing would be graded


@dataclass(frozen=True)
class Remark:
    """One thing to say: of what, and what. Both are safe to show."""

    weight: Weight
    about: str
    words: str


@dataclass(frozen=True)
class Preflight:
    """All that was found.

    Attributes:
        remarks: what to say, in the order of the files.
        submission: what was read; None if the grader would refuse it.
    """

    remarks: tuple[Remark, ...]
    submission: Submission | None

    def weighing(self, *weights: Weight) -> list[Remark]:
        """The remarks of some weights."""
        return [remark for remark in self.remarks if remark.weight in weights]

    @property
    def can_be_sent(self) -> bool:
        """Whether the grader would grade it."""
        return self.submission is not None and not self.weighing(Weight.REFUSED)

    @property
    def is_ready(self) -> bool:
        """Whether there is nothing to change."""
        return self.can_be_sent and not self.weighing(Weight.CHANGE)


def look(path: Path, task: Task, given: Mapping[str, bytes], skeleton: str, suite: str) -> Preflight:
    """Look at a submission, and run the public tests on it.

    Args:
        path: whatever the grader would read: the packet's folder, a .py file, a .zip or a notebook.
        task: the question.
        given: the files of the packet that stay as they came, by name.
        skeleton: solution.py as it came.
        suite: the file of the candidate's own tests as it came; empty where there is none.
    """
    try:
        sent = read(path, task.asked)
    except CallError as error:
        return Preflight((Remark(Weight.REFUSED, path.name, str(error)),), None)
    except Refused as refusal:
        name = refusal.files[0] if refusal.files else refusal.name
        remarks = [Remark(Weight.NOTE, name, note) for note in refusal.notes]
        remarks.append(Remark(Weight.REFUSED, name, refusal.reason))
        # The answers are looked at all the same: nobody has to mend their code to learn what is wrong with them.
        if there := sheet(path, task.asked):
            remarks += answers(*there, task)
        return Preflight(tuple(remarks), None)
    name = sent.files[0]
    started = not is_unstarted(sent.source, skeleton)
    remarks = list(code(sent, name)) if started else [Remark(Weight.REFUSED, name, NOT_STARTED)]
    remarks += suites(sent, task, suite)
    remarks += answers(sent.answers, sent.answers_problem, task)
    if started:
        remarks += public(sent, task, given)
        remarks += own(sent, task, given, suite)
    return Preflight(tuple(remarks), sent)


def code(sent: Submission, name: str) -> Iterator[Remark]:
    """What the grader notes of the code."""
    for note in sent.notes:
        yield Remark(Weight.CHANGE if note in sent.lacks else Weight.NOTE, name, note)
    if not sent.lacks:
        yield Remark(Weight.FINE, name, "it can be read, and everything that is asked for is there")


def suites(sent: Submission, task: Task, starter: str) -> Iterator[Remark]:
    """What is to be said of the candidate's own tests, before they are run."""
    name = task.asked.suite
    if name is None:
        return
    if sent.suite_problem:
        yield Remark(Weight.CHANGE, name, sent.suite_problem)
    elif sent.suite is None:
        yield Remark(Weight.LATER, name, "there is no such file")
    elif is_unstarted(sent.suite, starter):
        yield Remark(Weight.LATER, name, NOT_STARTED)


def answers(text: str | None, problem: str, task: Task) -> Iterator[Remark]:
    """How each written answer was read. Nothing here knows which of them are right."""
    if not task.forms:
        return
    each, notes = written.read(text, problem, task.forms)
    lacking = any(not answer.given for answer in each)  # what a note is about may be one of those
    for note in notes:
        nothing = text is None or note.endswith(EMPTY)
        weight = Weight.LATER if nothing else Weight.CHANGE if lacking else Weight.NOTE
        yield Remark(Weight.CHANGE if problem else weight, FILE, note)
    if problem:
        return  # the same of each answer
    for form, answer in zip(task.forms, each, strict=True):
        about = f"{FILE}, {form.id}"
        said = "; ".join(answer.notes)
        if not answer.given:
            lost = said not in (NOT_GIVEN, EMPTY)  # a file that can't be read may hold it
            yield Remark(Weight.CHANGE if lost else Weight.LATER, about, said)
        elif form.kind == "text":
            yield Remark(Weight.NOTE if said else Weight.FINE, about, said or "it can be read")
        else:
            yield Remark(
                Weight.FINE if answer.read else Weight.CHANGE, about, said or f"read as {form.told(answer.read)}"
            )


def public(sent: Submission, task: Task, given: Mapping[str, bytes]) -> Iterator[Remark]:
    """How the public tests go, beside the files of the packet as they came."""
    if not task.public:
        return
    about = ", ".join(task.public)
    if missing := trial.absent():
        yield Remark(Weight.CHANGE, about, f"not run, since {' and '.join(missing)} can't be imported here: {INSTALL}")
        return
    files = {**given, "solution.py": sent.source.encode()}
    went = trial.run(files, task.public, START_SECONDS + task.cpu_seconds)
    yield from told(went, about)
    if went.seconds > task.cpu_seconds / 2:
        yield Remark(
            Weight.NOTE,
            about,
            f"they took {went.seconds:.0f} s here; all of the grader's checks together may use {task.cpu_seconds:g} s",
        )


def own(sent: Submission, task: Task, given: Mapping[str, bytes], starter: str) -> Iterator[Remark]:
    """How the candidate's own tests go on the candidate's own solution."""
    name = task.asked.suite
    if name is None or sent.suite is None or is_unstarted(sent.suite, starter) or trial.absent():
        return
    files = {**given, "solution.py": sent.source.encode(), name: sent.suite.encode()}
    went = trial.run(files, [name], START_SECONDS + task.suite_cpu_seconds)
    yield from told(went, name)
    if went.seconds > task.suite_cpu_seconds / 2:
        yield Remark(
            Weight.NOTE,
            name,
            f"they took {went.seconds:.0f} s here; a run of them may use {task.suite_cpu_seconds:g} s",
        )


def told(went: Trial, about: str) -> Iterator[Remark]:
    """How tests went."""
    for test, reason in went.failed.items():
        yield Remark(Weight.CHANGE, about, f"{test}: {reason}")
    if went.stopped:
        yield Remark(Weight.CHANGE, about, went.stopped)
    weight = Weight.NOTE if went.failed or went.stopped else Weight.FINE
    yield Remark(weight, about, f"{went.passed} of {went.tests} tests passed in {went.seconds:.1f} s")
    if went.failed:
        yield Remark(Weight.NOTE, about, f"`python -m pytest {about.replace(',', '')}` shows each of them in full")
