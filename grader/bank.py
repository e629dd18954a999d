"""Where questions are found: the shipped bank, a team's own from grader.toml, and folders named on the command line."""

from __future__ import annotations

import difflib
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from grader.errors import CallError, QuestionError
from grader.question import SPEC_NAME, Question

CONFIG_NAME: Final = "grader.toml"
SETTINGS: Final = ("questions", "packet")
PACKAGE: Final = Path(__file__).resolve().parent


def shipped() -> Path:
    """The folder of the questions that come with the grader: in an installed package, or beside it in a checkout."""
    installed = PACKAGE / "shipped" / "questions"
    return installed if installed.is_dir() else PACKAGE.parent / "questions"


def settings(start: Path) -> tuple[Path, dict[str, Any]] | None:
    """The nearest grader.toml at or above `start` and what it holds; None if there is none.

    Raises:
        CallError: the file is not TOML, or has a setting that nobody reads.
    """
    above = (folder / CONFIG_NAME for folder in (start, *start.parents))
    config = next((path for path in above if path.is_file()), None)
    if config is None:
        return None
    try:
        every = tomllib.loads(config.read_text("utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, OSError) as error:
        raise CallError("this is not a settings file", where=str(config), found=str(error)) from None
    if unknown := sorted(set(every) - set(SETTINGS)):
        expected = " or ".join(SETTINGS)
        raise CallError("there is no such setting", where=str(config), found=unknown[0], expected=expected)
    return config, every


def configured(start: Path) -> list[Path]:
    """The question folders that the nearest grader.toml at or above `start` names.

    The file holds `questions = ["folder", …]`, each relative to the file.

    Raises:
        CallError: the file is not TOML, holds something else, or names a folder that is not there.
    """
    found = settings(start)
    if found is None:
        return []
    config, every = found
    folders = every.get("questions", [])
    if not isinstance(folders, list) or not all(isinstance(each, str) for each in folders):
        raise CallError("`questions` is not a list of folders", where=str(config), found=repr(folders))
    return [existing(config.parent / each, str(config)) for each in folders]


def existing(folder: Path, where: str) -> Path:
    """The folder, if it is one."""
    if not folder.is_dir():
        raise CallError("there is no such folder of questions", where=where, found=str(folder))
    return folder.resolve()  # the solutions stand beside it, also where it is called `.`


@dataclass(frozen=True)
class Bank:
    """The questions of some folders. A question's solutions stand beside its bank: `<bank>/../solutions/<id>`."""

    folders: tuple[Path, ...]

    @classmethod
    def find(cls, extra: Iterable[Path] = (), start: Path | None = None) -> Bank:
        """The shipped bank, the configured ones, and `extra` folders."""
        named = [existing(folder, "--questions") for folder in extra]
        return cls((shipped(), *configured(start or Path.cwd()), *named))

    def paths(self) -> dict[str, Path]:
        """Each question's folder, by id.

        Raises:
            QuestionError: two banks hold the same id.
        """
        found: dict[str, Path] = {}
        for bank in self.folders:
            for folder in sorted(bank.iterdir()):
                if not (folder / SPEC_NAME).is_file():
                    continue
                other = found.setdefault(folder.name, folder)
                if other.resolve() != folder.resolve():
                    raise QuestionError("two questions have the same id", where=str(folder), found=str(other))
        return found

    def get(self, id: str) -> Question:
        """The question with this id.

        Raises:
            CallError: there is none.
            QuestionError: its files are wrong.
        """
        return Question.load(folder := self.path(id), folder.parent.parent / "solutions" / id)

    def path(self, id: str) -> Path:
        """The folder of the question with this id; a CallError if there is none."""
        paths = self.paths()
        if id not in paths:
            close = difflib.get_close_matches(id, paths, n=1)
            hint = f"Did you mean {close[0]}?" if close else "`grader list` shows what there is."
            raise CallError("there is no such question", found=repr(id), next_step=hint)
        return paths[id]

    def all(self) -> list[Question]:
        """Every question, in the order of ids."""
        return [self.get(id) for id in sorted(self.paths())]

    def finished(self) -> list[Question]:
        """Every question that is no draft."""
        return [question for question in self.all() if not question.spec.draft]
