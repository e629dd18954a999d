"""`grader mark`: people mark written answers."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from grader.commands.common import bank_option, open_bank, say

if TYPE_CHECKING:
    from grader.marks import Marks
    from grader.marks.work import Work


@click.command()
@click.argument("folder", metavar="RESULTS", type=click.Path(path_type=Path))
@click.option("--as", "name", metavar="NAME", help="Who marks; by default the name that you are logged in with.")
@click.option("--answer", "answers", multiple=True, metavar="ID", help="Only this answer; may be given more than once.")
@click.option("--first", is_flag=True, help="Only what nobody has marked yet, to share the work.")
@click.option("--second", is_flag=True, help="Only the random fifth that is marked twice, where somebody else has.")
@click.option("--again", is_flag=True, help="Also what you have marked, to change it.")
@click.option("--from", "from_file", type=click.Path(path_type=Path), metavar="FILE", help="Take marks from a file.")
@click.option("--status", is_flag=True, help="Show who has marked how many, and what needs another look.")
@click.option("--compare", is_flag=True, help="Show your marks beside those of others.")
@click.option("--verify", is_flag=True, help="Prove that no mark was changed, removed or inserted.")
@click.option("--anchor", metavar="HASH", help="With --verify: a last hash noted earlier, which has to be there.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON, with --status, --compare and --verify.")
@bank_option
@click.pass_context
def mark(
    ctx: click.Context,
    folder: Path,
    name: str | None,
    answers: tuple[str, ...],
    first: bool,
    second: bool,
    again: bool,
    from_file: Path | None,
    status: bool,
    compare: bool,
    verify: bool,
    anchor: str | None,
    as_json: bool,
    folders: tuple[Path, ...],
) -> None:
    """Mark the written answers of a batch: tick what is in each, by keys, without seeing whose it is.

    Every mark is kept at once in RESULTS/marks.jsonl, and never overwritten. What others have marked is shown once your
    own mark is in.

    Exit status: 0 done; 1 the marks are not what was written; 2 the call, the question or a file is wrong.
    """
    asked = {"--verify": verify, "--status": status, "--compare": compare, "--from": from_file is not None}
    asked |= {"--first": first, "--second": second, "--again": again}
    _one_of(asked, as_json, anchor)
    if verify:
        ctx.exit(_verify(folder, anchor, as_json))
    from grader.marks import Marks, comparing, work
    from grader.marks import status as state
    from grader.results import Results
    from grader.variants.render import of_report

    results = Results.open(folder)
    marks = Marks.open(results)
    question = open_bank(folders).get(results.manifest.question)
    found = work.find(results, question.spec, lambda report: of_report(question, report.question.variant).spec)
    found = _only(found, answers)
    if status:
        now = state.status(marks, found)
        _print(now.fields(), now.lines(), as_json)
        return
    actor = marks.person(name or login())
    if compare:
        both = comparing.compared(marks, found, actor)
        _print(both, comparing.lines(both), as_json)
    elif from_file:
        from grader.marks import fromfile

        wanted = fromfile.read(from_file, actor, results, marks, found)
        kept = marks.add(*wanted)
        repeated = f"; {there} said what was there already" if (there := len(wanted) - len(kept)) else ""
        click.echo(f"Saved {len(kept)} mark{'s' * (len(kept) != 1)} as {actor}{repeated}.")
    else:
        _walk(marks, found, actor, first=first, second=second, again=again)


def _walk(marks: Marks, found: Work, actor: str, *, first: bool, second: bool, again: bool) -> None:
    import sys

    from grader.marks import terminal
    from grader.marks.session import Session
    from grader.marks.walks import Walk, walk

    for trouble in found.troubles:
        say(f"grader: {trouble}")
    which = Walk.SECOND if second else Walk.FIRST if first else Walk.AGAIN if again else Walk.LEFT
    items = walk(marks, found, actor, which)
    if not items:
        click.echo(_nothing(found, actor, first=first, second=second))
        return
    own = {item.key: mark for item in items if (mark := marks.own(actor, *item.key))}
    seen = {key: tuple(marks.visible_to(actor, *key)) for key in own}
    session = terminal.run(Session(actor, tuple(items), own=own, seen=seen), marks, sys.stdin, sys.stdout)
    open_ = sum(item.key not in session.own or bool(item.outdates(session.own[item.key])) for item in items)
    click.echo(f"Saved {session.saved} mark{'s' * (session.saved != 1)} as {actor}; {open_} of {len(items)} are left.")
    if session.drafts:
        click.echo(f"{len(session.drafts)} not saved yet, kept as drafts for the next time.")


def _nothing(found: Work, actor: str, *, first: bool, second: bool) -> str:
    if not found.items:
        bare = f" No observables to tick: {', '.join(found.without_rubric)}." if found.without_rubric else ""
        return f"There is no written answer to be marked here.{bare}"
    if second:
        return f"There is nothing for {actor} to mark a second time."
    if first:
        return "Every answer has a mark."
    return f"{actor} has marked all {len(found.items)} answers. --again walks them once more."


def _only(found: Work, answers: tuple[str, ...]) -> Work:
    import difflib

    from grader.errors import CallError

    known = [*dict.fromkeys(item.answer.id for item in found.items)]
    for id in answers:
        if id not in known:
            close = difflib.get_close_matches(id, known, n=1)
            hint = f"Did you mean {close[0]}?" if close else f"There are {', '.join(known) or 'none'}."
            raise CallError("there is no such answer to be marked", found=id, next_step=hint)
    return found.only(answers)


def _verify(folder: Path, anchor: str | None, as_json: bool) -> int:
    from grader.marks.ledger import Ledger
    from grader.results import manifest

    manifest.read(folder)
    ledger = Ledger(folder)
    proof = ledger.prove()
    problems = [{"line": line, "what": what} for line, what in proof.problems]
    if anchor and not re.fullmatch("[0-9a-f]{64}", anchor):
        raise click.UsageError("--anchor takes a whole hash, 64 digits, as --verify prints it.")
    if anchor and anchor not in proof.hashes:
        problems.append({"line": 0, "what": f"no line has the hash {anchor}: what came up to it was written anew"})
    told = [f"{ledger.path}:{each['line']}: {each['what']}." for each in problems]
    told += [f"note: {note}." for note in proof.notes]
    if not problems:
        told.append(f"The chain holds: {proof.count} lines. Last hash: {proof.head}")
    fields = {"holds": not problems, "lines": proof.count, "hash": proof.head, "problems": problems}
    _print({**fields, "notes": proof.notes}, told, as_json)
    return 1 if problems else 0


def _one_of(asked: dict[str, bool], as_json: bool, anchor: str | None) -> None:
    chosen = [option for option, is_on in asked.items() if is_on]
    if len(chosen) > 1:
        raise click.UsageError(f"{chosen[0]} and {chosen[1]} exclude each other.")
    if as_json and chosen not in (["--verify"], ["--status"], ["--compare"]):
        raise click.UsageError("--json goes with --status, --compare or --verify.")
    if anchor and chosen != ["--verify"]:
        raise click.UsageError("--anchor goes with --verify.")


def _print(fields: Any, lines: list[str], as_json: bool) -> None:
    from grader import inert

    if as_json:
        import json

        click.echo(inert.json_text(json.dumps(fields, indent=2, ensure_ascii=False)))
    else:
        click.echo("\n".join(map(inert.line, lines)))


def login() -> str:
    """The name that the person is logged in with; a CallError where there is none."""
    import getpass

    from grader.errors import CallError

    try:
        return getpass.getuser()
    except (OSError, KeyError):
        raise CallError("nobody is logged in here", next_step="Say who marks with --as NAME.") from None
