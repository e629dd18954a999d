"""`grader run`: one submission."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from grader.commands.common import bank_option, isolation_options, open_bank

if TYPE_CHECKING:
    from grader.sandbox.tiers import Tier


@click.command()
@click.argument("submission", type=click.Path(path_type=Path))
@click.option("--question", "-q", "id", required=True, metavar="ID", help="The question that it answers.")
@click.option("--out", "-o", type=click.Path(path_type=Path), metavar="DIR", help="Write the three reports there.")
@click.option("--seed", type=click.IntRange(0, 2**32 - 1), help="Draw other hidden inputs than the question's own.")
@click.option("--json", "as_json", is_flag=True, help="Print report.json instead of the summary.")
@isolation_options
@bank_option
@click.pass_context
def run(
    ctx: click.Context,
    submission: Path,
    id: str,
    out: Path | None,
    seed: int | None,
    as_json: bool,
    weakest: Tier,
    folders: tuple[Path, ...],
) -> None:
    """Grade one SUBMISSION: a .py file, a folder or .zip with solution.py and answers.yaml, or a notebook.

    Writes report.json, report.html and feedback.md (safe to pass on to the candidate) to --out.

    Exit status: 0 passed; 1 not passed, or refused; 2 the call or the question is wrong; 3 the grader failed.
    """
    from grader.examine.zygote import Zygote

    with Zygote() as zygote:  # importing torch takes longer than all the rest, so it starts first
        question = open_bank(folders).get(id)
        from grader.grade import Engine

        with Engine(question, zygote, require=weakest) as engine:
            report = engine.grade(submission, seed)
    if out is not None:
        from grader.render import files

        written = files.write(report, out)
    if as_json:
        from grader.inert import json_text

        click.echo(json_text(report.to_json()), nl=False)
    else:
        from grader.render import terminal

        terminal.summary(report)
        if out is not None:
            click.echo("\nWritten: " + "  ".join(str(path) for path in written))
    ctx.exit(report.verdict.exit_code)
