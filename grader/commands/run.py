"""`grader run`: one submission."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from grader.commands.common import assigner, bank_option, isolation_options, open_bank, variant_option

if TYPE_CHECKING:
    from grader.sandbox.tiers import Tier


@click.command()
@click.argument("submission", type=click.Path(path_type=Path))
@click.option("--question", "-q", "id", required=True, metavar="ID", help="The question that it answers.")
@click.option("--out", "-o", type=click.Path(path_type=Path), metavar="DIR", help="Write the reports there.")
@click.option("--seed", type=click.IntRange(0, 2**32 - 1), help="Draw other hidden inputs than the question's own.")
@variant_option
@click.option("--json", "as_json", is_flag=True, help="Print report.json instead of the summary.")
@click.option(
    "--format",
    "form",
    type=click.Choice(["junit", "gradescope", "prairielearn"]),
    help="Print the result as JUnit XML, or as the results.json of one of these platforms, instead of the summary.",
)
@isolation_options
@bank_option
@click.pass_context
def run(
    ctx: click.Context,
    submission: Path,
    id: str,
    out: Path | None,
    seed: int | None,
    variant: str,
    as_json: bool,
    form: str | None,
    weakest: Tier,
    folders: tuple[Path, ...],
) -> None:
    """Grade one SUBMISSION: a .py file, a folder or .zip with solution.py and answers.yaml, or a notebook.

    Writes report.json and report.html to --out, and feedback.md and feedback.html, which are safe to pass on to the
    candidate.

    Exit status: 0 passed; 1 not passed, or refused; 2 the call or the question is wrong; 3 the grader failed.
    """
    from grader.examine.zygote import Zygote

    if as_json and form is not None:
        raise click.UsageError("--json and --format each print something else; give one of them.")
    with Zygote() as zygote:  # importing torch takes longer than all the rest, so it starts first
        found = assigner(open_bank(folders).get(id), variant).of(submission)
        from grader.grade import Engine

        with Engine(found.question, zygote, require=weakest) as engine:
            report = engine.grade(submission, seed).noted(found.notes)
    if out is not None:
        from grader.render import files

        written = files.write(report, out)
    if as_json:
        from grader.inert import json_text

        click.echo(json_text(report.to_json()), nl=False)
    elif form is not None:
        from grader.render import exports, junit

        forms = {"gradescope": exports.gradescope, "prairielearn": exports.prairielearn}
        text = junit.junit({report.submission.name: [report]}) if form == "junit" else forms[form](report)
        click.echo(text, nl=False)
    else:
        from grader.render import terminal

        terminal.summary(report)
        if out is not None:
            click.echo("\nWritten: " + "  ".join(str(path) for path in written))
    ctx.exit(report.verdict.exit_code)
