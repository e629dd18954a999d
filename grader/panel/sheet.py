"""What one candidate sent for one question, as a view: the report, the code beside it, and what people said."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from grader import specfile
from grader.outcome import Outcome, Verdict
from grader.panel import names, texts
from grader.panel.around import Around
from grader.panel.names import Redact
from grader.panel.views import CriterionView, EvidenceView, FactView, MistakeView, QuestionView, SheetView, TextView
from grader.render import code as coding
from grader.render import words
from grader.render.code import Place
from grader.report import CriterionPart, Evidence, Report
from grader.rubric.spec import TextAnswer
from grader.variants.render import of_report

if TYPE_CHECKING:
    from grader.question import Question
    from grader.results import Candidate

AT_LINE: Final = re.compile(r"\bat line (\d{1,6})\b")
IN_FILE: Final = re.compile(r":(\d{1,6})\b")
# Where a report holds words of a stranger, or of ours about their files; all else is the spec's, or no prose at all.
TOLD: Final = ("name", "files", "notes", "seen", "given", "note", "where", "detail", "reason", "own_solution", "why")
UNMEASURED: Final = (Outcome.NOT_REACHED, Outcome.GRADER_FAULT)


def question_view(question: Question) -> QuestionView:
    """A question, with what a comparison has columns for."""
    spec = question.spec
    return QuestionView(
        id=spec.id,
        version=spec.version,
        title=spec.title,
        digest=question.digest,
        criteria={each.id: each.title for each in spec.criteria},
        texts={each.id: each.prompt for each in spec.answers if each.kind == "text"},
    )


def view(candidate: Candidate, shown_as: str, question: Question, around: Around) -> SheetView:
    """The view of one submission, without the names that it was sent under.

    Args:
        candidate: of a results folder.
        shown_as: the code name on the pages, which differs from its own where another folder gave the first.
        question: what was answered.
        around: what there is beside the report.

    Raises:
        CallError: the report can't be read.
    """
    question = of_report(question, candidate.report.question.variant)
    redact = redactor(candidate, shown_as, question)
    report = without_names(candidate, shown_as, question)
    source = candidate.source
    places = coding.places(source, question.defines)
    refusal = words.refusal(report)
    return SheetView(
        question=QuestionView(
            report.question.id,
            report.question.version,
            report.question.title,
            report.question.digest,
            variant=report.question.variant,
        ),
        verdict=report.verdict,
        refusal=refusal,
        headline=report.headline,
        required=words.required(report),
        formula=formula(report),
        criteria=() if refusal else tuple(_criterion(part, report, question, places) for part in report.criteria),
        mistakes=() if refusal else _mistakes(report),
        facts=tuple(
            FactView(each.id, each.prompt, each.given, each.outcome, each.note)
            for each in report.answers
            if each.outcome is not None
        ),
        texts=_texts(candidate, question, around, redact),
        suite=report.suite,
        code=tuple(coding.lines(redact(source), _marked(report, places))),
        places=tuple(sorted(places.values(), key=lambda place: place.first)),
        integrity=tuple(report.integrity),
        notes=tuple(report.submission.notes),
        isolation=report.isolation,
        isolation_words=words.isolation(report),
        seed=report.seed,
        digest=report.submission.digest,
        environment=report.environment,
    )


def read_by(made: SheetView, candidate: Candidate, question: Question, around: Around, redact: Redact) -> SheetView:
    """A view that was made, with what is around it now: marks come in, and not everybody may see the same of them."""
    return replace(made, texts=_texts(candidate, question, around, redact))


def _texts(candidate: Candidate, question: Question, around: Around, redact: Redact) -> tuple[TextView, ...]:
    asked = [answer for answer in question.spec.answers if isinstance(answer, TextAnswer)]
    given = None if candidate.report.verdict is Verdict.REFUSED else candidate.report.answers
    return texts.views(asked, given, candidate.code, around, redact)


def without_names(candidate: Candidate, shown_as: str, question: Question) -> Report:
    """The report of a submission, with the code name in the place of the names that it was sent under."""
    redact = redactor(candidate, shown_as, question)
    return Report.from_fields(names.throughout(_fields(candidate.report), redact, TOLD))


def redactor(candidate: Candidate, shown_as: str, question: Question) -> Redact:
    """What takes the names that a submission was sent under out of a text, and puts the code name in their place.

    Raises:
        CallError: the report can't be read.
    """
    return names.redactor(_names(candidate), shown_as, _vocabulary(question))


def formula(report: Report) -> str:
    """How the total comes about, in words: `10 + 6 + 5 = 21 of 31`."""
    if report.verdict is Verdict.REFUSED:
        return "Nothing was graded, so there is no total."
    earned = [f"{part.points:g}" for part in report.criteria if part.outcome is Outcome.PASSED]
    unmeasured = sum(part.points for part in report.criteria if part.outcome is Outcome.GRADER_FAULT)
    total = f"{' + '.join(earned) or 'no criterion passed'} = {report.score.earned:g} of {report.score.possible:g}"
    told = [f"The total is the sum of the points of the criteria that passed, each all or nothing: {total}."]
    if unmeasured:
        told.append(f"{unmeasured:g} of these points were not measured, through a fault of the grader.")
    told.append("Texts that people read add no points and take none away.")
    return " ".join(told)


def _mistakes(report: Report) -> tuple[MistakeView, ...]:
    return tuple(
        MistakeView(each.title, each.why, tuple(words.titles(report, each.criteria))) for each in report.diagnosis
    )


def _criterion(part: CriterionPart, report: Report, question: Question, places: dict[str, Place]) -> CriterionView:
    facts = {each.criterion for each in question.spec.answers if each.kind != "text"}
    suite = question.spec.suite
    kind = "fact" if part.id in facts else "own tests" if suite and suite.criterion == part.id else "tests"
    return CriterionView(
        id=part.id,
        title=part.title,
        kind=kind,
        required=part.required,
        outcome=part.outcome,
        points=f"–/{part.points:g}" if part.outcome in UNMEASURED else words.points(part),
        told=part.feedback if part.outcome not in (Outcome.PASSED, Outcome.GRADER_FAULT) else "",
        met=tuple(each.title for each in report.diagnosis if part.id in each.criteria),
        evidence=tuple(_evidence(each, places) for each in part.evidence),
    )


def _evidence(evidence: Evidence, places: dict[str, Place]) -> EvidenceView:
    """A check with the places in the code that it is about: the line that raised, or the definitions that it used."""
    about: list[Place] = []
    if evidence.outcome is not Outcome.PASSED:
        at = [int(number) for number in AT_LINE.findall(evidence.seen)]
        about = [Place("", number, number) for number in at] or [
            places[name] for name in places if name in evidence.about or _mentions(evidence.seen, name)
        ]
    return EvidenceView(evidence.check, evidence.outcome, evidence.seen, tuple(about), evidence.table)


def _mentions(text: str, name: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text) is not None


def _marked(report: Report, places: dict[str, Place]) -> dict[int, str]:
    """Why lines are marked: a definition that a failed criterion is about, a line that raised, a note on integrity."""
    why: dict[int, list[str]] = {}
    for part in report.criteria:
        for evidence in part.evidence:
            for place in _evidence(evidence, places).places:
                for number in range(place.first, place.last + 1):
                    why.setdefault(number, []).append(part.title)
    for note in report.integrity:
        if line := IN_FILE.search(note.where):
            why.setdefault(int(line[1]), []).append(f"for a person to look at: {note.detail}")
    return {number: "; ".join(dict.fromkeys(reasons)) for number, reasons in why.items()}


def _names(candidate: Candidate) -> Iterable[str]:
    submission = candidate.report.submission
    kept = (path.name for path in candidate.sent.iterdir()) if candidate.sent.is_dir() else ()
    return [candidate.name, submission.name, *submission.files, candidate.folder.name, *kept]


def _vocabulary(question: Question) -> set[str]:
    spec = question.spec
    texts = [spec.model_dump_json(), question.read(spec.prompt), question.read(spec.skeleton), question.reference or ""]
    texts += [*question.hidden_texts.values(), *(specfile.read_text(path) for path in question.support)]
    return names.words(texts)


def _fields(report: Report) -> dict[str, object]:
    fields = report.model_dump(mode="json")
    return {"schema": fields.pop("schema_"), **fields}
