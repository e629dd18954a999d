"""`grader similar`: code that submissions have in common, for a panel that asks."""

from __future__ import annotations

import math
from pathlib import Path

import click

from grader.commands.common import bank_option, open_bank


@click.command()
@click.argument("folder", metavar="RESULTS", type=click.Path(path_type=Path))
@click.option("--out", "-o", "page", type=click.Path(path_type=Path), metavar="FILE.html", help="Where the page goes.")
@click.option(
    "--export",
    "exports",
    type=(click.Choice(["jplag", "dolos"]), click.Path(path_type=Path)),
    multiple=True,
    metavar="jplag|dolos DIR",
    help="Also write the code for JPlag or Dolos, by code names, into a new folder.",
)
@click.option(
    "--threshold",
    type=click.FloatRange(0, 1),
    default=0.5,
    show_default=True,
    help="The smallest share of fingerprints in common that is shown.",
)
@click.option("--keep-common", is_flag=True, help="Count what more than a third of the submissions have, too.")
@click.option("--json", "as_json", is_flag=True, help="Print the pairs as JSON.")
@bank_option
def similar(
    folder: Path,
    page: Path | None,
    exports: tuple[tuple[str, Path], ...],
    threshold: float,
    keep_common: bool,
    as_json: bool,
    folders: tuple[Path, ...],
) -> None:
    """Show which submissions have code in common that the question did not give them.

    It is no verdict and no score, it enters no report, and it runs only when you call it. Pairs are shown by code name.

    Exit status: 0 it was compared; 2 the call, the question or a file is wrong.
    """
    if math.isnan(threshold):
        raise click.BadParameter("it is a number from 0 to 1", param_hint="--threshold")
    if page is None and not (exports or as_json):
        raise click.UsageError("Name the page with --out FILE.html, or give --json or --export.")
    import json

    from grader.inert import json_text
    from grader.render import files
    from grader.render import similar as render
    from grader.results import Results
    from grader.similarity.export import export
    from grader.similarity.study import NOTE, study

    results = Results.open(folder)
    found = study(
        open_bank(folders).get(results.manifest.question), results, threshold=threshold, keep_common=keep_common
    )
    if as_json:
        click.echo(json_text(json.dumps(found.to_json(), indent=2, ensure_ascii=False)))
    else:
        render.summary(found, NOTE)
    if page is not None:
        files.replace(page, render.page(found))
        click.echo(f"Written: {page}", err=as_json)
    for kind, where in exports:
        click.echo(f"Written: {where}. Call: {export(kind, found, where)}", err=as_json)
