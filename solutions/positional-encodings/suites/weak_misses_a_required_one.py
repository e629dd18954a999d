"""Must get: not passed, 12 of 13. Above the threshold, but nothing looks at gradients, and s11 has to be noticed."""

import math

import numpy as np
import pytest
import torch
from solution import LearnedPE, SinusoidalPE, shift_pe, sinusoidal_pe


def exact(positions, d, base=10000.0):
    table = np.zeros((len(positions), d))
    for row, p in enumerate(positions):
        for i in range(d // 2):
            table[row, 2 * i : 2 * i + 2] = math.sin(p / base ** (2 * i / d)), math.cos(p / base ** (2 * i / d))
    return table


def test_table_near_and_far():
    assert np.allclose(sinusoidal_pe(9, 12), exact(range(9), 12), rtol=0, atol=2e-6)
    assert np.allclose(sinusoidal_pe(9, 12, offset=33_333), exact(range(33_333, 33_342), 12), rtol=0, atol=2e-6)


def test_shift():
    assert np.allclose(shift_pe(exact([5], 12), 7, 12), exact([12], 12), atol=1e-5)


def test_odd_width():
    with pytest.raises(ValueError, match=r".*"):
        SinusoidalPE(11)


def test_modules():
    x = torch.zeros(3, 4, 12)
    positions = SinusoidalPE(12)
    assert np.allclose(positions(x, 6)[2].numpy(), exact(range(6, 10), 12), atol=1e-5)
    assert not list(positions.parameters())
    learned = LearnedPE(16, 12, std=0.3)
    assert torch.equal(learned(x, 6)[2], learned.weight[6:10])
    assert 0.2 < learned.weight.std().item() < 0.4
