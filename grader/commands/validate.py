"""`grader validate`: a question proves itself."""

from __future__ import annotations

from pathlib import Path

import click

from grader.commands.common import bank_option, open_bank


@click.command()
@click.argument("ids", nargs=-1, metavar="[QUESTION]…")
@click.option(
    "--jobs", "-j", type=click.IntRange(1, 64), help="Submissions at once; by default three for every two cores."
)
@click.option("--whole", is_flag=True, help="Prove in full also what is recorded as proven; --page does so, too.")
@click.option("--page", type=click.Path(path_type=Path), metavar="FILE", help="Write a .html page, or a .md summary.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.option("--record", is_flag=True, help="Record each proven question's version and digest beside its bank.")
@bank_option
@click.pass_context
def validate(
    ctx: click.Context,
    ids: tuple[str, ...],
    jobs: int | None,
    whole: bool,
    page: Path | None,
    as_json: bool,
    record: bool,
    folders: tuple[Path, ...],
) -> None:
    """Prove questions: all of them, or those named.

    The reference and unusual solutions have to score in full, each wrong one has to fail exactly what its misconception
    says, and the hidden tests have to kill every mutant of the reference.

    Where the record beside a bank says that the very files which are there were proven in full, a few of each kind are
    graded again. Any change to a question or a solution asks for all of it.

    Exit status: 0 all are proven; 1 a claim does not hold; 2 the call or a question is wrong; 3 the grader failed.
    """
    from grader.validate import command

    proofs = command.run(open_bank(folders), ids, jobs=jobs, record=record, whole=whole or page is not None)
    command.show(proofs, as_json=as_json, page=page)
    ctx.exit(0 if all(proof.holds for proof in proofs) else 1)
