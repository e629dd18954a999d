"""Reports as JUnit XML, for whatever shows test results: a suite for each submission, a case for each check."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final
from xml.etree import ElementTree as ET

from grader import inert
from grader.outcome import Outcome, Verdict
from grader.render import words
from grader.report import Evidence, Report
from grader.variants import formula

CUT: Final = 2000  # characters of what was seen
# JUnit knows failures, errors and skipped cases, and nothing else.
ELEMENTS: Final = {
    Outcome.FAILED: "failure",
    Outcome.CRASHED: "error",
    Outcome.TIMED_OUT: "error",
    Outcome.OUT_OF_MEMORY: "error",
    Outcome.GRADER_FAULT: "error",
    Outcome.NOT_REACHED: "skipped",
}


def junit(reports: Mapping[str, Iterable[Report]]) -> str:
    """The XML of some submissions' reports, by the name that each is to have there."""
    root = ET.Element("testsuites", name="takehome-grader")
    for name, each in reports.items():
        for report in each:
            _suite(root, name, report)
    _count(root, root)
    ET.indent(root)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{ET.tostring(root, encoding="unicode")}\n'


def _suite(root: ET.Element, name: str, report: Report) -> None:
    question = report.question
    suite = ET.SubElement(root, "testsuite", name=_line(name))
    properties = ET.SubElement(suite, "properties")
    told = {
        "question": question.id,
        "version": str(question.version),
        **({"variant": formula.told(question.variant)} if question.variant else {}),
        "question digest": question.digest,
        "submission digest": report.submission.digest,
        "verdict": report.verdict.words,
        "isolation": words.isolation(report),
        "seed": str(report.seed),
    }
    for key, value in told.items():
        ET.SubElement(properties, "property", name=key, value=_line(value))
    if report.verdict is Verdict.REFUSED:
        case = ET.SubElement(suite, "testcase", classname=question.id, name="the submission can be read")
        ET.SubElement(case, "error", type="refused", message=_line(words.refusal(report)))
    else:
        for part in report.criteria:
            for evidence in part.evidence or [Evidence(check=part.title, outcome=part.outcome)]:
                _case(suite, f"{question.id}.{part.id}", evidence)
    _count(suite, suite)


def _case(suite: ET.Element, of: str, evidence: Evidence) -> None:
    case = ET.SubElement(suite, "testcase", classname=_line(of), name=_line(evidence.check))
    if element := ELEMENTS.get(evidence.outcome):
        said = evidence.seen or words.MEANING.get(evidence.outcome, evidence.outcome.words)
        ET.SubElement(case, element, type=evidence.outcome.value, message=_line(said))


def _count(element: ET.Element, inside: ET.Element) -> None:
    element.set("tests", str(sum(1 for _ in inside.iter("testcase"))))
    for attribute, kind in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
        element.set(attribute, str(sum(1 for _ in inside.iter(kind))))


def _line(text: str) -> str:
    """On one line, and without a character that XML has no way to write."""
    return inert.line(text, CUT)
