"""What a room is of: one results folder, read anew whenever a file of it has changed, and never kept against it."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar

from starlette.exceptions import HTTPException

from grader.agreement import in_words, of_results
from grader.marks import Mark, Marks, work
from grader.marks.ledger import HEAD
from grader.marks.work import Item, Work
from grader.panel import sheet
from grader.panel.around import Around
from grader.panel.names import Redact
from grader.panel.views import SheetView
from grader.question import SPEC_NAME, Question, Spec
from grader.report import Report
from grader.results import Candidate, Results, ledger, manifest
from grader.results.folder import MARKS
from grader.review.index import Index, Part, opened
from grader.review.people import Person, may
from grader.variants.render import of_report

if TYPE_CHECKING:
    from grader.agreement import Analysis
    from grader.review.access import Access
    from grader.review.queue import Queue

GRADED: Final = (manifest.NAME, manifest.CODES, ledger.NAME)
MARKED: Final = (MARKS, HEAD)
AGREEMENT_SECONDS: Final = 30

Stamp = tuple[tuple[int, int, int], ...]
T = TypeVar("T")


class Room:
    """The results of a room, and how they look to each person in it.

    Attributes:
        folder: the results folder.
        access: who may be there.
        queue: the submissions that wait to be graded; None where none are taken.
    """

    def __init__(
        self, folder: Path, access: Access, find: Callable[[str], Question], queue: Queue | None = None
    ) -> None:
        self.folder, self.access, self.queue = folder, access, queue
        self._find = find
        self._kept: dict[str, tuple[object, Any]] = {}
        self._locks: dict[str, threading.Lock] = {}
        self._guard = threading.Lock()

    @property
    def question(self) -> Question:
        """The question that was answered."""
        id = self.results().manifest.question
        there = self._kept.get("question")
        spec = there[1].folder / SPEC_NAME if there else self.folder
        found: Question = self.once("question", (id, stamp(spec)), lambda: self._find(id))
        if not there:  # now it is known which file to look at
            self._kept["question"] = ((id, stamp(found.folder / SPEC_NAME)), found)
        return found

    def results(self) -> Results:
        """The results as they are now."""
        return self.once("results", self._stamp(GRADED), self._opened)

    def _opened(self) -> Results:
        for what in [each for each in self._kept if each.startswith("sheet ")]:
            self._kept.pop(what, None)  # of somebody who may be gone
        return Results.open(self.folder)

    def marks(self) -> Marks:
        """The marks as they are now, to be read. Whoever adds one opens a ledger of their own."""
        return self.once("marks", self._stamp(MARKED), lambda: Marks.open(self.results()))

    def _spec_of(self, report: Report) -> Spec:
        return of_report(self.question, report.question.variant).spec

    def work(self) -> Work:
        """What there is to mark."""
        key = (self._stamp(GRADED), self.question.spec)
        return self.once("work", key, lambda: work.find(self.results(), self.question.spec, self._spec_of))

    def analysis(self) -> Analysis:
        """Agreement, and the items of the question."""
        key = (self._stamp(GRADED), self._stamp(MARKED), self.question.spec)
        return self.once("analysis", key, lambda: of_results(self.results(), self.marks(), self.question.spec))

    def index(self) -> AbstractContextManager[Index]:
        """The candidates and their outcomes, to be asked for by criterion."""
        graded = Part(self._stamp(GRADED), self.results)
        return opened(self.folder, graded, Part(self._stamp(MARKED), self.marks))

    def candidate(self, code: str) -> Candidate:
        """The candidate of a code name. A name finds nobody here: it would say whose it is.

        Raises:
            HTTPException: 404, there is none.
        """
        found = next((each for each in self.results().candidates if each.code == code), None)
        if found is None:
            raise HTTPException(404, "There is no candidate of this code name.")
        return found

    def item(self, code: str, answer: str) -> Item:
        """The answer of a candidate that can be marked.

        Raises:
            HTTPException: 404, there is none.
        """
        found = next((item for item in self.work().items if item.key == (code, answer)), None)
        if found is None:
            raise HTTPException(404, "There is no such answer to be marked.")
        return found

    def around(self, person: Person) -> Around:
        """What a person may see of marks: those on an answer once their own is in, or all if they never mark."""
        marks = self.marks()
        agreement = self._agreement() if marks.all else {}
        if not may(person, "mark"):
            return Around(marks.of, agreement=agreement)

        def visible(code: str, answer: str) -> list[Mark]:
            return marks.visible_to(person.name, code, answer)

        def hidden(code: str, answer: str) -> int:
            return len(marks.of(code, answer)) - len(visible(code, answer))

        return Around(visible, hidden, agreement)

    def hidden_from(self, person: Person) -> list[Item]:
        """The answers that others have marked, and this person has to mark before they see how."""
        around = self.around(person)
        return [item for item in self.work().items if around.hidden(*item.key)]

    def sheet(self, code: str, person: Person) -> SheetView:
        """What a candidate sent, as a person may see it.

        Raises:
            HTTPException: 404, there is no such candidate.
            CallError: their report can't be read.
        """
        candidate, question = self.candidate(code), self.question

        def made() -> tuple[SheetView, Redact]:
            redact = sheet.redactor(candidate, code, question)
            return sheet.view(candidate, code, question, Around()), redact

        view, redact = self.once(f"sheet {code}", (id(candidate), question.spec), made)
        return sheet.read_by(view, candidate, question, self.around(person), redact)

    def _agreement(self) -> dict[str, str]:
        """How far people agree, by answer. It is of a moment ago: each mark changes it, and it is long to work out."""
        moment = int(time.monotonic() // AGREEMENT_SECONDS)
        made = self.once("agreement", moment, self.analysis)
        return {id: in_words(each) for id, each in made.texts.items()}

    def _stamp(self, names: tuple[str, ...]) -> Stamp:
        return tuple(stamp(self.folder / name) for name in names)

    def once(self, what: str, key: object, make: Callable[[], T]) -> T:
        """What `make` gives, kept for as long as its key is the same. One thread makes it, and others wait."""
        with self._guard:
            lock = self._locks.setdefault(what, threading.Lock())
        with lock:
            there = self._kept.get(what)
            if there is None or there[0] != key:
                there = self._kept[what] = (key, make())
        found: T = there[1]
        return found


def stamp(path: Path) -> tuple[int, int, int]:
    """What changes with a file: which one it is, how long, and when it was written; zeros where there is none."""
    try:
        found = path.stat()
    except OSError:
        return 0, 0, 0
    return found.st_ino, found.st_size, found.st_mtime_ns
