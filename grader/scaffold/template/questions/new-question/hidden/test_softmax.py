"""TO WRITE: what these checks look at. `candidate` runs elsewhere; expected values are computed here, in float64."""

import numpy as np

from grader.checks import Candidate, criterion, expect_array, expect_close


@criterion("right-numbers")
def test_each_row_is_a_softmax(candidate: Candidate, rng: np.random.Generator) -> None:
    scores = rng.normal(size=(2, 3, 5))
    exponentials = np.exp(scores)
    expected = exponentials / exponentials.sum(axis=-1, keepdims=True)
    expect_close(candidate.softmax(scores), expected, atol=1e-9, of="the result")


@criterion("large-scores")
def test_large_scores_give_finite_numbers(candidate: Candidate, rng: np.random.Generator) -> None:
    """Scores between 0 and 2000 give finite numbers."""
    scores = rng.uniform(0, 2000, size=(4, 6))
    expect_array(candidate.softmax(scores), (4, 6), of="the result for large scores")
