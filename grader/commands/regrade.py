"""`grader regrade`: what was sent, graded again with the question as it is now."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

import click

from grader.commands.common import bank_option, crew, crew_options, isolation_options, open_bank

if TYPE_CHECKING:
    from grader.sandbox.tiers import Tier


@click.command()
@click.argument("folder", metavar="RESULTS", type=click.Path(path_type=Path))
@crew_options
@click.option("--apply", "applied", is_flag=True, help="Put the new reports in place; the old ones go to history/.")
@click.option("--partly", is_flag=True, help="Apply even if some could not be graded; they keep what they have.")
@click.option(
    "--json", "as_json", is_flag=True, help="Print what changed as JSON; null if there is nothing to regrade."
)
@isolation_options
@bank_option
@click.pass_context
def regrade(
    ctx: click.Context,
    folder: Path,
    jobs: int | None,
    cluster: str | None,
    applied: bool,
    partly: bool,
    as_json: bool,
    weakest: Tier,
    folders: tuple[Path, ...],
) -> None:
    """Grade again what was sent, after a question changed, and say who changed, by how much and why.

    The new reports are made in RESULTS/regrades/, beside a page of what changed, and nothing is replaced until you say
    --apply. Marks are never touched.

    Exit status: 0 all were graded; 2 the call, the question or a file is wrong; 3 some could not be graded.
    """
    if partly and not applied:
        raise click.UsageError("--partly says how to apply: give it with --apply.")
    with ExitStack() as stack:
        hire = crew(stack, cluster, folders, jobs, weakest)
        from grader.regrade import command
        from grader.results import manifest

        question = open_bank(folders).get(manifest.read(folder).question)
        status = command.run(question, folder, hire, applied=applied, partly=partly, as_json=as_json)
    ctx.exit(status)
