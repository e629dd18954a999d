"""candidate_template/: the pages of a packet, and where they are found."""

from __future__ import annotations

import textwrap
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from grader.bank import PACKAGE

if TYPE_CHECKING:
    from jinja2 import Environment

WIDTH: Final = 110


def folder() -> Path:
    """The templates that come with the grader: in an installed package, or beside it in a checkout."""
    installed = PACKAGE / "shipped" / "candidate_template"
    return installed if installed.is_dir() else PACKAGE.parent / "candidate_template"


def rendered(page: str, /, **values: Any) -> bytes:
    """A page, filled in."""
    return _environment().get_template(f"{page}.j2").render(**values).encode()


def copied(name: str) -> bytes:
    """A file that is the same in every packet."""
    return (folder() / name).read_bytes()


@cache
def _environment() -> Environment:
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    environment = Environment(
        loader=FileSystemLoader(folder()),
        autoescape=False,  # Markdown, YAML comments and lists of packages; what goes in is the team's own
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters["comment"] = comment
    return environment


def comment(words: str, indent: str = "") -> str:
    """Words as lines of comment."""
    first, later = f"# {indent}", f"# {indent}{'  ' if indent else ''}"
    return textwrap.fill(" ".join(words.split()), WIDTH, initial_indent=first, subsequent_indent=later)
