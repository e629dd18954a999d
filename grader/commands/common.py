"""What several commands share: options, and how to speak on standard error."""

from __future__ import annotations

import functools
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from grader.bank import Bank
    from grader.question import Question
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
