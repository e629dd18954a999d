"""What people said of written answers stays as they said it, and nobody sees another's mark before their own is in."""

from __future__ import annotations

import itertools
import json
import multiprocessing
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from hypothesis import given, settings
from hypothesis import strategies as st

from grader.cli import main
from grader.errors import CallError
from grader.marks import Mark, Marks, digest, events, quoting, second, work
from grader.marks.chain import Head, prove
from grader.marks.judging import Unfit, judge
from grader.marks.work import Item
from grader.question import Question
from grader.report import Report
from grader.results import Results
from grader.rubric.levels import Level
from tests import marking

NAMES = ("ana-lopez.py", "bo", "cy.zip")


@pytest.fixture
def there(tmp_path: Path) -> tuple[Question, Results]:
    """A question and a results folder of three people."""
    return marking.folder(tmp_path, *NAMES)


def items_of(there: tuple[Question, Results]) -> list[Item]:
    """The answers to be marked."""
    return list(work.find(there[1], there[0].spec).items)


def marked(there: tuple[Question, Results], *actors: str) -> Marks:
    """Marks by each of the actors on every answer."""
    marks = Marks.open(there[1])
    for actor in actors:
        for item in items_of(there):
            marks.add(judge(item, actor, ticked=[item.answer.observables[0].id], note=f"by {actor}"))
    return marks


def call(there: tuple[Question, Results], *arguments: str) -> Result:
    """Run `grader mark` on the folder."""
    bank = there[0].folder.parent
    return CliRunner().invoke(main, ["mark", str(there[1].folder), "--questions", str(bank), *arguments])


# Adding and reading.


def test_a_mark_is_read_as_it_was_made(there: tuple[Question, Results]) -> None:
    item = items_of(there)[0]
    marks = Marks.open(there[1])
    marks.add(judge(item, "eva", ticked=["rotation", "one-angle"], quote="ONE   angle", note=" good "))
    (mark,) = Marks.open(there[1]).of(*item.key)
    assert (mark.by, mark.ticked, mark.quote, mark.note) == ("eva", ("one-angle", "rotation"), "one angle", "good")
    assert (mark.rubric, mark.question_version, mark.blind, mark.reason) == (item.answer.rubric, 1, True, "")
    assert mark.answer_digest == digest(item.given) and re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", mark.at)
    assert item.answer.level_of(list(mark.ticked)) is Level.SOLID
    assert Marks.open(there[1]).actors == ["eva"] and Marks.open(there[1]).all == [mark]


def test_there_are_no_marks_where_nobody_marked(there: tuple[Question, Results]) -> None:
    marks = Marks.open(there[1])
    assert (marks.all, marks.actors, marks.of("a", "b")) == ([], [], [])
    assert not (there[1].folder / "marks.jsonl").exists()


def test_a_changed_mark_is_a_new_line_with_a_reason(there: tuple[Question, Results]) -> None:
    item = items_of(there)[0]
    marks = Marks.open(there[1])
    marks.add(judge(item, "eva", ticked=["rotation"]))
    first = (there[1].folder / "marks.jsonl").read_bytes()
    with pytest.raises(CallError, match="a changed mark needs a reason"):
        marks.add(judge(item, "eva", ticked=["one-angle"]))
    assert (there[1].folder / "marks.jsonl").read_bytes() == first
    marks.add(judge(item, "eva", ticked=["one-angle"], reason="misread"))
    assert (there[1].folder / "marks.jsonl").read_bytes().startswith(first)
    assert [mark.ticked for mark in marks.history(*item.key)] == [("rotation",), ("one-angle",)]
    assert [(mark.ticked, mark.reason) for mark in marks.of(*item.key)] == [(("one-angle",), "misread")]


def test_the_same_mark_again_is_no_line(there: tuple[Question, Results]) -> None:
    item = items_of(there)[0]
    marks = Marks.open(there[1])
    assert len(marks.add(judge(item, "eva", ticked=["rotation"]))) == 1
    assert marks.add(judge(item, "eva", ticked=["rotation"], reason="once more")) == []
    assert marks.ledger.prove().count == 1


@pytest.mark.parametrize(
    ("wrong", "key"),
    [
        ({"ticked": ["rotatoin"]}, "ticked"),
        ({"ticked": ["rotation"], "cannot_assess": True}, "cannot_assess"),
        ({"quote": "words that nobody wrote"}, "quote"),
        ({"quote": " "}, "quote"),
        ({"note": "x" * 5000}, "note"),
        ({"reason": "x" * 5000}, "reason"),
        ({"note": "\ud800"}, "note"),
    ],
)
def test_what_does_not_fit_the_answer_is_refused(
    there: tuple[Question, Results], wrong: dict[str, Any], key: str
) -> None:
    with pytest.raises(Unfit) as caught:
        judge(items_of(there)[0], "eva", **wrong)
    assert caught.value.key == key


@pytest.mark.parametrize("name", ["", "  ", "x" * 61, "ev\x1b[31ma", "e\u202eva", "EVA"])
def test_a_name_can_be_seen_and_is_one_persons(there: tuple[Question, Results], name: str) -> None:
    marks = marked(there, "eva")
    with pytest.raises(CallError, match="name"):
        marks.person(name)
    assert marks.person(" eva ") == "eva" and marks.person("Zoë") == "Zoë"


# Blindness.


def test_another_persons_mark_is_hidden_until_ones_own_is_in(there: tuple[Question, Results]) -> None:
    item, other, _ = items_of(there)[:3]
    marks = marked(there, "eva")
    assert marks.visible_to("max", *item.key) == []
    marks.add(judge(item, "max", ticked=["rotation"]))
    assert [mark.by for mark in marks.visible_to("max", *item.key)] == ["eva", "max"]
    assert [mark.by for mark in marks.visible_to("eva", *item.key)] == ["eva", "max"]
    assert marks.visible_to("max", *other.key) == []


def test_a_mark_is_blind_as_long_as_nothing_could_be_seen(there: tuple[Question, Results]) -> None:
    item = items_of(there)[0]
    marks = Marks.open(there[1])
    marks.add(judge(item, "max"))
    marks.add(judge(item, "max", ticked=["rotation"], reason="misread"))  # nobody else has marked yet
    marks.add(judge(item, "eva", ticked=["rotation"]))
    marks.add(replace(judge(item, "max", ticked=["one-angle"], reason="eva is right"), blind=True))
    assert [(mark.by, mark.blind) for mark in marks.history(*item.key)] == [
        ("max", True),
        ("max", True),
        ("eva", True),
        ("max", False),
    ]


def test_a_session_that_is_open_learns_what_others_added(there: tuple[Question, Results]) -> None:
    item = items_of(there)[0]
    first, other = Marks.open(there[1]), Marks.open(there[1])
    first.add(judge(item, "eva", ticked=["rotation"]))
    other.add(judge(item, "max"))
    assert [mark.by for mark in other.visible_to("max", *item.key)] == ["eva", "max"]


keys_drawn = st.lists(st.tuples(st.text(min_size=1), st.sampled_from(["a", "b"])), unique=True)


@given(keys_drawn)
def test_a_fifth_of_each_question_is_drawn_and_stays_drawn(marked: list[tuple[str, str]]) -> None:
    before: set[tuple[str, str]] = set()
    for count in range(len(marked) + 1):
        drawn = second.sample(marked[:count])
        assert before <= drawn <= set(marked[:count])
        for answer in ("a", "b"):
            there = sum(key[1] == answer for key in marked[:count])
            assert 5 * sum(key[1] == answer for key in drawn) >= there
        before = drawn


def test_about_a_fifth_is_drawn_of_many() -> None:
    many = [(f"code-{number}", "a") for number in range(2000)]
    assert 0.2 <= len(second.sample(many)) / 2000 < 0.3
    assert second.sample(many) == second.sample(list(many))


def test_the_second_walk_has_what_others_marked_and_i_have_not(there: tuple[Question, Results]) -> None:
    items = items_of(there)
    assert second.left(Marks.open(there[1]), items, "max") == []
    marks = marked(there, "eva")
    assert second.left(marks, items, "eva") == []
    walked = second.left(marks, items, "max")
    assert {item.key for item in walked} == second.sample(marks.marked) and len(walked) < len(items)
    marks.add(judge(walked[0], "max"))
    assert second.left(marks, items, "max") == walked[1:]


def test_each_person_has_an_order_of_their_own_that_stays(tmp_path: Path) -> None:
    there = marking.folder(tmp_path, *(f"person-{number}" for number in range(20)))
    items = items_of(there)
    eva, max_ = work.shuffled(items, "eva"), work.shuffled(items, "max")
    assert [item.answer.id for item in eva] == [item.answer.id for item in items]  # question by question
    assert eva == work.shuffled(items, "eva") and eva != max_ and eva != items
    fewer = [item for item in items if item.code != items[3].code]
    assert work.shuffled(fewer, "eva") == [item for item in eva if item.code != items[3].code]


# The chain.


def rewritten(path: Path, number: int, change: Callable[[dict[str, Any]], None]) -> None:
    """Change one line, written as the grader writes it."""
    lines = path.read_bytes().splitlines()
    fields = json.loads(lines[number - 1])
    change(fields)
    lines[number - 1] = json.dumps(fields, sort_keys=True, separators=(",", ":")).encode()
    path.write_bytes(b"\n".join(lines) + b"\n")


def keep(path: Path, *places: int) -> None:
    """Write the file anew with some of its lines, counted from 0."""
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(lines[place] for place in places))


def swap(path: Path, old: bytes, new: bytes) -> None:
    """Write the file anew with other bytes in one place."""
    assert path.read_bytes().count(old) == 1
    path.write_bytes(path.read_bytes().replace(old, new))


CHANGES: dict[str, tuple[int, str, Callable[[Path], object]]] = {
    "a field": (3, "changed", lambda path: rewritten(path, 3, lambda line: line.update(ticked=["rotation"]))),
    "the last line": (6, "changed", lambda path: rewritten(path, 6, lambda line: line.update(actor="mallory"))),
    "the first line": (1, "changed", lambda path: rewritten(path, 1, lambda line: line.update(blind=False))),
    "a body": (2, "quote, note or reason", lambda path: rewritten(path, 2, lambda line: line["body"].update(note="x"))),
    "a nonce": (2, "quote, note", lambda path: rewritten(path, 2, lambda line: line["body"].update(nonce=""))),
    "a blank body": (4, "no later line", lambda path: rewritten(path, 4, lambda line: line.update(body=None))),
    "a line that is gone": (3, "removed", lambda path: keep(path, 0, 1, 3, 4, 5)),
    "a first line that is gone": (1, "removed", lambda path: keep(path, 1, 2, 3, 4, 5)),
    "a last line that is gone": (6, "cut off", lambda path: keep(path, 0, 1, 2, 3, 4)),
    "all lines gone": (1, "cut off", keep),
    "no file": (1, "cut off", lambda path: path.unlink()),
    "half a last line": (6, "cut off", lambda path: path.write_bytes(path.read_bytes()[:-30])),
    "a line twice": (3, "inserted", lambda path: keep(path, 0, 1, 1, 2, 3, 4, 5)),
    "two lines swapped": (2, "moved", lambda path: keep(path, 0, 2, 1, 3, 4, 5)),
    "a space": (5, "not written as", lambda path: swap(path, b'"seq":5', b'"seq": 5')),
    "another key": (2, "no event", lambda path: rewritten(path, 2, lambda line: line.update(extra=1))),
    "a key that is gone": (2, "no event", lambda path: rewritten(path, 2, lambda line: line.pop("blind"))),
    "a number for a truth": (2, "no event", lambda path: rewritten(path, 2, lambda line: line.update(blind=1))),
    "no JSON": (2, "no event", lambda path: swap(path, b'"seq":2', b'"seq":')),
    "no head": (6, "marks.head is missing", lambda path: path.with_name("marks.head").unlink()),
}


@pytest.mark.parametrize("name", CHANGES)
def test_what_was_changed_is_found_with_its_line(there: tuple[Question, Results], name: str) -> None:
    marks = marked(there, "eva")
    assert marks.ledger.prove().holds and call(there, "--verify").exit_code == 0
    line, what, change = CHANGES[name]
    change(there[1].folder / "marks.jsonl")
    problems = dict(marks.ledger.prove().problems)
    assert re.search(what, problems[line]), problems
    result = call(there, "--verify")
    assert result.exit_code == 1 and f"marks.jsonl:{line}: " in result.output
    assert json.loads(call(there, "--verify", "--json").stdout)["holds"] is False


def test_one_change_is_told_once(there: tuple[Question, Results]) -> None:
    marks = marked(there, "eva")
    rewritten(there[1].folder / "marks.jsonl", 3, lambda line: line.update(ticked=[]))
    assert [line for line, _ in marks.ledger.prove().problems] == [3]


@settings(max_examples=150, deadline=None)
@given(st.data())
def test_no_byte_can_be_changed_unseen(tmp_path_factory: pytest.TempPathFactory, data: st.DataObject) -> None:
    raw, head = _prepared(tmp_path_factory)
    place = data.draw(st.integers(0, len(raw) - 1))
    byte = data.draw(st.integers(0, 255).filter(lambda byte: byte != raw[place]))
    assert prove(raw, head).holds
    assert not prove(raw[:place] + bytes([byte]) + raw[place + 1 :], head).holds


PREPARED: list[tuple[bytes, Head]] = []


def _prepared(factory: pytest.TempPathFactory) -> tuple[bytes, Head]:
    if not PREPARED:
        there = marking.folder(factory.mktemp("chain"), *NAMES)
        proof = marked(there, "eva").ledger.prove()
        PREPARED.append(((there[1].folder / "marks.jsonl").read_bytes(), Head(proof.count, proof.head)))
    return PREPARED[0]


def test_nothing_is_built_on_a_broken_chain(there: tuple[Question, Results]) -> None:
    marks = marked(there, "eva")
    rewritten(there[1].folder / "marks.jsonl", 3, lambda line: line.update(actor="mallory"))
    before = (there[1].folder / "marks.jsonl").read_bytes()
    with pytest.raises(CallError, match=r"marks\.jsonl:3: .*--verify"):
        marks.add(judge(items_of(there)[0], "max"))
    assert (there[1].folder / "marks.jsonl").read_bytes() == before


def test_a_rewritten_end_passes_and_an_anchor_finds_it(there: tuple[Question, Results]) -> None:
    """The limit that the docs admit: without a secret, whoever may write here can write a whole new chain."""
    marked(there, "eva")
    noted = json.loads(call(there, "--verify", "--json").stdout)["hash"]
    assert call(there, "--verify", "--anchor", noted).exit_code == 0
    for name in ("marks.jsonl", "marks.head"):
        (there[1].folder / name).unlink()
    marked(there, "eva")
    assert call(there, "--verify").exit_code == 0
    result = call(there, "--verify", "--anchor", noted)
    assert result.exit_code == 1 and noted in result.output


# Crashes, and several at once.


def test_a_line_that_was_cut_off_costs_itself_alone(there: tuple[Question, Results]) -> None:
    marks = marked(there, "eva")
    path = there[1].folder / "marks.jsonl"
    whole = path.read_bytes()
    path.write_bytes(whole + whole.splitlines()[-1][:100])
    proof = marks.ledger.prove()
    assert proof.holds and "line 7 was being written" in proof.notes[0]
    assert "note: line 7" in call(there, "--verify").output
    assert len(Marks.open(there[1]).all) == 6
    marks.add(judge(items_of(there)[0], "max"))
    assert path.read_bytes().startswith(whole) and len(Marks.open(there[1]).all) == 7
    assert marks.ledger.prove().holds and not marks.ledger.prove().notes


def test_a_head_that_was_left_behind_is_put_right(there: tuple[Question, Results]) -> None:
    item = items_of(there)[0]
    head = there[1].folder / "marks.head"
    marks = Marks.open(there[1])
    marks.add(judge(item, "eva"))
    head.unlink()  # killed after the first line, before there was a head
    assert marks.ledger.prove().holds
    marks.add(judge(item, "max"))
    before = head.read_bytes()
    marks.add(judge(item, "zoe"))
    head.write_bytes(before)
    proof = marks.ledger.prove()
    assert proof.holds and "line 3 to the last" in proof.notes[0]
    marks.add(judge(item, "ada"))
    assert marks.ledger.prove().holds and not marks.ledger.prove().notes and len(marks.all) == 4


def _add_many(folder: str, bank: str, actor: str) -> None:
    results = Results.open(Path(folder))
    items = work.find(results, marking.question(Path(bank)).spec).items
    marks = Marks.open(results)
    for note in range(5):
        for item in items:
            marks.add(judge(item, actor, note=f"{note}", reason="again"))


def test_writers_at_once_lose_nothing(there: tuple[Question, Results]) -> None:
    bank = str(there[0].folder.parent)
    context = multiprocessing.get_context("spawn")
    writers = [
        context.Process(target=_add_many, args=(str(there[1].folder), bank, f"person-{number}")) for number in range(3)
    ]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    assert [writer.exitcode for writer in writers] == [0, 0, 0]
    marks = Marks.open(there[1])
    proof = marks.ledger.prove()
    assert proof.holds and proof.count == 3 * 5 * 6
    assert {mark.note for mark in marks.all} == {"4"} and len(marks.all) == 18


def test_where_nothing_can_be_written_it_is_told(there: tuple[Question, Results]) -> None:
    (there[1].folder / "marks.lock").mkdir()
    with pytest.raises(CallError, match="the marks can't be written"):
        Marks.open(there[1]).add(judge(items_of(there)[0], "eva"))


def test_a_damaged_line_is_told_with_its_number(there: tuple[Question, Results]) -> None:
    marked(there, "eva")
    path = there[1].folder / "marks.jsonl"
    path.write_bytes(path.read_bytes().replace(b'"seq":2', b'"seq":"two"'))
    result = call(there, "--status")
    assert result.exit_code == 2 and "marks.jsonl:2: this is no line of marks" in result.stderr


def test_a_damaged_head_is_told(there: tuple[Question, Results]) -> None:
    marks = marked(there, "eva")
    for text in ("{", "[]", '{"count": "many", "hash": ""}'):
        (there[1].folder / "marks.head").write_text(text)
        with pytest.raises(CallError, match="head of the marks"):
            marks.add(judge(items_of(there)[0], "max"))
        assert call(there, "--verify").exit_code == 2


# From a file.


def write(tmp_path: Path, text: str) -> Path:
    """A file of marks."""
    path = tmp_path / "marks.yaml"
    path.write_text(text, "utf-8")
    return path


def test_marks_come_from_a_file_by_code_or_name(there: tuple[Question, Results], tmp_path: Path) -> None:
    code = there[1].find("bo").code
    path = write(
        tmp_path,
        f"- {{candidate: {code}, answer: why_interleave, ticked: [rotation], quote: one angle, note: fine}}\n"
        "- {candidate: cy.zip, answer: why_interleave, cannot_assess: true}\n"
        "- {candidate: cy.zip, answer: what_base_controls, ticked: []}\n",
    )
    result = call(there, "--from", str(path), "--as", "eva")
    assert result.exit_code == 0 and "Saved 3 marks as eva" in result.output
    marks = Marks.open(there[1])
    assert marks.of(code, "why_interleave")[0].quote == "one angle"
    assert marks.of(there[1].find("cy.zip").code, "why_interleave")[0].cannot_assess
    assert "Saved 0 marks as eva; 3 said" in call(there, "--from", str(path), "--as", "eva").output


WRONG_FILES = {
    "no such candidate": ("- {candidate: nobody, answer: why_interleave, ticked: []}", "1:4", "no such candidate"),
    "no such answer": ("- candidate: bo\n  answer: why\n  ticked: []", "2:3", "no answer to be marked"),
    "a mistyped answer": (
        "- candidate: bo\n  answer: why_interleav\n  ticked: []",
        "2:3",
        "Did you mean why_interleave?",
    ),
    "no rubric": ("- candidate: bo\n  answer: no_rubric\n  ticked: []", "2:3", "no answer to be marked"),
    "no such point": (
        "- {candidate: bo, answer: why_interleave, ticked: [rotatio]}",
        "1:43",
        "Did you mean rotation",
    ),
    "nothing said": ("- {candidate: bo, answer: why_interleave}", "1:4", "what is ticked"),
    "words of nobody": ("- {candidate: bo, answer: why_interleave, ticked: [], quote: zz}", "1:55", "not in the"),
    "twice": ("- {candidate: bo, answer: why_interleave, ticked: []}\n" * 2, "2:19", "twice"),
    "unknown key": ("- {candidate: bo, answer: why_interleave, tickd: []}", "1:43", "Did you mean 'ticked'"),
    "no list": ("candidate: bo", "1:1", "list"),
    "no YAML": ("- {candidate: [", "1:16", "not YAML"),
    "nothing": ("", "1:1", "list"),
    "a number": ("- {candidate: bo, answer: why_interleave, ticked: 3}", "1:43", "list"),
}


@pytest.mark.parametrize("name", WRONG_FILES)
def test_what_is_wrong_in_a_file_is_told_with_its_place_and_nothing_is_kept(
    there: tuple[Question, Results], tmp_path: Path, name: str
) -> None:
    text, place, what = WRONG_FILES[name]
    good = "- {candidate: ana-lopez.py, answer: why_interleave, ticked: []}\n"
    path = write(tmp_path, text)
    result = call(there, "--from", str(path), "--as", "eva")
    assert result.exit_code == 2 and re.search(rf"marks\.yaml:({place}): ", result.stderr), result.stderr
    assert re.search(what, result.stderr), result.stderr
    if text.startswith("-") and "YAML" not in what:
        assert call(there, "--from", str(write(tmp_path, f"{good}{text}")), "--as", "eva").exit_code == 2
    assert Marks.open(there[1]).all == []


def test_everything_that_is_wrong_is_told_at_once(there: tuple[Question, Results], tmp_path: Path) -> None:
    path = write(
        tmp_path,
        "- {candidate: nobody, answer: why_interleave, ticked: []}\n"
        "- {candidate: bo, answer: why_interleave, ticked: [x]}\n",
    )
    stderr = call(there, "--from", str(path), "--as", "eva").stderr
    assert ":1:4: " in stderr and ":2:43: " in stderr


def test_a_change_without_a_reason_keeps_nothing_of_the_file(there: tuple[Question, Results], tmp_path: Path) -> None:
    marked(there, "eva")
    before = (there[1].folder / "marks.jsonl").read_bytes()
    text = (
        "- {candidate: bo, answer: what_base_controls, ticked: [], reason: misread}\n"
        "- {candidate: bo, answer: why_interleave, ticked: []REASON}\n"
    )
    result = call(there, "--from", str(write(tmp_path, text.replace("REASON", ""))), "--as", "eva")
    assert result.exit_code == 2 and ":2:3: a changed mark needs a reason" in result.stderr
    assert (there[1].folder / "marks.jsonl").read_bytes() == before
    path = write(tmp_path, text.replace("REASON", ", reason: too"))
    assert call(there, "--from", str(path), "--as", "eva").exit_code == 0
    assert Marks.open(there[1]).ledger.prove().count == 8


@pytest.mark.parametrize("content", [None, b"\xff\xfe"])
def test_a_file_that_cant_be_read_is_told(
    there: tuple[Question, Results], tmp_path: Path, content: bytes | None
) -> None:
    path = tmp_path / "other.yaml"
    if content is not None:
        path.write_bytes(content)
    result = call(there, "--from", str(path), "--as", "eva")
    assert result.exit_code == 2 and "other.yaml: this file of marks can't be read" in result.stderr


# Where things stand, and what changed.


def regraded(there: tuple[Question, Results], name: str, text: str) -> None:
    """Write the report of somebody anew, with another answer."""
    path = there[1].find(name).folder / "report.json"
    fields = Report.from_fields(json.loads(path.read_text("utf-8"))).model_dump(mode="json")
    fields["answers"][0]["given"] = text
    path.write_text(json.dumps({"schema": fields.pop("schema_"), **fields}), "utf-8")


def test_a_changed_answer_needs_another_look_and_keeps_its_mark(there: tuple[Question, Results]) -> None:
    marks = marked(there, "eva")
    regraded(there, "bo", "Something else altogether.")
    again = Results.open(there[1].folder)
    items = work.find(again, there[0].spec).items
    (item,) = work.left(marks, items, "eva")
    assert item.key == (there[1].find("bo").code, "why_interleave") and len(Marks.open(again).all) == 6
    result = call(there, "--status")
    assert f"look again, eva: {item.code}, why_interleave: answer changed" in result.output
    assert "eva: 6 of 6 marked, 1 to look at again" in result.output
    marks.add(judge(item, "eva", ticked=["one-angle"]))
    assert marks.own("eva", *item.key).reason == "the answer has changed"  # type: ignore[union-attr]
    assert work.left(marks, items, "eva") == []


def test_a_changed_rubric_needs_another_look(there: tuple[Question, Results]) -> None:
    marked(there, "eva")
    path = there[0].folder / "question.yaml"
    path.write_text(path.read_text("utf-8").replace("Says that an offset turns", "Says how an offset turns"), "utf-8")
    found = json.loads(call(there, "--status", "--json").stdout)
    assert [look["why"] for look in found["again"]] == ["rubric changed"] * 3
    assert {look["answer"] for look in found["again"]} == {"why_interleave"}


def test_the_status_counts_and_tells_nobodys_marks(there: tuple[Question, Results]) -> None:
    marked(there, "eva")
    marks = Marks.open(there[1])
    marks.add(judge(items_of(there)[0], "max", ticked=["checkpoint"], note="SECRET"))
    result = call(there, "--status")
    assert result.exit_code == 0
    assert "why_interleave      3 of 3 marked, 1 by two or more" in result.output
    assert "max: 1 of 6 marked" in result.output and "not for marking: no_rubric" in result.output
    for told in ("SECRET", "checkpoint", "one-angle", "solid", "weak", *NAMES):
        assert told not in result.output and told not in call(there, "--status", "--json").stdout
    only = json.loads(call(there, "--status", "--json", "--answer", "what_base_controls").stdout)
    assert [each["answer"] for each in only["asked"]] == ["what_base_controls"] and only["gone"] == 0


def test_comparing_shows_what_both_have_marked_and_nothing_else(there: tuple[Question, Results]) -> None:
    marks = marked(there, "eva")
    item = items_of(there)[0]
    assert "No answer that you have marked" in call(there, "--compare", "--as", "max").output
    marks.add(judge(item, "max", ticked=["rotation"], note="mine"))
    (found,) = json.loads(call(there, "--compare", "--as", "max", "--json").stdout)
    assert (found["candidate"], found["answer"]) == item.key
    assert [(mark["by"], mark["ticked"], mark["level"]) for mark in found["marks"]] == [
        ("eva", ["one-angle"], "weak"),
        ("max", ["rotation"], "weak"),
    ]
    assert "  max: weak: rotation, blind" in call(there, "--compare", "--as", "max").output
    assert "No answer" in call(there, "--compare", "--as", "zoe").output


def test_an_empty_answer_is_not_for_marking(tmp_path: Path) -> None:
    question = marking.question(marking.bank(tmp_path))
    people = {"a": {"why_interleave": "Words."}, "b": {"why_interleave": "  \n"}, "c": {}}
    results = marking.make(question, tmp_path / "results", people)
    found = work.find(results, question.spec)
    assert [item.key for item in found.items] == [(results.find("a").code, "why_interleave")]
    assert found.not_given == 8 and found.without_rubric == ("no_rubric",)


def test_a_report_that_cant_be_read_costs_itself_and_names_nobody(there: tuple[Question, Results]) -> None:
    (there[1].find("ana-lopez.py").folder / "report.json").write_text("{", "utf-8")
    found = work.find(Results.open(there[1].folder), there[0].spec)
    assert len(found.items) == 4 and len(found.troubles) == 1
    assert "ana-lopez" not in found.troubles[0] and there[1].find("ana-lopez.py").code in found.troubles[0]


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["--answer", "why_interleav"], "Did you mean why_interleave"),
        (["--verify", "--status"], "exclude each other"),
        (["--first", "--second"], "exclude each other"),
        (["--json"], "--json goes with"),
        (["--anchor", "00"], "--anchor goes with"),
        (["--as", "\x1b[2J"], "no name to mark under"),
        ([], "marking needs a terminal"),
    ],
)
def test_a_wrong_call_is_told(there: tuple[Question, Results], arguments: list[str], told: str) -> None:
    result = call(there, *arguments)
    assert result.exit_code == 2 and told in result.stderr and "\x1b" not in result.stderr


def test_a_folder_that_is_none_is_told(tmp_path: Path) -> None:
    for arguments in (["--verify"], ["--status"], []):
        result = CliRunner().invoke(main, ["mark", str(tmp_path), *arguments])
        assert result.exit_code == 2 and "this is no results folder" in result.stderr


# Pieces of an answer.


@given(st.text(max_size=300))
def test_sentences_hold_every_visible_character_once(text: str) -> None:
    spans = quoting.sentences(text)
    assert all(start < end <= len(text) for start, end in spans)
    assert all(before[1] <= after[0] for before, after in itertools.pairwise(spans))
    assert "".join("".join(text[start:end].split()) for start, end in spans) == "".join(text.split())


def test_a_sentence_may_go_over_lines_and_a_list_has_one_in_each_point() -> None:
    text = "One goes\non here. Two (e.g. this)!\n\n- a point\n- another"
    assert [text[start:end] for start, end in quoting.sentences(text)] == [
        "One goes\non here.",
        "Two (e.g.",
        "this)!",
        "- a point",
        "- another",
    ]


@given(st.text(alphabet="ab \n", max_size=40), st.text(alphabet="abAB \n", max_size=8))
def test_what_is_quoted_is_in_the_answer_word_for_word(text: str, wanted: str) -> None:
    piece = quoting.quoted(text, wanted)
    if piece is not None:
        assert piece in text and piece.casefold().split() == wanted.casefold().split()


def test_terms_are_found_as_words_and_beginnings() -> None:
    text = "Rotations, using sin; (rotated) cross-checkpoint"
    assert [text[start:end] for start, end in quoting.terms(text, ["rotat", "sin", "checkpoint"])] == [
        "Rotations",
        "sin",
        "rotated",
        "checkpoint",
    ]


def test_a_line_is_read_back_as_it_was_written() -> None:
    body = events.Body(quote="\U0001f426 \u202e", note="", reason="")
    event = events.MarkEvent(
        seq=1,
        actor="eva",
        at="",
        code="c",
        previous=events.START,
        answer="a",
        question="q",
        version=1,
        rubric="r",
        answer_digest="0" * 64,
        ticked=[],
        cannot_assess=False,
        blind=True,
        body_digest=events.digest_of(body),
        body=body,
    )
    assert events.parse(events.written(event)) == event
    assert events.hash_of(event) == events.hash_of(event.model_copy(update={"body": None}))
    assert events.digest_of(body) != events.digest_of(events.Body(quote="\U0001f426 \u202e", note="", reason=""))


def test_two_people_may_log_in_with_their_own_names(
    there: tuple[Question, Results], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("getpass.getuser", lambda: "from-login")
    path = write(there[1].folder.parent, "- {candidate: bo, answer: why_interleave, ticked: []}\n")
    assert "as from-login" in call(there, "--from", str(path)).output
    assert isinstance(Marks.open(there[1]).all[0], Mark) and (there[1].folder / "marks.jsonl").exists()
