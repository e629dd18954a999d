"""`count_parameters`: objects are counted, not names, not values, not buffers."""

import pytest
from oracle import parameter_count

from grader.checks import Candidate, Handle, criterion, expect_integer


def tied(candidate: Candidate) -> Handle:
    """An embedding [7, 4] whose weight is a linear layer's too: 28 parameters."""
    nn = candidate.torch.nn
    embedding, head = nn.Embedding(7, 4), nn.Linear(4, 7, bias=False)
    candidate.assign(head, "weight", candidate.attribute(embedding, "weight"))
    return nn.ModuleList([embedding, head])  # type: ignore[no-any-return]


def frozen(candidate: Candidate) -> Handle:
    """A trainable and a frozen linear layer: 18 + 21 parameters."""
    nn = candidate.torch.nn
    return nn.ModuleList([nn.Linear(5, 3), nn.Linear(6, 3).requires_grad_(False)])  # type: ignore[no-any-return]


def with_buffers(candidate: Candidate) -> Handle:
    """A batch norm over 6 features: 12 parameters, 13 numbers in buffers."""
    return candidate.torch.nn.BatchNorm1d(6)  # type: ignore[no-any-return]


def twins(candidate: Candidate) -> Handle:
    """Two layer norms with equal values: 16 parameters."""
    nn = candidate.torch.nn
    return nn.ModuleList([nn.LayerNorm(4), nn.LayerNorm(4)])  # type: ignore[no-any-return]


def shared(candidate: Candidate) -> Handle:
    """One linear layer in two places of a nested model: 6 + 9 parameters."""
    nn = candidate.torch.nn
    layer = nn.Linear(2, 2)
    return nn.Sequential(layer, nn.Sequential(layer, nn.Linear(2, 3)))  # type: ignore[no-any-return]


def empty(candidate: Candidate) -> Handle:
    """A module without parameters."""
    return candidate.torch.nn.ReLU()  # type: ignore[no-any-return]


MODELS = {tied: 28, frozen: 39, with_buffers: 12, twins: 16, shared: 15, empty: 0}


@criterion("unique-counter")
@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.__name__)
def test_each_parameter_object_counts_once(candidate: Candidate, model) -> None:  # type: ignore[no-untyped-def]
    count = candidate.count_parameters(model(candidate))
    expect_integer(count, MODELS[model], of=f"the count of {model.__doc__.split(':')[0].rstrip('.').lower()}")


@criterion("unique-counter")
def test_a_gpt_has_its_known_count(candidate: Candidate) -> None:
    gpt = candidate.support("gpt")
    config = gpt.GPTConfig(vocab_size=501, context=64, d_model=32, n_layer=2, n_head=4)
    count = candidate.count_parameters(gpt.GPT(config))
    expect_integer(count, parameter_count(501, 64, 32, n_layer=2), of="the count of a GPT of two blocks")
