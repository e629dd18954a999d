"""What a panel's pages show, as plain data: every renderer reads these, and nothing else.

No view holds the name that a submission was sent under.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from grader.outcome import Outcome, Verdict
from grader.render.code import Line, Place
from grader.report import IntegrityPart, Isolation, SuitePart, TablePart
from grader.rubric.levels import Level

NOT_ASSESSED = "not assessed"


@dataclass(frozen=True)
class EvidenceView:
    """One check in plain words, how it ended, what was seen, and where in the code to look."""

    check: str
    outcome: Outcome
    seen: str = ""
    places: tuple[Place, ...] = ()
    table: TablePart | None = None


@dataclass(frozen=True)
class CriterionView:
    """One criterion.

    Attributes:
        kind: what decided it: hidden "tests", a "fact" that was answered, or the candidate's "own tests".
        points: earned and possible, as `7/10`; what was not looked at has no number, as `–/10`.
        told: the sentence that the candidate may read; empty if it passed.
        met: the titles of the misconceptions that cost it.
    """

    id: str
    title: str
    kind: str
    required: bool
    outcome: Outcome
    points: str
    told: str = ""
    met: tuple[str, ...] = ()
    evidence: tuple[EvidenceView, ...] = ()


@dataclass(frozen=True)
class MistakeView:
    """A misconception that was met, why it is wrong, and the titles of what it cost."""

    title: str
    why: str
    costs: tuple[str, ...]


@dataclass(frozen=True)
class TickView:
    """A point of a rubric, and who ticked it."""

    says: str
    kind: str
    by: tuple[str, ...] = ()


@dataclass(frozen=True)
class MarkView:
    """What one person said of one answer.

    Attributes:
        level: what the ticks come to; None if they could not assess it, or if the mark is `stale`.
        blind: whether they could see nobody else's mark then.
        reason: why they changed an earlier mark of theirs; empty if they did not.
        stale: why the mark no longer counts; empty if it does.
    """

    by: str
    at: str
    level: Level | None
    cannot_assess: bool
    blind: bool
    quote: str = ""
    note: str = ""
    reason: str = ""
    stale: str = ""

    @property
    def word(self) -> str:
        """The level, or what there is in its place."""
        if self.stale:
            return "no longer counts"
        return str(self.level) if self.level else "could not assess it"

    @property
    def counts(self) -> bool:
        """Whether it says a level."""
        return self.level is not None


@dataclass(frozen=True)
class GuardView:
    """Something that was found in or around a marked answer, and what was done about it."""

    what: str
    done: str


@dataclass(frozen=True)
class TextView:
    """A written answer that people read.

    Attributes:
        audience: whom the question is for.
        given: the answer; empty if there is none.
        read: whether the answers were looked at; they are not where the submission was refused.
        ticks: the points of the rubric.
        levels: what the ticks come to, a line for each level.
        agreement: how far people agree on this question, or that there are too few to say.
        guards: only for an answer that somebody marked.
        hidden: how many marks there are which the reader may not see before their own is in.
    """

    id: str
    prompt: str
    audience: str
    given: str
    rubric: str
    marks: tuple[MarkView, ...] = ()
    ticks: tuple[TickView, ...] = ()
    levels: tuple[str, ...] = ()
    agreement: str = ""
    guards: tuple[GuardView, ...] = ()
    read: bool = True
    hidden: int = 0

    @property
    def said(self) -> tuple[Level, ...]:
        """The levels that people gave, each once, the least first."""
        return tuple(sorted({mark.level for mark in self.marks if mark.level}, key=lambda level: level.rank))

    @property
    def word(self) -> str:
        """What people said of it: a level, several where they differ, or that nobody has assessed it."""
        if self.said:
            return " and ".join(map(str, self.said))
        if self.hidden:
            return "marked by others"
        if not self.given:
            return "not given" if self.read else "not read, since the submission was refused"
        return "could not be assessed" if any(mark.cannot_assess for mark in self.marks) else NOT_ASSESSED


@dataclass(frozen=True)
class FactView:
    """An answer that was checked by the grader. It decides a criterion."""

    id: str
    prompt: str
    given: str
    outcome: Outcome | None
    note: str = ""


@dataclass(frozen=True)
class QuestionView:
    """A question that candidates answered; `criteria` and `texts` are the columns of a comparison, by id.

    `variant` is what was chosen of its variants, on the page of one candidate.
    """

    id: str
    version: int
    title: str
    digest: str
    criteria: Mapping[str, str] = field(default_factory=dict)
    texts: Mapping[str, str] = field(default_factory=dict)
    variant: Mapping[str, int | float | str | bool] = field(default_factory=dict)


@dataclass(frozen=True)
class SheetView:
    """What one candidate sent for one question.

    Attributes:
        refusal: why nothing was graded; empty if something was.
        headline: the run in one line.
        formula: how the total comes about.
        code: the lines of what was sent; empty where there is no text to show.
        places: where the question's definitions are in it.
    """

    question: QuestionView
    verdict: Verdict
    refusal: str
    headline: str
    required: str
    formula: str
    criteria: tuple[CriterionView, ...]
    mistakes: tuple[MistakeView, ...]
    facts: tuple[FactView, ...]
    texts: tuple[TextView, ...]
    suite: SuitePart | None
    code: tuple[Line, ...]
    places: tuple[Place, ...]
    integrity: tuple[IntegrityPart, ...]
    notes: tuple[str, ...]
    isolation: Isolation
    isolation_words: str
    seed: int
    digest: str
    environment: Mapping[str, str]

    def criterion(self, id: str) -> CriterionView | None:
        """The criterion of an id, if something was graded."""
        found = next((each for each in self.criteria if each.id == id), None)
        return None if self.refusal else found

    def text(self, id: str) -> TextView | None:
        """The text of an id."""
        return next((each for each in self.texts if each.id == id), None)


@dataclass(frozen=True)
class CandidateView:
    """One candidate, with a sheet for each question that they answered."""

    code: str
    sheets: tuple[SheetView, ...]

    def sheet(self, question: str) -> SheetView | None:
        """What they sent for a question; None if nothing."""
        return next((each for each in self.sheets if each.question.id == question), None)


@dataclass(frozen=True)
class PanelView:
    """All candidates, in the order of their code names, and the questions that they answered.

    `keep_until` is the day after which what they sent has to be gone, `troubles` says whose report can't be read.
    """

    questions: tuple[QuestionView, ...]
    candidates: tuple[CandidateView, ...]
    keep_until: str = ""
    troubles: tuple[str, ...] = ()
