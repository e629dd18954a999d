"""A report in other programs' forms: what they can read, what candidates may be told, and nobody's formula."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st

from grader import inert
from grader.cli import main
from grader.errors import CallError
from grader.outcome import Outcome
from grader.panel import decisions, scorecard
from grader.panel.decisions import Decision
from grader.panel.views import CandidateView, PanelView
from grader.question import Question
from grader.render import candidate, exports
from grader.render.candidate import Read
from grader.render.feedback import feedback
from grader.render.junit import junit
from grader.report import Report
from tests import marking, panelling

WORDS = panelling.HOSTILE.format("words")


@pytest.fixture(scope="module")
def asked(tmp_path_factory: pytest.TempPathFactory) -> Question:
    return marking.question(marking.bank(tmp_path_factory.mktemp("bank")))


def reports(asked: Question, words: str = "") -> list[Report]:
    """A report with every outcome, and one of a submission that was refused."""
    made = [panelling.report(asked, f"ana {words}", outcome, words) for outcome in Outcome]
    return [*made, panelling.refused(asked, f"ana {words}", words)]


# Platforms that show candidates what they are given


def shown(report: Report) -> list[str]:
    """All that a candidate may come to see."""
    pages = [feedback(report), candidate.page(report, {"why_interleave": Read("weak", 2, "solid, which has more")})]
    return [*pages, exports.gradescope(report), exports.prairielearn(report)]


def test_a_candidate_is_never_shown_what_a_hidden_check_knows(asked: Question) -> None:
    for report in reports(asked):
        for text in shown(report):
            for secret in (
                "CHECK",
                "SEEN",
                "WHY",
                "It triples",
                "_getframe",
                "Says that",
                "data:image/png",
                "heat map",
            ):
                assert secret not in text


def test_a_missed_criterion_is_told_in_the_specs_sentence(asked: Question) -> None:
    for text in shown(panelling.report(asked, "ana")):
        assert panelling.TELL in text
    for text in shown(panelling.report(asked, "ana", Outcome.GRADER_FAULT)):
        assert panelling.TELL not in text  # it would be a reproach for what nobody measured


def test_gradescope_gets_scores_and_statuses(asked: Question) -> None:
    body = json.loads(exports.gradescope(panelling.report(asked, "ana")))
    assert body["score"] == 0
    assert body["stdout_visibility"] == "hidden"
    assert [(test["score"], test["max_score"], test["status"]) for test in body["tests"]] == [(0, 10, "failed")]
    passed = json.loads(exports.gradescope(panelling.report(asked, "ana", Outcome.PASSED)))
    assert (passed["score"], passed["tests"][0]["status"]) == (10, "passed")


def test_prairielearn_gets_a_share_and_points(asked: Question) -> None:
    body = json.loads(exports.prairielearn(panelling.report(asked, "ana", Outcome.PASSED)))
    assert (body["gradable"], body["score"]) == (True, 1.0)
    assert [(test["points"], test["max_points"]) for test in body["tests"]] == [(10, 10)]
    assert json.loads(exports.prairielearn(panelling.report(asked, "ana")))["score"] == 0


def numbers(value: Any) -> list[float]:
    """The numbers anywhere in a value."""
    match value:
        case bool():
            return []
        case int() | float():
            return [value]
        case list():
            return [number for item in value for number in numbers(item)]
        case dict():
            return numbers(list(value.values()))
    return []


def test_what_was_not_measured_has_no_number(asked: Question) -> None:
    for report in (panelling.report(asked, "ana", Outcome.GRADER_FAULT), panelling.refused(asked, "ana")):
        assert numbers(json.loads(exports.gradescope(report))) == []
        told = json.loads(exports.prairielearn(report))
        assert numbers(told) == [] and told["gradable"] is False


def test_hostile_words_are_visible_words_for_every_platform(asked: Question) -> None:
    for report in reports(asked, WORDS):
        for text in (exports.gradescope(report), exports.prairielearn(report)):
            json.loads(text)
            assert all(character == "\n" or character.isprintable() for character in text)
            assert "\x1b" not in json.dumps(json.loads(text), ensure_ascii=False)


# JUnit


def test_junit_has_a_suite_for_each_submission_and_counts_what_is_in_it(asked: Question) -> None:
    root = ET.fromstring(junit({f"code-{number}": [report] for number, report in enumerate(reports(asked))}))
    suites = root.findall("testsuite")
    assert [suite.get("name") for suite in suites] == [f"code-{number}" for number in range(len(Outcome) + 1)]
    kinds = {"failure": "failures", "error": "errors", "skipped": "skipped", "testcase": "tests"}
    for kind, attribute in kinds.items():
        assert (
            int(root.get(attribute, "")) == len(list(root.iter(kind))) == sum(int(s.get(attribute, "")) for s in suites)
        )
    ended = [
        next((child.tag for child in suite.iter() if child.tag in kinds and child.tag != "testcase"), "")
        for suite in suites
    ]
    assert ended == ["", "failure", "error", "error", "error", "skipped", "error", "error"]


@settings(max_examples=60, deadline=None)
@given(st.text(st.characters(), max_size=40))
def test_no_text_breaks_the_xml(asked: Question, words: str) -> None:
    report = panelling.report(asked, words, words=words)
    root = ET.fromstring(junit({words: [report, panelling.refused(asked, words, words)]}))
    assert root.findall("testsuite")[0].get("name") == inert.line(words, 2000)
    failure = root.find(".//failure")
    assert failure is not None
    assert failure.get("message") == inert.line(f"{panelling.SEEN} {words}".strip(), 2000)


def test_a_run_prints_a_platforms_form(tmp_path: Path) -> None:
    (tmp_path / "solution.py").write_text("def (:\n", "utf-8")
    asked = ["run", str(tmp_path / "solution.py"), "-q", "swap-learned-positions"]
    readers: dict[str, Callable[[str], object]] = {
        "junit": ET.fromstring,
        "gradescope": json.loads,
        "prairielearn": json.loads,
    }
    for form, read in readers.items():
        ended = CliRunner().invoke(main, [*asked, "--format", form])
        assert ended.exit_code == 1
        read(ended.stdout)
        assert "invalid syntax" in ended.stdout
    ended = CliRunner().invoke(main, [*asked, "--format", "junit", "--json"])
    assert ended.exit_code == 2 and "give one of them" in ended.output


# Scorecards


@pytest.fixture(scope="module")
def panel(tmp_path_factory: pytest.TempPathFactory) -> PanelView:
    """Three candidates and a refused one, the first with marks of two people."""
    from grader.panel import around, joining, sheet

    folder = tmp_path_factory.mktemp("cards")
    question = marking.question(marking.bank(folder))
    made = {each.value: panelling.report(question, each.value, each) for each in (Outcome.PASSED, Outcome.FAILED)}
    made["fault"] = panelling.report(question, "fault", Outcome.GRADER_FAULT)
    made["no"] = panelling.refused(question, "no")
    results = panelling.put(question, folder / "results", made)
    panelling.mark(results, question, "passed", "why_interleave", "ada", "one-angle", "rotation")
    panelling.mark(results, question, "passed", "why_interleave", "grace", "one-angle")
    panelling.mark(results, question, "passed", "what_base_controls", "ada", "longest", "first-pair", "example")
    beside = around.found(results, question)
    people = joining.joined([results])
    views = [
        CandidateView(name, (sheet.view(person.sent[question.id], person.code, question, beside),))
        for person in people
        for name in [person.sent[question.id].name]
    ]
    return PanelView((sheet.question_view(question),), tuple(views))


def ratings(cards: list[dict[str, Any]], who: str) -> dict[str, str | None]:
    card = next(card for card in cards if card["candidate"] == who)
    return {each["name"]: each["rating"] for each in card["attributes"]}


def test_no_machine_decides_of_a_candidate(panel: PanelView) -> None:
    for card in scorecard.cards(panel):
        assert (card["overall"], card["interviewer"], card["submitted_at"]) == (None, None, None)


def test_a_decision_is_the_persons_who_made_it(panel: PanelView) -> None:
    made = [Decision("failed", "strong_yes", "ada", "2026-03-01T12:00:00Z"), Decision("failed", "no", "grace")]
    cards = [card for card in scorecard.cards(panel, made) if card["candidate"] == "failed"]
    assert [(card["overall"], card["interviewer"]) for card in cards] == [("strong_yes", "ada"), ("no", "grace")]
    assert cards[0]["submitted_at"] == "2026-03-01T12:00:00Z"
    assert sum(card["overall"] is None for card in scorecard.cards(panel, made)) == 3


def test_a_rating_says_what_was_found_and_nothing_where_nothing_was(panel: PanelView) -> None:
    cards = scorecard.cards(panel)
    nobody = {"why_interleave": None, "what_base_controls": None, "no_rubric": None}
    assert ratings(cards, "passed") == {"doubles": "yes", **nobody, "what_base_controls": "strong_yes"}
    assert ratings(cards, "failed") == {"doubles": "no", **nobody}
    assert ratings(cards, "fault") == ratings(cards, "no") == {"doubles": None, **nobody}


def test_an_interviewers_card_has_their_own_rating_where_people_differ(panel: PanelView) -> None:
    for who, rating in (("ada", "yes"), ("grace", "no"), ("mary", None)):
        cards = scorecard.cards(panel, [Decision("passed", "yes", who)])
        assert ratings(cards, "passed")["why_interleave"] == rating
        text = next(each for each in cards[0]["attributes"] if each["name"] == "why_interleave")
        assert cards[0]["candidate"] != "passed" or text["ratings"] == {"ada": "yes", "grace": "no"}


@pytest.mark.parametrize("start", ["=", "+", "-", "@", "\t", "\r", "\n", " =", "＝", "＠"])
def test_no_cell_is_a_formula(panel: PanelView, start: str) -> None:
    hostile = f"{start}cmd|' /C calc'!A0"
    text = scorecard.as_csv(scorecard.cards(panel, [Decision("passed", "no", hostile)]))
    rows = list(csv.reader(io.StringIO(text)))
    assert len({len(row) for row in rows}) == 1
    cell = rows[1 + [row[0] for row in rows[1:]].index("passed")][3]
    assert cell.startswith("'") and cell[1:] == inert.text(hostile)


@settings(max_examples=60, deadline=None)
@given(st.text(st.characters(), max_size=40))
def test_any_words_are_one_plain_cell(words: str) -> None:
    cell = scorecard.cell(words)
    assert not cell.lstrip(" ").startswith(tuple("=+-@\t\r"))
    assert all(character == "\n" or character.isprintable() for character in cell)
    assert scorecard.cell("a plain name") == "a plain name"


# What people decided


def test_decisions_are_read_from_a_table_and_from_yaml(tmp_path: Path) -> None:
    table, yaml = tmp_path / "d.csv", tmp_path / "d.yaml"
    table.write_text("code,overall,interviewer\nred-hawk-11,no,Ada\n", "utf-8-sig")
    yaml.write_text("- {code: red-hawk-11, overall: no, interviewer: Ada}\n", "utf-8")
    for path in (table, yaml):
        assert decisions.read(path, {"red-hawk-11"}) == [Decision("red-hawk-11", "no", "Ada")]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("code,overall,interviewer\nred-hawk-12,no,Ada\n", r"d\.csv:2: there is no such candidate: found red-hawk-12"),
        ("code,overall,interviewer\nred-hawk-11,maybe,Ada\n", r"d\.csv:2: this is no decision: found maybe"),
        ("code,overall,interviewer\nred-hawk-11,no,\n", r"d\.csv:2: a decision needs the person"),
        ("code,overall,who\nred-hawk-11,no,Ada\n", r"d\.csv:2: there is no such key: found who"),
        ("code,overall,interviewer\nred-hawk-11,no,Ada\nred-hawk-11,yes,Ada\n", r"d\.csv:3: one person decided twice"),
        (
            "code,overall,interviewer,submitted_at\nred-hawk-11,no,Ada,today\n",
            r"d\.csv:2: this is no time: found today",
        ),
        ("code,overall,interviewer\nred-hawk-11,no,Ada,more\n", r"d\.csv:2: there is no such key"),
    ],
)
def test_a_wrong_line_of_decisions_is_named(tmp_path: Path, text: str, says: str) -> None:
    path = tmp_path / "d.csv"
    path.write_text(text, "utf-8")
    with pytest.raises(CallError, match=says):
        decisions.read(path, {"red-hawk-11"})


@pytest.mark.parametrize("text", ["code: [", "just words", "- 3", "{a: 1}"])
def test_yaml_that_is_no_list_of_decisions_is_one_sentence(tmp_path: Path, text: str) -> None:
    path = tmp_path / "d.yaml"
    path.write_text(text, "utf-8")
    with pytest.raises(CallError) as caught:
        decisions.read(path, set())
    assert "\n" not in str(caught.value)
