"""`grader reread`: a second look at one's own marks."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from grader.commands.common import bank_option, open_bank

if TYPE_CHECKING:
    from grader.marks import Marks
    from grader.reread import Note, Rereading

HEADINGS: Final = {
    "look-again": "Look again at these",
    "guard": "Odd about the form",
    "note": "To be read with care; no alarm",
}
PASSAGE: Final = 100  # characters of an answer that are shown with a note


@click.command()
@click.argument("folder", metavar="RESULTS", type=click.Path(path_type=Path))
@click.option("--as", "name", metavar="NAME", help="Whose marks; by default of the name that you are logged in with.")
@click.option("--answer", "answer", metavar="ID", help="Only this answer.")
@click.option("--candidate", metavar="CODE", help="Only what is about this candidate, by code name.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@bank_option
def reread(
    folder: Path, name: str | None, answer: str | None, candidate: str | None, as_json: bool, folders: tuple[Path, ...]
) -> None:
    """Show which of your own marks are worth another look, and why. It changes no mark, and suggests none.

    It speaks of answers that you have marked, and of no others. From eight marked answers to a question on it names a
    tenth of your grades; docs/second-reader.md says how many wrong ones that finds.

    Exit status: 0 shown; 2 the call or the question is wrong, or you have not marked what you ask about.
    """
    import json
    from dataclasses import asdict

    from grader import inert
    from grader.commands.mark import login
    from grader.marks import Marks
    from grader.reread import of_results
    from grader.results import Results

    results = Results.open(folder)
    spec = open_bank(folders).get(results.manifest.question).spec
    marks = Marks.open(results)
    actor = name or login()
    code = results.find(candidate).code if candidate else None
    _known(answer, [each.id for each in spec.answers if each.kind == "text"])
    _refuse_unmarked(marks, actor, answer, code)
    found = [each for each in of_results(results, marks, spec, actor) if answer in (None, each.answer)]
    if as_json:
        fields = [{**asdict(each), "notes": [asdict(note) for note in _about(each, code)]} for each in found]
        click.echo(inert.json_text(json.dumps(fields, indent=2, ensure_ascii=False)))
        return
    every = [line for each in found for line in [*_told(each, code), ""]][:-1]
    click.echo("\n".join(every or ["The rubric or the answers have changed since you marked them: mark them again."]))


def _known(answer: str | None, ids: list[str]) -> None:
    import difflib

    from grader import inert
    from grader.errors import CallError

    if answer is not None and answer not in ids:
        close = difflib.get_close_matches(answer, ids, n=1)
        hint = f"Did you mean {close[0]}?" if close else f"There are {', '.join(ids) or 'none'}."
        raise CallError("the question asks for no such text", found=inert.short(answer, 60), next_step=hint)


def _refuse_unmarked(marks: Marks, actor: str, answer: str | None, code: str | None) -> None:
    """A CallError where the person has no mark on what is asked for: nothing is shown before it is in."""
    from grader import inert
    from grader.errors import CallError

    own = [mark for mark in marks.all if mark.by == actor]
    if not own:
        raise CallError(
            "nothing is shown before your own marks are in",
            found=f"no mark of {inert.short(actor, 60)}",
            expected=f"one of {inert.listed(marks.actors)}" if marks.actors else None,
            next_step="Mark with `grader mark`, or name yourself with --as.",
        )
    if not any(answer in (None, mark.answer) and code in (None, mark.code) for mark in own):
        raise CallError(
            "nothing is shown of an answer before your own mark on it is in",
            found=f"no mark of {inert.short(actor, 60)} on {inert.short(', '.join(filter(None, [answer, code])), 100)}",
            next_step="Mark it with `grader mark` first.",
        )


def _about(each: Rereading, code: str | None) -> list[Note]:
    """The notes on a text; of one candidate only, if one is named."""
    return [note for note in each.notes if code in (None, note.code)]


def _told(each: Rereading, code: str | None) -> list[str]:
    from grader import inert

    told = [f"{each.answer}: {each.marked} marked by you" + (f"; {each.nothing}" if each.nothing else "")]
    notes = _about(each, code)
    for kind, heading in HEADINGS.items():
        some = [note for note in notes if note.kind == kind]
        told += [f"  {heading}"] if some else []
        for note in some:
            named = "" if kind == "look-again" else f" ({note.id})"
            told.append(f"    {note.code}: {' '.join(map(inert.line, note.why))}{named}")
            told += [f'      "{inert.short(note.passage, PASSAGE)}"'] if note.passage else []
    return told if notes else [*told, "  Nothing to look at again."]
