"""What several commands share: options, and how to speak on standard error."""

from __future__ import annotations

import functools
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from contextlib import ExitStack

    from grader.bank import Bank
    from grader.batch.crew import Hire
    from grader.question import Question
    from grader.sandbox.tiers import Tier
    from grader.variants.assigning import Assigner


def say(message: str) -> None:
    """Write to standard error, with a stranger's control characters made visible."""
    from grader.inert import text

    click.echo(text(message), err=True)


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


def crew_options(command: Callable[..., None]) -> Callable[..., None]:
    """The options that say where many submissions are graded; the command gets `jobs` and `cluster`, for `crew`."""
    jobs = click.option(
        "--jobs", "-j", type=click.IntRange(1, 256), help="Submissions at once; by default three for every two cores."
    )
    cluster = click.option(
        "--cluster",
        metavar="ADDRESS",
        help="Grade on the nodes of a Dask cluster: its scheduler's address, or its scheduler file.",
    )
    return jobs(cluster(command))


def crew(stack: ExitStack, cluster: str | None, folders: tuple[Path, ...], jobs: int | None, weakest: Tier) -> Hire:
    """Who grades. What takes long to start is started here, before anything else is imported."""
    if cluster and jobs:
        raise click.UsageError(
            "--jobs is for this machine: how many at once a node grades is for its --nthreads to say."
        )
    if cluster:
        from grader.cluster.crew import remote

        return remote(cluster, folders, require=weakest)
    from grader.examine.zygote import Zygote

    zygote = stack.enter_context(Zygote())
    from grader.batch.crew import local
    from grader.bench import at_once

    return local(zygote, jobs=jobs or at_once(), require=weakest)


def variant_option(command: Callable[..., None]) -> Callable[..., None]:
    """The option that says by hand which variant was answered."""
    return click.option(
        "--variant",
        "variant",
        default="",
        metavar="SEED",
        help="Which variant of the question was answered, whatever the packet says: as it was given to `grader start`.",
    )(command)


def assigner(question: Question, variant: str = "") -> Assigner:
    """What finds the variant of a submission: by hand, or by its packet and the team's key."""
    from grader.variants import picking
    from grader.variants.assigning import Assigner

    if variant:
        picking.wanted(question, variant)  # a wrong option costs no more than the call
    return Assigner(question, by_hand=variant)


def open_bank(folders: tuple[Path, ...]) -> Bank:
    """The shipped questions, those of grader.toml, and those of `folders`."""
    from grader.bank import Bank

    return Bank.find(folders)
