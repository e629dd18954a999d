"""Promises about answers.yaml: each answer is read for itself, and nothing in the file can hurt."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from grader.outcome import Outcome
from grader.report import AnswerPart
from grader.rubric import answersheet, numerals
from grader.rubric.choosing import choose
from grader.rubric.facts import read_answers
from grader.rubric.judging import same
from grader.rubric.levels import Observable
from grader.rubric.spec import (
    AcceptedInteger,
    AcceptedNumber,
    Answer,
    Choice,
    ChoiceAnswer,
    IntegerAnswer,
    NumberAnswer,
    TextAnswer,
)

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
    assert part.read == ""
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


# What is wrong with a fact is said with its reason


@pytest.mark.parametrize(
    ("written", "why"),
    [
        ("0.786M", "the unit 'M' stands after the number; write the number alone, with all its digits"),
        ("-5120 parameters", "the unit 'parameters' stands after the number; write the number alone"),
        ("12 or so", "'or so' stands after the number"),
        ("about 5", "there is more than the number in it"),
        ("five", "there is no number in it"),
        ("5 or 6", "there is more than one number in it"),
        ("5120.5", "it is no whole number"),
        ("10/4", "it is no whole number"),
        ("2^9", "write out all its digits"),
        (".inf", "it is no finite number"),
        ("NaN", "it is no finite number"),
        ("-٥١٢٠", "its digits are not 0 to 9"),
        ("9" * 41, "it is longer than 40 characters"),
        ("9" * 100, "it is longer than 80 characters"),
    ],
)
def test_what_is_no_integer_is_refused_with_the_reason(written: str, why: str) -> None:
    assert f"expected an integer such as -123: {why}" in delta_of(written).note


def test_the_example_in_a_refusal_is_never_the_answer() -> None:
    for change in ({"expected": -123}, {"accepted": [AcceptedInteger(value=-123, note="x")]}):
        (part,), _ = read_answers("row_delta: x\n", "", [DELTA.model_copy(update=change)])
        assert "123" not in part.note
        assert "expected an integer" in part.note


# Numbers

STEP = NumberAnswer(
    id="step",
    kind="number",
    criterion="step",
    prompt="How long is a step?",
    expected=0.25,
    tolerance=0.05,
    unit="s",
    units={"ms": 0.001, "minutes": 60, "µs": 0.000001},
    accepted=[AcceptedNumber(value=0.5, note="With the backward pass.")],
)
COUNT = STEP.model_copy(update={"expected": 61359.0, "tolerance": 50.0, "unit": "", "units": {}, "accepted": []})


def number_of(written: str, answer: NumberAnswer = STEP) -> AnswerPart:
    """The part of a number, written like this."""
    (part,), _ = read_answers(f"step: {written}\n", "", [answer])
    return part


@pytest.mark.parametrize(
    "written",
    [
        "0.25",
        ".25",
        "+0.25",
        "0,25",
        "0.25 s",
        "0.25s",
        "0.25 (s)",
        "2.5e-1",
        "2.5e-1 s",
        "2.5×10^-1",
        "2.5 x 10^-1 s",
        "2.5·10⁻¹",
        "25 * 10**-2",
        "1/4",
        "1/4 s",
        "250 ms",
        "250ms",
        "250,0 ms",
        "250_000 μs",
        "250 000 µs",
        "250,000 µs",
        "250.000,0 µs",
        "1/240 minutes",
        "1/240 Minute",
        "0.2",
        "0.3",
        "0.300 s",
        "300 ms",
        "|\n  0.25",
        "\t0.25 s",
        "0.25  # s",
    ],
)
def test_a_number_may_be_written_in_any_usual_way_within_its_tolerance(written: str) -> None:
    assert number_of(written).outcome is Outcome.PASSED


@pytest.mark.parametrize("written", ["61359", "61,359", "61 359.4", "6.1359e4", "0xEFAF", "61.359,0", "-0", "-61359"])
def test_a_bare_number_takes_what_an_integer_takes(written: str) -> None:
    part = number_of(written, COUNT)
    assert part.outcome is (Outcome.FAILED if written[0] == "-" else Outcome.PASSED)
    assert part.read in ("61359", "61359.4", "0", "-61359")


@pytest.mark.parametrize("written", ["0.19999", "0.30001", "-0.25", "250", "0.25 ms", "25 s", "1e400", "0.4499"])
def test_another_number_fails(written: str) -> None:
    part = number_of(written)
    assert part.outcome is Outcome.FAILED
    assert part.read != ""


@pytest.mark.parametrize("written", ["0.5", "500 ms", "0.45 s"])
def test_an_accepted_number_passes_with_its_note_within_the_same_tolerance(written: str) -> None:
    part = number_of(written)
    assert (part.outcome, part.note) == (Outcome.PASSED, "With the backward pass.")


@pytest.mark.parametrize(
    ("written", "why"),
    [
        ("0.25 h", "the unit 'h' stands after the number; the unit may be s or ms or minutes or µs"),
        ("250 MS", "the unit 'MS' stands after the number; the unit may be"),
        ("250 Ms", "the unit 'Ms' stands after the number"),
        ("0.25 seconds", "the unit 'seconds' stands after the number"),
        ("0.2 to 0.3", "there is more than one number in it"),
        ("0.2-0.3 s", "there is more than one number in it"),
        ("0.25 s or 0.3 s", "there is more than one number in it"),
        ("about 0.25", "there is more than the number in it"),
        ("~0.25", "there is more than the number in it"),
        ("a quarter", "there is no number in it"),
        ("nan", "it is no finite number"),
        (".NaN", "it is no finite number"),
        ("-.inf", "it is no finite number"),
        ("∞", "it is no finite number"),
        ("1/0", "it divides by zero"),
        ("0^-1", "it divides by zero"),
        ("1" * 90, "it is longer than 80 characters"),
    ],
)
def test_what_is_not_one_number_in_a_known_unit_is_refused_with_the_reason(written: str, why: str) -> None:
    part = number_of(written)
    assert (part.outcome, part.read) == (Outcome.FAILED, "")
    assert f"expected one number in s or ms or minutes or µs: {why}" in part.note
    assert "0.25" not in part.note.replace(written, "")


def test_a_bare_number_stands_alone() -> None:
    part = number_of("61359 rows", COUNT)
    assert part.note == "found '61359 rows', expected one number: the unit 'rows' stands after the number; " + (
        "write the number alone"
    )


@pytest.mark.parametrize(("written", "shown"), [("[0.25]", "a list"), ("{s: 0.25}", "a mapping")])
def test_a_number_is_no_list(written: str, shown: str) -> None:
    assert number_of(written).note == f"found {shown}, expected one number in s or ms or minutes or µs"


def test_a_number_that_was_written_otherwise_is_noted_as_it_was_read() -> None:
    assert (number_of("250 ms").note, number_of("250 ms").read) == ("read as 0.25 s", "0.25")
    assert number_of("1,234").note == "read as 1234 s"
    assert (number_of("0.25").note, number_of("0.25 s").note) == ("", "")


def test_the_edge_of_a_tolerance_is_met_exactly() -> None:
    """0.3 is within 0.1 of 0.2, although the floats 0.2 + 0.1 and 0.3 differ."""
    edge = STEP.model_copy(update={"expected": 0.2, "tolerance": 0.1, "accepted": []})
    assert number_of("0.3", edge).outcome is Outcome.PASSED
    assert number_of("0.30000000000000001", edge).outcome is Outcome.FAILED


def test_two_units_that_differ_in_capitals_alone_count_as_they_are_written() -> None:
    odd = STEP.model_copy(update={"unit": "batches", "units": {"Tokens": 0.5, "tokens": 0.1}, "accepted": []})
    assert number_of("0.5 Tokens", odd).read == "0.25"
    assert number_of("2.5 tokens", odd).read == "0.25"
    assert "the unit 'TOKENS' stands after the number" in number_of("0.5 TOKENS", odd).note


@given(st.integers(-(10**12), 10**12), st.sampled_from(["{:,}", "{:_}", "{}", "{:+}", "{}.0", "  {} "]))
def test_every_integer_reads_back_by_both_readers(number: int, form: str) -> None:
    written = form.format(number).strip()
    assert numerals.integer(written) == number
    assert numerals.quantity(written, {}).value == number


@given(st.floats(-1e30, 1e30), st.sampled_from(["{!r}", "{!r} s", "{!r}s", "{:.3e}", "{:.4f}", "{:,.2f}"]))
def test_every_decimal_reads_back_exactly(number: float, form: str) -> None:
    written = form.format(number)
    sizes = {"s": Fraction(1)}
    assert numerals.quantity(written, sizes).value == Fraction(written.rstrip(" s").replace(",", ""))


@given(st.fractions(-(10**9), 10**9, max_denominator=10**6))
def test_what_was_read_is_spelled_to_fifteen_digits(number: Fraction) -> None:
    again = Fraction(numerals.spelled(number))
    assert abs(again - number) <= abs(number) * Fraction(1, 10**14)
    assert numerals.spelled(again) == numerals.spelled(number)


@settings(max_examples=300)
@given(st.text(st.characters(codec="utf-8"), max_size=90) | st.text("0123456789.,eE+-^*/x_ ()ms⁻⁵×nai", max_size=60))
def test_whatever_is_written_is_read_or_refused_in_one_line(written: str) -> None:
    readers: list[Callable[[str], object]] = [
        numerals.integer,
        lambda text: numerals.quantity(text, STEP.sizes),
        lambda text: choose(text, AXIS.says),
    ]
    for reader in readers:
        told = ""
        try:
            reader(written)
        except numerals.Unread as reason:
            told = str(reason)
        assert "\n" not in told and len(told) < 200


# Choices

AXIS = ChoiceAnswer(
    id="axis",
    kind="choice",
    criterion="axis",
    prompt="Which axis?",
    choices=[
        Choice(id="a", says="The batch."),
        Choice(id="b", says="The tokens\nof a sequence."),
        Choice(id="per_head", says="The heads."),
    ],
    expected="b",
)


def choice_of(written: str) -> AnswerPart:
    """The part of a choice, written like this."""
    (part,), _ = read_answers(f"axis: {written}\n", "", [AXIS])
    return part


@pytest.mark.parametrize(
    "written",
    [
        "b",
        "B",
        '"b"',
        "b.",
        "b)",
        '"(B)"',
        "'`b`'",
        "[b]",
        "\n  - b",
        "The tokens of a sequence.",
        "the TOKENS   of a sequence",
        "b) The tokens of a sequence.",
        '"b: the tokens of a sequence"',
        "b: the tokens of a sequence",
        "|\n  b",
        "\tb",
        "b  # since",
    ],
)
def test_a_choice_is_its_id_or_its_text(written: str) -> None:
    part = choice_of(written)
    assert (part.outcome, part.read) == (Outcome.PASSED, "b")
    assert part.note == "read as b (The tokens of a sequence.)"


@pytest.mark.parametrize(
    ("written", "id"), [("a", "a"), ("A.", "a"), ("the heads", "per_head"), ("PER_HEAD", "per_head")]
)
def test_another_choice_fails(written: str, id: str) -> None:
    part = choice_of(written)
    assert (part.outcome, part.read) == (Outcome.FAILED, id)


@pytest.mark.parametrize(
    ("written", "why"),
    [
        ("a, b", "a and b are 2 of them"),
        ("b and per_head", "b and per_head are 2 of them"),
        ("a/b", "a and b are 2 of them"),
        ("The batch. The heads.", "a and per_head are 2 of them"),
        ("c", "it is none of them"),
        ("The rows", "it is none of them"),
        ("7", "it is none of them"),
        ("b because of the mask", "there is more in it than the choice"),
        ("not b", "there is more in it than the choice"),
    ],
)
def test_what_is_not_one_choice_is_refused_with_the_choices_there_are(written: str, why: str) -> None:
    part = choice_of(written)
    assert (part.outcome, part.read) == (Outcome.FAILED, "")
    assert part.note == f"found '{written}', expected one of a, b, per_head: {why}"


@pytest.mark.parametrize(("written", "shown"), [("[a, b]", "a list"), ("{b: yes}", "a mapping")])
def test_two_choices_in_a_list_are_no_choice(written: str, shown: str) -> None:
    part = choice_of(written)
    assert part.outcome is Outcome.FAILED
    assert part.note.startswith(f"found {shown}, expected one of a, b, per_head")


@pytest.mark.parametrize("written", ["", "~", "null", "''"])
def test_a_number_or_choice_left_empty_is_not_given(written: str) -> None:
    for part in (number_of(written), choice_of(written)):
        assert (part.outcome, part.read, part.note) == (Outcome.FAILED, "", "not given")


@pytest.mark.parametrize("text", ["step: 0.25\nstep: 0.25\n", "axis: b\naxis: b\n"])
def test_a_fact_given_twice_fails_even_if_both_are_right(text: str) -> None:
    parts, _ = read_answers(text, "", [STEP, AXIS])
    assert {part.outcome for part in parts} == {Outcome.FAILED}
    assert sum("given 2 times" in part.note for part in parts) == 1


# Which wrong answers are the same mistake


@pytest.mark.parametrize(
    ("answer", "one", "other", "alike"),
    [
        (DELTA, "0", "0", True),
        (DELTA, "0", "1", False),
        (DELTA, "", "", True),
        (DELTA, "", "0", False),
        (STEP, "1", "1.05", True),
        (STEP, "1", "1.06", False),
        (STEP, "1", "", False),
        (STEP, "1e+400", "1", False),
        (AXIS, "a", "a", True),
        (AXIS, "a", "per_head", False),
    ],
)
def test_readings_are_the_same_mistake_within_the_tolerance(
    answer: IntegerAnswer | NumberAnswer | ChoiceAnswer, one: str, other: str, alike: bool
) -> None:
    assert same(answer, one, other) is alike
    assert same(answer, other, one) is alike


# What a text's part holds for those who mark it


def test_a_text_carries_its_rubric_and_a_fact_carries_none() -> None:
    points = [
        Observable(id="one", says="It says one."),
        Observable(id="two", says="And two.", kind="optional"),
        Observable(id="three", says="No three.", kind="negative"),
    ]
    asked = TextAnswer(
        id="why_it_works", kind="text", level="L1", prompt="Why?", expected="Because.", observables=points
    )
    (why, delta), _ = read_answers("row_delta: 5\n", "", [asked, DELTA])
    assert [(each.id, each.kind, each.says) for each in why.observables] == [
        ("one", "required", "It says one."),
        ("two", "optional", "And two."),
        ("three", "negative", "No three."),
    ]
    assert (why.levels, why.rubric) == (asked.levels.told(), asked.rubric)
    assert (delta.observables, delta.levels, delta.rubric) == ([], [], "")
    (bare,), _ = read_answers("why_it_works: x\n", "", [WHY])
    assert (bare.observables, bare.levels, bare.rubric) == ([], [], "")
