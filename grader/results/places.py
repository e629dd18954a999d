"""Where under a results folder something of a candidate is kept: whoever removes them has to reach every place.

RESULTS/regrades/<digest>/    a regrade with the question of that digest: reports, a ledger, what changed
RESULTS/history/<digest>/     reports and lines of the question of that digest, which a regrade has replaced
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Final

from grader.results import ledger
from grader.results.folder import REPORTS, SUBMISSIONS

REGRADES: Final = "regrades"
HISTORY: Final = "history"
DIGITS: Final = 12  # of a digest, in the name of a folder


def rounds(results: Path) -> Iterator[Path]:
    """The folders that hold reports and a ledger: RESULTS itself, each regrade, and each time that was replaced."""
    yield results
    for name in (REGRADES, HISTORY):
        if (results / name).is_dir():
            yield from sorted(path for path in (results / name).iterdir() if path.is_dir())


def content(results: Path, folder: str) -> Iterator[Path]:
    """Every folder with content of one candidate, whether it is there or not.

    Args:
        results: the folder of results.
        folder: what the candidate's folders are called, as `Entry.folder` and `Candidate.folder.name` say.
    """
    yield results / SUBMISSIONS / folder
    yield results / SUBMISSIONS / f".{folder}.part"  # of a batch that was killed
    for each in rounds(results):
        yield each / REPORTS / folder


def ledgers(results: Path) -> Iterator[tuple[Path, list[ledger.Line]]]:
    """Every folder that holds a ledger, for `Ledger(folder)`, and its lines.

    Raises:
        CallError: a ledger holds something else than lines.
    """
    for each in rounds(results):
        if (each / ledger.NAME).is_file():
            yield each, ledger.read(each / ledger.NAME)
