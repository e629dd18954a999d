"""`grader panel`: reads results folders and what people said of them, and writes everything that a panel reads."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from grader import inert
from grader.errors import CallError
from grader.panel import around, decisions, earlier, joining, scorecard, sheet
from grader.panel.around import Around
from grader.panel.joining import Person
from grader.panel.views import CandidateView, PanelView, SheetView
from grader.question import Question
from grader.render import candidate, exports, files, junit, panel, pdf
from grader.report import Report
from grader.results import Results

PAGE = "index.html"


@dataclass(frozen=True)
class Written:
    """The files that were written, the page of all candidates first, and whose reports could not be read."""

    files: tuple[Path, ...]
    candidates: int
    troubles: tuple[str, ...]


Find = Callable[[str], Question]


def write(
    folders: Sequence[Path], out: Path, find: Find, *, overall: Path | None = None, with_pdf: bool = False
) -> Written:
    """Write the pages and exports of some results folders.

    Args:
        folders: results folders, of one question each.
        out: where to.
        find: the question of an id.
        overall: what people decided, in a file.
        with_pdf: also write a PDF for each candidate.

    Pages of an earlier call that are not written again are removed: those people may have been purged since.

    A report that can't be read costs its candidate's page of that question, and nobody else's.

    Raises:
        CallError: a folder is none of results, marks or decisions can't be read, or `out` can't be written.
    """
    if with_pdf:
        pdf.available()  # before any work is done
    opened = [Results.open(folder) for folder in folders]
    people = joining.joined(opened)
    if not people:
        where = inert.line(str(folders[0]))
        raise CallError("nothing was graded in it", where=where, next_step="Run `grader batch` first.")
    questions = {each.manifest.question: find(each.manifest.question) for each in opened}
    beside = {id: around.found(each, questions[id]) for each in opened for id in [each.manifest.question]}
    troubles = joining.leave_out_unreadable(people)
    view = PanelView(
        tuple(map(sheet.question_view, questions.values())),
        tuple(_candidate(person, questions, beside) for person in people),
        keep_until=min(each.manifest.retain_until for each in opened).isoformat(),
        troubles=tuple(troubles),
    )
    cards = scorecard.cards(view, decisions.read(overall, {person.code for person in people}) if overall else ())
    texts = {PAGE: panel.comparison(view), **{f"{each.code}.html": panel.page(each) for each in view.candidates}}
    texts |= {"scorecard.json": scorecard.as_json(cards), "scorecard.csv": scorecard.as_csv(cards)}
    texts |= _of_reports(people, questions, view)
    before = earlier.read(out)
    written = [_put(out / name, text) for name, text in texts.items()]
    if with_pdf:
        written += [pdf.write(each, out / f"{each.code}.pdf") for each in view.candidates]
    earlier.replace(out, before, written)
    return Written(tuple(written), len(people), view.troubles)


def _candidate(person: Person, questions: dict[str, Question], beside: dict[str, Around]) -> CandidateView:
    sent = {id: person.sent[id] for id in questions if id in person.sent}
    sheets = (sheet.view(each, person.code, questions[id], beside[id]) for id, each in sent.items())
    return CandidateView(person.code, tuple(sheets))


def _of_reports(people: Sequence[Person], questions: dict[str, Question], view: PanelView) -> dict[str, str]:
    """What is made of reports alone: JUnit XML, results.json of two platforms, and feedback for candidates."""
    texts: dict[str, str] = {}
    anonymous: dict[str, list[Report]] = {}
    for person, shown in zip(people, view.candidates, strict=True):
        for id, sent in person.sent.items():
            report = sheet.without_names(sent, person.code, questions[id])
            anonymous.setdefault(person.code, []).append(report)
            texts[f"gradescope/{id}/{person.code}/results.json"] = exports.gradescope(report)
            texts[f"prairielearn/{id}/{person.code}/results.json"] = exports.prairielearn(report)
            part = shown.sheet(id)
            levels = _levels(part, questions[id]) if part else {}
            texts[f"feedback/{id}/{person.code}.html"] = candidate.page(report, levels)
    return {"junit.xml": junit.junit(anonymous), **texts}


def _levels(part: SheetView, question: Question) -> dict[str, candidate.Read]:
    """The levels of the texts on which all who read them agree."""
    found = {}
    for answer in question.spec.answers:
        text = part.text(answer.id)
        if answer.kind != "text" or text is None or len(text.said) != 1:
            continue
        level = text.said[0]
        higher = (step for step in reversed(answer.levels.steps) if step[0].rank > level.rank)
        above = next((f"{step}, which has {needs.told()}" for step, needs in higher), "")
        found[answer.id] = candidate.Read(str(level), sum(mark.counts for mark in text.marks), above)
    return found


def _put(path: Path, text: str) -> Path:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise CallError(
            f"this can't be written ({error.strerror or error})",
            where=inert.line(str(path.parent)),
            next_step="Name a folder that you may write to.",
        ) from None
    return files.replace(path, text)
