"""`grader batch`: many submissions."""

from __future__ import annotations

from contextlib import ExitStack
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from grader.commands.common import (
    assigner,
    bank_option,
    crew,
    crew_options,
    isolation_options,
    open_bank,
    variant_option,
)

if TYPE_CHECKING:
    from grader.sandbox.tiers import Tier


@click.command()
@click.argument("source", type=click.Path(path_type=Path))
@click.option("--question", "-q", "id", required=True, metavar="ID", help="The question that they answer.")
@click.option(
    "--out", "-o", type=click.Path(path_type=Path), required=True, metavar="RESULTS", help="Where reports go."
)
@crew_options
@click.option("--seed", type=click.IntRange(0, 2**32 - 1), help="Draw other hidden inputs than the question's own.")
@variant_option
@click.option(
    "--retain-until",
    type=click.DateTime(["%Y-%m-%d"]),
    metavar="DATE",
    help="Until when what candidates sent may be kept; by default as grader.toml says in [packet], or 180 days.",
)
@isolation_options
@bank_option
@click.pass_context
def batch(
    ctx: click.Context,
    source: Path,
    id: str,
    out: Path,
    jobs: int | None,
    cluster: str | None,
    seed: int | None,
    variant: str,
    retain_until: datetime | None,
    weakest: Tier,
    folders: tuple[Path, ...],
) -> None:
    """Grade many submissions: those in a folder, in a .zip of one, or in a .csv with the columns name and path.

    Each gets its reports in RESULTS/reports/NAME, and a line in RESULTS/results.jsonl as it ends. Run it again,
    and only what is missing or has changed is graded.

    Exit status: 0 all were graded; 2 the call or the question is wrong; 3 some could not be graded.
    """
    with ExitStack() as stack:
        hire = crew(stack, cluster, folders, jobs, weakest)
        from grader.batch import command
        from grader.packet.settings import Settings

        kept_days = Settings.find(Path.cwd()).retain_days
        until = retain_until.date() if retain_until else None
        question = open_bank(folders).get(id)
        find = assigner(question, variant)
        progress = command.run(
            question,
            source,
            out,
            hire,
            seed=seed,
            retain_until=until,
            kept_days=kept_days,
            assign=lambda entry: find.of(entry.path),
        )
    ctx.exit(3 if progress.stopped or progress.troubles else 0)
