"""Grading again what was sent, beside the old reports, and saying what changed. Nothing old is touched here."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path

from grader import environment
from grader.batch.crew import Hire
from grader.batch.entries import Entry
from grader.batch.grading import Assign, Grading, Progress
from grader.errors import CallError
from grader.question import Question
from grader.regrade.changes import Change, compare, rubrics
from grader.regrade.record import Record, Version
from grader.report import Report
from grader.results import Candidate, Results, places
from grader.results.ledger import Ledger
from grader.variants.assigning import Assigned, Assigner
from grader.variants.render import of_report

NOT_KEPT = "what was sent is not kept here; send it through `grader batch` again"


def old_reports(results: Results) -> tuple[dict[str, Report], dict[str, str]]:
    """The reports that there are, by name in the order of the ledger, and why others can't be read."""
    reports: dict[str, Report] = {}
    troubles: dict[str, str] = {}
    for each in sorted(results.candidates, key=lambda candidate: candidate.name):
        try:
            reports[each.name] = each.report
        except CallError as error:
            troubles[each.name] = str(error)
    return reports, troubles


def is_current(question: Question, reports: dict[str, Report]) -> bool:
    """Whether all reports were made with the question as it is now, each in its variant, and in this environment."""
    versions = environment.versions()
    return all(
        report.question.digest == of_report(question, report.question.variant).digest and report.environment == versions
        for report in reports.values()
    )


def as_graded(assigner: Assigner, reports: dict[str, Report]) -> Assign:
    """Each submission in the variant of its report, which needs no key; in that of its packet where there is none."""

    def assign(entry: Entry) -> Assigned:
        report = reports.get(entry.name)
        return assigner.of(entry.path, report.question.variant if report else None)

    return assign


def seed_of(reports: dict[str, Report]) -> int | None:
    """The seed that a batch was told to use; None where it used the question's own, which changes with the question."""
    given = {report.seed for report in reports.values() if report.seed != int(report.question.digest[:8], 16)}
    return given.pop() if len(given) == 1 else None


def grade(
    question: Question,
    results: Results,
    hire: Hire,
    *,
    seed: int | None,
    moved: Callable[[Progress], None] = lambda _: None,
    assign: Assign | None = None,
) -> tuple[Path, Progress]:
    """Grade everything that is kept with the question as it is now, into RESULTS/regrades/<digest>/.

    Killed and called again, it goes on where it was.

    Returns:
        The folder, and how it went.

    Raises:
        TooLittleIsolation: the isolation is weaker than required from the start.
        CallError: the folder can't be written.
    """
    folder = folder_of(question, results.folder)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        ledger = Ledger(folder)
    except OSError as error:
        raise CallError("a regrade can't be written there", where=str(folder), found=str(error)) from None
    entries = {each.name: Entry(each.name, kept) for each in results.candidates if (kept := _kept(each))}
    progress = Progress(len(results.candidates))
    progress.troubles = {each.name: NOT_KEPT for each in results.candidates if each.name not in entries}
    ordered = [entries[name] for name in sorted(entries)]
    grading = Grading(question, hire, seed, moved, assign=assign)
    grading.fill(folder, ledger, ordered, progress)
    # What could not be graded this time may have a line of an earlier time, in another environment.
    keys = {entry.name: grading.key(entry) for entry in ordered}
    ledger.finish([name for name, key in keys.items() if ledger.lines.get(name, {}).get("key") == key])
    return folder, progress


def folder_of(question: Question, results: Path) -> Path:
    """Where a regrade with the question as it is now is kept."""
    return results / places.REGRADES / question.digest[: places.DIGITS]


def record(
    question: Question,
    results: Results,
    folder: Path,
    old: tuple[dict[str, Report], dict[str, str]],
    progress: Progress,
) -> Record:
    """What changed, from the old reports and those that `grade` has left."""
    reports, unreadable = old
    new = {line["name"]: line for line in Ledger(folder).lines.values()}
    changes: list[Change] = []
    texts: dict[str, None] = {}
    for each in sorted(results.candidates, key=lambda candidate: candidate.name):
        if each.name not in reports or each.name not in new:
            continue
        after = Candidate(each.code, new[each.name], folder).report
        changes.append(compare(each.name, each.code, each.folder.name, reports[each.name], after))
        texts.update(dict.fromkeys(rubrics(reports[each.name], after)))
    return Record(
        question=question.id,
        title=question.spec.title,
        before=_version(reports, results, question),
        after=Version(version=question.spec.version, digest=question.digest, environment=environment.versions()),
        changes=changes,
        rubrics=list(texts),
        troubles={**unreadable, **progress.troubles},
        stopped=progress.stopped,
    )


def _version(reports: dict[str, Report], results: Results, question: Question) -> Version:
    """What most of the old reports were made with; what the manifest says where there is none."""
    if not reports:
        return Version(version=results.manifest.version, digest=results.manifest.digest, environment={})
    # A variant has a digest of its own, which says nothing of the question as it was.
    default = dict(question.variant)
    plain = [report for report in reports.values() if report.question.variant in ({}, default)]
    if not plain:
        first = next(iter(reports.values()))
        digest = results.manifest.digest
    else:
        (digest, _), *_ = Counter(report.question.digest for report in plain).most_common(1)
        first = next(report for report in plain if report.question.digest == digest)
    return Version(version=first.question.version, digest=digest, environment=first.environment)


def _kept(candidate: Candidate) -> Path | None:
    return next(candidate.sent.iterdir(), None) if candidate.sent.is_dir() else None
