"""Scorecards in the fields that applicant systems take, as JSON and as a table for spreadsheets.

`overall` is one of definitely_no, no, yes and strong_yes, or null where no person decided. A criterion is `yes` or `no`
by its outcome. A text has the rating of the level that people gave: not shown is definitely_no, weak is no, solid is
yes and strong is strong_yes. What was not measured or not assessed, or what people differ on, is null.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable
from typing import Any, Final

from grader import inert
from grader.outcome import Outcome
from grader.panel.decisions import Decision
from grader.panel.views import CandidateView, PanelView, SheetView, TextView
from grader.rubric.levels import Level

SCHEMA: Final = "takehome-grader/scorecards/1"
RATINGS: Final = {Level.NOT_SHOWN: "definitely_no", Level.WEAK: "no", Level.SOLID: "yes", Level.STRONG: "strong_yes"}
UNMEASURED: Final = (Outcome.NOT_REACHED, Outcome.GRADER_FAULT)
FORMULAS: Final = tuple("=+-@\t\r\n＝＋－＠")

Card = dict[str, Any]


def cards(panel: PanelView, decisions: Iterable[Decision] = ()) -> list[Card]:
    """A scorecard for each decision, and one without a decision for each candidate of whom nobody decided."""
    decided: dict[str, list[Decision | None]] = {}
    for decision in decisions:
        decided.setdefault(decision.code, []).append(decision)
    return [
        _card(panel, candidate, decision)
        for candidate in panel.candidates
        for decision in (decided.get(candidate.code) or (None,))
    ]


def as_json(cards: list[Card]) -> str:
    """The text of scorecard.json."""
    return inert.json_text(json.dumps({"schema": SCHEMA, "scorecards": cards}, indent=2, ensure_ascii=False)) + "\n"


def as_csv(cards: list[Card]) -> str:
    """The text of scorecard.csv: a row for each scorecard, a column for each attribute."""
    names = list(dict.fromkeys(_name(each) for card in cards for each in card["attributes"]))
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\r\n")
    writer.writerow(map(cell, ("candidate", "overall", "submitted_at", "interviewer", *names)))
    for card in cards:
        ratings = {_name(each): each["rating"] for each in card["attributes"]}
        head = (card["candidate"], card["overall"], card["submitted_at"], card["interviewer"])
        writer.writerow(map(cell, (*head, *(ratings.get(name) for name in names))))
    return stream.getvalue()


def cell(value: str | None) -> str:
    """A cell that a spreadsheet shows as words: a quote stands before what it would take for a formula."""
    text = inert.text(value or "")
    raw = (value or "").lstrip(" ")
    return f"'{text}" if raw.startswith(FORMULAS) else text


def _card(panel: PanelView, candidate: CandidateView, decision: Decision | None) -> Card:
    attributes: list[dict[str, Any]] = []
    for question in panel.questions:
        sheet = candidate.sheet(question.id)
        attributes += [
            {"question": question.id, "name": id, "title": title, "type": "criterion", "rating": _criterion(sheet, id)}
            for id, title in question.criteria.items()
        ]
        for id, prompt in question.texts.items():
            text = sheet.text(id) if sheet else None
            attribute = {"question": question.id, "name": id, "title": prompt, "type": "text"}
            by = decision.interviewer if decision else ""
            attributes.append({**attribute, "rating": _text(text, by), "ratings": _ratings(text)})
    return {
        "candidate": candidate.code,
        "overall": decision.overall if decision else None,
        "submitted_at": (decision.submitted_at or None) if decision else None,
        "interviewer": decision.interviewer if decision else None,
        "attributes": attributes,
    }


def _criterion(sheet: SheetView | None, id: str) -> str | None:
    part = sheet.criterion(id) if sheet else None
    if part is None or part.outcome in UNMEASURED:
        return None
    return "yes" if part.outcome is Outcome.PASSED else "no"


def _ratings(text: TextView | None) -> dict[str, str]:
    """What each person's mark comes to."""
    return {mark.by: RATINGS[mark.level] for mark in text.marks if mark.level} if text else {}


def _text(text: TextView | None, by: str) -> str | None:
    """The interviewer's own rating; else the one that everybody gave."""
    ratings = _ratings(text)
    if by in ratings:
        return ratings[by]
    return next(iter(ratings.values())) if len(set(ratings.values())) == 1 else None


def _name(attribute: dict[str, Any]) -> str:
    return f"{attribute['question']}: {attribute['name']}"
