"""Must get: passed, 11 of 13. It leaves out the two mistakes that need not be noticed, s12 and s13: 85 %."""

from math import cos, isclose, sin

import torch
from solution import LearnedPE, SinusoidalPE, shift_pe, sinusoidal_pe


def angle(p, i, d, base):
    return p * base ** (-2 * i / d)


def check_table(rows, first, d, base, tolerance=1e-5):
    for t, row in enumerate(rows):
        for i in range(d // 2):
            a = angle(first + t, i, d, base)
            assert isclose(row[2 * i], sin(a), abs_tol=tolerance)
            assert isclose(row[2 * i + 1], cos(a), abs_tol=tolerance)


def test_small_and_large_positions():
    check_table(sinusoidal_pe(6, 8).tolist(), 0, 8, 10000.0)
    check_table(sinusoidal_pe(3, 8, 700.0, 51_111).tolist(), 51_111, 8, 700.0)


def test_shift():
    moved = shift_pe(sinusoidal_pe(5, 8), 3, 8)
    check_table(moved.tolist(), 3, 8, 10000.0)


def test_module_at_an_offset():
    x = torch.ones(1, 4, 8)
    module = SinusoidalPE(8)
    check_table((module(x, offset=11) - x)[0].tolist(), 11, 8, 10000.0)
    assert not list(module.parameters())


def test_learned_at_an_offset_and_its_gradient():
    module = LearnedPE(20, 8)
    x = torch.ones(1, 4, 8)
    out = module(x, offset=11)
    assert torch.allclose(out - x, module.weight[11:15], atol=1e-6)
    out.sum().backward()
    assert module.weight.grad[11:15].min() > 0.5
    assert module.weight.grad[:11].abs().max() == 0
