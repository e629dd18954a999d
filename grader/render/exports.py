"""A report in the form that other graders' platforms read: results.json of Gradescope and of PrairieLearn.

Both show candidates what they are given, so they get what feedback.md has: the spec's own sentences, and no word of
a hidden check. What was not measured has no number there either.
"""

from __future__ import annotations

import json
from typing import Any

from grader import inert
from grader.outcome import Outcome, Verdict
from grader.render import words
from grader.render.feedback import RESUBMIT
from grader.report import CriterionPart, Report

UNMEASURED = "Something in the grader failed, so not everything was measured. It is ours to mend, and will be repeated."


def gradescope(report: Report) -> str:
    """results.json as Gradescope's autograder reads it."""
    refusal = words.refusal(report)
    tests = [_gradescope_test(each) for each in report.criteria]
    if refusal:
        tests = [{"name": "Reading the submission", "status": "failed", "output": refusal, "visibility": "visible"}]
    body: dict[str, Any] = {
        "output": _summary(report),
        "output_format": "text",
        "test_output_format": "text",
        "test_name_format": "text",
        "visibility": "visible",
        "stdout_visibility": "hidden",
        "tests": tests,
    }
    if report.verdict not in (Verdict.REFUSED, Verdict.GRADER_FAULT):  # a total there would be read as a mark
        body = {"score": report.score.earned, **body}
    return _text(body)


def prairielearn(report: Report) -> str:
    """results.json as PrairieLearn's external grader reads it; a run that was not graded costs no attempt there."""
    refusal = words.refusal(report)
    if refusal or report.verdict is Verdict.GRADER_FAULT:
        return _text({"gradable": False, "message": _summary(report), "format_errors": [refusal or UNMEASURED]})
    possible = report.score.possible
    return _text(
        {
            "gradable": True,
            "score": round(min(1.0, max(0.0, report.score.earned / possible)), 6) if possible else 0.0,
            "message": _summary(report),
            "output": "",
            "tests": [
                {
                    "name": each.title,
                    "description": "Required" if each.required else "",
                    "points": each.earned,
                    "max_points": each.points,
                    "output": told(each),
                }
                for each in report.criteria
            ],
        }
    )


def told(criterion: CriterionPart) -> str:
    """What a candidate may be told of a criterion: how it ended, what that means, and the spec's sentence."""
    if criterion.outcome is Outcome.PASSED:
        return ""
    meaning = words.MEANING.get(criterion.outcome, "")
    sentence = criterion.feedback if criterion.outcome is not Outcome.GRADER_FAULT else ""
    return " ".join(filter(None, [f"{criterion.outcome.words.capitalize()}.", meaning, sentence]))


def _gradescope_test(criterion: CriterionPart) -> dict[str, Any]:
    test: dict[str, Any] = {"name": criterion.title, "output": told(criterion), "visibility": "visible"}
    if criterion.outcome is Outcome.GRADER_FAULT:
        return test
    passed = "passed" if criterion.outcome is Outcome.PASSED else "failed"
    return {**test, "score": criterion.earned, "max_score": criterion.points, "status": passed}


def _summary(report: Report) -> str:
    told = [f"{report.question.title}: {report.headline}.", words.required(report)]
    if report.verdict is Verdict.REFUSED:
        told.append(RESUBMIT)
    if report.verdict is Verdict.GRADER_FAULT:
        told.append(UNMEASURED)
    texts = sum(answer.outcome is None and words.is_given(answer) for answer in report.answers)
    if texts:
        told.append(f"{texts} written {'answer is' if texts == 1 else 'answers are'} for a person to read.")
    return " ".join(filter(None, told))


def _text(body: dict[str, Any]) -> str:
    return inert.json_text(json.dumps(_visible(body), indent=2, ensure_ascii=False)) + "\n"


def _visible(value: Any) -> Any:
    """The value with every text in it made visible: the platforms show these, and some of them as they are."""
    match value:
        case str():
            return inert.text(value)
        case list():
            return [_visible(item) for item in value]
        case dict():
            return {key: _visible(item) for key, item in value.items()}
    return value
