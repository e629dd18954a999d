"""`grader start`: what a candidate receives."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from grader.commands.common import bank_option, open_bank, say

if TYPE_CHECKING:
    from grader.question import Question


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
@click.option(
    "--variant",
    "variant",
    metavar="SEED",
    help="A variant of the question that is drawn with this seed, with --many another for each candidate; or one that "
    "you choose, as max_len=2048,d_model=1024, or default.",
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
    variant: str | None,
    contact: str | None,
    seen_by: str | None,
    retain_days: int | None,
    folders: tuple[Path, ...],
) -> None:
    """Make a packet of a QUESTION: the task, the files to fill in, the public tests, and a check before sending.

    `contact`, `seen_by` and `retain_days` can stand in the table [packet] of grader.toml instead.

    With --many, a later run with more rows keeps all code names and packets that are there.

    With --variant, packet.json says which variant it is, signed with the team's key. The key is in GRADER_KEY, or in a
    file that is made at first use; the file's path can stand in grader.toml as `key` in the table [packet].

    Exit status: 0 written; 2 the call or the question is wrong.
    """
    from grader.errors import CallError
    from grader.packet import many
    from grader.packet import start as writing
    from grader.packet.contents import contents
    from grader.packet.settings import Settings
    from grader.variants import formula, picking, render
    from grader.variants.keys import Keeper

    question = open_bank(folders).get(id)
    if question.spec.draft:
        raise CallError(
            "this question is a draft, which nobody has proven yet",
            where=question.id,
            next_step=f"Take `draft` out of its question.yaml once `grader validate {question.id}` holds.",
        )
    settings = Settings.find(Path.cwd()).but(contact=contact, seen_by=seen_by, retain_days=retain_days)
    signed = None
    if variant is not None:
        picking.wanted(question, variant)  # before a key is made for nothing
        keeper = Keeper.here()
        keeper.refuse_inside(out)
        key, is_new = keeper.make()
        signed = key.signed
        if is_new:
            say(f"Made the team's key, {key.where}. Whoever grades these packets needs it; nobody else may have it.")

    def varied(code: str) -> Question:
        return question if variant is None else render.variant(question, picking.wanted(question, variant, code))

    if candidates is not None:
        made = many.write(question, settings, candidates, out, varied, signed)
        click.echo(f"Made {len(made.written)} packets, kept {made.kept}. {out / many.NAMES} says who is who.")
        return
    chosen = varied("")
    files = contents(chosen, settings, signed)
    archive = out.with_name(f"{out.name}.zip")
    writing.refuse_overwriting(out, *([archive] if zipped else []))
    writing.write_folder(files, out)
    if zipped:
        writing.write_zip(files, archive, out.name)
    click.echo(f"Made {out}" + (f" and {archive}" if zipped else "") + f": {', '.join(sorted(files))}.")
    if variant is not None:
        click.echo(f"Variant: {formula.told(chosen.variant)}.")
