"""`grader diff`: a submission beside the reference."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from grader.commands.common import assigner, bank_option, open_bank, say, variant_option

if TYPE_CHECKING:
    pass


@click.command()
@click.argument("submission", type=click.Path(path_type=Path))
@click.option("--question", "-q", "id", required=True, metavar="ID", help="The question that it answers.")
@variant_option
@click.option("--out", "-o", type=click.Path(path_type=Path, dir_okay=False), metavar="FILE", help="Write a page, too.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@bank_option
@click.pass_context
def diff(
    ctx: click.Context,
    submission: Path,
    id: str,
    variant: str,
    out: Path | None,
    as_json: bool,
    folders: tuple[Path, ...],
) -> None:
    """Show a SUBMISSION beside the reference, definition by definition. None of its code is run.

    It shows the reference, so it is for interviewers: after a pass, or before a conversation.

    Exit status: 0 shown; 1 the submission is refused; 2 the call or the question is wrong.
    """
    from grader.alignment import command, compare
    from grader.submission import Refused

    try:
        found = assigner(open_bank(folders).get(id), variant).of(submission)
        comparison = compare(found.question, submission)
    except Refused as refusal:
        say(f"grader: {refusal.reason}")
        ctx.exit(1)
    say(command.REMINDER)
    comparison = replace(comparison, notes=(*comparison.notes, *found.notes))
    command.show(comparison, as_json=as_json, page=out)
