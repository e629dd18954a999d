"""Many people in one review room at once, and a room that is killed while they mark: no mark is lost."""

from __future__ import annotations

import asyncio
import os
import signal
import threading
from pathlib import Path

import pytest

pytest.importorskip("starlette", reason="the extra `web` is not installed")

from benchmarks import review_load
from grader.marks import Marks
from grader.marks.judging import judge
from grader.marks.work import find
from grader.review import passwords, trail
from tests import marking, reviewing

ANSWERS = {
    "why_interleave": ["one-angle", "rotation", "checkpoint", "only-way"],
    "what_base_controls": ["longest", "first-pair", "example"],
}
PEOPLE = tuple(f"candidate-{n}" for n in range(6))


@pytest.fixture(autouse=True)
def _cheap(monkeypatch: pytest.MonkeyPatch) -> None:
    """Fifty-five people sign in here, which costs a tenth of a second each."""
    monkeypatch.setattr(passwords, "COST", 10)


def test_fifty_readers_five_markers_and_a_terminal_lose_no_mark(tmp_path: Path) -> None:
    question, results = marking.folder(tmp_path, *PEOPLE)
    users = review_load.users_file(tmp_path / "users.toml")
    bank = str(tmp_path / "questions")
    done = threading.Event()
    by_hand: list[int] = []

    def terminal() -> None:
        """Marks as `grader mark` adds them, in another process than the room's."""
        items = find(results, question.spec).items
        while not done.is_set():
            marks = Marks.open(results)
            turn = len(by_hand)
            item = items[turn % len(items)]
            ticked = ANSWERS[item.answer.id][turn % 2 : turn % 2 + 1]
            note = f"turn {turn}"
            by_hand.append(len(marks.add(judge(item, "terry", ticked=ticked, note=note, reason="again"))))
            done.wait(0.2)

    thread = threading.Thread(target=terminal)
    with review_load.room(results.folder, users, "--questions", bank) as (_, base):
        thread.start()
        try:
            load = asyncio.run(review_load.run(base, results, ANSWERS, seconds=4))
        finally:
            done.set()
            thread.join()
    assert load.wrong == [] and load.broken == 0
    assert len(load.pages) >= 55 and len(load.confirmed) >= 5 and sum(by_hand) > 0
    assert review_load.lost(results, load) == []
    lines = Marks.open(results).ledger.read()
    assert len(lines) == len(load.confirmed) + sum(by_hand)
    said = [line for line in trail.read(results.folder) if line["act"] == "mark"]
    assert len(said) == len(load.confirmed)


def test_a_room_that_is_killed_in_the_middle_of_marking_has_every_mark_that_it_confirmed(tmp_path: Path) -> None:
    _, results = marking.folder(tmp_path, *PEOPLE)
    users = review_load.users_file(tmp_path / "users.toml")
    bank = str(tmp_path / "questions")
    confirmed = 0
    for turn in range(2):
        load = review_load.Load()
        with review_load.room(results.folder, users, "--questions", bank) as (process, base):

            def kill(load: review_load.Load = load, pid: int = process.pid, turn: int = turn) -> None:
                reviewing.until(lambda: len(load.confirmed) > 3 + turn)
                os.kill(pid, signal.SIGKILL)

            killing = threading.Thread(target=kill)
            killing.start()
            asyncio.run(review_load.run(base, results, ANSWERS, seconds=600, readers=2, markers=5, load=load))
            killing.join()
        confirmed += len(load.confirmed)
        assert load.broken == 7 and load.wrong == []
        assert review_load.lost(results, load) == []
    lines = Marks.open(results).ledger.read()
    assert confirmed > 0 and confirmed <= len(lines) <= confirmed + 2 * 5  # one of each was under way
    trail.read(results.folder)
    with reviewing.there(results.folder, tmp_path / "questions", "--as", "me") as (_, link):
        browser = reviewing.entered(link)
        reply = reviewing.marked(browser, results.candidates[0].code, "why_interleave", "rotation")
    assert reply.status == 303
    (own,) = [mark for mark in Marks.open(results).of(results.candidates[0].code, "why_interleave") if mark.by == "me"]
    assert own.ticked == ("rotation",)


def test_a_mark_that_is_lost_would_be_found(tmp_path: Path) -> None:
    _, results = marking.folder(tmp_path, "ana")
    made = review_load.Made("marker-0", results.candidates[0].code, "why_interleave", frozenset({"rotation"}), "")
    (told,) = review_load.lost(results, review_load.Load(confirmed=[made]))
    assert told.startswith("marker-0 on why_interleave")


@pytest.mark.parametrize(("percent", "expected"), [(50, 500.0), (95, 950.0)])
def test_a_percentile_is_in_milliseconds(percent: int, expected: float) -> None:
    assert review_load.share([n / 1000 for n in range(1, 1000)], percent) == pytest.approx(expected)
