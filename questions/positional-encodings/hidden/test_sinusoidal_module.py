"""`SinusoidalPE`: what it adds, what it holds, and that it goes where the model goes."""

from contextlib import suppress

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from oracle import LOOSE, embeddings, exact, expect_added, module, sinusoidal

from grader.checks import Candidate, Handle, Mismatch, Raised, criterion, expect_array, largest_difference, tensor

BASE = 100.0


@criterion("module-rows")
def test_forward_adds_the_first_rows(candidate: Candidate, rng: np.random.Generator) -> None:
    x = embeddings(rng, 3, 5, 8)
    positions = sinusoidal(candidate)
    for training in (True, False):
        expect_added(candidate, positions.train(training)(x), x, BASE, 0)


@criterion("module-rows")
@given(
    st.lists(st.tuples(st.integers(1, 4), st.integers(1, 9), st.integers(0, 200)), min_size=6, max_size=6),
    st.integers(0, 1 << 30),
)
def test_the_module_honours_the_offset(candidate: Candidate, cases: list[tuple[int, int, int]], seed: int) -> None:
    """For any batch and length, the rows from the offset on are added."""
    rng = np.random.default_rng(seed)
    given = [(embeddings(rng, batch, length, 8), offset) for batch, length, offset in cases]
    for (x, offset), value in zip(given, sinusoidal(candidate).many(given), strict=True):
        expect_added(candidate, value, x, BASE, offset)


@criterion("module-rows")
def test_the_base_is_10000_and_the_offset_0_unless_given(candidate: Candidate, rng: np.random.Generator) -> None:
    positions = module(candidate.SinusoidalPE(6), "SinusoidalPE(6)")
    x = embeddings(rng, 2, 5, 6)
    expect_added(candidate, positions(x), x, 10_000.0, 0)
    expect_added(candidate, positions(x, offset=3), x, 10_000.0, 3)


@criterion("module-rows")
def test_one_token_at_a_time_gives_the_same(candidate: Candidate, rng: np.random.Generator) -> None:
    """Decoding with a cache, a token at a time, adds what one call for the whole sequence adds."""
    positions, x = sinusoidal(candidate), embeddings(rng, 2, 7, 8)
    steps = candidate.support("decoding").one_at_a_time(positions, tensor(x))
    expect_added(candidate, steps, x, BASE, 0)
    whole = expect_array(positions(x), x.shape, of="the result of SinusoidalPE")
    if largest_difference(expect_array(steps, x.shape, of="the result of decoding"), whole) > LOOSE:
        raise Mismatch("a token at a time gets other positions than the whole sequence gets")


@criterion("module-rows")
def test_there_is_no_last_position(candidate: Candidate, rng: np.random.Generator) -> None:
    positions, x = sinusoidal(candidate, 4), embeddings(rng, 2, 3, 4)
    for offset in (700, 65_533):
        expect_added(candidate, positions(x, offset), x, BASE, offset)


@criterion("float64-angles")
def test_the_module_adds_exact_rows_far_away(candidate: Candidate) -> None:
    """Rows near position 30,000; what is further off than angles in float32 has its own criterion."""
    x = np.zeros((2, 3, 6), "float32")
    try:
        result = sinusoidal(candidate, 6).train(False)(x, 30_000)
    except (Mismatch, Raised):
        return
    if isinstance(result, np.ndarray) and result.shape == x.shape:
        error = largest_difference(result[0], exact(3, 6, BASE, 30_000))
        if 2e-6 < error < 2e-2:
            raise Mismatch(f"SinusoidalPE adds rows near position 30,000 that are {error:.1e} off, expected 1e-7")


@criterion("no-parameters")
def test_sinusoidal_module_has_no_parameters(candidate: Candidate, rng: np.random.Generator) -> None:
    """No parameter and an empty state_dict, before the first call, after it, and after a call far away."""
    positions, x = sinusoidal(candidate), embeddings(rng, 2, 5, 8)
    expect_nothing_held(candidate, positions, "before the first call")
    if not np.any(positions(x) != x):
        raise Mismatch("nothing was added: the result equals x")
    with suppress(Raised):  # how far its positions go has its own criterion
        positions(x, 3_000)
    expect_nothing_held(candidate, positions, "after a call")


def expect_nothing_held(candidate: Candidate, positions: Handle, when: str) -> None:
    """Raise a Mismatch for a parameter, or for a name in the state_dict."""
    for parameter in candidate.inventory(positions).parameters:
        kind = "trainable" if parameter.requires_grad else "frozen"
        raise Mismatch(f"{when} there is the {kind} parameter {parameter.name} {list(parameter.shape)}, expected none")
    if names := candidate.support("decoding").checkpoint_names(positions):
        raise Mismatch(f"{when} the state_dict holds {', '.join(map(str, names[:3]))}, expected it to be empty")


@criterion("no-parameters")
def test_the_gradient_passes_through_to_x(candidate: Candidate, rng: np.random.Generator) -> None:
    x, cotangent = embeddings(rng, 2, 5, 8), embeddings(rng, 2, 5, 8)
    seen = candidate.gradient(sinusoidal(candidate), x, cotangent)
    if seen.at_x is None or not np.any(seen.at_x):
        raise Mismatch("no gradient arrives at x, expected that of a sum")
