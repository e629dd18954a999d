"""Marking at a terminal: what keys do, what is shown, and the whole of it in a real pseudo-terminal."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from grader.errors import CallError
from grader.marks import Mark, Marks, drafts, screen, second, work
from grader.marks.judging import judge
from grader.marks.saving import Draft
from grader.marks.session import Mode, Session, press
from grader.marks.terminal import keys, step
from grader.question import Question
from grader.results import Results
from tests import marking

NAMES = ("ana-lopez.py", "bo-the-candidate", "cy.zip")
ROOT = Path(__file__).resolve().parents[1]
HOSTILE = {
    "escapes": "\x1b[2J\x1b]0;owned\x07\x1b[31mpassed",
    "many": "\x1b[31m" * 8000,
    "bidi": "safe\u202egnp.exe\u2066 one angle",
    "wide": "角度" * 900,
    "long word": "a" * 5000,
    "markup": "[red]red[/red] [/] [link=x]y :skull:",
    "lines": "\n\n\r\x0b\u2028a\n" * 200,
}


@pytest.fixture
def there(tmp_path: Path) -> tuple[Question, Results]:
    """A question and a results folder of three people."""
    return marking.folder(tmp_path, *NAMES)


def session_of(there: tuple[Question, Results], actor: str = "eva") -> Session:
    """Somebody in front of all answers."""
    return Session(actor, tuple(work.shuffled(work.find(there[1], there[0].spec).items, actor)))


def pressed(session: Session, *typed: str, marks: Marks | None = None) -> Session:
    """The session after keys; a mark is kept where there is somewhere to keep it."""
    for key in typed:
        session = step(session, key, marks) if marks else press(session, key)[0]
    return session


def shown(session: Session, width: int = 120, height: int = 40) -> str:
    """The screen as text."""
    return "\n".join(line.plain for line in screen.draw(session, width, height))


# Keys.


def test_digits_tick_and_take_away_and_the_level_follows(there: tuple[Question, Results]) -> None:
    session = session_of(there)
    levels = []
    for key in "1", "2", "3", "4", "4", "1":
        session = pressed(session, key)
        levels.append(str(session.level))
    assert levels == ["weak", "solid", "strong", "weak", "strong", "weak"]
    assert session.draft.ticked == {"rotation", "checkpoint"}
    assert "1 to 4" in pressed(session, "5").message and pressed(session, "5").draft == session.draft
    assert "1 to 4" in pressed(session, "0").message


def test_cannot_assess_takes_the_ticks_away_and_a_tick_takes_it_back(there: tuple[Question, Results]) -> None:
    session = pressed(session_of(there), "1", "c")
    assert session.draft == Draft(cannot_assess=True) and session.level is None
    assert "none, cannot assess" in shown(session)
    session = pressed(session, "2")
    assert session.draft == Draft(frozenset({"rotation"}))
    assert not pressed(session, "c", "c").draft.cannot_assess
    assert pressed(session, "2").drafts == {}  # as if nothing had been pressed


def test_enter_saves_at_once_and_goes_on(there: tuple[Question, Results]) -> None:
    marks = Marks.open(there[1])
    session = session_of(there)
    first = session.items[0]
    session = pressed(session, "1", "2", "enter", marks=marks)
    assert [mark.ticked for mark in Marks.open(there[1]).of(*first.key)] == [("one-angle", "rotation")]
    assert (session.place, session.saved, session.drafts) == (1, 1, {}) and first.code in session.message


def test_a_quote_is_typed_or_numbered_and_has_to_be_there(there: tuple[Question, Results]) -> None:
    session = pressed(session_of(there), "q", *"EVERY pair")
    assert session.mode is Mode.QUOTE
    session = pressed(session, "enter")
    assert (session.mode, session.draft.quote) == (Mode.MARK, "every pair")
    by_number = pressed(session, "q", "2", "enter")
    assert by_number.draft.quote == "An offset turns\nevery pair."
    assert "“An offset turns every pair.”" in shown(by_number)
    wrong = pressed(session, "q", *"zebra", "enter")
    assert wrong.mode is Mode.QUOTE and "not in the answer" in wrong.message and wrong.draft.quote == "every pair"
    assert pressed(wrong, "escape").draft.quote == "every pair"
    assert pressed(session, "q", "enter").draft.quote == ""
    assert pressed(session, "q", "9", "9", "enter").mode is Mode.QUOTE
    assert "[2] An offset turns" in shown(pressed(session, "q"))


def test_while_something_is_typed_letters_are_letters(there: tuple[Question, Results]) -> None:
    session = pressed(session_of(there), "n", *"x q1 ü", "backspace", "u", "enter")
    assert (session.over, session.draft, session.mode) == (False, Draft(note="x q1 u"), Mode.MARK)
    assert pressed(session, "n", "clear", "escape").draft.note == ""
    assert "note: x q1 u" in shown(session)


def test_a_changed_mark_asks_for_a_reason(there: tuple[Question, Results]) -> None:
    marks = Marks.open(there[1])
    session = pressed(session_of(there), "1", "enter", "b", "2", "enter", marks=marks)
    key = session.items[0].key
    assert session.mode is Mode.REASON and len(marks.history(*key)) == 1
    assert "needs a reason" in pressed(session, "enter", marks=marks).message
    assert pressed(session, "escape").mode is Mode.MARK
    session = pressed(session, *"misread", "enter", marks=marks)
    assert [(mark.ticked, mark.reason) for mark in marks.history(*key)] == [
        (("one-angle",), ""),
        (("one-angle", "rotation"), "misread"),
    ]
    assert session.place == 1


def test_a_mark_that_is_not_changed_is_not_written_again(there: tuple[Question, Results]) -> None:
    marks = Marks.open(there[1])
    session = pressed(session_of(there), "1", "enter", "b", "2", "2", "enter", marks=marks)
    assert (session.place, session.drafts, session.saved) == (1, {}, 1) and "stays as it was" in session.message
    assert marks.ledger.prove().count == 1


def test_skip_and_back_stay_within_the_answers(there: tuple[Question, Results]) -> None:
    session = session_of(there)
    assert pressed(session, "b", "b").place == 0
    end = pressed(session, *"s" * 20)
    assert end.place == len(session.items) and "last one" in shown(end)
    for key in ("1", "c", "enter", "q", "n", "p", "w", "o", "?", "down", "escape", "z"):
        assert not press(end, key)[0].over and shown(press(end, key)[0])
    assert pressed(end, "b").place == len(session.items) - 1


def test_what_might_sway_is_shown_after_the_mark_alone(there: tuple[Question, Results]) -> None:
    marks = Marks.open(there[1])
    for item in session_of(there).items:
        marks.add(judge(item, "max", ticked=["rotation"] if item.answer.id == "why_interleave" else [], note="BYMAX"))
    session = session_of(there)
    for key in ("w", "o"):
        early = pressed(session, "1", key)
        assert early.mode is Mode.MARK and "first" in early.message
        assert "REBUTTAL" not in shown(early) and "BYMAX" not in shown(early)
    session = pressed(session, "1", "enter", "b", marks=marks)
    assert "REBUTTAL A model learns" in shown(pressed(session, "w"))
    others = shown(pressed(session, "o"))
    assert "max: weak" in others and "note: BYMAX" in others and "eva: weak" in others
    assert "Nobody else" in shown(pressed(replace(session, seen={}), "o"))


def test_prompt_and_expected_answer_are_a_key_away(there: tuple[Question, Results]) -> None:
    session = session_of(there)
    assert "turns as one" not in shown(session)
    page = shown(pressed(session, "p"))
    assert "turns as one" in page and "strong: every required point" in page
    assert pressed(session, "p", "p").mode is Mode.MARK and pressed(session, "p", "escape").mode is Mode.MARK
    assert pressed(session, "p", "1").draft.ticked == {"one-angle"}
    assert "cannot assess" in shown(pressed(session, "?"))


def test_leaving_is_one_key_and_ctrl_c_another(there: tuple[Question, Results]) -> None:
    for key in ("x", "stop", "end"):
        assert pressed(session_of(there), key).over
    assert pressed(session_of(there), "n", "stop").over


def test_a_mark_that_cant_be_kept_is_told_and_stays_a_draft(there: tuple[Question, Results]) -> None:
    (there[1].folder / "marks.lock").mkdir()
    session = pressed(session_of(there), "1", "enter", marks=Marks.open(there[1]))
    assert "can't be written" in session.message and session.draft.ticked == {"one-angle"} and session.place == 0


def test_an_answer_in_which_nothing_is_ticked_is_saved_by_a_second_enter(
    there: tuple[Question, Results],
) -> None:
    marks = Marks.open(there[1])
    asked = pressed(session_of(there), "enter", marks=marks)
    assert asked.saved == 0 and "enter again saves not shown" in asked.message
    assert pressed(asked, "s", "enter", marks=marks).saved == 0, "another key takes the question back"
    saved = pressed(asked, "enter", marks=marks)
    assert saved.saved == 1 and ": not shown." in saved.message


@given(st.lists(st.sampled_from([*"123456cqnsbpwo?x zü", "enter", "escape", "backspace", "up", "page-down", "clear"])))
@settings(max_examples=200, deadline=None)
def test_no_row_of_keys_breaks_it(tmp_path_factory: pytest.TempPathFactory, typed: list[str]) -> None:
    session = _kept_session(tmp_path_factory)
    for key in typed:
        session, mark = press(session, key)
        if mark:
            assert mark.by == "eva" and mark.quote in session.items[session.place].text
            session = session.kept(mark, (mark,))
        lines = screen.draw(session, 80, 24)
        assert len(lines) == 24 and all(line.cell_len <= 80 for line in lines)


KEPT: list[Session] = []


def _kept_session(factory: pytest.TempPathFactory) -> Session:
    if not KEPT:
        KEPT.append(session_of(marking.folder(factory.mktemp("keys"), *NAMES)))
    return KEPT[0]


# The screen.


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
@pytest.mark.parametrize("size", [(120, 40), (100, 20), (80, 24), (60, 20), (20, 8), (10, 3), (300, 90)])
def test_every_answer_fits_every_screen_and_lies_dead(tmp_path: Path, text: str, size: tuple[int, int]) -> None:
    question = marking.question(marking.bank(tmp_path))
    results = marking.make(question, tmp_path / "results", {"ana-lopez.py": {"why_interleave": text}})
    session = Session("eva", work.find(results, question.spec).items)
    session = pressed(session, "1", "n", *"a note of some length, to take up room", "enter")
    for view in (session, pressed(session, "q"), pressed(session, *["page-down"] * 3), pressed(session, "?")):
        lines = screen.draw(view, *size)
        width, height = max(size[0], 20), max(size[1], 8)
        assert len(lines) == height and all(line.cell_len <= width for line in lines)
        plain = "".join(line.plain for line in lines)
        assert plain.isprintable() and not re.search("[\u202a-\u202e\u2066-\u2069]", plain)
        assert "ana-lopez" not in plain


def test_the_answer_stands_beside_or_above_the_observables(there: tuple[Question, Results]) -> None:
    session = session_of(there)
    wide, narrow = shown(session, 120).split("\n"), shown(session, 80).split("\n")
    assert any("Each pair is one angle" in line and "1 [ ]" in line for line in wide)
    answer = next(place for place, line in enumerate(narrow) if "Each pair is one angle" in line)
    assert answer < next(place for place, line in enumerate(narrow) if line.startswith("1 [ ]"))


@pytest.mark.parametrize("size", [(120, 30), (100, 24), (80, 24), (60, 20)])
def test_everything_that_is_needed_is_on_one_screen(there: tuple[Question, Results], size: tuple[int, int]) -> None:
    session = pressed(session_of(there), "2", "q", *"one angle", "enter")
    text = shown(session, *size)
    for needed in ("1 [ ]", "2 [x]", "3 [ ]", "4 [ ]", "c [ ] cannot assess", "level: weak", "quote: ", "Each pair is"):
        assert needed in text
    for needed in ("enter save", "? help", "x leave", session.items[0].code, "1 of 6", "Why interleave"):
        assert needed in text


def test_nothing_on_the_screen_says_whose_it_is(there: tuple[Question, Results]) -> None:
    session = session_of(there)
    for _ in session.items:
        for view in (session, *(pressed(session, key) for key in "pqn?")):
            assert not any(name.partition(".")[0] in shown(view) for name in NAMES)
        session = pressed(session, "s")


def test_terms_and_the_quote_are_marked_in_the_answer(there: tuple[Question, Results]) -> None:
    session = pressed(session_of(there), "q", *"just works", "enter")
    styles = {
        line.plain[span.start : span.end]: str(span.style)
        for line in screen.draw(session, 80, 24)
        for span in line.spans
    }
    assert styles["angle"] == styles["turns"] == styles["pair"] == screen.TERM
    assert styles["just works"] == screen.QUOTED


def test_a_long_answer_can_be_read_to_its_end_and_back(tmp_path: Path) -> None:
    question = marking.question(marking.bank(tmp_path))
    text = "\n".join(f"line {number}." for number in range(200))
    results = marking.make(question, tmp_path / "results", {"a": {"why_interleave": text}})
    session = Session("eva", work.find(results, question.spec).items)
    seen = ""
    for _ in range(200):
        seen += shown(session, 80, 24)
        session = pressed(session, "down")
    assert all(f"line {number}." in seen for number in range(200))
    lowest = screen.lowest(session, 80, 24)
    assert shown(replace(session, scroll=lowest), 80, 24) == shown(replace(session, scroll=999), 80, 24)
    assert "line 199." in shown(session, 80, 24) and "below" not in shown(session, 80, 24)
    assert shown(replace(session, scroll=lowest - 1), 80, 24) != shown(replace(session, scroll=lowest), 80, 24)


# Drafts.


def test_a_draft_is_taken_up_again_while_it_fits(there: tuple[Question, Results]) -> None:
    session = pressed(session_of(there), "1", "n", *"half a no")
    path = drafts.path_of(there[1].folder, "eva")
    drafts.write(path, session.items, session.drafts)
    assert drafts.read(path, session.items) == session.drafts
    changed = tuple(replace(item, given="Something else.") for item in session.items)
    assert drafts.read(path, changed) == {}
    drafts.write(path, session.items, {})
    assert not path.parent.exists()


def test_drafts_of_other_answers_stay(there: tuple[Question, Results]) -> None:
    session = pressed(session_of(there), "1", "s", "2")
    path = drafts.path_of(there[1].folder, "eva")
    drafts.write(path, session.items, session.drafts)
    drafts.write(path, session.items[1:2], {})
    assert drafts.read(path, session.items) == {session.items[0].key: Draft(frozenset({"one-angle"}))}


@pytest.mark.parametrize("text", ["{", "[1]", "{}", '[{"code": 1}]'])
def test_a_damaged_draft_is_told(there: tuple[Question, Results], text: str) -> None:
    path = drafts.path_of(there[1].folder, "eva")
    path.parent.mkdir()
    path.write_text(text, "utf-8")
    with pytest.raises(CallError, match="drafts can't be read"):
        drafts.read(path, session_of(there).items)


# Keys from a terminal.


def test_bytes_become_keys() -> None:
    assert keys("1\r\x7f\x03\x04\x1b[A\x1bOB\x1b[6~\x1b") == [
        "1",
        "enter",
        "backspace",
        "stop",
        "end",
        "up",
        "down",
        "page-down",
        "escape",
    ]
    assert keys("\x1b[1;5C\x00\x1b[200~ü角\x1b[99;99;99z") == ["ü", "角"]


@dataclass
class Terminal:
    """A real pseudo-terminal with `grader mark` in it."""

    descriptor: int
    process: subprocess.Popen[bytes]
    said: str = ""
    taken: int = field(default=0)

    def wait_for(self, words: str) -> str:
        """Read until the words are there, after those that were waited for before."""
        until = time.monotonic() + 60
        while words not in (fresh := plain(self.said[self.taken :])):
            left = until - time.monotonic()
            assert left > 0, f"{words!r} did not come: {fresh[-3000:]}"
            if select.select([self.descriptor], [], [], left)[0]:
                try:
                    sent = os.read(self.descriptor, 65536)
                except OSError:
                    sent = b""
                assert sent or words in plain(self.said[self.taken :]), f"{words!r} did not come: {fresh[-3000:]}"
                self.said += sent.decode("utf-8", "replace")
        self.taken = len(self.said)
        return fresh

    def type(self, typed: str) -> None:
        """Press keys."""
        os.write(self.descriptor, typed.encode())

    def resize(self, width: int, height: int) -> None:
        """Give the terminal another size."""
        fcntl.ioctl(self.descriptor, termios.TIOCSWINSZ, struct.pack("HHHH", height, width, 0, 0))

    def end(self) -> int:
        """The exit status."""
        return self.process.wait(60)


def plain(said: str) -> str:
    """What was said, without the escapes of the screen."""
    return re.sub(r"\x1b(\[[0-9;?]*[A-Za-z]|\][^\x07]*\x07)", "", said)


@contextmanager
def terminal(there: tuple[Question, Results], *arguments: str, width: int = 120) -> Iterator[Terminal]:
    """`grader mark` in a pseudo-terminal of its own, as its controlling terminal."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 30, width, 0, 0))
    bank = str(there[0].folder.parent)
    command = [sys.executable, "-m", "grader", "mark", str(there[1].folder), "--questions", bank, *arguments]
    environment = {**os.environ, "TERM": "xterm-256color", "PYTHONPATH": str(ROOT)}
    process = subprocess.Popen(
        command, stdin=theirs, stdout=theirs, stderr=theirs, env=environment, start_new_session=True
    )
    found = Terminal(ours, process)
    try:
        found.attributes = termios.tcgetattr(theirs)  # type: ignore[attr-defined]
        yield found
        if process.poll() is not None:
            assert termios.tcgetattr(theirs)[3] & termios.ECHO  # the terminal is as it was
    finally:
        process.kill()
        process.wait()
        os.close(theirs)
        os.close(ours)


def test_all_answers_are_marked_by_keys_in_a_terminal(there: tuple[Question, Results]) -> None:
    items = session_of(there).items
    with terminal(there, "--as", "eva") as screen_:
        first = screen_.wait_for("x leave")
        assert items[0].code in first and not any(name in first for name in NAMES)
        screen_.type("12q")
        screen_.wait_for("[2] An offset")
        screen_.type("one angle\rnfine\r\r1\r1\r")  # typed ahead, over three answers
        screen_.wait_for("4 of 6")
        screen_.type("c\r")
        screen_.wait_for("5 of 6")
        screen_.resize(60, 20)
        screen_.type("s")
        screen_.wait_for("6 of 6")
        screen_.type("1x")
        screen_.wait_for("Saved 4 marks as eva; 2 of 6 are left.")
        assert screen_.end() == 0
    marks = Marks.open(there[1])
    assert [bool(marks.own("eva", *item.key)) for item in items] == [True] * 4 + [False] * 2
    mark = marks.own("eva", *items[0].key)
    assert isinstance(mark, Mark)
    assert (mark.ticked, mark.quote, mark.note) == (("one-angle", "rotation"), "one angle", "fine")
    assert marks.of(*items[3].key)[0].cannot_assess and marks.ledger.prove().holds


@pytest.mark.parametrize("how", ["\x03", "\x04", "kill", "term", "hang up"])
def test_nothing_is_lost_however_it_ends(there: tuple[Question, Results], how: str) -> None:
    items = session_of(there).items
    with terminal(there, "--as", "eva") as screen_:
        screen_.wait_for("x leave")
        screen_.type("1\r2nhalf a no")
        screen_.wait_for("half a no")
        signals = {"kill": signal.SIGKILL, "term": signal.SIGTERM, "hang up": signal.SIGHUP}
        if how in signals:
            screen_.process.send_signal(signals[how])
        else:
            screen_.type(how)
            screen_.wait_for("1 not saved yet, kept as drafts")
        status = screen_.end()
        if how == "kill":
            termios.tcsetattr(screen_.descriptor, termios.TCSANOW, screen_.attributes)  # type: ignore[attr-defined]
    assert status == {"kill": -9, "term": 143, "hang up": 129}.get(how, 0)
    assert len(Marks.open(there[1]).all) == 1
    with terminal(there, "--as", "eva") as screen_:
        assert "note: half a no" in screen_.wait_for("x leave")
        screen_.type("\rx")
        screen_.wait_for("Saved 1 mark")
    (mark,) = Marks.open(there[1]).of(*items[1].key)
    assert (mark.note, mark.ticked) == ("half a no", (items[1].answer.observables[1].id,))
    assert not (there[1].folder / drafts.FOLDER).exists()


def test_no_control_of_a_candidate_reaches_the_terminal(tmp_path: Path) -> None:
    question = marking.question(marking.bank(tmp_path))
    people = {f"p{number}": {"why_interleave": text} for number, text in enumerate(HOSTILE.values())}
    there = question, marking.make(question, tmp_path / "results", people)
    with terminal(there, "--as", "eva") as screen_:
        for number in range(1, len(people) + 1):
            screen_.wait_for(f"{number} of {len(people)}")
            screen_.type("s")
        screen_.wait_for("last one")
        screen_.type("x")
        screen_.wait_for("Saved 0 marks")
        assert screen_.end() == 0
    assert "\x1b]0;" not in screen_.said and "\x1b[31m" not in screen_.said and "\u202e" not in screen_.said


def test_a_terminal_is_told_when_there_is_nothing_to_mark(there: tuple[Question, Results], tmp_path: Path) -> None:
    marks = Marks.open(there[1])
    for item in session_of(there).items:
        marks.add(judge(item, "eva"))
    for arguments, told in (
        (("--as", "eva"), "eva has marked all 6 answers"),
        (("--as", "max", "--first"), "Every answer has a mark."),
        (("--as", "eva", "--second"), "nothing for eva to mark a second time"),
    ):
        with terminal(there, *arguments) as screen_:
            screen_.wait_for(told)
            assert screen_.end() == 0
    bare = there[0], marking.make(there[0], tmp_path / "bare", {"a": {"no_rubric": "Words."}})
    with terminal(bare, "--as", "eva") as screen_:
        screen_.wait_for("There is no written answer to be marked here. No observables to tick: no_rubric.")


def test_the_second_walk_and_the_walk_once_more(there: tuple[Question, Results]) -> None:
    marks = Marks.open(there[1])
    for item in session_of(there).items:
        marks.add(judge(item, "eva"))
    drawn = len(second.sample(marks.marked))
    with terminal(there, "--as", "max", "--second", width=80) as screen_:
        screen_.wait_for(f"1 of {drawn}")
        screen_.type("1\r" * drawn + "x")
        screen_.wait_for(f"0 of {drawn} are left")
    with terminal(there, "--as", "eva", "--again") as screen_:
        screen_.wait_for("1 of 6  ")
        screen_.type("1\r")
        screen_.wait_for("reason: ")
        screen_.type("misread\r")
        screen_.wait_for("2 of 6")
        screen_.type("x")
        screen_.wait_for("Saved 1 mark")
    assert Marks.open(there[1]).ledger.prove().count == 6 + drawn + 1


def test_a_draft_from_another_window_stays_while_a_terminal_is_open(there: tuple[Question, Results]) -> None:
    items = session_of(there).items
    path = drafts.path_of(there[1].folder, "eva")
    with terminal(there, "--as", "eva") as screen_:
        screen_.wait_for("x leave")
        assert drafts.exchange(path, items[1], drafts.token(None), Draft(note="from a browser"))
        screen_.type("1x")
        screen_.wait_for("1 not saved yet")
        assert screen_.end() == 0
    kept = drafts.read(path, items)
    assert kept == {items[0].key: Draft(frozenset({"one-angle"})), items[1].key: Draft(note="from a browser")}


def test_a_draft_is_not_put_over_one_that_its_window_has_not_seen(there: tuple[Question, Results]) -> None:
    item = session_of(there).items[0]
    path = drafts.path_of(there[1].folder, "eva")
    first, second = Draft(note="first"), Draft(note="second")
    assert drafts.exchange(path, item, drafts.token(None), first)
    assert not drafts.exchange(path, item, drafts.token(None), second)
    assert not drafts.exchange(path, item, drafts.token(None), None)
    assert drafts.read(path, [item]) == {item.key: first}
    assert drafts.exchange(path, item, drafts.token(None), first), "it says what is there already"
    assert drafts.exchange(path, item, drafts.token(first), second)
    assert drafts.exchange(path, item, drafts.token(second), None) and drafts.read(path, [item]) == {}
