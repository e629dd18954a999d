"""Who grades: warm engines of this machine here, the nodes of a cluster in grader/cluster/crew.py.

A batch tells a crew what to grade and writes down what comes back; where the work is done makes no other difference.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator
from functools import partial

from grader.batch.entries import Entry
from grader.bench import Bench
from grader.closing import Closing
from grader.errors import GraderError
from grader.examine.zygote import Zygote
from grader.grade import Engine
from grader.outcome import Verdict
from grader.question import Question
from grader.report import Report
from grader.sandbox.tiers import Tier

Graded = Report | GraderError


class Crew(Closing):
    """Grades the submissions of one batch. A context manager.

    Attributes:
        notes: what a person should know of it, in sentences.
    """

    notes: list[str]

    @abstractmethod
    def grade(self, entries: Iterable[Entry]) -> Iterator[tuple[Entry, Graded]]:
        """Each entry as it ends, with its report or why there is none. Entries are asked for as they can begin."""

    @abstractmethod
    def lost(self) -> str:
        """Why the crew can't go on as it began; empty if it can. Asked after a fault."""


Hire = Callable[[Question, int | None, int], Crew]
"""Has a crew for a question, a seed of hidden inputs (None: the question's own) and so many submissions.

Raises:
    TooLittleIsolation: workers would not be kept apart as required.
"""


class Local(Crew):
    """Engines of this machine."""

    def __init__(
        self, question: Question, seed: int | None, most: int, zygote: Zygote, jobs: int, require: Tier
    ) -> None:
        self.seed, self.notes = seed, []
        self.bench = Bench(question, zygote, min(jobs, most), require=require)

    def grade(self, entries: Iterable[Entry]) -> Iterator[tuple[Entry, Graded]]:
        """Grade on as many engines as there are jobs."""
        return self.bench.stream(self._grade, entries)

    def _grade(self, entry: Entry) -> Report:
        return graded(self.bench, entry, self.seed)

    def lost(self) -> str:
        """Why workers are no longer in the tier that the batch began in; empty if they are."""
        began = Tier(self.bench.isolation.tier)
        try:
            now = self.bench.probe()
        except GraderError as error:
            return str(error)
        if Tier(now.tier).reaches(began) or began is Tier.EXTERNAL:
            return ""
        return f"workers are in the tier {now.tier}, and the batch began in {began}"

    def close(self) -> None:
        """End its processes, and with them what is still being graded."""
        self.bench.close()


def local(zygote: Zygote, *, jobs: int, require: Tier) -> Hire:
    """Has a crew on this machine.

    Args:
        zygote: where workers come from.
        jobs: submissions at once.
        require: the weakest isolation to work in.
    """
    return partial(Local, zygote=zygote, jobs=jobs, require=require)


def graded(bench: Bench, entry: Entry, seed: int | None) -> Report:
    """The report of a submission; one that a fault of ours spoiled is graded again, and one that was sent twice is not.

    Raises:
        GraderError: as of `Engine.grade`; a fault came each time.
    """

    def work(engine: Engine, entry: Entry) -> Report:
        return engine.grade(entry.path, seed, bench.recall)

    return bench.run_again(work, entry, lambda report: report.verdict is Verdict.GRADER_FAULT)
