"""Attacks as files, and the submissions that they become.

An attack opens with a docstring that says what it tries and what must come of it, then comment lines:

    # base: right | wrong | tell      what it extends; `tell` returns what its look() found as the table's numbers
    # runner: plain | pytest | …      the naive grader that it is shown to bite; plain if left out
    # naive: <how that shows>         see naive/__init__.py
    # here: <how it must end>         see test_attacks.py
    # open: <tiers>                   tiers that do not promise to stop it: there only its verdict is looked at
    # needs: root                     the naive run is skipped without it

A file that defines `submission(folder, constants)` is no Python submission but the maker of one: an archive, say.
"""

from __future__ import annotations

import re
import runpy
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

HERE: Final = Path(__file__).parent
FOLDER: Final = HERE / "attacks"
FIELDS: Final = ("base", "runner", "naive", "here", "open", "needs")


@dataclass(frozen=True)
class Attack:
    """One attack. `kind` is its folder, `says` the first line of its docstring; the rest are its comment lines."""

    path: Path
    kind: str
    says: str
    naive: str
    here: str
    base: str = ""
    runner: str = "plain"
    open: str = ""
    needs: str = ""

    @property
    def name(self) -> str:
        """`ending/exit_on_import`."""
        return f"{self.kind}/{self.path.stem}"

    @property
    def makes_files(self) -> bool:
        """Whether the file makes the submission, rather than being part of one."""
        return not self.base

    def source(self, constants: dict[str, Any]) -> str:
        """The text of the submission: the constants, the tools, the base, the attack."""
        named = "\n".join(f"{name} = {value!r}" for name, value in constants.items())
        parts = [text("tools"), text(self.base), self.path.read_text("utf-8")]
        return "\n".join([named, *parts])

    def submit(self, folder: Path, constants: dict[str, Any]) -> Path:
        """Write the submission into an empty folder, and say where it is."""
        if self.makes_files:
            sent: Path = runpy.run_path(str(self.path), {"SOURCES": sources()})["submission"](folder, constants)
            return sent
        path = folder / "solution.py"
        path.write_text(self.source(constants), "utf-8")
        return path


def text(base: str) -> str:
    """The text of a base."""
    return (HERE / "bases" / f"{base}.py").read_text("utf-8")


def sources() -> dict[str, str]:
    """Whole submissions, for attacks that make files: `right` and `wrong`."""
    header = "import numpy as np\nimport torch\nfrom torch import nn\n\n\n"
    return {base: header + text(base) for base in ("right", "wrong")}


def read(path: Path) -> Attack:
    """The attack in a file."""
    words = path.read_text("utf-8")
    fields = dict(re.findall(rf"^# ({'|'.join(FIELDS)}): (.+)$", words, re.MULTILINE))
    says = words.partition('"""')[2].partition("\n")[0]
    return Attack(path, path.parent.name, says, **fields)


ATTACKS: Final = [read(path) for path in sorted(FOLDER.glob("*/*.py"))]
