"""The `grader` command. Imports are late: the zygote starts before anything that it does not need is imported."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from grader import __version__
from grader.errors import GraderError

if TYPE_CHECKING:
    from datetime import datetime

    from grader.bank import Bank
    from grader.question import Question
    from grader.sandbox.tiers import Tier


class Program(click.Group):
    """Shows every error as one sentence with its exit status; a traceback only with --debug."""

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command."""
        try:
            return super().invoke(ctx)
        except (click.ClickException, click.exceptions.Exit, click.Abort):
            raise
        except GraderError as error:
            if ctx.params.get("debug"):
                raise
            say(f"grader: {error}")
            ctx.exit(error.exit_code)
        except BrokenPipeError:  # the reader of our output has left, as `head` does
            sys.stderr.close()
            ctx.exit(0)
        except Exception as error:
            if ctx.params.get("debug"):
                raise
            say(f"grader: a fault of ours: {type(error).__name__}: {error}. Please run it with --debug and report it.")
            ctx.exit(3)


def say(message: str) -> None:
    """Write to standard error, with a stranger's control characters made visible."""
    from grader.inert import text

    click.echo(text(message), err=True)


@click.group(cls=Program, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, prog_name="grader")
@click.option("--debug", is_flag=True, help="Show the traceback of an error.")
def main(debug: bool) -> None:
    """Grade take-home answers about transformer code.

    The candidate's code runs in a process of its own, and the verdict in another.
    """
    del debug


def bank_option(command: Callable[..., None]) -> Callable[..., None]:
    """The option that adds folders of questions."""
    return click.option(
        "--questions",
        "folders",
        multiple=True,
        type=click.Path(path_type=Path),
        metavar="DIR",
        help="Also find questions in DIR; may be given more than once. grader.toml can name folders too.",
    )(command)


def isolation_options(command: Callable[..., None]) -> Callable[..., None]:
    """The options that say how well workers have to be kept apart; the command gets `weakest`."""

    @click.option(
        "--require",
        type=click.Choice(["sealed", "confined", "external"]),
        default="confined",
        show_default=True,
        help="The weakest isolation to grade in; `external` says that you vouch for a container or machine around it.",
    )
    @click.option(
        "--allow-unsandboxed", is_flag=True, help="Grade even if workers are no more than separate processes."
    )
    @functools.wraps(command)
    def with_isolation(*args: Any, require: str, allow_unsandboxed: bool, **kwargs: Any) -> None:
        from grader.sandbox.tiers import Tier

        command(*args, weakest=Tier.SEPARATE_PROCESS if allow_unsandboxed else Tier(require), **kwargs)

    return with_isolation


def open_bank(folders: tuple[Path, ...]) -> Bank:
    """The shipped questions, those of grader.toml, and those of `folders`."""
    from grader.bank import Bank

    return Bank.find(folders)


@main.command()
@click.argument("submission", type=click.Path(path_type=Path))
@click.option("--question", "-q", "id", required=True, metavar="ID", help="The question that it answers.")
@click.option("--out", "-o", type=click.Path(path_type=Path), metavar="DIR", help="Write the three reports there.")
@click.option("--seed", type=click.IntRange(0, 2**32 - 1), help="Draw other hidden inputs than the question's own.")
@click.option("--json", "as_json", is_flag=True, help="Print report.json instead of the summary.")
@isolation_options
@bank_option
@click.pass_context
def run(
    ctx: click.Context,
    submission: Path,
    id: str,
    out: Path | None,
    seed: int | None,
    as_json: bool,
    weakest: Tier,
    folders: tuple[Path, ...],
) -> None:
    """Grade one SUBMISSION: a .py file, a folder or .zip with solution.py and answers.yaml, or a notebook.

    Writes report.json, report.html and feedback.md (safe to pass on to the candidate) to --out.

    Exit status: 0 passed; 1 not passed, or refused; 2 the call or the question is wrong; 3 the grader failed.
    """
    from grader.examine.zygote import Zygote

    with Zygote() as zygote:  # importing torch takes longer than all the rest, so it starts first
        question = open_bank(folders).get(id)
        from grader.grade import Engine

        with Engine(question, zygote, require=weakest) as engine:
            report = engine.grade(submission, seed)
    if out is not None:
        from grader.render import files

        written = files.write(report, out)
    if as_json:
        from grader.inert import json_text

        click.echo(json_text(report.to_json()), nl=False)
    else:
        from grader.render import terminal

        terminal.summary(report)
        if out is not None:
            click.echo("\nWritten: " + "  ".join(str(path) for path in written))
    ctx.exit(report.verdict.exit_code)


@main.command()
@click.argument("source", type=click.Path(path_type=Path))
@click.option("--question", "-q", "id", required=True, metavar="ID", help="The question that they answer.")
@click.option(
    "--out", "-o", type=click.Path(path_type=Path), required=True, metavar="RESULTS", help="Where reports go."
)
@click.option("--jobs", "-j", type=click.IntRange(1, 256), help="Submissions at once; by default one for each core.")
@click.option("--seed", type=click.IntRange(0, 2**32 - 1), help="Draw other hidden inputs than the question's own.")
@click.option(
    "--retain-until",
    type=click.DateTime(["%Y-%m-%d"]),
    metavar="DATE",
    help="The last day on which what candidates sent may be kept; by default 180 days from now.",
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
    seed: int | None,
    retain_until: datetime | None,
    weakest: Tier,
    folders: tuple[Path, ...],
) -> None:
    """Grade many submissions: those in a folder, in a .zip of one, or in a .csv with the columns name and path.

    Each gets its three reports in RESULTS/reports/NAME, and a line in RESULTS/results.jsonl as it ends. Run it again,
    and only what is missing or has changed is graded.

    Exit status: 0 all were graded; 2 the call or the question is wrong; 3 some could not be graded.
    """
    from grader.batch import command
    from grader.examine.zygote import Zygote

    until = retain_until.date() if retain_until else None
    with Zygote() as zygote:
        question = open_bank(folders).get(id)
        progress = command.run(
            question,
            source,
            out,
            zygote,
            jobs=jobs,
            require=weakest,
            seed=seed,
            retain_until=retain_until.date() if retain_until else None,
        )
    ctx.exit(3 if progress.stopped or progress.troubles else 0)


@main.command()
@click.argument("submission", type=click.Path(path_type=Path))
@click.option("--question", "-q", "id", required=True, metavar="ID", help="The question that it answers.")
@click.option("--out", "-o", type=click.Path(path_type=Path, dir_okay=False), metavar="FILE", help="Write a page, too.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@bank_option
@click.pass_context
def diff(
    ctx: click.Context, submission: Path, id: str, out: Path | None, as_json: bool, folders: tuple[Path, ...]
) -> None:
    """Show a SUBMISSION beside the reference, definition by definition. None of its code is run.

    It shows the reference, so it is for interviewers: after a pass, or before a conversation.

    Exit status: 0 shown; 1 the submission is refused; 2 the call or the question is wrong.
    """
    from grader.alignment import command, compare
    from grader.submission import Refused

    try:
        comparison = compare(open_bank(folders).get(id), submission)
    except Refused as refusal:
        say(f"grader: {refusal.reason}")
        ctx.exit(1)
    say(command.REMINDER)
    command.show(comparison, as_json=as_json, page=out)


@main.command("list")
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
        click.echo(f"{spec.id:<{width}}  {spec.level}, {spec.minutes} min, {len(spec.criteria)} criteria  {spec.title}")


def summary_of(question: Question) -> dict[str, Any]:
    """One question in a few fields."""
    spec = question.spec
    return {
        "id": spec.id,
        "version": spec.version,
        "title": spec.title,
        "level": spec.level,
        "minutes": spec.minutes,
        "roles": spec.roles,
        "criteria": len(spec.criteria),
        "points": sum(criterion.points for criterion in spec.criteria),
        "digest": question.digest,
    }


@main.command()
@click.argument("id")
@bank_option
def show(id: str, folders: tuple[Path, ...]) -> None:
    """Show a question: what a submission defines, its criteria, and the mistakes it knows by name."""
    from grader.render import question as render

    click.echo(render.text(open_bank(folders).get(id)), nl=False)


@main.command()
@click.argument("ids", nargs=-1, metavar="[QUESTION]…")
@click.option("--jobs", "-j", type=click.IntRange(1, 64), help="Submissions at once; by default one for each core.")
@click.option("--page", type=click.Path(path_type=Path), metavar="FILE", help="Write a .html page, or a .md summary.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.option("--record", is_flag=True, help="Record each proven question's version and digest beside its bank.")
@bank_option
@click.pass_context
def validate(
    ctx: click.Context,
    ids: tuple[str, ...],
    jobs: int | None,
    page: Path | None,
    as_json: bool,
    record: bool,
    folders: tuple[Path, ...],
) -> None:
    """Prove questions: all of them, or those named.

    The reference and unusual solutions have to score in full, each wrong one has to fail exactly what its misconception
    says, and the hidden tests have to kill every mutant of the reference.

    Exit status: 0 all are proven; 1 a claim does not hold; 2 the call or a question is wrong; 3 the grader failed.
    """
    from grader.validate import command

    proofs = command.run(open_bank(folders), ids, jobs=jobs, record=record)
    command.show(proofs, as_json=as_json, page=page)
    ctx.exit(0 if all(proof.holds for proof in proofs) else 1)


@main.command()
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


@main.command()
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_context
def doctor(ctx: click.Context, as_json: bool) -> None:
    """Check that this machine can grade, and how well a candidate's code is kept apart on it."""
    from grader import doctor as examination

    findings = examination.examine()
    click.echo(examination.to_json(findings) if as_json else examination.to_text(findings), nl=False)
    ctx.exit(0 if findings.healthy else 3)


@main.command()
def schema() -> None:
    """Print the JSON Schema of question.yaml, for editors."""
    import json

    from grader.question import schema as of_questions

    click.echo(json.dumps(of_questions(), indent=2))


if __name__ == "__main__":
    main()
