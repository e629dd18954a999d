"""Must get: invalid. It draws from the system's entropy and its margin is far too narrow: it fails 9 times in 10."""

import numpy as np
from solution import sinusoidal_pe


def test_row_lengths_of_a_noisy_table():
    noise = np.random.default_rng().normal(size=(4, 8))
    lengths = np.linalg.norm(np.asarray(sinusoidal_pe(4, 8)) + noise, axis=1)
    assert abs(lengths.mean() - 3.3) < 0.04
