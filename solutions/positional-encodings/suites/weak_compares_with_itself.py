"""Must get: not passed, 8 of 13. Its oracle is solution.py itself, so what is wrong throughout goes unnoticed."""

import numpy as np
import torch
from decoding import one_at_a_time
from solution import LearnedPE, SinusoidalPE, shift_pe, sinusoidal_pe


def test_the_shift_leads_along_the_table():
    table = np.asarray(sinusoidal_pe(30, 8))
    assert np.allclose(shift_pe(table[:20], 10, 8), table[10:], atol=1e-5)


def test_the_offset_is_the_tail():
    assert np.allclose(sinusoidal_pe(5, 8, offset=4), np.asarray(sinusoidal_pe(9, 8))[4:], atol=1e-6)


def test_decoding_is_the_same():
    x = torch.zeros(2, 6, 8)
    for positions in (SinusoidalPE(8), LearnedPE(10, 8)):
        assert torch.allclose(one_at_a_time(positions, x), positions(x), atol=1e-6)


def test_training():
    assert not list(SinusoidalPE(8).parameters())
    learned = LearnedPE(10, 8)
    learned(torch.zeros(2, 6, 8)).sum().backward()
    assert learned.weight.grad is not None
