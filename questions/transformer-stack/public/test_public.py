"""The public tests: a first look at your solution, beside which they run with `python -m pytest`.

They cover less than prompt.md asks for. When they pass, read that page once more.
"""

import pytest
import torch
from block import TransformerBlock
from readout import Readout
from solution import TransformerStack

SIZES = {"d_model": 12, "n_head": 2, "d_k": 5, "d_v": 4, "d_ff": 20}


def test_two_blocks_do_what_one_after_the_other_does():
    stack = TransformerStack(2, **SIZES)
    x = torch.randn(3, 7, 12)
    embeddings, maps = stack(x)
    first, first_map = stack.blocks[0](x)
    second, second_map = stack.blocks[1](first)
    torch.testing.assert_close(embeddings, second)
    assert len(maps) == 2
    torch.testing.assert_close(maps[0], first_map)
    torch.testing.assert_close(maps[1], second_map)


def test_shapes_are_those_of_the_prompt():
    embeddings, maps = TransformerStack(3, **SIZES)(torch.randn(2, 5, 12))
    assert embeddings.shape == (2, 5, 12)
    assert [each.shape for each in maps] == [(2, 2, 5, 5)] * 3


def test_every_block_has_parameters_of_its_own():
    one_block = sum(parameter.numel() for parameter in TransformerBlock(**SIZES).parameters())
    stack = TransformerStack(3, **SIZES)
    assert len({id(parameter) for parameter in stack.parameters()}) == 3 * 12
    assert sum(parameter.numel() for parameter in stack.parameters()) == 3 * one_block


def test_a_stack_without_blocks_is_refused():
    with pytest.raises(ValueError):  # noqa: PT011 - the words are yours
        TransformerStack(0, **SIZES)


def test_a_stack_learns_inside_a_model():
    model = Readout(TransformerStack(2, **SIZES), d_model=12, n_out=4)
    scores = model(torch.randn(3, 6, 12))
    assert scores.shape == (3, 4)
    (scores**2).sum().backward()
    assert all(parameter.grad is not None for parameter in model.parameters())
