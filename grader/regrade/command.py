"""`grader regrade`: grades again with a bar that moves, says who changed, and replaces nothing unless it is told to."""

from __future__ import annotations

import sys
from pathlib import Path

from grader.batch.crew import Hire
from grader.errors import CallError
from grader.inert import json_text
from grader.question import Question
from grader.regrade import again, apply
from grader.regrade.record import PAGE, Record
from grader.render import regrade as render
from grader.render.results import Bar
from grader.results import Results, places
from grader.variants.assigning import Assigner


def run(
    question: Question,
    folder: Path,
    hire: Hire,
    *,
    applied: bool,
    partly: bool,
    as_json: bool,
) -> int:
    """Regrade a results folder, show what changed, and return the exit status.

    Raises:
        TooLittleIsolation: the isolation is weaker than required.
        CallError: the folder is none of results, or an earlier call was interrupted while it applied.
    """
    begun = apply.pending(folder)
    if begun and not applied:
        raise CallError(
            "new reports were being put in place when everything stopped",
            where=str(begun),
            next_step="Run `grader regrade` with --apply to finish that.",
        )
    if begun:
        _show(apply.finish(folder, begun, question.spec), begun, as_json)
        _say("Finished what had been interrupted.", as_json)
        return 0
    results = Results.open(folder)
    if not results.candidates:
        raise CallError("nothing was graded here yet", where=str(folder), next_step="Use `grader batch`.")
    old = reports, unreadable = again.old_reports(results)
    if not unreadable and again.is_current(question, reports):
        _nothing(question, folder, as_json)
        return 0
    with Bar(sys.stderr, len(results.candidates)) as bar:
        where, progress = again.grade(
            question,
            results,
            hire,
            seed=again.seed_of(reports),
            assign=again.as_graded(Assigner(question), reports),
            moved=lambda now: bar.move(now.kept + now.graded + len(now.troubles)),
        )
    found = again.record(question, results, where, old, progress)
    found.write(where)
    lacking = bool(found.troubles or found.stopped)
    if applied and (partly or not lacking):
        apply.begin(folder, where, found)
        found = apply.finish(folder, where, question.spec)
    _show(found, where, as_json)
    if found.history:
        _say(f"Applied: the old reports are in {folder / found.history}.", as_json)
    elif applied:
        _say("Nothing was applied, since some could not be graded. With --partly they keep what they have.", as_json)
    else:
        _say("Nothing was replaced. Run it again with --apply to put the new reports in place.", as_json)
    return 3 if lacking else 0


def _show(found: Record, where: Path, as_json: bool) -> None:
    if as_json:
        sys.stdout.write(json_text(found.to_json()))
        return
    render.summary(found)
    sys.stdout.write(f"\nWritten: {where / PAGE}\n")


def _nothing(question: Question, folder: Path, as_json: bool) -> None:
    if as_json:
        sys.stdout.write("null\n")
        return
    which = f"{question.id} as it is now ({question.digest[: places.DIGITS]})"
    sys.stdout.write(f"Nothing to regrade: the reports in {folder} are of {which}, in this environment.\n")


def _say(words: str, as_json: bool) -> None:
    (sys.stderr if as_json else sys.stdout).write(f"{words}\n")
