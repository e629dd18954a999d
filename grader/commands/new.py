"""`grader new`: the folder of a question that is to be written."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    pass


@click.command()
@click.argument("id")
@click.option(
    "--in",
    "bank",
    type=click.Path(path_type=Path),
    default=Path("questions"),
    metavar="DIR",
    show_default=True,
    help="The folder of questions that it goes into; its solutions go beside that.",
)
def new(id: str, bank: Path) -> None:
    """Make the folder of a new question: a small one that can be proven, marked where you have to write."""
    from grader.scaffold import MARK, make

    marked = make(id, bank)
    click.echo(f"Made {bank / id} and {bank.parent / 'solutions' / id}. Look for {MARK} in:")
    for path in marked:
        click.echo(f"  {path}")
    click.echo(f"`grader validate {id} --questions {bank}` proves it, and says what is still to be written.")
