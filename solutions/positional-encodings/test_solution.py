"""The reference suite: the formula once more in plain math, and what both modules do with it.

It holds for any correct solution: nothing is compared exactly, and nothing is asked that the prompt leaves open.
"""

import math

import numpy as np
import pytest
import torch
from decoding import checkpoint_names, one_at_a_time
from solution import LearnedPE, SinusoidalPE, shift_pe, sinusoidal_freqs, sinusoidal_pe

SETTINGS = [(8, 10000.0), (6, 500.0)]
FAR = [10_000, 40_001, 65_535]


def encoding(p, d, base):
    """PE(p) by the formula, in float64."""
    angles = [p / base ** (2 * i / d) for i in range(d // 2)]
    return [f(angle) for angle in angles for f in (math.sin, math.cos)]


def rows(positions, d, base):
    return np.array([encoding(p, d, base) for p in positions])


def numbers(value):
    """NumPy's or torch's numbers in float64."""
    return np.asarray(value.detach() if isinstance(value, torch.Tensor) else value, dtype="float64")


def close(value, expected, atol=2e-6):
    found = numbers(value)
    assert found.shape == np.shape(expected)
    np.testing.assert_allclose(found, expected, rtol=0, atol=atol)


def embeddings(*shape):
    return torch.randn(shape, generator=torch.Generator().manual_seed(7))


# The table


@pytest.mark.parametrize(("d", "base"), SETTINGS)
def test_frequencies_follow_the_formula(d, base):
    close(sinusoidal_freqs(d, base), [base ** (-2 * i / d) for i in range(d // 2)], atol=1e-9)


@pytest.mark.parametrize(("d", "base"), SETTINGS)
def test_the_first_rows_follow_the_formula(d, base):
    close(sinusoidal_pe(12, d, base), rows(range(12), d, base))


@pytest.mark.parametrize("p", FAR)
@pytest.mark.parametrize(("d", "base"), SETTINGS)
def test_rows_far_out_are_as_exact(p, d, base):
    close(sinusoidal_pe(1, d, base, offset=p), rows([p], d, base))


def test_an_offset_continues_the_table():
    close(sinusoidal_pe(4, 6, 500.0, offset=9), rows(range(9, 13), 6, 500.0))


# The shift


@pytest.mark.parametrize("k", [1, 5, -3, 0.5])
@pytest.mark.parametrize(("d", "base"), SETTINGS)
def test_a_shift_leads_to_the_row_k_further_on(k, d, base):
    close(shift_pe(rows([4, 11, 30], d, base), k, d, base), rows([4 + k, 11 + k, 30 + k], d, base))


# The sinusoidal module


@pytest.mark.parametrize("offset", [0, 3, 700])
def test_the_sinusoidal_module_adds_the_rows_from_the_offset(offset):
    x = embeddings(2, 5, 8)
    close(SinusoidalPE(8)(x, offset), x + rows(range(offset, offset + 5), 8, 10000.0), atol=1e-5)


def test_decoding_a_token_at_a_time_gives_the_same():
    positions, x = SinusoidalPE(6, 500.0), embeddings(2, 7, 6)
    close(one_at_a_time(positions, x), numbers(positions(x)), atol=1e-5)


def test_the_sinusoidal_module_has_nothing_to_train_or_save():
    positions = SinusoidalPE(8)
    for offset in (0, 700):
        positions(embeddings(2, 5, 8), offset)
        assert list(positions.parameters()) == []
        assert checkpoint_names(positions) == []


# The learned module


@pytest.mark.parametrize("offset", [0, 4])
def test_the_learned_module_adds_its_rows_from_the_offset(offset):
    positions, x = LearnedPE(11, 6), embeddings(2, 5, 6)
    expected = numbers(positions.weight)[offset : offset + 5]
    close(positions.positions(5, offset), expected)
    close(positions(x, offset), numbers(x) + expected)


@pytest.mark.parametrize("offset", [0, 4])
def test_the_rows_that_were_used_get_their_gradient(offset):
    positions, x = LearnedPE(11, 6), embeddings(2, 5, 6)
    factors = embeddings(2, 5, 6) + 2
    (positions(x, offset) * factors).sum().backward()
    expected = np.zeros((11, 6))
    expected[offset : offset + 5] = numbers(factors).sum(axis=0)
    assert positions.weight.grad is not None
    close(positions.weight.grad, expected, atol=1e-4)


@pytest.mark.parametrize(("arguments", "std"), [((), 0.02), ((0.5,), 0.5)])
def test_the_learned_table_is_drawn_with_std(arguments, std):
    torch.manual_seed(3)
    weight = numbers(LearnedPE(200, 50, *arguments).weight)
    assert weight.std() == pytest.approx(std, rel=0.1)
    assert abs(weight.mean()) < 0.1 * std


# What is refused


@pytest.mark.parametrize(("d", "base"), [(7, 10000.0), (8, 1.0), (8, 0.5)])
def test_odd_widths_and_small_bases_are_refused(d, base):
    for call in (
        lambda: sinusoidal_freqs(d, base),
        lambda: sinusoidal_pe(3, d, base),
        lambda: shift_pe(np.ones((3, d)), 1, d, base),
        lambda: SinusoidalPE(d, base),
    ):
        with pytest.raises(ValueError, match=r".*"):
            call()


@pytest.mark.parametrize(("length", "offset"), [(12, 0), (2, 10), (1, 11), (1, -1)])
def test_positions_outside_the_learned_table_raise(length, offset):
    positions = LearnedPE(11, 6)
    with pytest.raises(Exception, match=r".*"):
        positions.positions(length, offset)
    with pytest.raises(Exception, match=r".*"):
        positions(embeddings(2, length, 6), offset)
