"""What a submission does in a few fixed situations, so that the mistake behind a failure can be named."""

from typing import Any

import numpy as np

from grader.checks import Candidate, probe

SCORES = np.linspace(-1.0, 2.0, 6).reshape(2, 3)


@probe
def small_scores(candidate: Candidate) -> Any:
    """Two rows of small scores."""
    return candidate.softmax(SCORES)


@probe
def large_scores(candidate: Candidate) -> bool:
    """Whether large scores give finite numbers."""
    return bool(np.isfinite(candidate.softmax(1000 * SCORES)).all())
