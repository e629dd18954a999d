"""What a candidate sees gives no fact away, no rubric is told to them, and every text has one."""

from __future__ import annotations

import io
from pathlib import Path
from typing import cast

import pytest

from grader import diagnose
from grader.bank import Bank
from grader.examine.brief import Examination
from grader.examine.examiner import Examiner
from grader.outcome import Outcome, Verdict
from grader.question import Question
from grader.render.feedback import feedback as told
from grader.render.html import page
from grader.render.terminal import summary
from grader.report import AnswerPart, Isolation, QuestionPart, Report, Score, SubmissionPart
from grader.rubric.facts import read_answers
from grader.rubric.spec import AcceptedInteger, Answer, Choice, ChoiceAnswer, IntegerAnswer, NumberAnswer, TextAnswer
from grader.scaffold import make
from grader.scoring import criteria
from grader.validate import claims, feedback, packet
from grader.validate.giveaways import given_away, unoffered

ID = "row-softmax"

COUNT = IntegerAnswer(
    id="delta",
    kind="integer",
    criterion="c",
    prompt="How many?",
    expected=-786432,
    accepted=[AcceptedInteger(value=1572864, note="Both.")],
)
FEW = IntegerAnswer(id="few", kind="integer", criterion="c", prompt="How many?", expected=5)
TIME = NumberAnswer(
    id="step",
    kind="number",
    criterion="c",
    prompt="How long?",
    expected=0.7125,
    tolerance=0.002,
    unit="s",
    units={"ms": 0.001},
)
AXIS = ChoiceAnswer(
    id="axis",
    kind="choice",
    criterion="c",
    prompt="Which axis?",
    choices=[Choice(id="a", says="The batch axis."), Choice(id="rows", says="The axis of the tokens.")],
    expected="rows",
)


# In any text


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("It drops by 786432 numbers.", COUNT),
        ("It drops by 786,432.", COUNT),
        ("It drops by 786 432", COUNT),
        ("SIZE = 786_432", COUNT),
        ("SIZE=7.86432e5", COUNT),
        ("or 1572864 of them", COUNT),
        ("a step of 0.7125", TIME),
        ("a step of .7131 or 0.7131", TIME),
        ("a step of 712 ms", TIME),
        ("after 110 steps", FEW.model_copy(update={"expected": 110})),
        ("few: 5", FEW),
        ("- `few`: 5", FEW),
        ('{"few": 5}', FEW),
        ("few = 5  # really", FEW),
        ("axis: rows", AXIS),
        ("- `axis`: ROWS.", AXIS),
        ("It should be the axis\n  of the tokens, of course.", AXIS),
        ("The right one is `rows`.", AXIS),
    ],
)
def test_a_text_that_gives_a_fact_away_is_named(text: str, answer: Answer) -> None:
    (found,) = given_away(text, [answer])
    assert found.startswith(f"the answer {answer.id}: “")


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("5 of 5 points, and 5 more", FEW),
        ("100 of 100 points", FEW.model_copy(update={"expected": 100})),
        ("`few`: how many of the 5 are there?", FEW),
        ("few: 6", FEW),
        ("It has 1024 rows of 768, 786431 in all, and 7864320 bytes, 1.786432 and a786432", COUNT),
        ("digest 786432ab and v786432", COUNT),
        ("a step of 0.7 or 0.71 s, or 0.72", TIME),
        ("axis: a", AXIS),
        ("a: The batch axis. rows: The axis of the tokens.", AXIS),
        ("Choose: the batch axis, or the axis of the tokens.", AXIS),
        ("Some rows of the table, and browsers.", AXIS),
    ],
)
def test_a_text_that_gives_nothing_away_is_not_named(text: str, answer: Answer) -> None:
    assert list(given_away(text, [answer])) == []


def test_choices_that_a_candidate_would_have_to_guess_are_named() -> None:
    offered = "- `a`: the batch axis\n- `rows`: the axis of\n  the tokens\n"
    assert list(unoffered(offered, [AXIS])) == []
    assert list(unoffered(offered.replace("- `rows`: ", "- "), [AXIS])) == [
        "nothing offers the choice 'rows' of the answer axis, by its id and its text"
    ]
    assert len(list(unoffered("Which axis?", [AXIS]))) == 2


# In a packet, and in feedback


@pytest.fixture
def question(tmp_path: Path) -> Question:
    """The template of a question, with a choice added and offered."""
    make(ID, tmp_path / "questions")
    spec = tmp_path / "questions" / ID / "question.yaml"
    choice = """\
  - id: which_axis
    kind: choice
    criterion: largest-score
    prompt: Which axis sums to one?
    choices:
      - {id: first, says: The axis of the batch.}
      - {id: last, says: The axis of the scores.}
    expected: last
"""
    text = spec.read_text("utf-8")
    spec.write_text(text.replace("  - id: why_subtract\n", choice + "  - id: why_subtract\n"), "utf-8")
    with (spec.parent / "prompt.md").open("a") as stream:
        stream.write("\n- `which_axis`: `first`, the axis of the batch, or `last`, the axis of the scores?\n")
    return load(tmp_path)


def load(folder: Path) -> Question:
    return Bank((folder / "questions",)).get(ID)


def edited(question: Question, name: str, old: str, new: str) -> Question:
    """The question after a text of one of its files was replaced."""
    path = question.folder / name
    text = path.read_text("utf-8")
    assert text.count(old) == 1, old
    path.write_text(text.replace(old, new), "utf-8")
    return load(question.folder.parent.parent)


def problems(question: Question, claim: str) -> list[str]:
    """What speaks against a claim that needs no run."""
    findings = [*packet.findings(question), *claims.files(question)]
    return next(finding.problems for finding in findings if finding.claim == claim)


def test_an_honest_packet_gives_nothing_away_and_offers_every_choice(question: Question) -> None:
    assert problems(question, "Nothing hidden is in the packet") == []
    assert problems(question, "Every choice is offered") == []


@pytest.mark.parametrize(
    ("old", "new", "claim", "told"),
    [
        (
            "Scores may be large: `1000` is fine.",
            "Scores may be large, up to 709.8.",
            "Nothing hidden is in the packet",
            "prompt.md gives away the answer largest_score: “709.8”",
        ),
        (
            "`first`, the axis of the batch, or `last`, the axis of the scores?",
            "which_axis: last",
            "Nothing hidden is in the packet",
            "prompt.md gives away the answer which_axis: “which_axis: last”",
        ),
        (
            "`first`, the axis of the batch, or ",
            "",
            "Nothing hidden is in the packet",
            "prompt.md gives away the answer which_axis: “last (The axis of the scores.)”",
        ),
        (
            "`first`, the axis of the batch, or ",
            "",
            "Every choice is offered",
            "nothing offers the choice 'first' of the answer which_axis, by its id and its text",
        ),
        (
            "What the function returns. Not judged",
            "Says that numerator and denominator are both multiplied by one factor. Not judged",
            "Nothing hidden is in the packet",
            "prompt.md gives away the observable same-factor of the answer why_subtract",
        ),
    ],
)
def test_a_packet_that_gives_an_answer_away_is_named(
    question: Question, old: str, new: str, claim: str, told: str
) -> None:
    found = problems(edited(question, "prompt.md", old, new), claim)
    assert any(problem.startswith(told) for problem in found), found


def report_of(question: Question, sheet: str) -> Report:
    """The report on answers alone: no code was run."""
    answers, _ = read_answers(sheet, "", question.spec.answers)
    nothing = Examination(
        checks=[],
        unloaded="it was not sent",
        printed="",
        printed_bytes=0,
        cpu_seconds=0.0,
        peak_kib=0,
        workers=1,
    )
    parts = criteria(question.spec, nothing, answers)
    return Report(
        question=QuestionPart(id=ID, version=1, title=question.spec.title, digest=""),
        submission=SubmissionPart(name="x", digest="", files=[], notes=[]),
        verdict=Verdict.FAILED,
        score=Score(earned=0, possible=100),
        criteria=parts,
        diagnosis=[],
        answers=answers,
        integrity=[],
        isolation=Isolation(tier="sealed", probes={}),
        seed=1,
        environment={},
        timing={},
    )


SHEET = "largest_score: 88.7\nwhich_axis: first\nwhy_subtract: It cancels.\n"


def test_honest_feedback_gives_nothing_away(question: Question) -> None:
    assert feedback.leaks(question, report_of(question, SHEET)) == []
    assert feedback.leaks(question, report_of(question, "")) == []


@pytest.mark.parametrize(
    ("sentence", "told"),
    [
        ("It is 709.78.", "the feedback gives away the answer largest_score: “709.78”"),
        ("It is `last`.", "the feedback gives away the answer which_axis: “last (The axis of the scores.)”"),
        ("The axis of the scores", "the feedback gives away the answer which_axis: “last (The axis of the scores.)”"),
        (
            "Says that this factor cancels, so that the result stays as it is.",
            "the feedback holds the observable factor-cancels of why_subtract",
        ),
        (
            "Asked were every required point, at least 1 optional point and no negative point (strong).",
            None,
        ),
        ("strong: every required point, at least 1 optional point and no negative point", "a level of why_subtract"),
        (
            "It multiplies numerator and denominator by the same factor, which cancels.",
            "the feedback holds the expected answer of why_subtract",
        ),
    ],
)
def test_feedback_that_gives_an_answer_away_is_named(question: Question, sentence: str, told: str | None) -> None:
    """An author may write what they like into `tell`; what is hidden is still hidden there."""
    old = "The answer should be the score beyond which its exponential overflows in float64."
    changed = edited(question, "question.yaml", old, f'"{sentence}"')
    found = feedback.leaks(changed, report_of(changed, SHEET))
    assert any(told in leak for leak in found) if told else found == [], found


# What each reader is shown


def shown(report: Report) -> dict[str, str]:
    """A report for each reader."""
    stream = io.StringIO()
    summary(report, stream)
    return {"terminal": stream.getvalue(), "page": page(report), "feedback": told(report)}


def test_interviewers_read_how_ticks_make_a_level_and_candidates_do_not(question: Question) -> None:
    (text,) = [answer for answer in question.spec.answers if isinstance(answer, TextAnswer)]
    readers = shown(report_of(question, SHEET))
    for line in text.levels.told():
        assert line in readers["terminal"] and line in readers["page"]
    for name in ("terminal", "page"):
        assert text.rubric in readers[name]
        assert "2 required, 1 optional, 1 negative point" in readers[name]
    for point in text.observables:
        assert point.says in readers["page"]
    for secret in (text.rubric, text.expected, *text.levels.told(), *(point.says for point in text.observables)):
        assert secret not in readers["feedback"]
    for secret in ("709.78", "88.7", "required point", "observable"):
        assert secret not in readers["feedback"]


def test_every_fact_is_shown_as_checked_by_machine_to_all(question: Question) -> None:
    readers = shown(report_of(question, SHEET))
    assert readers["terminal"].count("checked by the grader") == 2
    assert readers["page"].count('<span class="badge">checked by the grader</span>') == 2
    assert readers["feedback"].count("checked by the grader: ✗ failed") == 2
    right = shown(report_of(question, "largest_score: 709.8\nwhich_axis: LAST\n"))
    assert right["feedback"].count("checked by the grader: ✓ passed") == 2
    assert "read as last (The axis of the scores.)" in right["terminal"]


def test_interviewers_read_what_was_found_and_what_is_right(question: Question) -> None:
    (part,) = [each for each in report_of(question, SHEET).criteria if each.id == "largest-score"]
    assert part.outcome is Outcome.FAILED
    assert part.evidence[0].seen == "found 88.7, expected 709.78, give or take 0.8"
    (part,) = [each for each in report_of(question, "largest_score: 88.7 kg\n").criteria if each.id == "largest-score"]
    assert "the unit 'kg' stands after the number" in part.evidence[0].seen


# Which mistake an answer shows


def named(question: Question, sheet: str) -> list[str]:
    """The mistakes that are named for answers, where no code is looked at."""
    report = report_of(question, sheet)
    parts = [
        part.model_copy(update={"outcome": Outcome.FAILED if part.id == "largest-score" else Outcome.PASSED})
        for part in report.criteria
    ]
    nobody = cast(Examiner, None)
    return [each.id for each in diagnose.mistakes(question, nobody, "", parts, report.answers)]


def test_a_wrong_fact_names_its_mistake_however_it_is_written(question: Question) -> None:
    wrong = question.solutions / "wrong" / "limit-of-float32.yaml"
    wrong.write_text("largest_score: 88.7\nwhich_axis: last\n", "utf-8")
    for written in ("88.7", "88,72", "89", "8.87e1", "88.0"):
        assert named(question, f"largest_score: {written}\n") == ["limit-of-float32"], written
    for written in ("87.8", "308", "88.7 kg", "88 or 89", "", "709.78"):
        assert named(question, f"largest_score: {written}\n") == [], written


def test_a_wrong_choice_names_its_mistake(question: Question) -> None:
    wrong = question.solutions / "wrong" / "limit-of-float32.yaml"
    wrong.write_text("largest_score: 709.78\nwhich_axis: first\n", "utf-8")
    for written in ("first", "FIRST.", "the axis of the batch"):
        assert named(question, f"which_axis: {written}\n") == ["limit-of-float32"]
    for written in ("last", "first, last", "neither", ""):
        assert named(question, f"which_axis: {written}\n") == []


def test_all_that_is_no_fact_shows_the_same_mistake(question: Question) -> None:
    wrong = question.solutions / "wrong" / "limit-of-float32.yaml"
    wrong.write_text("largest_score: about 88\nwhich_axis: last\n", "utf-8")
    assert named(question, "largest_score: roughly 0.1K\n") == ["limit-of-float32"]
    assert named(question, "largest_score: 88.7\n") == []


def test_a_fact_that_was_left_out_is_no_mistake_that_another_makes(question: Question) -> None:
    wrong = question.solutions / "wrong" / "limit-of-float32.yaml"
    wrong.write_text("largest_score: 88.7\n", "utf-8")
    assert named(question, "largest_score: 88.7\nwhich_axis: neither\n") == []


# Every text has a rubric

CLAIM = "Every text has a rubric that holds its known wrong answers down"


def test_a_text_without_observables_is_named(question: Question) -> None:
    assert problems(question, CLAIM) == []
    text = (question.folder / "question.yaml").read_text("utf-8")
    start, end = text.index("    # Two to five points"), text.index("    # `ticks` are what")
    (question.folder / "question.yaml").write_text(
        (text[:start] + text[end:]).replace("        ticks: [exponential-is-linear]\n", ""), "utf-8"
    )
    bare = load(question.folder.parent.parent)
    assert problems(bare, CLAIM) == ["the answer why_subtract has no observables, expected 2 to 5"]


def test_a_known_wrong_answer_that_comes_to_solid_is_named(question: Question) -> None:
    """No spec that was loaded holds one, so here it is put into one that was."""
    *facts, text = question.spec.answers
    assert isinstance(text, TextAnswer)
    wrong = text.known_wrong[0].model_copy(update={"ticks": ["same-factor", "factor-cancels"]})
    answers = [*facts, text.model_copy(update={"known_wrong": [wrong]})]
    held = Question(question.spec.model_copy(update={"answers": answers}), question.folder, question.solutions)
    assert problems(held, CLAIM) == [
        "the known wrong answer “The exponential is linear for small numbers.” of why_subtract comes to solid"
    ]


def test_a_part_of_an_older_report_needs_no_rubric() -> None:
    part = AnswerPart.model_validate({"id": "x", "kind": "text", "prompt": "p", "given": "g", "outcome": None})
    assert (part.observables, part.levels, part.rubric, part.read) == ([], [], "", "")
