"""`grader panel`: what a panel reads."""

from __future__ import annotations

from pathlib import Path

import click

from grader.commands.common import bank_option, open_bank, say


@click.command()
@click.argument("results", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--out", "-o", type=click.Path(path_type=Path), required=True, metavar="DIR", help="Where pages go.")
@click.option(
    "--overall",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="What people decided: a .csv or .yaml with code, overall and interviewer, for the scorecards.",
)
@click.option("--pdf", "with_pdf", is_flag=True, help="Also write a PDF for each candidate; needs the extra `pdf`.")
@bank_option
@click.pass_context
def panel(
    ctx: click.Context,
    results: tuple[Path, ...],
    out: Path,
    overall: Path | None,
    with_pdf: bool,
    folders: tuple[Path, ...],
) -> None:
    """Write pages for a panel from RESULTS, each a folder that `grader batch` wrote, for one question each.

    index.html compares candidates by criterion, and each has a page under a code name. Nothing ranks them, and their
    own names are on no page. Beside these: scorecard.json and .csv for applicant systems, junit.xml, results.json for
    Gradescope and PrairieLearn, and feedback for each candidate.

    Exit status: 0 written; 2 the call or a file is wrong; 3 written, but for reports that could not be read.
    """
    from grader.panel import command

    written = command.write(results, out, open_bank(folders).get, overall=overall, with_pdf=with_pdf)
    for trouble in written.troubles:
        say(f"grader: {trouble}")
    count = written.candidates
    click.echo(f"{count} candidate{'s' * (count != 1)}. Written: {written.files[0]}")
    ctx.exit(3 if written.troubles else 0)
