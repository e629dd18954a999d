"""`grader list`, `show` and `schema`: what questions there are, and what one is."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from grader.commands.common import bank_option, open_bank

if TYPE_CHECKING:
    from grader.question import Question


@click.command("list")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@bank_option
def list_questions(as_json: bool, folders: tuple[Path, ...]) -> None:
    """List the questions."""
    questions = open_bank(folders).all()
    if as_json:
        import json

        rows = [summary_of(question) for question in questions]
        click.echo(json.dumps(rows, indent=2, ensure_ascii=False))
        return
    width = max((len(question.id) for question in questions), default=0)
    for question in questions:
        spec = question.spec
        about = f"{spec.level}, {spec.minutes} min, {len(spec.criteria)} criteria"
        click.echo(f"{spec.id:<{width}}  {about}{', a draft' if spec.draft else ''}  {spec.title}")


def summary_of(question: Question) -> dict[str, Any]:
    """One question in a few fields."""
    spec = question.spec
    return {
        "id": spec.id,
        "version": spec.version,
        "title": spec.title,
        "level": spec.level,
        "minutes": spec.minutes,
        "draft": spec.draft,
        "roles": spec.roles,
        "criteria": len(spec.criteria),
        "points": sum(criterion.points for criterion in spec.criteria),
        "digest": question.digest,
    }


@click.command()
@click.argument("id")
@bank_option
def show(id: str, folders: tuple[Path, ...]) -> None:
    """Show a question: what a submission defines, its criteria, and the mistakes it knows by name."""
    from grader.render import question as render

    click.echo(render.text(open_bank(folders).get(id)), nl=False)


@click.command()
def schema() -> None:
    """Print the JSON Schema of question.yaml, for editors."""
    import json

    from grader.question import schema as of_questions

    click.echo(json.dumps(of_questions(), indent=2))
