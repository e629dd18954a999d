"""What was graded, by its content: a text that two people send is graded once."""

from __future__ import annotations

import hashlib
import json
import threading
import zlib
from collections import OrderedDict
from collections.abc import Callable
from typing import Final

from grader.outcome import Outcome
from grader.report import Report
from grader.submission import Submission

MOST: Final = 512  # reports, of some 4 KiB each
SETTLED: Final = {Outcome.PASSED, Outcome.FAILED}


class Recall:
    """The last few hundred reports of one question, packed. Threads may share one.

    A report depends on the texts that were read and the seed; what it says of the file, such as its name, is each one's
    own. One in which a check crashed, ran out of something or was not asked is not kept, since a busy machine may have
    had a part in it. Nor is one with tests of a candidate's own, which are run with chances that are drawn for each.
    """

    def __init__(self, most: int = MOST) -> None:
        self.most = most
        self._packed: OrderedDict[str, tuple[int, bytes]] = OrderedDict()  # with how many notes are of its reading
        self._lock = threading.Lock()

    def __call__(self, sent: Submission, seed: int, judge: Callable[[], Report]) -> Report:
        """The report of what was sent: the one of its like as far as it is known, or what `judge` finds."""
        if sent.suite is not None:
            return judge()
        key = content(sent, seed)
        with self._lock:
            packed = self._packed.get(key)
            if packed is not None:
                self._packed.move_to_end(key)
        if packed is not None:
            return _as_of(sent, *packed)
        report = judge()
        if is_settled(report):
            with self._lock:
                self._packed[key] = len(sent.notes), zlib.compress(report.model_dump_json().encode(), 1)
                while len(self._packed) > self.most:
                    self._packed.popitem(last=False)
        return report


def is_settled(report: Report) -> bool:
    """Whether the same text would get the same again: every check was asked, and had an answer that it could judge."""
    checks = [each.outcome for part in report.criteria for each in part.evidence]
    return {*checks, *(part.outcome for part in report.criteria)} <= SETTLED


def content(sent: Submission, seed: int) -> str:
    """SHA-256 over all that a report depends on, but for the question, the environment and a candidate's own tests."""
    parts = [sent.source, sent.answers, sent.answers_problem, sent.suite_problem, seed]
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()


def _as_of(sent: Submission, own: int, packed: bytes) -> Report:
    """The report with what is a submission's own: names and notes of how it was read, the first `own` of its like's."""
    report = Report.model_validate_json(zlib.decompress(packed))
    changed = {
        "name": sent.name,
        "digest": sent.digest,
        "files": list(sent.files),
        "notes": [*sent.notes, *report.submission.notes[own:]],
    }
    return report.model_copy(update={"submission": report.submission.model_copy(update=changed)})
