"""The loss at some places: what the model is shown, what is counted, and in which mode."""

import numpy as np
import pytest
from bags import SAME_LOSS, calls, loss, number, place, small_table, stream, watched
from test_draws import state

from grader.checks import Candidate, Mismatch, Raised, criterion

UNKNOWN = 90  # a token that no model here has a row for


def drawn(rng: np.random.Generator, tokens: list[int], count: int, length: int) -> list[int]:
    """Some places with enough before them; the first and the last that are possible are among them."""
    between = rng.permutation(np.arange(length + 1, len(tokens) - 1))[: count - 2]
    found: list[int] = rng.permutation([length, len(tokens) - 1, *between]).tolist()
    return found


@criterion("loss-window")
@pytest.mark.parametrize("length", [1, 3, 8])
def test_the_model_is_shown_the_tokens_right_before_each_place(
    candidate: Candidate, rng: np.random.Generator, length: int
) -> None:
    tokens = stream(rng)
    positions = drawn(rng, tokens, 9, length)
    candidate.loss_at(watched(candidate, "one", small_table(rng)), tokens, positions, length)
    for call in calls(candidate, "one"):
        if call.ids.ndim != 2 or call.ids.shape[1] != length:
            raise Mismatch(f"at a length of {length} the model was shown ids of {list(call.ids.shape)}")
    rows = [row for call in calls(candidate, "one") for row in call.ids.tolist()]
    windows = [place(row, {"tokens": tokens}) for row in rows]
    if None in windows:
        raise Mismatch(f"the model was shown {rows[windows.index(None)]}, which are no tokens in a row of the stream")
    shown = {window.start for window in windows if window}
    if shown != {at - length for at in positions}:
        wrong = sorted(shown - {at - length for at in positions})
        raise Mismatch(
            f"windows of {length} tokens started at {wrong[:4] or sorted(shown)[:4]}, expected each to end right "
            f"before its place, so to start at {sorted(at - length for at in positions)[:4]}…"
        )


@criterion("loss-mean")
@pytest.mark.parametrize(("count", "length"), [(5, 4), (1 + 36, 6), (33, 2)])
def test_the_loss_is_the_mean_cross_entropy_at_the_places(
    candidate: Candidate, rng: np.random.Generator, count: int, length: int
) -> None:
    """Of what the model was shown, which has its own criterion: each window is followed by its target."""
    tokens, table = stream(rng), small_table(rng)
    positions = drawn(rng, tokens, count, length)
    found = number(candidate.loss_at(watched(candidate, "one", table), tokens, positions, length), "the loss")
    if not abs(found - (expected := loss(table, tokens, positions, length))) < SAME_LOSS:
        raise Mismatch(f"the loss at {count} places from {length} tokens each is {found:.5g}, expected {expected:.5g}")


@criterion("eval-mode")
@pytest.mark.parametrize("training", [True, False], ids=["arrives-in-training", "arrives-in-evaluation"])
def test_the_model_is_called_in_evaluation_mode(candidate: Candidate, rng: np.random.Generator, training: bool) -> None:
    tokens = stream(rng)
    model = watched(candidate, "one", small_table(rng)).train(training)
    candidate.loss_at(model, tokens, drawn(rng, tokens, 5, 3), 3)
    if any(call.training for call in calls(candidate, "one")):
        raise Mismatch("loss_at called the model in training mode, expected evaluation mode")


@criterion("no-grad")
def test_no_gradients_are_recorded(candidate: Candidate, rng: np.random.Generator) -> None:
    tokens = stream(rng)
    candidate.loss_at(watched(candidate, "one", small_table(rng)), tokens, drawn(rng, tokens, 5, 3), 3)
    if any(call.recorded for call in calls(candidate, "one")):
        raise Mismatch("loss_at recorded a gradient graph, expected none")


@criterion("mode-restored")
@pytest.mark.parametrize("raises", [False, True], ids=["returns", "raises"])
@pytest.mark.parametrize("training", [True, False], ids=["arrives-in-training", "arrives-in-evaluation"])
def test_the_model_is_left_in_the_mode_that_it_came_in(
    candidate: Candidate, rng: np.random.Generator, training: bool, raises: bool
) -> None:
    tokens = stream(rng)
    positions = drawn(rng, tokens, 5, 3)
    if raises:
        tokens = [UNKNOWN] * len(tokens)
    model = watched(candidate, "one", small_table(rng)).train(training)
    try:
        candidate.loss_at(model, tokens, positions, 3)
    except Raised as error:
        if not raises or error.type == "NotImplementedError":
            raise
    else:
        if raises:
            raise Mismatch("the model raised in loss_at, and the error did not come through")
    if any(candidate.value(model, name) is not training for name in ("training", "model.training")):
        words = ("training", "evaluation") if training else ("evaluation", "training")
        raise Mismatch(f"the model came in {words[0]} mode and was left in {words[1]} mode")


@criterion("rng-untouched")
def test_a_loss_leaves_the_global_streams_where_they_were(candidate: Candidate, rng: np.random.Generator) -> None:
    tokens = stream(rng)
    model = watched(candidate, "one", small_table(rng))
    seed = int(rng.integers(1, 1 << 30))
    candidate.support("random").seed(seed)
    candidate.support("numpy.random").seed(seed)
    candidate.torch.manual_seed(seed)
    before = {library: state(candidate, library) for library in ("random", "numpy", "torch")}
    candidate.loss_at(model, tokens, drawn(rng, tokens, 5, 3), 3)
    for library, where in before.items():
        if state(candidate, library) != where:
            raise Mismatch(f"loss_at moved the global stream of random numbers of {library}")
