"""`grader start`: what a candidate receives."""

from __future__ import annotations

from pathlib import Path

import click

from grader.commands.common import bank_option, open_bank


@click.command()
@click.argument("id", metavar="QUESTION")
@click.option("--out", "-o", type=click.Path(path_type=Path), required=True, metavar="DIR", help="Where it goes.")
@click.option("--zip", "zipped", is_flag=True, help="Also write DIR.zip.")
@click.option(
    "--many",
    "candidates",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="CSV",
    help="A .zip for each row of a list with the column `name`, named by code name; DIR/names.csv says who is who.",
)
@click.option("--contact", metavar="WORDS", help="Whom candidates ask, and where they send the answer.")
@click.option("--seen-by", metavar="WORDS", help="Who sees what they send.")
@click.option("--retain-days", type=click.IntRange(min=1), metavar="N", help="For how long it is kept.")
@bank_option
def start(
    id: str,
    out: Path,
    zipped: bool,
    candidates: Path | None,
    contact: str | None,
    seen_by: str | None,
    retain_days: int | None,
    folders: tuple[Path, ...],
) -> None:
    """Make a packet of a QUESTION: the task, the files to fill in, the public tests, and a check before sending.

    `contact`, `seen_by` and `retain_days` can stand in the table [packet] of grader.toml instead.

    With --many, a later run with more rows keeps all code names and packets that are there.

    Exit status: 0 written; 2 the call or the question is wrong.
    """
    from grader.packet import many
    from grader.packet import start as writing
    from grader.packet.contents import contents
    from grader.packet.settings import Settings

    question = open_bank(folders).get(id)
    settings = Settings.find(Path.cwd()).but(contact=contact, seen_by=seen_by, retain_days=retain_days)
    if candidates is not None:
        made = many.write(question, settings, candidates, out)
        click.echo(f"Made {len(made.written)} packets, kept {made.kept}. {out / many.NAMES} says who is who.")
        return
    files = contents(question, settings)
    archive = out.with_name(f"{out.name}.zip")
    writing.refuse_overwriting(out, *([archive] if zipped else []))
    writing.write_folder(files, out)
    if zipped:
        writing.write_zip(files, archive, out.name)
    click.echo(f"Made {out}" + (f" and {archive}" if zipped else "") + f": {', '.join(sorted(files))}.")
