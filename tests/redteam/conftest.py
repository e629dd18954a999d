"""The red team's fixtures: a warm engine for each tier, bait that is whole, and a naive grader."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from grader.bank import Bank
from grader.errors import TooLittleIsolation
from grader.examine.zygote import Zygote
from grader.grade import Engine
from grader.sandbox.tiers import Tier

from . import bait as baits
from .bait import Bait
from .naive import Naive

HERE = Path(__file__).parent

STRONGEST = "strongest"
WANTED = os.environ.get("GRADER_REDTEAM_TIERS", STRONGEST).split(",")
SHARE = int(os.environ.get("GRADER_REDTEAM_SHARE", "1"))
QUESTION = Bank((HERE / "bank" / "questions",)).get("positions")


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leave the hidden tests to the examiner, and the naive grader's to the naive grader."""
    parts = collection_path.relative_to(HERE).parts if collection_path.is_relative_to(HERE) else ()
    folders = {"attacks", "bank", "bases", "naive"}
    return True if folders.intersection(parts[:1]) and not config.rootpath.is_relative_to(HERE / "bank") else None


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Keep one attack in so many, where the whole would take too long: another one of each kind's neighbours."""
    attacks = [item for item in items if "attack" in getattr(getattr(item, "callspec", None), "params", {})]
    names = sorted({item.callspec.params["attack"].name for item in attacks})  # type: ignore[attr-defined]
    kept = set(names[::SHARE])
    left_out = [item for item in attacks if item.callspec.params["attack"].name not in kept]  # type: ignore[attr-defined]
    if left_out:
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if item not in left_out]


def open_engine(wanted: str, zygote: Zygote | None = None) -> Engine:
    """An engine of this tier. The one place where a tier's name becomes an engine."""
    if wanted == STRONGEST:
        return Engine(QUESTION, zygote)
    return Engine(QUESTION, zygote, tier=Tier(wanted), require=Tier(wanted))


@pytest.fixture(scope="session", params=WANTED)
def wanted(request: pytest.FixtureRequest) -> str:
    """The tier to attack: `strongest` is whatever this machine offers."""
    return str(request.param)


@pytest.fixture(scope="session")
def secrets_about() -> Iterator[None]:
    """A secret in this process's environment, and an open descriptor on one, as any command may hold."""
    os.environ[baits.VARIABLE] = baits.SECRET_LINE
    reading, writing = os.pipe()
    os.write(writing, baits.SECRET_LINE.encode())
    os.set_inheritable(reading, True)
    yield
    os.close(reading)
    os.close(writing)
    del os.environ[baits.VARIABLE]


@pytest.fixture(scope="session")
def engine(wanted: str, secrets_about: None) -> Iterator[Engine]:
    """A warm engine of the tier; where the machine does not offer it, the tests are skipped."""
    del secrets_about
    with open_engine(wanted) as engine:
        try:
            engine.warm.isolation()
        except TooLittleIsolation as error:
            pytest.skip(str(error))
        engine.examiner.wait()
        yield engine


@pytest.fixture(scope="session")
def tier(engine: Engine) -> str:
    """The tier under attack, as it was probed."""
    return engine.warm.isolation().tier


@pytest.fixture(scope="session")
def naive(secrets_about: None) -> Iterator[Naive]:
    """The naive grader."""
    del secrets_about
    with Naive() as naive:
        yield naive


class Baits:
    """Lays out bait, and lays it out anew once an attack has had it."""

    def __init__(self) -> None:
        self._bait: Bait | None = None

    def whole(self) -> Bait:
        """Bait that nothing has touched."""
        self._bait = self._bait or Bait()
        return self._bait

    def spoilt(self) -> None:
        """Clear up what is there."""
        if self._bait is not None:
            self._bait.close()
            self._bait = None


@pytest.fixture(scope="session")
def all_bait() -> Iterator[Baits]:
    """The bait of the session."""
    all_bait = Baits()
    yield all_bait
    all_bait.spoilt()


@pytest.fixture
def bait(all_bait: Baits) -> Bait:
    """Bait that is whole."""
    return all_bait.whole()


@pytest.fixture
def spoilt(all_bait: Baits) -> Callable[[], None]:
    """To be called when an attack has had the bait."""
    return all_bait.spoilt
