"""A candidate's page as a PDF, through Typst, which is an extra: `pip install 'takehome-grader[pdf]'`.

Typst reads its numbers and words from a file of JSON, as values. It never parses them as markup, so nothing that a
stranger wrote can come alive in it. It is given a folder of its own, and no fonts or packages from outside.
"""

from __future__ import annotations

import base64
import json
import re
import tempfile
from importlib.resources import files as resources
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from grader import inert
from grader.errors import CallError
from grader.panel.views import CandidateView, CriterionView, SheetView, TextView
from grader.render import heatmap, words
from grader.render.heatmap import Picture, picture
from grader.render.panel import level_glyph

TEMPLATE = "panel.typ"
KINDS = {"tests": "", "fact": "an answer that the grader checks", "own tests": "the candidate's own tests"}
UNBROKEN = re.compile(r"[^\s-]{24}")  # paper has an edge, so after these a line may end
LINE = 1000  # characters of a line that nobody wrote to be read at length
LONGEST = 20_000  # characters of one text


def available() -> None:
    """Raise a CallError where Typst is not installed."""
    if find_spec("typst") is None:
        raise CallError(
            "PDFs need an extra that is not installed", next_step="Install it: pip install 'takehome-grader[pdf]'."
        )


def write(candidate: CandidateView, path: Path) -> Path:
    """Write the PDF of one candidate.

    Raises:
        CallError: Typst is not installed, or the file can't be written.
    """
    available()
    import typst

    with tempfile.TemporaryDirectory(prefix="pdf-") as name:
        folder = Path(name)
        pictures: list[str] = []
        body = _body(candidate, pictures)
        for number, uri in enumerate(pictures):
            (folder / f"{number}.png").write_bytes(base64.b64decode(uri.partition(",")[2]))
        (folder / "panel.json").write_text(json.dumps(_visible(body)), encoding="utf-8")
        main = folder / TEMPLATE
        main.write_text(resources("grader.render").joinpath("templates", TEMPLATE).read_text("utf-8"), encoding="utf-8")
        made = typst.compile(str(main), root=str(folder), ignore_system_fonts=True)
    try:
        path.write_bytes(made)
    except OSError as error:
        where = inert.line(str(path))
        raise CallError(f"this can't be written ({error.strerror or error})", where=where) from None
    return path


def _body(candidate: CandidateView, pictures: list[str]) -> dict[str, Any]:
    return {"code": candidate.code, "sheets": [_sheet(sheet, pictures) for sheet in candidate.sheets]}


def _sheet(sheet: SheetView, pictures: list[str]) -> dict[str, Any]:
    question = sheet.question
    return {
        "title": question.title,
        "question": f"Question {question.id}, {words.which(question)}, digest {question.digest[:16]}",
        "verdict": sheet.verdict.value,
        "headline": sheet.headline,
        "required": sheet.required,
        "refusal": sheet.refusal,
        "formula": sheet.formula,
        "criteria": [_criterion(each, pictures) for each in sheet.criteria],
        "mistakes": [{"title": each.title, "why": each.why, "costs": "; ".join(each.costs)} for each in sheet.mistakes],
        "facts": [
            {"prompt": each.prompt, "given": each.given, "outcome": _outcome(each.outcome), "note": each.note}
            for each in sheet.facts
        ],
        "suite": f"{sheet.suite.file}: {words.suite(sheet.suite)}. {sheet.suite.reason}" if sheet.suite else "",
        "texts": [_text(each) for each in sheet.texts],
        "code": [{"n": line.number, "text": line.text, "why": line.why} for line in sheet.code],
        "integrity": [inert.line(f"{each.where}: {each.detail} ({each.id})", LINE) for each in sheet.integrity],
        "notes": [inert.line(note, LINE) for note in sheet.notes],
        "run": [
            ["Isolation", sheet.isolation_words],
            ["Seed", str(sheet.seed)],
            ["Submission digest", sheet.digest],
            ["Question digest", question.digest],
            *([name, inert.line(value, LINE)] for name, value in sheet.environment.items()),
        ],
    }


def _criterion(each: CriterionView, pictures: list[str]) -> dict[str, Any]:
    return {
        "title": each.title,
        "required": each.required,
        "kind": KINDS[each.kind],
        "outcome": _outcome(each.outcome),
        "points": each.points,
        "meaning": words.MEANING.get(each.outcome, ""),
        "told": each.told,
        "met": list(each.met),
        "evidence": [
            {
                "check": evidence.check,
                "outcome": _outcome(evidence.outcome),
                "seen": inert.line(evidence.seen, LINE),
                "places": "; ".join(f"{p.name}, {p.words}" if p.name else p.words for p in evidence.places),
                "picture": _picture(picture(evidence.table), pictures) if evidence.table else None,
            }
            for evidence in each.evidence
        ],
    }


def _picture(made: Picture, pictures: list[str]) -> dict[str, Any]:
    def put(uri: str) -> str:
        pictures.append(uri)
        return f"{len(pictures) - 1}.png"

    return {
        "panels": [
            {"title": panel.title, "alt": panel.alt, "file": put(panel.png), "width": panel.width / heatmap.SIDE}
            for panel in made.panels
        ],
        "legend": put(made.legend),
        "scale": f"{made.scale:.3g}",
        "caption": made.caption,
    }


def _text(each: TextView) -> dict[str, Any]:
    return {
        "prompt": each.prompt,
        "audience": f"{each.audience}; rubric {each.rubric}" if each.ticks else each.audience,
        "word": each.word,
        "glyph": level_glyph(each.said),
        "class": each.said[0].value if len(each.said) == 1 else "",
        "given": each.given,
        "marks": [
            {
                "by": mark.by,
                "word": mark.word,
                "how": f"{mark.at[:10]}, {'blind' if mark.blind else 'made after other marks could be seen'}"
                + (f"; {mark.stale}" if mark.stale else ""),
                "quote": mark.quote,
                "note": mark.note,
                "reason": mark.reason,
            }
            for mark in each.marks
        ],
        "agreement": each.agreement if each.marks else "",
        "guards": [f"{guard.what} Done: {guard.done}" for guard in each.guards],
        "ticks": [{"says": tick.says, "kind": tick.kind, "by": ", ".join(tick.by)} for tick in each.ticks],
        "levels": ". ".join(each.levels),
    }


def _outcome(outcome: Any) -> dict[str, str]:
    return {"id": outcome.value, "words": outcome.words, "glyph": outcome.glyph}


def _visible(value: Any) -> Any:
    """The value with every text in it made visible, and cut where nobody would read on."""
    match value:
        case str():
            shown = UNBROKEN.sub("\\g<0>\u200b", inert.text(value))
            return shown if len(shown) <= LONGEST else f"{shown[:LONGEST]}… ({len(shown) - LONGEST:,} more characters)"
        case list():
            return [_visible(item) for item in value]
        case dict():
            return {key: _visible(item) for key, item in value.items()}
    return value
