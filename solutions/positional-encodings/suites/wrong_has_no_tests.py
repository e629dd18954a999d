"""Must get: invalid. It defines helpers and a check that pytest does not collect."""

from solution import sinusoidal_pe


def check_shape():
    assert sinusoidal_pe(3, 4).shape == (3, 4)
