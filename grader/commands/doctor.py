"""`grader doctor`: what this machine can do."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    pass


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_context
def doctor(ctx: click.Context, as_json: bool) -> None:
    """Check that this machine can grade, and how well a candidate's code is kept apart on it."""
    from grader import doctor as examination

    findings = examination.examine()
    click.echo(examination.to_json(findings) if as_json else examination.to_text(findings), nl=False)
    ctx.exit(0 if findings.healthy else 3)
