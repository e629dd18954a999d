"""Grading many submissions of one question into a folder: what is missing or damaged there, by whatever crew there is.

A batch and a regrade are the same work; they differ in where submissions come from and in what is kept of them.
"""

from __future__ import annotations

import errno
import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from grader import environment
from grader.batch.crew import Crew, Graded, Hire
from grader.batch.entries import Entry
from grader.errors import CallError, GraderError, GraderFault
from grader.outcome import Verdict
from grader.question import Question
from grader.render import files
from grader.results.folder import REPORTS, read_report
from grader.results.ledger import ADDED, Ledger, line_of
from grader.variants.assigning import Assigned, Assigner

FULL: Final = (errno.ENOSPC, errno.EDQUOT)


@dataclass(slots=True)
class Progress:
    """How a batch stands.

    Attributes:
        total: submissions in the batch.
        kept: those that had been graded before.
        graded: those of this run.
        troubles: what could not be graded, by name, and why.
        doubts: what a person should know besides, in sentences: code names that came along and were not believed, say.
        stopped: why the batch ended early; empty if it did not.
    """

    total: int
    kept: int = 0
    graded: int = 0
    troubles: dict[str, str] = field(default_factory=dict)
    doubts: list[str] = field(default_factory=list)
    stopped: str = ""


Moved = Callable[[Progress], None]
Before = Callable[[Entry], object]
Kept = Callable[[Entry], bool]
Assign = Callable[[Entry], Assigned]


@dataclass(frozen=True)
class Grading:
    """How to grade.

    Attributes:
        question: what the submissions answer.
        hire: has the crew that grades, if there is something to grade.
        seed: of the hidden inputs; None for the question's own.
        moved: called as each submission ends, to show that something moves.
        adding: whether the entries come to those that are there, and are no new batch.
        assign: finds the variant of the question that a submission answers; by default that of its packet.
    """

    question: Question
    hire: Hire
    seed: int | None = None
    moved: Moved = lambda _: None
    adding: bool = False
    assign: Assign | None = None
    _assigned: dict[str, Assigned] = field(default_factory=dict, repr=False)

    def fill(
        self,
        out: Path,
        ledger: Ledger,
        entries: Sequence[Entry],
        progress: Progress,
        before: Before = lambda _: None,
        kept: Kept = lambda _: True,
    ) -> None:
        """Grade the entries that `out` has no whole report of yet, with a line in its ledger as each ends.

        Killed at any moment and called again, it goes on where it was: a line follows the reports that it is of. One
        submission that can't be graded, or written down, costs that submission. When the crew can't go on as it began,
        the disk is full, or somebody presses Ctrl-C, it ends, and what was graded stays.

        Args:
            out: the folder of reports/ and the ledger.
            ledger: that of `out`.
            entries: all that belong there; others leave the ledger, but for those that were added to a batch.
            progress: what is told of it, as it goes.
            before: called with each entry that is about to be graded.
            kept: whether what `before` did for an entry is still there.

        Raises:
            TooLittleIsolation: the isolation is weaker than required from the start.
        """
        assigned = self._assign_all(entries, progress)
        keys = {entry.name: key for entry in entries if (key := self.key(entry))}
        notes = {name: each.notes for name, each in assigned.items()}
        there = [entry for entry in entries if entry.name in assigned]
        todo = [entry for entry in there if not (_is_done(out, entry, keys.get(entry.name), ledger) and kept(entry))]
        progress.kept = len(there) - len(todo)
        filling = _Filling(out, ledger, keys, notes, progress, before, self.moved, self.adding)
        try:
            for question, part in _by_variant(todo, assigned):
                if not progress.stopped:
                    with self.hire(question, self.seed, len(part)) as crew:
                        _work(crew, part, filling)
            if not progress.stopped:
                names = dict.fromkeys(entry.name for entry in entries)
                others = [*ledger.lines] if self.adding else ledger.added()
                ledger.finish([*(name for name in others if name not in names), *names])
        except KeyboardInterrupt:
            progress.stopped = "it was interrupted"
        except OSError as error:
            progress.stopped = f"{error.filename or 'a file'} can't be written ({error.strerror or error})"

    def key(self, entry: Entry) -> str | None:
        """What a report depends on: the question, the submission, the seed and the environment; None if it is gone."""
        try:
            question = self._variant(entry).question
            seed = question.seed if self.seed is None else self.seed
            parts = [question.digest, entry.digest, seed, environment.versions()]
        except (OSError, CallError):  # told when it is its turn, and costs that submission
            return None
        return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()

    def _variant(self, entry: Entry) -> Assigned:
        if entry.name not in self._assigned:
            assign = self.assign or (lambda entry: Assigner(self.question).of(entry.path))
            self._assigned[entry.name] = assign(entry)
        return self._assigned[entry.name]

    def _assign_all(self, entries: Sequence[Entry], progress: Progress) -> dict[str, Assigned]:
        """The variant of each entry, by name; what a packet says and is not believed costs that entry."""
        self._assigned.clear()  # another file may have been sent under the same name since
        found = {}
        for entry in entries:
            try:
                found[entry.name] = self._variant(entry)
            except CallError as error:
                progress.troubles[entry.name] = str(error)
                self.moved(progress)
        unsaid = [name for name, each in found.items() if each.notes]
        if len(unsaid) < len(found) and any(each.question.variant for each in found.values()):
            progress.doubts += [f"{name}: {note}" for name in unsaid for note in found[name].notes]
        return found


def _by_variant(entries: Sequence[Entry], assigned: dict[str, Assigned]) -> Iterator[tuple[Question, list[Entry]]]:
    """The entries of each variant, one variant after the other, so that its checks are read once."""
    groups: dict[str, list[Entry]] = {}
    for entry in entries:
        groups.setdefault(assigned[entry.name].question.digest, []).append(entry)
    for part in groups.values():
        yield assigned[part[0].name].question, part


@dataclass(frozen=True)
class _Filling:
    """A folder while it is filled; the fields are those of `Grading.fill`, and `keys` and `notes` by name."""

    out: Path
    ledger: Ledger
    keys: dict[str, str]
    notes: dict[str, tuple[str, ...]]
    progress: Progress
    before: Before
    moved: Moved
    adding: bool

    def begin(self, todo: Iterable[Entry]) -> Iterator[Entry]:
        """Each entry, made ready as it is asked for."""
        for entry in todo:
            if self.progress.stopped:
                return
            folder = self.out / REPORTS / entry.folder
            try:
                sweep(folder)
                self.before(entry)
            except OSError as error:
                self._failed(entry, CallError("what was sent can't be kept", found=error.strerror or str(error)), error)
            else:
                yield entry

    def settle(self, entry: Entry, outcome: Graded) -> bool:
        """Write down what became of an entry; whether it was a fault of ours."""
        if isinstance(outcome, GraderError):
            self._failed(entry, outcome)
            return isinstance(outcome, GraderFault)
        if outcome.verdict is Verdict.GRADER_FAULT:
            self._failed(entry, GraderFault("the grader failed", found="criteria that could not be measured"))
            return True
        outcome = outcome.noted(self.notes.get(entry.name, ()))
        try:
            files.write(outcome, self.out / REPORTS / entry.folder)
            key = self.keys.get(entry.name, "")  # without one it is graded again the next time
            line = line_of(entry.name, key, f"{REPORTS}/{entry.folder}", outcome)
            self.ledger.add({**line, ADDED: True} if self.adding else line)
        except GraderError as error:
            self._failed(entry, error, error.__context__)
        except OSError as error:
            why = CallError("this can't be written", where=str(self.ledger.path), found=error.strerror or str(error))
            self._failed(entry, why, error)
        else:
            self.progress.graded += 1
            self.moved(self.progress)
        return False

    def _failed(self, entry: Entry, why: GraderError, cause: BaseException | None = None) -> None:
        self.progress.troubles[entry.name] = str(why)
        if isinstance(cause, OSError) and cause.errno in FULL:
            self.progress.stopped = "the disk is full"
        self.moved(self.progress)


def _work(crew: Crew, todo: Iterable[Entry], filling: _Filling) -> None:
    """Have a crew grade what there is to do, until something ends it."""
    progress = filling.progress
    try:
        for entry, outcome in crew.grade(filling.begin(todo)):
            if filling.settle(entry, outcome):
                progress.stopped = progress.stopped or crew.lost()
            if progress.stopped:
                return
    finally:
        progress.doubts += crew.notes


def sweep(folder: Path) -> None:
    """Remove what a call that was killed had begun to write into a folder."""
    for path in folder.glob(".*") if folder.is_dir() else ():
        if files.is_part(path.name):
            path.unlink(missing_ok=True)


def _is_done(out: Path, entry: Entry, key: str | None, ledger: Ledger) -> bool:
    """Whether an entry has its line, and the reports that the line is of: as long as one can't be read, it has not."""
    line = ledger.lines.get(entry.name)
    folder = out / REPORTS / entry.folder
    if line is None or key is None or line["key"] != key or not files.are_there(folder):
        return False
    try:
        report = read_report(folder)
    except CallError:
        return False
    return line_of(entry.name, key, f"{REPORTS}/{entry.folder}", report).items() <= line.items()
