"""The command line: an experiment's name, what to run it on, and where to keep it."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from grader.commands.common import say
from grader.errors import CallError, GraderError

INTERRUPTED = 130  # as a shell says of a program that Ctrl-C ended


def numbers(ctx: click.Context, param: click.Parameter, value: str) -> list[int]:
    """Whole numbers with commas between them, each once, in the order given."""
    try:
        found = [int(part) for part in value.split(",")]
    except ValueError:
        raise click.BadParameter(f"{value!r} is no list of whole numbers such as 42,43,44.", ctx, param) from None
    if len(set(found)) < len(found) or min(found) < 0:
        raise click.BadParameter(f"{value!r} has a number twice, or one below zero.", ctx, param)
    return found


def told(command: Callable[..., None]) -> Callable[..., None]:
    """Errors are one sentence, and who stops it hears how to go on."""

    @functools.wraps(command)
    def with_errors(*args: Any, **kwargs: Any) -> None:
        from solutions.experiments.jobs import Interrupted

        try:
            command(*args, **kwargs)
        except GraderError as error:
            say(f"experiments: {error}")
            sys.exit(error.exit_code)
        except Interrupted:
            say("experiments: stopped, and everything is kept. The same command with --resume goes on from here.")
            sys.exit(INTERRUPTED)

    return with_errors


def common_options(command: Callable[..., None]) -> Callable[..., None]:
    """What every experiment can be told."""

    @click.option("--steps", default=10_000, show_default=True, type=click.IntRange(min=1), help="Updates of a run.")
    @click.option(
        "--seeds",
        default="42,43,44",
        show_default=True,
        callback=numbers,
        metavar="N,N,…",
        help="One run of each arm a seed.",
    )
    @click.option(
        "--corpus",
        type=click.Path(path_type=Path, dir_okay=False),
        metavar="FILE",
        help="A text in UTF-8; without it, CPython's own language reference.",
    )
    @click.option("--vocabulary", default=512, show_default=True, type=click.IntRange(min=256), help="Tokens, at most.")
    @click.option(
        "--out",
        required=True,
        type=click.Path(path_type=Path, file_okay=False),
        metavar="DIR",
        help="Where to keep it.",
    )
    @click.option("--resume", is_flag=True, help="Go on with what DIR holds.")
    @click.option(
        "--eval-every",
        default=500,
        show_default=True,
        type=click.IntRange(min=1),
        help="Updates between two evaluations.",
    )
    @click.option(
        "--keep-every",
        default=200,
        show_default=True,
        type=click.IntRange(min=1),
        help="Updates between two checkpoints: the most that is lost when the power fails.",
    )
    @click.option(
        "--processes", default=1, show_default=True, type=click.IntRange(min=1), help="Runs at a time, one thread each."
    )
    @functools.wraps(command)
    def with_options(*args: Any, **kwargs: Any) -> None:
        command(*args, **kwargs)

    return told(with_options)


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
def main() -> None:
    """Run an experiment in full: real training on one CPU core, in minutes to hours.

    Stop it whenever you like, and go on with --resume: the numbers are the same.
    """


@main.command()
@common_options
@click.option(
    "--contexts", default="8,32,128,256", show_default=True, callback=numbers, metavar="N,N,…", help="Each divides 256."
)
def cross(contexts: list[int], **chosen: Any) -> None:
    """Models of several contexts, each evaluated at every length."""
    from solutions.experiments import cross as experiment
    from solutions.experiments.run import run

    contexts = sorted(contexts)
    experiment.check(contexts)
    run(
        "cross",
        experiment.QUESTION,
        experiment.settings(contexts),
        lambda corpus, schedule: experiment.jobs(corpus, contexts, **schedule),
        at_least=max(contexts) + experiment.TARGETS + 1,
        **chosen,
    )


@main.command()
@common_options
def paired(**chosen: Any) -> None:
    """A bigram model, six blocks, and six blocks with positions, on the same batches."""
    from solutions.experiments import paired as experiment
    from solutions.experiments.run import run

    run(
        "paired",
        experiment.QUESTION,
        experiment.settings(),
        lambda corpus, schedule: experiment.jobs(corpus, **schedule),
        at_least=experiment.NEEDED,
        **chosen,
    )


@main.command()
@common_options
@click.option(
    "--depths", default="1,2,4,6,8", show_default=True, callback=numbers, metavar="N,N,…", help="Numbers of blocks."
)
def depth(depths: list[int], **chosen: Any) -> None:
    """Models of several depths, on the same batches."""
    from solutions.experiments import depth as experiment
    from solutions.experiments.run import run

    depths = sorted(depths)
    experiment.check(depths)
    run(
        "depth",
        experiment.QUESTION,
        experiment.settings(depths),
        lambda corpus, schedule: experiment.jobs(corpus, depths, **schedule),
        at_least=experiment.NEEDED,
        **chosen,
    )


@main.command()
@click.argument("folder", type=click.Path(path_type=Path, file_okay=False))
@told
def figures(folder: Path) -> None:
    """Draw tables and figures again, from the results.json that FOLDER holds."""
    from solutions.experiments.keeping import read
    from solutions.experiments.report import write

    results = read(folder / "results.json")
    if results is None:
        raise CallError(
            "there are no results here", where=str(folder), expected="a results.json, of an experiment that is done"
        )
    write(results, folder)
