"""The SAF data set: short answers of students to questions on communication networks, graded by people.

Filighera, Parihar, Steuer, Meuser and Ochs, "Your Answer is Incorrect... Would you like to know why? Introducing a
Bilingual Short Answer Feedback Dataset" (ACL 2022), MIT licence; the English part, as SAF2_0.zip. It is read where it
lies, and nothing of it is kept.
"""

from __future__ import annotations

import zipfile
from dataclasses import dataclass
from pathlib import Path
from typing import Final
from xml.etree import ElementTree

from grader.errors import CallError
from grader.rubric.levels import Level

MOST_BYTES: Final = 16 << 20  # of one file of the archive; the largest has a tenth of a megabyte
SOLID: Final = 0.7  # of the full score
CORRECT: Final = "Correct"


@dataclass(frozen=True)
class Answer:
    """A student's answer: its text, its level, and whether its graders called it correct."""

    text: str
    level: Level
    correct: bool


@dataclass(frozen=True)
class Question:
    """A question with all its answers, of the splits for training and for unseen answers alike."""

    id: str
    prompt: str
    expected: str
    answers: tuple[Answer, ...]


def read(path: Path) -> list[Question]:
    """The questions of the archive, by id.

    Raises:
        CallError: it is not there, or not this archive.
    """
    scored: dict[str, list[tuple[str, float, str]]] = {}
    asked: dict[str, tuple[str, str]] = {}
    try:
        with zipfile.ZipFile(path) as archive:
            for entry in sorted(archive.infolist(), key=lambda each: each.filename):
                if entry.filename.endswith(".xml") and entry.file_size <= MOST_BYTES:
                    root = ElementTree.fromstring(archive.read(entry))
                    id = root.attrib["id"]
                    references = [each.text or "" for each in root.iter("referenceAnswer")]
                    asked[id] = (root.findtext("questionText", ""), "\n".join(references))
                    scored.setdefault(id, []).extend(map(_scored, root.iter("studentAnswer")))
    except (OSError, zipfile.BadZipFile, ElementTree.ParseError, KeyError, ValueError) as error:
        raise CallError("this is not the SAF archive", where=str(path), found=str(error)) from None
    if not scored:
        raise CallError("this is not the SAF archive", where=str(path), found="no question in it")
    return [Question(id, *asked[id], _levelled(scored[id])) for id in sorted(scored)]


def _scored(element: ElementTree.Element) -> tuple[str, float, str]:
    """Text, score and verdict of an answer."""
    text, verdict = element.findtext("response", ""), element.findtext("verification_feedback", "")
    return text, float(element.findtext("score", "")), verdict


def _levelled(scored: list[tuple[str, float, str]]) -> tuple[Answer, ...]:
    """The answers of one question; the full score is the highest that anybody got."""
    full = max(score for _, score, _ in scored) or 1.0
    return tuple(Answer(text, level_of(score / full), verdict == CORRECT) for text, score, verdict in scored)


def level_of(share: float) -> Level:
    """The level of a share of the full score: all of it is strong, nothing is not shown."""
    return (
        Level.STRONG if share >= 1 else Level.SOLID if share >= SOLID else Level.WEAK if share > 0 else Level.NOT_SHOWN
    )
