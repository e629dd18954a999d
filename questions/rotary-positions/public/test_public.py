"""The public tests: a first look at your solution, beside which they run with `python -m pytest`.

They cover less than prompt.md asks for. When they pass, read that page once more.
"""

import pytest
import torch
from solution import RotaryAttention, rotate, to_half, to_interleaved


@pytest.mark.parametrize(
    ("layout", "expected"),
    [
        ("interleaved", [0.540302, 0.841471, 0.999950, 0.010000]),
        ("half", [-0.301169, 0.000000, 1.381773, 0.000000]),
    ],
)
def test_the_example_of_the_prompt(layout, expected):
    x = torch.tensor([[1.0, 0.0, 1.0, 0.0]] * 2)
    result = rotate(x, torch.tensor([0, 1]), layout=layout)
    at_zero = [1.000000, 0.000000, 1.000000, 0.000000]
    torch.testing.assert_close(result, torch.tensor([at_zero, expected]), atol=1e-5, rtol=0)


def test_a_rotation_keeps_lengths():
    x = torch.randn(2, 3, 5, 8)
    result = rotate(x, torch.arange(5))
    assert result.shape == x.shape
    torch.testing.assert_close(result.norm(dim=-1), x.norm(dim=-1))


def test_an_odd_width_is_refused():
    rotate(torch.randn(2, 4), torch.arange(2))
    with pytest.raises(Exception):  # noqa: B017, PT011 - which error it is, is yours to choose
        rotate(torch.randn(2, 5), torch.arange(2))


def test_attention_goes_on_where_it_ended():
    torch.manual_seed(0)
    attention, x = RotaryAttention(12, 3), torch.randn(2, 5, 12)
    whole, _ = attention(x)
    first, cache = attention(x[:, :3])
    second, _ = attention(x[:, 3:], cache)
    assert whole.shape == x.shape
    torch.testing.assert_close(torch.cat([first, second], dim=1), whole, atol=1e-5, rtol=1e-4)


def test_the_conversions_of_the_prompt():
    bias = torch.arange(6.0)
    assert to_interleaved(bias, 1).tolist() == [0, 3, 1, 4, 2, 5]
    assert to_half(bias, 1).tolist() == [0, 2, 4, 1, 3, 5]


def test_there_and_back():
    weight = torch.randn(24, 5)
    assert torch.equal(to_half(to_interleaved(weight, 3), 3), weight)
