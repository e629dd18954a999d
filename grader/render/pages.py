"""The templates of pages: what a stranger wrote is made visible and then escaped, in every value that a page shows."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from grader import inert

if TYPE_CHECKING:
    from jinja2 import Environment, Template


def template(name: str) -> Template:
    """A template of this package."""
    return environment().get_template(name)


@cache
def environment(*packages: str) -> Environment:
    """What templates are made with: those of some packages, and those of this one for all that they don't have."""
    from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined

    made = Environment(
        loader=ChoiceLoader([PackageLoader(each) for each in (*packages, "grader.render")]),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_inert,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters.update(line=inert.line, number="{:g}".format)
    return made


def _inert(value: object) -> object:
    # What the template itself wrote is Markup, which knows how to show itself as HTML.
    return inert.text(value) if isinstance(value, str) and not hasattr(value, "__html__") else value
