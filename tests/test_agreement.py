"""Promises about agreement and item analysis: published numbers, no number from too little, wrong tests named."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import pytest
from click.testing import CliRunner

from grader.agreement import Agreement, Judgement, TooFew, agreement, alpha, in_words, items, of_results, pairs
from grader.agreement.alpha import Metric, Unit, interval, nominal, ordinal
from grader.agreement.items import Item, Sat, analyse
from grader.cli import main
from grader.marks import Marks, work
from grader.marks.judging import judge
from grader.outcome import Outcome, Verdict
from grader.question import Question
from grader.report import CriterionPart, DiagnosisPart, Report
from grader.results import Results
from grader.rubric.levels import Level
from tests import marking


def units(*observers: Sequence[int]) -> list[Unit]:
    """Units from what each observer gave; 0 is a gap."""
    return [[value - 1 if value else None for value in unit] for unit in zip(*observers, strict=True)]


# Krippendorff, "Computing Krippendorff's Alpha-Reliability" (2011), part C: four observers and twelve units.
FOUR: Final = units(
    (1, 2, 3, 3, 2, 1, 4, 1, 2, 0, 0, 0),
    (1, 2, 3, 3, 2, 2, 4, 1, 2, 5, 0, 3),
    (0, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, 0),
    (1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, 0),
)
# The example of three coders and fifteen units, some of which only one of them valued.
THREE: Final = units(
    (0, 0, 0, 0, 0, 3, 4, 1, 2, 1, 1, 3, 3, 0, 3),
    (1, 0, 2, 1, 3, 3, 4, 3, 0, 0, 0, 0, 0, 0, 0),
    (0, 0, 2, 1, 3, 4, 4, 0, 2, 1, 1, 3, 3, 0, 4),
)


@pytest.mark.parametrize(
    ("observed", "values", "metric", "published"),
    [
        (FOUR, 5, nominal, 0.743),
        (FOUR, 5, ordinal, 0.815),
        (FOUR, 5, interval, 0.849),
        (THREE, 4, nominal, 0.691),
        (THREE, 4, ordinal, 0.807),
        (THREE, 4, interval, 0.811),
    ],
)
def test_alpha_is_the_published_one(observed: list[Unit], values: int, metric: Metric, published: float) -> None:
    assert alpha.alpha(observed, values, metric) == pytest.approx(published, abs=5e-4)


def test_alpha_is_one_where_all_agree_and_below_zero_where_they_contradict_each_other() -> None:
    assert alpha.alpha([[0, 0], [1, 1], [3, 3]], 4) == pytest.approx(1)
    contrary = alpha.alpha([[0, 3], [3, 0], [0, 3]], 4)
    assert contrary is not None and contrary < 0


def test_alpha_is_not_a_number_where_nothing_varies_or_nothing_can_be_paired() -> None:
    assert alpha.alpha([[2, 2]] * 30, 4) is None
    assert alpha.alpha([[0, None], [None, 3]], 4) is None
    assert alpha.alpha([], 4) is None


def test_a_unit_that_one_person_valued_changes_nothing() -> None:
    assert alpha.alpha([*FOUR, [None, 4, None, None]], 5) == pytest.approx(alpha.alpha(FOUR, 5))


# Agreement on levels

LEVELS: Final = list(Level)


def judged(count: int, shift: int = 0, people: Sequence[str] = ("ann", "bob")) -> list[Judgement]:
    """So many answers, marked by each person; the last person gives every third one `shift` levels more, or less."""
    every = []
    for place in range(count):
        for by in people:
            rank = place % 4
            if by == people[-1] and place % 3 == 0:
                rank = min(rank + shift, 3) if rank < 2 else rank - shift
            every.append(Judgement(f"answer-{place:03}", by, LEVELS[rank]))
    return every


def test_nineteen_pairs_are_too_few_to_say_and_hold_no_number_but_their_count() -> None:
    found = agreement(judged(19))
    assert found == TooFew(19) and in_words(found) == "too few to say"
    assert not hasattr(found, "alpha") and not hasattr(found, "exact")


def test_twenty_pairs_are_enough() -> None:
    found = agreement(judged(20))
    assert isinstance(found, Agreement)
    assert found.alpha == pytest.approx(1)
    assert (found.pairs, found.exact) == (20, 1)
    assert found.alpha_interval == pytest.approx((1, 1))


def test_answers_that_one_person_marked_make_no_pair() -> None:
    assert agreement([each for each in judged(40) if each.by == "ann"]) == TooFew(0)


def test_three_people_make_three_pairs_of_each_answer() -> None:
    found = agreement(judged(7, people=("ann", "bob", "cleo")))
    assert isinstance(found, Agreement) and (found.pairs, found.answers) == (21, 7)


def test_the_interval_holds_the_value_is_wider_with_fewer_answers_and_always_the_same() -> None:
    few, many = agreement(judged(24, 1)), agreement(judged(240, 1))
    assert isinstance(few, Agreement) and isinstance(many, Agreement)
    assert few.alpha and few.alpha_interval and many.alpha_interval
    assert few.alpha_interval[0] < few.alpha < few.alpha_interval[1] < 1
    width = [each[1] - each[0] for each in (few.alpha_interval, many.alpha_interval)]
    assert width[0] > 2 * width[1]
    assert few.exact == 16 / 24
    assert few.exact_interval[0] < few.exact < few.exact_interval[1]
    assert agreement(reversed(judged(24, 1))) == few


def test_all_on_one_level_is_said_and_is_no_alpha() -> None:
    same = [Judgement(f"{place}", by, Level.SOLID) for place in range(30) for by in ("ann", "bob")]
    found = agreement(same)
    assert isinstance(found, Agreement) and found.alpha is None and found.alpha_interval is None
    assert (
        in_words(found)
        == "alpha is not defined, since everybody gave the same level; the same level in 100 % of 30 pairs"
    )


def test_confusion_shows_who_is_stricter_and_keeps_quiet_about_few() -> None:
    strict = [Judgement(f"{place}", "ann", Level.WEAK) for place in range(20)]
    kind = [Judgement(f"{place}", "bob", Level.STRONG) for place in range(20)]
    late = [Judgement("0", "cleo", Level.WEAK)]
    between = {(each.one, each.other): each for each in pairs.confusions([*late, *kind, *strict])}
    assert set(between) == {("ann", "bob"), ("ann", "cleo"), ("bob", "cleo")}
    both = between["ann", "bob"].levels
    assert not isinstance(both, TooFew)
    assert both[Level.WEAK.rank][Level.STRONG.rank] == 20 and sum(map(sum, both)) == 20
    assert between["bob", "cleo"].levels == TooFew(1)


# Items

POINTS: Final = {"easy": 10.0, "fair": 10.0, "hard": 10.0, "odd": 10.0}


def cohort(count: int, odd: Sequence[bool] | None = None) -> list[Sat]:
    """Submissions, the weakest first; `odd` says who passes that criterion, by default the upper half."""
    every = []
    for place in range(count):
        skill = place / count
        passes = odd[place] if odd else skill >= 0.5
        every.append(Sat({"easy": skill >= 0.2, "fair": skill >= 0.5, "hard": skill >= 0.8, "odd": passes}))
    return every


def item(every: Sequence[Sat], id: str) -> Item:
    """One criterion over some submissions."""
    return next(each for each in analyse(every, POINTS).items if each.id == id)


def test_difficulty_is_the_share_that_passed() -> None:
    every = analyse(cohort(40), POINTS).items
    assert [each.difficulty for each in every] == pytest.approx([0.8, 0.5, 0.2, 0.5])
    assert all(each.measured == 40 for each in every)


def test_item_rest_leaves_the_criterion_itself_out() -> None:
    # Two criteria that have nothing to do with each other: with itself in the total each would seem to tell something.
    every = [Sat({"a": bool(place & 1), "b": bool(place & 2)}) for place in range(40)]
    found = analyse(every, {"a": 10, "b": 10}).items
    assert [each.item_rest for each in found] == pytest.approx([0, 0], abs=1e-12)


def test_item_rest_is_none_where_everybody_passed() -> None:
    assert item([Sat({"easy": True, "fair": bool(place & 1)}) for place in range(40)], "easy").item_rest is None


def test_what_was_not_reached_counts_neither_for_nor_against() -> None:
    every = [*cohort(30), *(Sat({"fair": False}) for _ in range(10))]
    easy = item(every, "easy")
    assert easy.measured == 30
    assert easy.difficulty == pytest.approx(0.8)


def test_nothing_is_flagged_below_thirty_submissions() -> None:
    wrong = [place < 24 for place in range(29)]
    assert all(each.flags is None for each in analyse(cohort(29, wrong), POINTS).items)


def test_a_check_that_strong_candidates_fail_raises_the_alarm() -> None:
    flags = item(cohort(32, [place < 24 for place in range(32)]), "odd").flags
    assert flags is not None
    assert any(flag.startswith("suspect the test: 8 of the ") for flag in flags), flags
    assert "those who pass it do worse in the rest" in flags


def test_a_check_that_half_of_the_strong_fail_raises_the_alarm_though_the_others_fail_it_too() -> None:
    flags = item(cohort(40, [place >= 35 for place in range(40)]), "odd").flags
    assert flags == ("suspect the test: 15 of the 20 who do best in the rest fail it",)


def test_a_sound_check_raises_no_alarm() -> None:
    assert item(cohort(40), "odd").flags == () and item(cohort(40), "easy").flags == ()


def test_one_slip_of_one_strong_candidate_is_no_alarm() -> None:
    assert items.suspect([(place / 40, place != 39) for place in range(40)]) == ""
    assert items.suspect([(place / 40, place < 38) for place in range(40)]) != ""


def test_a_crowd_that_is_tied_at_the_top_is_no_top() -> None:
    assert items.suspect([(1.0, bool(place & 1)) for place in range(40)]) == ""


def test_what_everybody_or_nobody_passes_is_flagged() -> None:
    every = [Sat({**each.passed, "easy": True, "hard": False}) for each in cohort(40)]
    assert item(every, "easy").flags == ("nearly everybody passes it",)
    hard = item(every, "hard").flags
    assert hard is not None and hard[0] == "hardly anybody passes it"


def test_misconceptions_are_counted_once_a_submission_and_the_ones_that_nobody_met_are_there() -> None:
    every = [Sat({}, ("swapped", "swapped")), Sat({}, ("swapped", "off-by-one")), Sat({})]
    found = analyse(every, POINTS, ["off-by-one", "swapped", "never"]).misconceptions
    assert list(found.items()) == [("swapped", 2), ("off-by-one", 1), ("never", 0)]


# Of a results folder


@pytest.fixture
def marked(tmp_path: Path) -> tuple[Question, Results]:
    """24 people's answers, each marked by ann and then by bob, who ticks one point less in every fourth."""
    question, results = marking.folder(tmp_path, *(f"person-{place}" for place in range(24)))
    marks = Marks.open(results)
    every = [each for each in work.find(results, question.spec).items if each.answer.id == "why_interleave"]
    marks.add(*(judge(each, "ann", ticked=["one-angle", "rotation"]) for each in every))
    marks.add(
        *(
            judge(each, "bob", ticked=["one-angle"] if place % 4 == 0 else ["one-angle", "rotation"])
            for place, each in enumerate(every)
        )
    )
    return question, results


def test_agreement_is_of_the_current_marks_of_a_folder(marked: tuple[Question, Results]) -> None:
    question, results = marked
    found = of_results(results, Marks.open(results), question.spec)
    texts = found.texts["why_interleave"]
    assert isinstance(texts, Agreement)
    assert (texts.pairs, texts.exact) == (24, 0.75)
    assert texts.levels[Level.WEAK.rank][Level.SOLID.rank] == 6
    assert found.texts["what_base_controls"] == TooFew(0)
    assert found.not_counted == 0


def test_a_mark_that_was_changed_with_the_others_in_view_counts_as_it_was_before(
    marked: tuple[Question, Results],
) -> None:
    question, results = marked
    marks = Marks.open(results)
    for each in work.find(results, question.spec).items:
        if (own := marks.own("bob", *each.key)) and own.ticked == ("one-angle",):
            marks.add(judge(each, "bob", ticked=["one-angle", "rotation"], reason="we talked"))
    found = of_results(results, Marks.open(results), question.spec).texts["why_interleave"]
    assert isinstance(found, Agreement) and found.exact == 0.75


def test_marks_that_assess_nothing_or_were_never_blind_are_counted_as_left_out(
    marked: tuple[Question, Results],
) -> None:
    question, results = marked
    marks = Marks.open(results)
    items = [each for each in work.find(results, question.spec).items if each.answer.id == "what_base_controls"]
    marks.add(*(judge(each, "cleo", cannot_assess=True) for each in items))
    assert of_results(results, Marks.open(results), question.spec).not_counted == 24


def test_the_command_says_it_in_words_and_in_json(marked: tuple[Question, Results]) -> None:
    question, results = marked
    call = ["agreement", str(results.folder), "--questions", str(question.folder.parent)]
    shown = CliRunner().invoke(main, call)
    assert shown.exit_code == 0, shown.output
    assert "the same level in 75 % of 24 pairs" in shown.output
    assert "what_base_controls  too few to say" in shown.output
    fields = json.loads(CliRunner().invoke(main, [*call, "--json"]).output)
    assert fields["texts"]["what_base_controls"] == {"pairs": 0, "state": "too few to say"}
    assert fields["texts"]["why_interleave"]["exact"] == 0.75


def test_a_folder_that_holds_no_results_is_one_sentence(tmp_path: Path) -> None:
    shown = CliRunner().invoke(main, ["agreement", str(tmp_path)])
    assert shown.exit_code == 2 and "this is no results folder" in shown.output


def test_a_report_says_what_was_measured_and_a_refused_one_says_nothing() -> None:
    report = graded(verdict=Verdict.FAILED)
    found = items.sat(report)
    assert found == Sat({"a": True, "b": False}, ("swapped",))
    assert items.sat(report.model_copy(update={"verdict": Verdict.REFUSED})) is None


def graded(**changes: Any) -> Report:
    """A report in which one criterion passed, one timed out, and two were not measured."""
    outcomes = {
        "a": Outcome.PASSED,
        "b": Outcome.TIMED_OUT,
        "c": Outcome.NOT_REACHED,
        "d": Outcome.GRADER_FAULT,
    }
    parts = [
        CriterionPart(id=id, title=id, points=1, earned=0, required=False, outcome=outcome)
        for id, outcome in outcomes.items()
    ]
    mistake = DiagnosisPart(id="swapped", title="Swapped", why="Because.", criteria=["b"])
    fields = {
        "question": {"id": "q", "version": 1, "title": "Q", "digest": "0"},
        "submission": {"name": "s", "digest": "0", "files": [], "notes": []},
        "score": {"earned": 1, "possible": 4},
        "answers": [],
        "integrity": [],
        "isolation": {"tier": "sealed", "probes": {}},
        "seed": 1,
        "environment": {},
        "timing": {},
        "criteria": parts,
        "diagnosis": [mistake],
        **changes,
    }
    return Report.model_validate(fields)
