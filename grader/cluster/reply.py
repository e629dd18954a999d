"""What comes back from a node: bytes, which are read as a stranger's are, and refused unless they are what was asked.

The seal is an HMAC over the task's key and the text, with the batch's secret: it shows a reply that was altered on its
way, or is of another task. What the text says is held against the terms and the question besides.
"""

from __future__ import annotations

import hmac
import json
from typing import Any, Final

from pydantic import ValidationError

from grader import errors, inert, scoring
from grader.cluster.terms import Terms, differences
from grader.errors import GraderError, GraderFault
from grader.outcome import Verdict
from grader.question import Question
from grader.report import Report
from grader.sandbox.tiers import Tier

MOST_BYTES: Final = 64 << 20
SEAL_BYTES: Final = 32
ERRORS: Final = ("CallError", "GraderFault", "QuestionError", "TooLittleIsolation")
PARTS: Final = ("what", "where", "found", "expected", "next_step")


def sealed(terms: Terms, key: str, outcome: Report | GraderError) -> bytes:
    """The reply to a task: the seal, then JSON."""
    if isinstance(outcome, Report):
        body: dict[str, Any] = {"report": json.loads(outcome.to_json())}
    else:
        kind = next(name for name in ERRORS if isinstance(outcome, getattr(errors, name)))
        body = {"error": {"kind": kind, **{part: getattr(outcome, part) for part in PARTS}}}
    text = json.dumps(body).encode()
    return seal(terms, key, text) + text


def opened(reply: object, terms: Terms, key: str, question: Question, name: str) -> Report | GraderError:
    """The report in a reply, or the error that a node told of.

    Args:
        reply: what came.
        terms: those of the batch.
        key: the task's.
        question: what was to be graded.
        name: the submission's file name, which its report has to bear.

    Raises:
        GraderFault: it is not the reply to this task; the sentence says why.
    """
    if not isinstance(reply, bytes) or not SEAL_BYTES < len(reply) <= MOST_BYTES:
        raise refused("it is no reply")
    shown, text = reply[:SEAL_BYTES], reply[SEAL_BYTES:]
    if not hmac.compare_digest(shown, seal(terms, key, text)):
        raise refused("its seal is not of this task")
    try:
        body = json.loads(text)
        if list(body) == ["error"]:
            return _error(**body["error"])
        if list(body) != ["report"]:
            raise refused("it is neither a report nor an error")
        report = Report.from_fields(body["report"])
    except ValidationError as error:
        first = error.errors()[0]
        raise refused(f"it is no report: {'.'.join(map(str, first['loc']))}: {first['msg']}") from None
    except (ValueError, TypeError, KeyError, RecursionError) as error:
        raise refused(f"it can't be read: {error}") from None
    if wrong := misfit(report, terms, question, name):
        raise refused(wrong)
    return report


def misfit(report: Report, terms: Terms, question: Question, name: str) -> str:
    """Why a report is not the one that was asked for, or does not add up; empty if it may be it."""
    spec = question.spec
    if (report.question.id, report.question.digest) != (terms.question, terms.digest):
        return f"it is of the question {report.question.id}, digest {report.question.digest[:12]}"
    if report.submission.name != name:
        return f"it is of {inert.short(report.submission.name, 80)}"
    if report.seed != terms.seed:
        return f"it is of the seed {report.seed}"
    if differing := differences(terms.versions, report.environment):
        return f"it was made with other versions: {differing}"
    wanted = [(each.id, each.points, each.required) for each in spec.criteria]
    if [(each.id, each.points, each.required) for each in report.criteria] != wanted:
        return "its criteria are not the question's"
    if any(each.earned != (each.points if each.outcome == "passed" else 0) for each in report.criteria):
        return "its points are not those of its outcomes"
    if report.score != scoring.score(report.criteria):
        return "its score is not the sum of its points"
    if report.verdict is Verdict.REFUSED:
        return "" if report.criteria == scoring.unmeasured(spec) else "it is refused, and measured all the same"
    if report.verdict is not scoring.verdict(report.criteria):
        return "its verdict does not follow from its criteria"
    if report.isolation.tier not in list(Tier) or not Tier(report.isolation.tier).reaches(Tier(terms.require)):
        return f"it was made in the tier {inert.short(report.isolation.tier, 40)}"
    return ""


def refused(why: str) -> GraderFault:
    """The error for a reply that is not believed."""
    return GraderFault("the reply of a node was refused", found=inert.short(why, 300))


def _error(kind: str, **parts: str | None) -> GraderError:
    if (
        kind not in ERRORS
        or set(parts) != set(PARTS)
        or not all(isinstance(part, str | None) for part in parts.values())
    ):
        raise refused("its error has other parts")
    told: type[GraderError] = getattr(errors, kind)
    return told(**{part: value and inert.short(value, 1000) for part, value in parts.items()})  # type: ignore[arg-type]


def seal(terms: Terms, key: str, text: bytes) -> bytes:
    """What shows that a text is the reply to a task: 32 bytes."""
    return hmac.digest(bytes.fromhex(terms.secret), key.encode() + b"\0" + text, "sha256")
