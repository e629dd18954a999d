"""Promises about answers.yaml: each answer is read for itself, and nothing in the file can hurt."""

from __future__ import annotations

import time
from collections.abc import Iterator

import pytest

from grader.outcome import Outcome
from grader.report import AnswerPart
from grader.rubric import answersheet
from grader.rubric.facts import read_answers
from grader.rubric.spec import AcceptedInteger, Answer, IntegerAnswer, TextAnswer

EXPECTED = -5120
DELTA = IntegerAnswer(
    id="row_delta",
    kind="integer",
    criterion="row-delta",
    prompt="By how much?",
    expected=EXPECTED,
    accepted=[AcceptedInteger(value=5120, note="Mind the sign.")],
)
WHY = TextAnswer(id="why_it_works", kind="text", level="L1", prompt="Why?", expected="Because.")
LOST = TextAnswer(id="what_is_lost", kind="text", level="L1", prompt="What?", expected="That.")
ASKED: list[Answer] = [DELTA, WHY, LOST]
GOOD = "row_delta: -5120\nwhy_it_works: |\n  Rows are\n  rows.\nwhat_is_lost: 42\n"


def read(text: str | None, problem: str = "") -> tuple[AnswerPart, AnswerPart, AnswerPart, list[str]]:
    """The three parts, in the order of the spec, and the notes."""
    (delta, why, lost), notes = read_answers(text, problem, ASKED)
    return delta, why, lost, notes


def delta_of(written: str) -> AnswerPart:
    """The part of the integer answer, written like this."""
    return read(f"row_delta: {written}\n")[0]


def test_every_answer_of_a_good_file_is_read_and_nothing_is_noted() -> None:
    delta, why, lost, notes = read(GOOD)
    assert (delta.outcome, delta.given, delta.note) == (Outcome.PASSED, "-5120", "")
    assert (why.outcome, why.given, why.note) == (None, "Rows are\nrows.", "")
    assert (lost.outcome, lost.given) == (None, "42")
    assert notes == []


@pytest.mark.parametrize(
    "written",
    [
        "-5120",
        '"-5120"',
        "'-5,120'",
        "-5,120",
        "-5 120",
        "-5_120",
        "-5\u202f120",
        "−5120",
        "–5,120",
        "'- 5120'",
        "-5120.0",
        "-5.12e3",
        "-0x1400",
        "|\n  -5120",
        "-5120  # after minus before",
    ],
)
def test_an_integer_may_be_written_in_any_usual_way(written: str) -> None:
    assert delta_of(written).outcome is Outcome.PASSED


@pytest.mark.parametrize("written", ["5120", "+5_120", "5,120", "5120."])
def test_an_accepted_value_passes_with_the_note_of_the_spec(written: str) -> None:
    part = delta_of(written)
    assert (part.outcome, part.note) == (Outcome.PASSED, "Mind the sign.")


@pytest.mark.parametrize("written", ["-5121", "0", "-51200", "5", "-5_120_000"])
def test_another_integer_fails(written: str) -> None:
    assert delta_of(written).outcome is Outcome.FAILED


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("about 5K", "'about 5K'"),
        ("0.005M", "'0.005M'"),
        ("-5120.5", "'-5120.5'"),
        ("-0,512", "'-0,512'"),
        ("true", "'true'"),
        ("[-5120]", "a list"),
        ("{is: -5120}", "a mapping"),
        ("-5120 parameters", "'-5120 parameters'"),
        (".nan", "'.nan'"),
        ("-٥١٢٠", "'-٥١٢٠'"),
        ("9" * 5000, "'999"),
        ("1e" + "9" * 5000, "'1e9"),
        ("!!python/object/apply:os.system ['true']", "a list"),
        ("2001-99-99", "'2001-99-99'"),
    ],
)
def test_what_is_no_integer_fails_and_is_shown_without_the_expected_value(written: str, shown: str) -> None:
    part = delta_of(written)
    assert part.outcome is Outcome.FAILED
    assert f"found {shown}" in part.note
    assert "expected an integer such as -123" in part.note
    assert len(part.note) < 200
    assert "5120" not in part.note.replace(written, "")


@pytest.mark.parametrize("written", ["", "~", "null", '""', "'  '", "|\n"])
def test_an_answer_left_empty_is_not_given(written: str) -> None:
    delta, why, _, _ = read(f"row_delta: {written}\nwhy_it_works: {written}\n")
    assert (delta.outcome, delta.note) == (Outcome.FAILED, "not given")
    assert (why.outcome, why.given, why.note) == (None, "", "not given")


def test_without_a_file_every_answer_is_not_given() -> None:
    *parts, notes = read(None)
    assert [part.note for part in parts] == ["not given"] * 3
    assert [part.outcome for part in parts] == [Outcome.FAILED, None, None]
    assert notes == ["there is no answers.yaml"]


def test_a_file_that_could_not_be_read_says_so_at_every_answer() -> None:
    *parts, notes = read(None, "answers.yaml is larger than 256 KiB")
    assert {part.note for part in parts} == {"answers.yaml is larger than 256 KiB"}
    assert notes == ["answers.yaml is larger than 256 KiB"]


@pytest.mark.parametrize("text", ["", "\n\n", "# nothing yet\n", "---\n", "~\n"])
def test_an_empty_file_is_said_to_be_empty(text: str) -> None:
    delta, *_, notes = read(text)
    assert delta.note == "there is nothing in it"
    assert notes == ["answers.yaml: there is nothing in it"]


@pytest.mark.parametrize(("text", "found"), [("- row_delta\n", "found a list"), ("It is 5.\n", "found text")])
def test_a_file_of_another_shape_is_told_with_its_place(text: str, found: str) -> None:
    delta, *_, notes = read(text)
    assert delta.note.startswith(f"line 1, column 1: {found}")
    assert notes[0].startswith(f"answers.yaml: line 1, column 1: {found}")


@pytest.mark.parametrize(
    ("written", "kept"),
    [
        ("because: rows are rows", "because: rows are rows"),
        ("*rows* are rows", "*rows* are rows"),
        ("`rows` are rows", "`rows` are rows"),
        ("|\n\trows are rows", "rows are rows"),
        ("'it's rows'", "'it's rows'"),
        ("[rows", "[rows"),
        ("rows \x07 rows", "rows \\x07 rows"),
    ],
)
def test_prose_that_breaks_yaml_is_kept_with_its_place_and_costs_no_other_answer(written: str, kept: str) -> None:
    delta, why, lost, notes = read(f"row_delta: -5120\nwhy_it_works: {written}\nwhat_is_lost: This.\n")
    assert delta.outcome is Outcome.PASSED
    assert lost.given == "This."
    assert why.given == kept
    assert why.note.startswith(("line 2, column ", "line 3, column "))
    assert why.note.endswith("kept as it was written")
    assert len(notes) == 1
    assert "column" in notes[0]


@pytest.mark.parametrize("after", ["\t-5120\n", " -5120\nNote: a: b\n", "\t-5120  # minus\n", "\t'-5120'\nx\n"])
def test_an_integer_is_read_although_something_around_it_is_no_yaml(after: str) -> None:
    assert read(f"row_delta:{after}")[0].outcome is Outcome.PASSED


def test_tabs_are_named_as_what_is_wrong() -> None:
    assert "indent with spaces, not tabs" in read("why_it_works:\n\tx: y\n")[3][0]


def test_an_answer_given_twice_is_told_with_its_lines_and_costs_no_other() -> None:
    delta, why, _, _ = read("row_delta: 1\nwhy_it_works: x\nrow_delta: -5120\n")
    assert (delta.outcome, delta.note) == (Outcome.FAILED, "given 2 times, first at lines 1 and 3; keep one")
    assert why.given == "x"


def test_a_mistyped_key_gets_a_suggestion() -> None:
    delta, *_, notes = read("row-delta: -5120\nzzz: 1\n")
    assert delta.note == "not given"
    assert notes == [
        "answers.yaml: no answer is called 'row-delta'; did you mean 'row_delta'?",
        "answers.yaml: no answer is called 'zzz'",
    ]


def test_many_unknown_keys_are_few_notes() -> None:
    notes = read("".join(f"k{number}: 1\n" for number in range(100)))[3]
    assert len(notes) == 9
    assert notes[-1] == "answers.yaml: there are 92 more keys that no answer has"


@pytest.mark.parametrize("written", ["\n  - one\n  - two", "\n- one\n- two"])
def test_a_text_written_as_a_list_is_kept_as_written(written: str) -> None:
    why = read(f"why_it_works:{written}\nwhat_is_lost: x\n")[1]
    assert why.given == "- one\n- two"
    assert why.note == "found a list, expected text; kept as it was written"


def test_a_long_text_is_cut_with_a_note() -> None:
    why = read(f"why_it_works: {'a' * 9000}\n")[1]
    assert len(why.given) == 8000
    assert why.note == "cut to the first 8,000 of 9,000 characters"


def test_an_answer_is_inert_wherever_it_is_shown() -> None:
    hostile = r'"a\e[31m\r\a\u202e \ud800 \ufffe\n=1+1 <b>"'
    delta, why, _, notes = read(f'row_delta: {hostile}\nwhy_it_works: {hostile}\n"\\e[2J\\u202e": 1\n')
    assert why.given == r"a\x1b[31m\r\x07\u202e \ud800 \ufffe" + "\n=1+1 <b>"
    for shown in (delta.given, delta.note, *notes):
        assert shown.isprintable() or "\n" in shown
        shown.encode()
    assert "\n" not in delta.note
    assert r"\x1b[2J\u202e" in notes[0]


LAUGHS = "a: &a [x, x]\n" + "".join(f"{b}: &{b} [*{a}, *{a}]\n" for a, b in zip("abcdefgh", "bcdefghi", strict=True))


@pytest.mark.parametrize(
    "hostile",
    [
        LAUGHS,
        "x: " + "[" * 50_000 + "\n",
        "x: " + "{" * 50_000 + "\n",
        "".join(" " * level + "x:\n" for level in range(400)),
        "x: [" + "1, " * 50_000 + "]\n",
        "".join(f"k{number}: 1\n" for number in range(20_000)),
        "row_delta: 1\n" * 15_000,
        "x: " + "y:" * 100_000 + "\n",
    ],
    ids=["laughs", "lists", "mappings", "levels", "items", "keys", "twice", "colons"],
)
def test_a_bomb_is_defused_in_little_time_and_costs_no_other_answer(hostile: str) -> None:
    start = time.process_time()
    why = read(f"{hostile}why_it_works: Rows.\n")[1]
    assert why.given == "Rows."
    assert time.process_time() - start < 8


@pytest.mark.parametrize("many", ["x: [" + "1, " * 3000 + "]\n", "".join(f"k{n}: 1\n" for n in range(1001))])
def test_more_than_answers_need_is_not_read_on(many: str) -> None:
    assert "found more lists and mappings than answers need" in read(many)[3][0]


def test_an_answer_given_thousands_of_times_is_not_parsed_each_time(monkeypatch: pytest.MonkeyPatch) -> None:
    parsed: list[str] = []
    original = answersheet.entries

    def counted(text: str) -> Iterator[tuple[str, answersheet.Entry]]:
        parsed.append(text)
        return original(text)

    monkeypatch.setattr(answersheet, "entries", counted)
    assert read("row_delta: 1\n" * 5000)[0].note == "given 5000 times, first at lines 1 and 2; keep one"
    assert len(parsed) == 1


def test_aliases_are_not_followed() -> None:
    delta, why, _, _ = read("x: &n -5120\nrow_delta: *n\nwhy_it_works: Rows.\n")
    assert delta.outcome is Outcome.FAILED
    assert "found an alias" in delta.note
    assert why.given == "Rows."


def test_windows_line_endings_and_a_flow_mapping_are_fine() -> None:
    assert read("row_delta: -5120\r\nwhy_it_works: x\r\n")[0].outcome is Outcome.PASSED
    assert read("{row_delta: -5120, why_it_works: x}\n")[1].given == "x"
