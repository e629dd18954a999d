"""The code of a results folder, compared two by two: what `grader similar` shows, prints and hands on."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from typing import Any, Final

from grader import specfile
from grader.question import Question
from grader.results import Results
from grader.similarity import pairs as comparing
from grader.similarity.pairs import Pair
from grader.similarity.winnowing import K, W

SCHEMA: Final = "takehome-grader/similarity/1"
NOTE: Final = "This is no verdict and no score. It says where to look, and a person has to read both."


@dataclass(frozen=True)
class Study:
    """Submissions of one question that were compared.

    Attributes:
        question: its id, and `title` its title.
        day: of the first grading.
        sources: the code that was compared, by code name.
        given: the code that the question gives to everybody, by file name.
        unread: code names of those without code that can be read.
        pairs, same, set_aside: as of `Compared`.
        threshold: the smallest share that is shown, from 0 to 1.
        keep_common: whether what more than a third have counts.
        outdated: whether the question has changed since the submissions were graded.
    """

    question: str
    title: str
    day: date
    sources: dict[str, str]
    given: dict[str, str]
    unread: list[str]
    pairs: list[Pair]
    same: list[list[str]]
    set_aside: float
    threshold: float
    keep_common: bool
    outdated: bool

    def to_json(self) -> dict[str, Any]:
        """The fields of what `--json` prints; lines count from 1, and a region has its first and last."""
        return {
            "schema": SCHEMA,
            "note": NOTE,
            "question": self.question,
            "threshold": self.threshold,
            "keep_common": self.keep_common,
            "run": K,
            "window": W,
            "compared": sorted(self.sources),
            "unread": self.unread,
            "set_aside": round(self.set_aside, 4),
            "same": self.same,
            "pairs": [_fields(pair) for pair in self.pairs],
        }


def study(question: Question, results: Results, *, threshold: float, keep_common: bool) -> Study:
    """Compare the code of all candidates. Nobody's report is read, and nothing is written."""
    read = {each.code: each.source for each in results.candidates}
    sources = {code: source for code, source in read.items() if source.strip()}
    paths = [question.folder / question.spec.skeleton, *question.support]
    given = {path.name: specfile.read_text(path) for path in paths if path.suffix == ".py"}
    found = comparing.compare(sources, given.values(), threshold=threshold, keep_common=keep_common)
    return Study(
        question=question.id,
        title=question.spec.title,
        day=results.manifest.created,
        sources=sources,
        given=given,
        unread=[code for code in read if code not in sources],
        pairs=found.pairs,
        same=found.same,
        set_aside=found.set_aside,
        threshold=threshold,
        keep_common=keep_common,
        outdated=results.manifest.digest != question.digest,
    )


def _fields(pair: Pair) -> dict[str, Any]:
    regions = [{"tokens": each.tokens, "a": list(each.a), "b": list(each.b)} for each in pair.regions]
    share = round(pair.share, 4)
    return {"a": pair.a, "b": pair.b, "share": share, "shared": pair.shared, "of": pair.of, "regions": regions}
