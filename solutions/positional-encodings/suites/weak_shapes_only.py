"""Must get: not passed, 1 of 13. It looks at shapes and types; only the parameter that should not be there shows."""

import numpy as np
import pytest
import torch
from solution import LearnedPE, SinusoidalPE, shift_pe, sinusoidal_freqs, sinusoidal_pe


@pytest.mark.parametrize("d", [2, 8, 64])
def test_shapes(d):
    assert np.shape(sinusoidal_freqs(d)) == (d // 2,)
    table = sinusoidal_pe(5, d)
    assert np.shape(table) == (5, d)
    assert np.shape(shift_pe(table, 3, d)) == (5, d)
    x = torch.zeros(2, 5, d)
    assert SinusoidalPE(d)(x).shape == x.shape
    assert LearnedPE(10, d)(x).shape == x.shape
    assert not list(SinusoidalPE(d).parameters())


def test_finite():
    assert np.isfinite(np.asarray(sinusoidal_pe(100, 16))).all()
