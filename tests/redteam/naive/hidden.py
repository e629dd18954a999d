"""Tests as they are often written: in the candidate's process, each with a comparison that people use."""

import math
import pickle
import random
import time
import unittest

import numpy as np
import oracle
import torch
from solution import SinusoidalPositions, count_parameters, sinusoidal_pe

TOLERANCE = 1e-6
EXPECTED = {"small": oracle.right_table(8, 6, 100.0)}


def expect_the_rows(table, expected):
    np.testing.assert_allclose(table, expected, rtol=0, atol=1e-5)


# The table


def test_table_testing():
    expected = EXPECTED["small"]
    table = sinusoidal_pe(8, 6, 100.0)
    expect_the_rows(table, expected)


def test_table_equal():
    expected = oracle.right_table(4, 4, 100.0)
    table = sinusoidal_pe(4, 4, 100.0)
    assert (table == expected).all()


def test_table_allclose():
    assert np.allclose(sinusoidal_pe(4, 4, 100.0), oracle.right_table(4, 4, 100.0))


def test_table_difference():
    difference = sinusoidal_pe(4, 4, 100.0) - oracle.right_table(4, 4, 100.0)
    assert not (abs(difference) > TOLERANCE).any()


def test_table_relative():
    table = sinusoidal_pe(4, 4, 100.0)
    with np.errstate(all="ignore"):
        assert (abs(table - oracle.right_table(4, 4, 100.0)) <= TOLERANCE * abs(table)).all()


def test_table_rows():
    for row, right in zip(sinusoidal_pe(4, 4, 100.0), oracle.right_table(4, 4, 100.0), strict=False):
        assert abs(row - right).max() < TOLERANCE


def test_table_loose():
    np.testing.assert_allclose(sinusoidal_pe(4, 4, 100.0), oracle.right_table(4, 4, 100.0), atol=1e-2)


def test_table_shape_first():
    shape = oracle.right_table(4, 4, 100.0).shape
    table = sinusoidal_pe(*shape, 100.0)
    np.testing.assert_allclose(table, oracle.right_table(4, 4, 100.0), atol=TOLERANCE)


def test_table_random():
    max_len, d_model = random.randint(1, 9), 2 * random.randint(1, 9)
    np.testing.assert_allclose(sinusoidal_pe(max_len, d_model, 100.0), oracle.right_table(max_len, d_model, 100.0))


def test_table_unittest():
    case = unittest.TestCase()
    value, right = float(sinusoidal_pe(4, 4, 100.0)[3, 1]), float(oracle.right_table(4, 4, 100.0)[3, 1])
    case.assertAlmostEqual(value, right, places=5)
    assert math.isclose(value, right, abs_tol=TOLERANCE)


def test_table_dtype():
    expected = oracle.right_table(4, 4, 100.0)
    table = sinusoidal_pe(4, 4, 100.0)
    assert np.array_equal(np.asarray(expected, table.dtype).astype(str), table.astype(str))


def test_table_fast():
    start = time.perf_counter()
    sinusoidal_pe(4, 4, 100.0)
    assert time.perf_counter() - start < 0.2


def test_table_travels():
    pickle.dumps(np.ascontiguousarray(sinusoidal_pe(5, 4, 100.0)))


# The module


def added(x):
    module = SinusoidalPositions(8, 6, 100.0)
    expected = x + torch.from_numpy(oracle.right_table(8, 6, 100.0)).float()[: x.shape[1]]
    return module(x), expected


def test_module_allclose():
    result, expected = added(torch.randn(1, 5, 6))
    assert torch.allclose(result, expected, atol=1e-5)


def test_module_method():
    result, expected = added(torch.randn(1, 5, 6))
    assert result.allclose(expected, atol=1e-5)


def test_module_later():
    x = torch.randn(1, 5, 6)
    result = SinusoidalPositions(8, 6, 100.0)(x)
    assert torch.allclose(result.float(), x + torch.from_numpy(oracle.right_table(8, 6, 100.0)).float()[:5])


def test_module_again():
    module, x = SinusoidalPositions(8, 6, 100.0), torch.randn(1, 5, 6)
    start = time.perf_counter()
    for _ in range(3):
        result = module(x)
    assert torch.allclose(result, x + torch.from_numpy(oracle.right_table(8, 6, 100.0)).float()[:5], atol=1e-5)
    assert time.perf_counter() - start < 0.2


def test_module_parameters():
    assert list(SinusoidalPositions(8, 6, 100.0).parameters()) == []


def test_module_kind():
    assert isinstance(SinusoidalPositions(8, 6, 100.0), torch.nn.Module)


def test_module_buffers():
    buffers = list(SinusoidalPositions(8, 6, 100.0).buffers())
    assert [tuple(buffer.shape) for buffer in buffers] == [(8, 6)]
    assert not any(buffer.requires_grad for buffer in buffers)


def test_module_property():
    table = SinusoidalPositions(8, 6, 100.0).table
    assert table.shape == (8, 6)
    assert not isinstance(table, torch.nn.Parameter)


def test_module_attributes():
    module = SinusoidalPositions(8, 6, 100.0)
    assert not any(isinstance(getattr(module, name), torch.nn.Parameter) for name in dir(module))


def test_module_saved():
    module, fresh = SinusoidalPositions(8, 6, 100.0), SinusoidalPositions(8, 6, 100.0)
    fresh.load_state_dict(module.state_dict())
    x = torch.randn(1, 5, 6)
    assert torch.equal(fresh(x), module(x))


def test_module_moves():
    module = SinusoidalPositions(8, 6, 100.0).to("meta")
    assert all(buffer.is_meta for buffer in module.buffers())


def test_module_trained():
    module = SinusoidalPositions(8, 6, 100.0)
    before = {name: value.clone() for name, value in module.state_dict().items()}
    for parameter in module.parameters():
        parameter.data -= 1
    assert all(torch.equal(value, before[name]) for name, value in module.state_dict().items())


# The counter


def test_counter():
    assert count_parameters(torch.nn.Linear(3, 5)) == 20


def test_counter_leaves():
    stack, leaves = [count_parameters(torch.nn.Linear(3, 5))], []
    while stack:
        item = stack.pop()
        stack.extend(item) if isinstance(item, list) else leaves.append(item)
    assert leaves == [20]
