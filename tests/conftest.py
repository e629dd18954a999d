"""What tests of all kinds share: warm interpreters, each of which takes seconds to start, and a small question."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, nullcontext
from typing import Any

import pytest

from grader.bank import Bank
from grader.examine import zygote as examine_zygote
from grader.examine.zygote import Zygote
from grader.question import Question
from grader.scaffold import make
from grader.validate import public


@pytest.fixture(scope="session")
def zygote() -> Iterator[Zygote]:
    """One to fork workers from."""
    with Zygote() as zygote:
        yield zygote


@pytest.fixture(autouse=True)
def lent(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Commands that a test calls in this process borrow the one zygote; each of their own would cost seconds."""
    starting = examine_zygote.Zygote

    def lend(*arguments: Any, **options: Any) -> AbstractContextManager[Zygote]:
        asked = bool(arguments or options)
        return starting(*arguments, **options) if asked else nullcontext(request.getfixturevalue("zygote"))

    monkeypatch.setattr(examine_zygote, "Zygote", lend)


@pytest.fixture(scope="session")
def zygotes(zygote: Zygote) -> Iterator[tuple[Zygote, Zygote]]:
    """One for submissions, and one for tests."""
    with public.warm() as tests:
        yield zygote, tests


@pytest.fixture(scope="session")
def small(tmp_path_factory: pytest.TempPathFactory) -> Question:
    """A question with a handful of checks, for tests of what is done with reports rather than of how they come about.

    Its bank, for a command's `--questions`, is its folder's parent.
    """
    bank = tmp_path_factory.mktemp("small") / "questions"
    make("row-softmax", bank)
    return Bank((bank,)).get("row-softmax")
