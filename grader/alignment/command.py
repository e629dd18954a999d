"""`grader diff`: shows a submission beside the reference, and says for whom that is."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Final

from grader.alignment.comparison import Comparison
from grader.errors import CallError
from grader.inert import json_text

REMINDER: Final = (
    "grader: this shows the reference. It is for interviewers, after a pass or before a conversation; "
    "do not pass it on to a candidate."
)


def show(comparison: Comparison, *, as_json: bool, page: Path | None) -> None:
    """Print a comparison, and write its page where one is asked for.

    Raises:
        CallError: the page can't be written.
    """
    from grader.render import diff as render

    if page is not None:
        try:
            page.write_text(render.page(comparison), "utf-8", errors="backslashreplace")
        except OSError as error:
            raise CallError("the page can't be written", where=str(page), found=str(error)) from None
    if as_json:
        sys.stdout.write(json_text(json.dumps(comparison.to_json(), indent=2, ensure_ascii=False)) + "\n")
        return
    render.summary(comparison)
    if page is not None:
        print(f"\nWritten: {page}")
