"""`grader users`: who may come into a review room."""

from __future__ import annotations

from pathlib import Path

import click


@click.group()
def users() -> None:
    """Write the file of users for `grader serve --users`."""


@users.command()
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False))
@click.argument("name")
@click.option(
    "--role",
    "roles",
    multiple=True,
    required=True,
    type=click.Choice(["interviewer", "panel", "admin"]),
    help="What they may do; may be given more than once.",
)
@click.option("--print", "printed", is_flag=True, help="Print the line, and leave FILE alone.")
def add(file: Path, name: str, roles: tuple[str, ...], printed: bool) -> None:
    """Add NAME to FILE, or give them other roles and another password.

    The password is asked for twice and not shown; FILE holds a scrypt hash of it. A room that runs takes the change at
    once.
    """
    from grader.review import users as known

    plain = known.plain(name)
    password = click.prompt(f"Password of {plain}", hide_input=True, confirmation_prompt=True, err=True)
    if printed:
        click.echo(known.line_of(plain, list(roles), password))
        return
    was_there = known.add(file, plain, list(roles), password)
    click.echo(f"{'Changed' if was_there else 'Added'} {plain} ({', '.join(roles)}) in {file}.")
