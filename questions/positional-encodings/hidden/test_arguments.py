"""What has no encoding is refused, what is given stays as it was, and both modules move with the model."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from oracle import RETURNS, embeddings, how_it_ends, is_value_error, learned, sinusoidal

from grader.checks import Candidate, Handle, Mismatch, criterion

TAKES_WIDTH: dict[str, Callable[[Candidate, int, float], Any]] = {
    "sinusoidal_freqs": lambda candidate, d, base: candidate.sinusoidal_freqs(d, base),
    "sinusoidal_pe": lambda candidate, d, base: candidate.sinusoidal_pe(3, d, base),
    "shift_pe": lambda candidate, d, base: candidate.shift_pe(np.ones((3, d)), 2, d, base),
    "SinusoidalPE": lambda candidate, d, base: candidate.SinusoidalPE(d, base),
}
MODULES: dict[str, Callable[[Candidate], Handle]] = {"SinusoidalPE": sinusoidal, "LearnedPE": learned}


def works(candidate: Candidate, name: str) -> bool:
    """Whether the call returns something for right arguments."""
    return how_it_ends(lambda: TAKES_WIDTH[name](candidate, 6, 50.0)) == RETURNS


def expect_refused(candidate: Candidate, name: str, d: int, base: float) -> None:
    """Raise a Mismatch unless the call raises a ValueError, where one that is right does not.

    What raises for right arguments too is judged elsewhere, unless there is nothing else to judge here.
    """
    if not works(candidate, name):
        if any(works(candidate, other) for other in TAKES_WIDTH):
            return
        TAKES_WIDTH[name](candidate, 6, 50.0)
    end = how_it_ends(lambda: TAKES_WIDTH[name](candidate, d, base))
    if not is_value_error(end):
        raised = "returned something" if end == RETURNS else f"raised {end}"
        raise Mismatch(f"{name} with d = {d} and base = {base:g} {raised}, expected a ValueError")


@criterion("bad-arguments")
@pytest.mark.parametrize("name", TAKES_WIDTH)
@pytest.mark.parametrize("d", [7, 1])
def test_an_odd_width_is_refused(candidate: Candidate, name: str, d: int) -> None:
    expect_refused(candidate, name, d, 50.0)


@criterion("bad-arguments")
@pytest.mark.parametrize("name", TAKES_WIDTH)
@pytest.mark.parametrize("base", [1.0, 0.5, -3.0])
def test_a_base_that_is_not_above_1_is_refused(candidate: Candidate, name: str, base: float) -> None:
    expect_refused(candidate, name, 6, base)


@criterion("x-stays")
@pytest.mark.parametrize("name", MODULES)
@pytest.mark.parametrize("grad", [True, False], ids=["recording", "no_grad"])
def test_x_stays_and_the_result_is_new(candidate: Candidate, rng: np.random.Generator, name: str, grad: bool) -> None:
    x = embeddings(rng, 2, 5, 8 if name == "SinusoidalPE" else 6)
    seen = candidate.observe(MODULES[name](candidate), x, grad=grad)
    if not seen.arguments_unchanged:
        raise Mismatch(f"{name} changed x, expected it to stay as it was")
    if seen.result_shares_storage:
        raise Mismatch(f"the result of {name} shares memory with x or with the table")
    if not seen.result_stays:
        raise Mismatch(f"a later call of {name} changed the result of this one")


@criterion("moves-with-the-model")
@pytest.mark.parametrize("name", MODULES)
def test_both_modules_work_on_another_device(candidate: Candidate, rng: np.random.Generator, name: str) -> None:
    x = embeddings(rng, 2, 5, 8 if name == "SinusoidalPE" else 6)
    positions = MODULES[name](candidate)
    positions(x)  # what is kept from a first call has to move as well
    candidate.moved(positions, x)


@criterion("moves-with-the-model")
def test_positions_that_come_later_are_on_that_device_too(candidate: Candidate, rng: np.random.Generator) -> None:
    """A sinusoidal module that was moved adds rows there that it had not needed before."""
    x = embeddings(rng, 2, 5, 8)
    positions = sinusoidal(candidate)
    positions(x)
    candidate.moved(candidate.support("decoding").AtOffset(positions, 700), x)
