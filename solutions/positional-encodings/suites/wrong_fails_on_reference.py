"""Must get: invalid. It asks for an attribute that the prompt leaves open, so a right solution fails it."""

import torch
from solution import SinusoidalPE


def test_the_table_is_in_pe():
    positions = SinusoidalPE(8)
    assert torch.equal(positions(torch.zeros(1, 4, 8))[0], positions.pe[:4])
