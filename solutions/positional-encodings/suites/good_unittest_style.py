"""Must get: passed, 13 of 13. The style is unittest's, with subTest and setUp; the oracle is math."""

import math
import unittest

import numpy as np
import torch
from decoding import AddedByHand, checkpoint_names
from solution import LearnedPE, SinusoidalPE, shift_pe, sinusoidal_pe


def pe(p, d, base=10000.0):
    row = []
    for i in range(d // 2):
        row += [math.sin(p / base ** (2 * i / d)), math.cos(p / base ** (2 * i / d))]
    return row


class TableTest(unittest.TestCase):
    def test_rows(self):
        for p in (0, 1, 2, 77, 12_345, 60_001):
            with self.subTest(p=p):
                for got, want in zip(np.asarray(sinusoidal_pe(1, 10, offset=p))[0], pe(p, 10), strict=True):
                    self.assertAlmostEqual(float(got), want, delta=3e-6)

    def test_odd(self):
        with self.assertRaises(ValueError):
            sinusoidal_pe(4, 9)

    def test_shift(self):
        for k in (4, -4):
            moved = np.asarray(shift_pe(np.array([pe(10, 6)]), k, 6))[0]
            self.assertLess(np.abs(moved - pe(10 + k, 6)).max(), 1e-5)


class ModulesTest(unittest.TestCase):
    def setUp(self):
        torch.manual_seed(1)
        self.x = torch.zeros(2, 3, 6)

    def test_sinusoidal(self):
        module = SinusoidalPE(6)
        out = module(self.x, 40)
        self.assertLess(float(np.abs(out[1, 2].numpy() - pe(42, 6)).max()), 1e-5)
        self.assertEqual(sum(1 for _ in module.parameters()), 0)
        self.assertEqual(checkpoint_names(module), [])

    def test_learned(self):
        module = LearnedPE(9, 6)
        self.assertTrue(torch.allclose(module(self.x, 4)[0], module.weight[4:7]))
        AddedByHand(module, 4)(self.x).sum().backward()
        self.assertIsNotNone(module.weight.grad)
        used = (module.weight.grad != 0).any(dim=1).nonzero().flatten().tolist()
        self.assertEqual(used, [4, 5, 6])

    def test_spread(self):
        self.assertAlmostEqual(LearnedPE(100, 100, 1.5).weight.std().item(), 1.5, delta=0.1)


if __name__ == "__main__":
    unittest.main()
