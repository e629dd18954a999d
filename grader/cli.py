"""The `grader` command. Imports are late: the zygote starts before anything that it does not need is imported."""

from __future__ import annotations

import importlib
import sys
from typing import Any, Final

import click

from grader import __version__
from grader.commands.common import say
from grader.errors import GraderError

# Where each command is: a module of grader.commands, and its name there.
COMMANDS: Final = {
    "start": "start:start",
    "run": "run:run",
    "batch": "batch:batch",
    "regrade": "regrade:regrade",
    "similar": "similar:similar",
    "diff": "diff:diff",
    "list": "questions:list_questions",
    "show": "questions:show",
    "schema": "questions:schema",
    "validate": "validate:validate",
    "mark": "mark:mark",
    "reread": "reread:reread",
    "agreement": "agreement:agreement",
    "panel": "panel:panel",
    "serve": "serve:serve",
    "purge": "purge:purge",
    "users": "users:users",
    "new": "new:new",
    "doctor": "doctor:doctor",
}


class Program(click.Group):
    """Imports the command that is asked for, and shows every error as one sentence; a traceback only with --debug."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names, sorted."""
        del ctx
        return sorted(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of a name; None if there is none."""
        del ctx
        if cmd_name not in COMMANDS:
            return None
        module, _, name = COMMANDS[cmd_name].partition(":")
        command: click.Command = getattr(importlib.import_module(f"grader.commands.{module}"), name)
        return command

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


@click.group(cls=Program, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, prog_name="grader")
@click.option("--debug", is_flag=True, help="Show the traceback of an error.")
def main(debug: bool) -> None:
    """Grade take-home answers about transformer code.

    The candidate's code runs in a process of its own, and the verdict in another.
    """
    del debug
