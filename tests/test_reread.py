"""Promises about what comes after the mark: guards see form, the second reader sees odd grades, neither tells early.

All answers here are invented. What the second reader finds on real ones is measured where the SAF archive is: the
variable GRADER_SHARED names a folder with saf-2.0.zip in it, or ../shared/data beside the checkout is one.
"""

from __future__ import annotations

import json
import os
import random
from dataclasses import replace
from pathlib import Path
from typing import Final

import numpy as np
import pytest
from click.testing import CliRunner

from benchmarks import saf
from benchmarks import second_reader as bench
from benchmarks import second_reader_card as card
from grader.cli import main
from grader.errors import CallError, GraderFault
from grader.marks import Marks, work
from grader.marks.judging import judge
from grader.question import Question
from grader.reread import after, second_reading, weights
from grader.reread.guards import guards
from grader.reread.likeness import likeness
from grader.reread.reader import NONE_STANDS_OUT, TOO_FEW, Asked, Graded
from grader.reread.reasons import NOTHING
from grader.reread.signals import SIGNALS, agreeing, left_out
from grader.results import Results
from grader.rubric.levels import Level
from tests import marking

PROMPT: Final = "Why does a kettle switch itself off once the water boils?"
EXPECTED: Final = (
    "Steam from the boiling water reaches a strip made of two metals. The metals expand at different rates, so the "
    "strip bends and opens the switch. The switch does not measure the temperature of the water itself."
)


def spoke(answer: str, prompt: str = PROMPT, expected: str = EXPECTED) -> list[str]:
    """The ids of the guards that speak."""
    return [guard.id for guard in guards(answer, expected, prompt)]


# Guards

SHUFFLED: Final = " ".join(random.Random(3).sample(EXPECTED.replace(".", "").split(), len(EXPECTED.split())))


@pytest.mark.parametrize(
    ("answer", "guard"),
    [
        (EXPECTED, "copied-reference"),
        (EXPECTED.split(". ")[0] + ", I think. " + EXPECTED.split(". ")[1], "copied-reference"),
        (EXPECTED.upper().replace(",", ""), "copied-reference"),
        (PROMPT, "question-echoed"),
        ("A kettle does switch itself off once the water boils.", "question-echoed"),
        (SHUFFLED, "shuffled-words"),
        ("steam, boiling water, strip, two metals, expand, rates, bends, switch", "keyword-list"),
        ("- steam\n- bimetal strip\n- bending\n- open switch\n- power off", "keyword-list"),
        ("steam water strip metals expand rates bends switch temperature", "keyword-list"),
        ("Because of steam.", "too-short"),
        ("?! 42", "too-short"),
    ],
)
def test_each_guard_speaks_of_what_it_is_there_for(answer: str, guard: str) -> None:
    assert guard in spoke(answer)


@pytest.mark.parametrize(
    "answer",
    [
        "Once it boils, steam heats a piece of two metals glued together. One of them grows more than the other when "
        "hot, which makes the piece bow, and that pushes the contact open.",
        "A bimetal strip bends in the hot steam and breaks the circuit, which is why it works at any altitude.",
        "It switches off because the steam goes through a channel to a bimetallic disc, which snaps.",
        "Why does a kettle switch itself off once the water boils? Steam bends metal.",
        "Der Dampf steigt durch einen Kanal auf und erwärmt einen Streifen aus zwei Metallen, der sich krümmt.",
        "Q = m * c * dT = 1.0 * 4186 * 80 = 334880 J, after which steam trips the strip.",
        "水沸腾以后,蒸汽加热双金属片,双金属片弯曲并断开开关,所以水壶会自动断电,这与水温的测量没有关系,只与蒸汽有关。",
        "",
        " \n",
    ],
    ids=[
        "prose",
        "short prose",
        "half the question",
        "most of the question",
        "german",
        "calculation",
        "chinese",
        "empty",
        "blank",
    ],
)
def test_an_honest_answer_raises_no_guard(answer: str) -> None:
    assert spoke(answer) == []


def test_a_guard_says_why_and_where() -> None:
    answer = "Well, you see: steam from the boiling water reaches a strip made of two metals. The metals expand."
    (guard,) = guards(answer, EXPECTED, PROMPT)
    assert answer[guard.start : guard.end].startswith("steam from the boiling")
    assert answer[guard.start : guard.end].endswith("The metals expand")
    assert "83 % of it is word for word the expected answer, at most 15 words in a row." in guard.reason


def test_negation_is_a_note_that_comes_last_and_is_no_alarm() -> None:
    negated = EXPECTED.replace("reaches", "never reaches")
    found = guards(negated, EXPECTED, PROMPT)
    assert [guard.id for guard in found] == ["copied-reference", "negation"]
    assert [guard.alarm for guard in found] == [True, False]
    assert negated[found[1].start : found[1].end].startswith("Steam from the boiling water never")


def test_a_negation_that_the_expected_answer_has_is_missed_when_it_is_left_out() -> None:
    assert spoke("The switch does measure the temperature of the water by itself.") == ["negation"]
    assert spoke("The switch doesn't measure the temperature of the water by itself.") == []


# The second reader

ASKED: Final = Asked(PROMPT, EXPECTED, ("bimetal", "steam"))
GOOD: Final = [
    f"{start} steam heats a strip of two metals that expand at different rates, {end}"
    for start in ("The", "Hot", "When it boils,", "Rising")
    for end in ("so it bends and opens the switch.", "and by bending it opens the switch.", "which opens the contact.")
]
POOR: Final = [
    f"{start} a sensor in the {where} measures that the water has a hundred degrees {end}"
    for start in ("I guess", "Surely", "Probably")
    for where in ("base", "wall")
    for end in ("and then stops.", "and cuts the power.")
]


def graded(odd: int | None = 0) -> list[Graded]:
    """24 answers, the good ones strong and the poor ones weak; the grade of `odd` is the other way round."""
    levels = [Level.STRONG] * len(GOOD) + [Level.WEAK] * len(POOR)
    if odd is not None:
        levels[odd] = Level.WEAK if levels[odd] is Level.STRONG else Level.STRONG
    every = zip([*GOOD, *POOR], levels, strict=True)
    return [Graded(f"heron-{place:02}", text, level) for place, (text, level) in enumerate(every)]


@pytest.mark.parametrize("odd", [0, 5, 11, 12, 17, 23])
def test_the_grade_that_is_unlike_those_of_like_answers_is_named_first(odd: int) -> None:
    assert second_reading(ASKED, graded(odd)).again[0].code == f"heron-{odd:02}"


def test_it_says_why_in_words_that_can_be_checked() -> None:
    look = second_reading(ASKED, graded(4)).again[0]
    assert look.level is Level.WEAK
    assert "Of the five answers closest to this one, five got strong; this one got weak." in look.why
    assert 1 <= len(look.why) <= 3 and len(set(look.why)) == len(look.why)


@pytest.mark.parametrize(("count", "named"), [(8, 1), (10, 1), (11, 2), (20, 2), (24, 3)])
def test_it_names_a_tenth_and_at_least_one(count: int, named: int) -> None:
    every = graded()
    some = [*every[: count // 2], *every[len(every) - (count - count // 2) :]]
    reading = second_reading(ASKED, some)
    assert (len(reading.again), reading.read, reading.nothing) == (named, count, "")


def test_one_that_only_fills_the_tenth_is_said_to_be_so() -> None:
    again = second_reading(ASKED, graded(4)).again
    assert NOTHING not in again[0].why
    assert again[-1].why == (NOTHING,)


def test_below_eight_it_has_nothing_to_say() -> None:
    reading = second_reading(ASKED, graded()[8:15])
    assert (reading.again, reading.nothing) == ((), TOO_FEW)


def test_where_all_got_the_same_no_grade_stands_out() -> None:
    same = [Graded(each.code, each.text, Level.SOLID) for each in graded()]
    assert second_reading(ASKED, same).nothing == NONE_STANDS_OUT


def test_the_order_in_which_answers_were_marked_changes_nothing() -> None:
    every = graded(7)
    assert second_reading(ASKED, random.Random(1).sample(every, len(every))) == second_reading(ASKED, every)


def test_answers_without_a_word_in_common_and_equal_ones_are_no_trouble() -> None:
    odd = [*(f"word{place}" for place in range(6)), "...", "?", "same same", "same same", "same same"]
    some = [Graded(f"{place:02}", text, list(Level)[place % 4]) for place, text in enumerate(odd)]
    assert len(second_reading(ASKED, some).again) == 2
    assert len(second_reading(Asked("", ""), some).again) == 2


def test_an_expected_level_does_not_see_the_grade_that_it_is_expected_for() -> None:
    alike = likeness([*GOOD, *POOR])
    levels = np.array([each.level.rank for each in graded(None)], dtype=float)
    before = left_out(alike, levels, 0.5)
    for place in (0, 13):
        changed = levels.copy()
        changed[place] = 0
        others = np.delete(np.arange(len(levels)), place)
        assert left_out(alike, changed, 0.5)[place] == pytest.approx(before[place])
        assert np.any(left_out(alike, changed, 0.5)[others] != pytest.approx(before[others]))


def test_agreeing_is_the_weight_of_the_closest_with_the_same_level() -> None:
    alike = likeness(["a kettle boils"] * 3 + ["steam bends metal"] * 3)
    assert agreeing(alike, np.array([3, 3, 3, 1, 1, 0])) == pytest.approx([1, 1, 1, 0.5, 0.5, 0], abs=1e-6)


def test_likeness_is_a_cosine() -> None:
    alike = likeness(["the water boils", "the water boils", "boiling water", "unrelated stuff", ""])
    assert alike == pytest.approx(alike.T)
    assert alike[0, 1] == pytest.approx(1) and 0.1 < alike[0, 2] < 1 and alike[0, 3] < 0.05
    assert alike[4].tolist() == [0] * 5


def test_the_shipped_weights_say_where_they_are_from() -> None:
    found = weights.shipped()
    assert tuple(found.of) == SIGNALS
    assert found.provenance["licence"] == "MIT" and found.provenance["questions"] == 31
    assert weights.FILE.read_text("utf-8") == found.text()


def test_weights_for_other_signals_are_refused(tmp_path: Path) -> None:
    other = tmp_path / "weights.json"
    other.write_text(weights.FILE.read_text("utf-8").replace('"near"', '"far"'), "utf-8")
    with pytest.raises(GraderFault, match="another second reader"):
        weights.Weights.read(other)
    other.write_text("{", "utf-8")
    with pytest.raises(GraderFault, match="can't be read"):
        weights.Weights.read(other)


# For one person's marks

COPIED: Final = "Each pair of neighbours is the sine and the cosine of one angle, so it turns as one."
RIGHT: Final = "In every pair of columns there is one angle, and an offset turns pair {} by the same amount."
WRONG: Final = "Halves would be {} for the model, it could not learn anything from them at all."


@pytest.fixture
def folder(tmp_path: Path) -> tuple[Question, Results]:
    """13 people: six with a right answer, six with a wrong one, and one who copied the expected answer."""
    question = marking.question(marking.bank(tmp_path))
    texts = [*(RIGHT.format(n) for n in range(6)), *(WRONG.format(n) for n in range(6)), COPIED]
    people = {f"person-{place:02}": {"why_interleave": text} for place, text in enumerate(texts)}
    return question, marking.make(question, tmp_path / "results", people)


def mark(question: Question, results: Results, by: str, wanted: int) -> list[str]:
    """Mark so many answers as they deserve, all but the first; the code names, in the order of people's names."""
    by_name = {candidate.code: candidate.name for candidate in results.candidates}
    every = sorted(work.find(results, question.spec).items, key=lambda item: by_name[item.code])
    right = ["one-angle", "rotation"]
    ticks = [["only-way"], *[right] * 5, *[["only-way"]] * 6, right]
    marks = Marks.open(results)
    marks.add(*(judge(item, by, ticked=ticked) for item, ticked in list(zip(every, ticks, strict=True))[:wanted]))
    return [item.code for item in every]


def call(folder: tuple[Question, Results], *more: str) -> tuple[int, str]:
    """The exit status and the output of `grader reread`."""
    question, results = folder
    shown = CliRunner().invoke(main, ["reread", str(results.folder), "--questions", str(question.folder.parent), *more])
    return shown.exit_code, shown.output


def test_the_command_names_a_grade_and_the_guards_that_spoke(folder: tuple[Question, Results]) -> None:
    codes = mark(*folder, "ann", 13)
    status, shown = call(folder, "--as", "ann")
    assert status == 0, shown
    again, odd = shown.split("Odd about the form")
    assert "13 marked by you" in again and codes[0] in again
    assert f"{codes[12]}: 100 % of it is word for word the expected answer" in odd
    assert not any(code in odd for code in codes[:12])


def test_nothing_is_shown_to_somebody_who_has_not_marked(folder: tuple[Question, Results]) -> None:
    codes = mark(*folder, "ann", 13)
    status, shown = call(folder, "--as", "bob")
    assert status == 2 and "nothing is shown before your own marks are in" in shown
    assert not any(code in shown for code in codes)


def test_nothing_is_shown_of_an_answer_that_one_has_not_marked_oneself(folder: tuple[Question, Results]) -> None:
    codes = mark(*folder, "ann", 13)
    mark(*folder, "bob", 12)  # all but the copied one
    status, shown = call(folder, "--as", "bob")
    assert status == 0 and "12 marked by you" in shown
    assert codes[12] not in shown and "copied" not in shown
    status, shown = call(folder, "--as", "bob", "--candidate", codes[12])
    assert status == 2 and "before your own mark on it is in" in shown and "copied" not in shown
    assert "before your own mark on it is in" in call(folder, "--as", "bob", "--answer", "what_base_controls")[1]
    assert "Did you mean why_interleave?" in call(folder, "--as", "bob", "--answer", "why_interleaf")[1]
    assert "copied" in call(folder, "--as", "ann", "--candidate", codes[12])[1]


def test_what_one_person_is_shown_does_not_depend_on_what_others_gave(folder: tuple[Question, Results]) -> None:
    mark(*folder, "ann", 12)
    before = call(folder, "--as", "ann")
    mark(*folder, "bob", 13)
    assert call(folder, "--as", "ann") == before


def test_below_eight_marks_guards_speak_and_the_second_reader_says_why_it_does_not(
    folder: tuple[Question, Results],
) -> None:
    mark(*folder, "ann", 7)
    status, shown = call(folder, "--as", "ann")
    assert status == 0 and "7 marked by you; too few marked answers" in shown and "Look again" not in shown


def test_json_holds_the_same(folder: tuple[Question, Results]) -> None:
    codes = mark(*folder, "ann", 13)
    (fields,) = json.loads(call(folder, "--as", "ann", "--json")[1])
    assert (fields["marked"], fields["graded"], fields["nothing"]) == (13, 13, "")
    notes = {(note["kind"], note["code"]) for note in fields["notes"]}
    assert ("guard", codes[12]) in notes and ("look-again", codes[0]) in notes


def test_after_speaks_of_the_actors_marks_that_still_hold(folder: tuple[Question, Results]) -> None:
    question, results = folder
    codes = mark(question, results, "ann", 13)
    marks = Marks.open(results)
    given = {item.code: item.given for item in work.find(results, question.spec).items}
    pairs = [(mark, given[mark.code]) for mark in marks.all]
    notes = after(question, "why_interleave", pairs, "ann")
    assert {note.kind for note in notes} == {"look-again", "guard"}
    assert [note.kind for note in notes] == sorted((note.kind for note in notes), key=["look-again", "guard"].index)
    assert after(question, "why_interleave", pairs, "bob") == []
    changed = [(mark, text + " Or so.") for mark, text in pairs]
    assert after(question, "why_interleave", changed, "ann") == []
    assert after(question, "what_base_controls", pairs, "ann") == []
    few = [(mark, text) for mark, text in pairs if mark.code != codes[12]][:7]
    assert after(question, "why_interleave", few, "ann") == []
    with pytest.raises(CallError, match="no such text"):
        after(question, "why_interleaf", pairs, "ann")


def test_an_answer_that_could_not_be_assessed_has_no_grade_to_look_at(folder: tuple[Question, Results]) -> None:
    question, results = folder
    mark(question, results, "ann", 8)
    marks = Marks.open(results)
    first = next(item for item in work.find(results, question.spec).items if marks.own("ann", *item.key))
    marks.add(judge(first, "ann", cannot_assess=True, reason="I know nothing of it"))
    assert "8 marked by you; too few marked answers" in call(folder, "--as", "ann")[1]


# On real answers


def archive() -> Path | None:
    """Where the SAF archive is, if it is here."""
    beside = Path(__file__).resolve().parents[1].parent / "shared" / "data"
    named = os.environ.get("GRADER_SHARED")
    folders = [Path(named), Path(named) / "data"] if named else [beside]
    return next((each / "saf-2.0.zip" for each in folders if (each / "saf-2.0.zip").is_file()), None)


@pytest.fixture(scope="module")
def questions() -> list[saf.Question]:
    """The questions of the archive, or a skip."""
    found = archive()
    if found is None:
        pytest.skip("saf-2.0.zip is not here; set GRADER_SHARED to the folder that holds it")
    return saf.read(found)


def test_it_finds_a_third_of_wrong_grades_with_weights_of_other_questions(questions: list[saf.Question]) -> None:
    others, _ = bench.left_out_weights(questions, [2000])
    trials = [bench.trials(each, place, bench.WAYS[bench.MAIN], [0, 1]) for place, each in enumerate(questions)]
    counts = [bench.found(some, bench.by_weights(of)) for some, of in zip(trials, others, strict=True)]
    rarity = [bench.found(some, bench.by_rarity) for some in trials]
    share = bench.rate(counts, "hits", "wrong")
    assert share.low > 0.33, share
    assert share.value > bench.rate(rarity, "hits", "wrong").high
    assert bench.rate(counts, "hits", "named").low > 3 * bench.rate(counts, "wrong", "grades").value


def test_eight_graded_answers_are_enough(questions: list[saf.Question]) -> None:
    some = [bench.trials(each, at, bench.WAYS[bench.MAIN], [0, 1], 8) for at, each in enumerate(questions)]
    counts = [bench.found(trials, bench.by_weights(weights.shipped())) for trials in some]
    assert bench.rate(counts, "hits", "wrong").low > 0.33


def test_guards_speak_of_few_answers_that_were_graded_correct(questions: list[saf.Question]) -> None:
    some = [replace(each, answers=each.answers[::3]) for each in questions]
    counts = bench.firing(some)[True]
    assert 0 < counts["any"] / counts["answers"] <= 0.06


def test_guards_speak_of_what_was_made_for_them(questions: list[saf.Question]) -> None:
    assert min(bench.caught(questions).values()) > 0.9


def test_nothing_of_the_data_is_in_what_is_shipped(questions: list[saf.Question]) -> None:
    shipped = weights.FILE.read_text("utf-8") + bench.CARD.read_text("utf-8")
    for question in questions:
        assert not any(len(answer.text) > 20 and answer.text[:40] in shipped for answer in question.answers)
        assert question.prompt[:40] not in shipped and question.expected[:40] not in shipped


def test_the_card_is_what_the_command_writes() -> None:
    assert bench.CARD.read_text("utf-8").startswith(card.OPENING.split("{")[0])
    shown = [f"| `{name}` | {weights.shipped().of[name].weight:+.2f} |" for name in SIGNALS]
    assert all(row in bench.CARD.read_text("utf-8") for row in shown)


def test_another_archive_is_refused_in_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(CallError, match="not the SAF archive"):
        saf.read(tmp_path / "none.zip")
    (tmp_path / "text.zip").write_text("no archive", "utf-8")
    with pytest.raises(CallError, match="not the SAF archive"):
        saf.read(tmp_path / "text.zip")
