"""`grader purge`: removes what is kept of candidates."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from grader.commands.common import bank_option, open_bank, say

if TYPE_CHECKING:
    from grader.marks.purge import Target


@click.command()
@click.argument("folder", metavar="RESULTS", type=click.Path(path_type=Path))
@click.argument("who", nargs=-1)
@click.option("--due", is_flag=True, help="Remove everybody, once the day has passed until which they may be kept.")
@click.option("--yes", "-y", is_flag=True, help="Do not ask.")
@click.option("--as", "name", metavar="NAME", help="Who does it; by default the name that you are logged in with.")
@bank_option
@click.pass_context
def purge(
    ctx: click.Context,
    folder: Path,
    who: tuple[str, ...],
    due: bool,
    yes: bool,
    name: str | None,
    folders: tuple[Path, ...],
) -> None:
    """Remove what is kept of candidates: WHO is a code name, or the name of what was sent.

    What they sent, their reports, their line, their name, and every word in their marks are removed. That they were
    removed is kept, under the code name, and the marks can still be proven. Killed on the way, it is finished by
    running it again.

    Exit status: 0 nothing of them is left; 1 other files of RESULTS still name them; 2 the call or a file is wrong.
    """
    if bool(who) == due:
        raise click.UsageError("Name who is to be removed, or give --due.")
    from grader.commands.mark import login
    from grader.marks import Marks
    from grader.marks import purge as purging
    from grader.results import manifest

    everybody = purging.everybody(folder)
    about = manifest.read(folder)
    marks = Marks(folder, about.question)
    actor = marks.person(name or login())
    if due and manifest.today() <= about.retain_until:
        click.echo(f"Nothing is due: what was sent may be kept until {about.retain_until}.")
        return
    targets = everybody if due else _found(folder, everybody, marks.purged, who)
    if targets and not yes:
        _show(targets)
        click.confirm("Remove what is kept of them? This can't be undone.", abort=True)
    spec, why = purging.spec_of(folder, lambda id: open_bank(folders).get(id).spec)
    mentioned = False

    def waiting() -> None:
        say("Waiting for another that writes results there.")

    for target in targets:
        done = purging.purge(folder, target, actor, spec, waiting)
        mentioned |= bool(done.mentions)
        files = done.counts["submission_files"] + done.counts["report_files"]
        _say_done(f"Removed {target.code}: {files} files, and what was said in {done.counts['marks']} marks.")
        for path in done.mentions:
            say(f"grader: {folder / path} still names them. Remove it, or have it written anew.")
    if due:
        strays = purging.strays(folder)
        _say_done("Nothing is kept here." if not (targets or strays) else f"{len(targets)} removed; nobody is left.")
    if targets and why:
        say(f"grader: summary.html was removed and not written anew: {why}")
    ctx.exit(1 if mentioned else 0)


def _found(folder: Path, everybody: list[Target], removed: set[str], who: tuple[str, ...]) -> list[Target]:
    """Those who are named, each once.

    Raises:
        CallError: somebody is not there, and was not removed earlier under that code name.
    """
    import difflib

    from grader.errors import CallError
    from grader.results.folder import two_are_called

    found: dict[Target, None] = {}
    for each in who:
        if theirs := [target for target in everybody if each in (target.code, target.name)]:
            if len(theirs) > 1:
                raise two_are_called(folder, each)
            found[theirs[0]] = None
            continue
        if each in removed:
            _say_done(f"{each} was removed earlier.")
            continue
        known = [word for target in everybody for word in (target.code, target.name)]
        close = difflib.get_close_matches(each, known, n=1)
        raise CallError(
            "there is nobody of that name, and nothing was removed",
            where=str(folder),
            found=each,
            next_step=f"Did you mean {close[0]}?" if close else "Code names stand in codes.json.",
        )
    return list(found)


def _show(targets: list[Target]) -> None:
    for target in targets:
        _say_done(f"{target.code}  {target.name}")


def _say_done(words: str) -> None:
    from grader.inert import line

    click.echo(line(words))
