"""The templates of pages: what a stranger wrote is made visible and then escaped, in every value that a page shows."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from grader import inert

if TYPE_CHECKING:
    from jinja2 import Template


@cache
def template(name: str) -> Template:
    """A template of this package."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader("grader.render"),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_inert,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters.update(line=inert.line, number="{:g}".format)
    return environment.get_template(name)


def _inert(value: object) -> object:
    # What the template itself wrote is Markup, which knows how to show itself as HTML.
    return inert.text(value) if isinstance(value, str) and not hasattr(value, "__html__") else value
