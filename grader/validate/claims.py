"""What the submissions of a question have to show: pure functions of the rows that were graded."""

from __future__ import annotations

from grader import specfile
from grader.diagnose import NOT_STARTED
from grader.outcome import Outcome
from grader.question import Question, files_of
from grader.rubric.levels import LEAST, MOST, Level
from grader.rubric.spec import TextAnswer
from grader.scaffold import MARK
from grader.validate.proof import Finding, Kind, Row


def of_rows(question: Question, rows: list[Row], *, quick: bool) -> list[Finding]:
    """Every claim that the kill matrix decides; without those that take all its rows, where it has to be quick."""
    whole = [
        Finding(claim="Every criterion is failed by a wrong submission", problems=_idle_criteria(question, rows)),
        Finding(claim="Every check is failed by a wrong submission", problems=_idle_checks(question, rows)),
    ]
    return [
        Finding(claim="The reference scores in full", problems=_in_full(rows, Kind.REFERENCE)),
        Finding(claim="The skeleton scores nothing", problems=_nothing(question, rows)),
        Finding(claim="Unusual but right scores in full", problems=_in_full(rows, Kind.UNUSUAL)),
        Finding(claim="Wrong fails what its misconception says, and nothing else", problems=_exactly(rows)),
        Finding(claim="Every mistake is named, and no other", problems=_named(rows)),
        Finding(claim="Feedback gives nothing away", problems=_given_away(rows)),
        *([] if quick else whole),
    ]


def files(question: Question) -> list[Finding]:
    """Whether the files that prove the question are there, and each is put to use."""
    named = {name for each in question.spec.misconceptions for name in (each.solution, *each.also)}
    folder = question.solutions / "wrong"
    there = {f"wrong/{path.name}" for path in folder.iterdir() if path.is_file()} if folder.is_dir() else set()
    problems = [f"{name} is not there" for name in sorted(named) if not (question.solutions / name).is_file()]
    problems += [f"{name} is named by no misconception" for name in sorted(there - named)]
    if not any((question.solutions / "unusual").glob("*.py")):
        problems.append("there is no unusual solution, so nothing shows that other right code passes")
    return [
        Finding(claim="Nothing is left to be written", problems=_unwritten(question)),
        Finding(claim="Every solution is there, and is put to use", problems=problems),
        Finding(claim="Every text has a rubric that holds its known wrong answers down", problems=_rubrics(question)),
    ]


def _rubrics(question: Question) -> list[str]:
    """Texts without two to five points to tick, and known wrong answers that come to more than weak."""
    problems = []
    for answer in question.spec.answers:
        if not isinstance(answer, TextAnswer):
            continue
        if not LEAST <= len(answer.observables) <= MOST:
            there = len(answer.observables) or "no"
            problems.append(f"the answer {answer.id} has {there} observables, expected {LEAST} to {MOST}")
        problems += [
            f"the known wrong answer “{wrong.says}” of {answer.id} comes to {answer.level_of(wrong.ticks)}"
            for wrong in answer.known_wrong
            if answer.level_of(wrong.ticks).rank > Level.WEAK.rank
        ]
    return problems


def _unwritten(question: Question) -> list[str]:
    """Where a file of the question still holds the mark that `grader new` put there."""
    return [
        f"{path.relative_to(root.parent).as_posix()}:{number}: {line.strip()}"
        for root in (question.folder, question.solutions)
        for path in files_of(root)
        for number, line in enumerate(specfile.read_bytes(path).decode("utf-8", "replace").splitlines(), start=1)
        if MARK in line
    ]


def _in_full(rows: list[Row], kind: Kind) -> list[str]:
    return [f"{row.name} misses {id}: {told(row, id)}" for row in rows if row.kind is kind for id in row.missed]


def _nothing(question: Question, rows: list[Row]) -> list[str]:
    problems = []
    for row in rows:
        if row.kind is Kind.SKELETON:
            problems += [f"{row.name} passes {id}" for id, outcome in row.criteria.items() if outcome is Outcome.PASSED]
            problems += [
                f"{key} {outcome}, though the skeleton is only unwritten"
                for key, outcome in row.checks.items()
                if outcome not in (Outcome.PASSED, Outcome.FAILED, Outcome.NOT_REACHED)
            ]
            if row.named != [NOT_STARTED]:
                problems.append(f"{question.spec.skeleton} is not told apart as not started")
    return problems


def _exactly(rows: list[Row]) -> list[str]:
    problems = []
    for row in rows:
        if row.kind is Kind.WRONG:
            problems += [f"{row.name} gets through {id}" for id in row.fails if id not in row.missed]
            problems += [f"{row.name} also fails {id}: {told(row, id)}" for id in row.missed if id not in row.fails]
    return problems


def _named(rows: list[Row]) -> list[str]:
    return [
        f"{row.name} shows {row.misconception}, the report names {', '.join(row.named) or 'nothing'}"
        for row in rows
        if row.kind is Kind.WRONG and row.named != [row.misconception]
    ]


def _given_away(rows: list[Row]) -> list[str]:
    return [f"{row.name}: {leak}" for row in rows for leak in row.leaks]


def _idle_criteria(question: Question, rows: list[Row]) -> list[str]:
    failed = {id for row in rows if row.kind is Kind.WRONG for id in row.missed}
    if question.spec.suite is not None:
        failed.add(question.spec.suite.criterion)  # mutants prove that one
    return [f"no wrong submission fails {each.id}" for each in question.spec.criteria if each.id not in failed]


def _idle_checks(question: Question, rows: list[Row]) -> list[str]:
    own = f"{question.spec.suite.criterion}: " if question.spec.suite else "(none)"
    passed = {Outcome.PASSED, Outcome.NOT_REACHED}
    every = dict.fromkeys(key for row in rows for key in row.checks)
    bitten = {
        key for row in rows if row.kind is Kind.WRONG for key, outcome in row.checks.items() if outcome not in passed
    }
    idle = [key for key in every if key not in bitten and not key.startswith(own)]
    return [f"no wrong submission fails the check {_plain(key)!r}" for key in idle]


def told(row: Row, id: str) -> str:
    """What the checks of a criterion saw."""
    seen = [text for key, text in row.seen.items() if key.startswith(f"{id}: ") and text]
    return seen[0] if seen else str(row.criteria[id])


def _plain(key: str) -> str:
    return key.partition(": ")[2]
