"""`RotaryAttention`: what is rotated, and that a sequence may be cut anywhere."""

import numpy as np
import pytest
from layers import BASE, CLOSE, DEFAULT_BASE, built, call, expect_attention, projection
from turns import works

from grader.checks import Candidate, Mismatch, Raised, criterion, describe, largest_difference

CUTS = [(1, 1, 1, 1, 1, 1, 1), (3, 4), (2, 1, 4)]


@criterion("attention-output")
@pytest.mark.parametrize(("d_model", "n_head", "bias"), [(24, 4, True), (24, 2, False), (10, 1, True)])
def test_queries_and_keys_of_each_head_are_rotated(
    candidate: Candidate, rng: np.random.Generator, d_model: int, n_head: int, bias: bool
) -> None:
    layer = built(candidate, d_model, n_head, bias=bias)
    x = rng.normal(size=(3, 7, d_model)).astype("float32")
    expect_attention(candidate, layer, x, n_head, BASE)


@criterion("attention-output")
def test_the_base_is_10000_unless_it_is_given(candidate: Candidate, rng: np.random.Generator) -> None:
    layer = built(candidate, 24, 3, base=None)
    expect_attention(candidate, layer, rng.normal(size=(2, 9, 24)).astype("float32"), 3, DEFAULT_BASE)


@criterion("values-not-rotated")
def test_equal_scores_give_the_mean_of_the_values(candidate: Candidate, rng: np.random.Generator) -> None:
    """Without queries all scores are equal, however keys are rotated; the last token sees everything."""
    layer = built(candidate, 24, 3)
    for name in ("query.weight", "query.bias"):
        if candidate.value(layer, name) is not None:
            candidate.attribute(layer, f"{name}.data").zero_()
    x = rng.normal(size=(2, 7, 24)).astype("float32")
    found, _ = call(layer, x)
    values = projection(candidate, layer, "value")(x)
    expected = projection(candidate, layer, "output")(values.mean(axis=1))
    if largest_difference(found[:, -1], expected) > CLOSE:
        raise Mismatch("with all scores equal the last token gets something else than the mean of the values")


@criterion("cache-continues")
@pytest.mark.parametrize("cuts", CUTS, ids=str)
def test_a_sequence_may_be_cut_anywhere(candidate: Candidate, rng: np.random.Generator, cuts: tuple[int, ...]) -> None:
    layer = built(candidate, 24, 4)
    x = rng.normal(size=(3, 7, 24)).astype("float32")
    whole, _ = call(layer, x)
    pieces = np.split(x, np.cumsum(cuts)[:-1], axis=1)
    found, cache = call(layer, pieces[0])
    results = [found]
    for piece in pieces[1:]:
        found, cache = call(layer, piece, cache)
        results.append(found)
    off = np.abs(np.concatenate(results, axis=1) - whole).max(axis=(0, 2))
    if off.max() > CLOSE:
        token = int((off > CLOSE).argmax())
        raise Mismatch(f"cut into calls of {list(cuts)} tokens, the result differs from token {token} on")


@criterion("cache-continues")
def test_without_a_cache_a_sequence_begins_anew(candidate: Candidate, rng: np.random.Generator) -> None:
    layer = built(candidate, 24, 4)
    x = rng.normal(size=(2, 5, 24)).astype("float32")
    first, _ = call(layer, x)
    second, _ = call(layer, x)
    if largest_difference(first, second) > CLOSE:
        raise Mismatch("a second call without a cache differs from the first, expected a new beginning")


@criterion("projections")
@pytest.mark.parametrize("bias", [True, False, None], ids=["biases", "none", "default"])
def test_all_projections_have_biases_or_none_has(candidate: Candidate, bias: bool | None) -> None:
    layer = built(candidate, 24, 4, bias=bias)
    for name in ("query", "key", "value", "output"):
        weight, found = (candidate.value(layer, f"{name}.{kind}") for kind in ("weight", "bias"))
        if not isinstance(weight, np.ndarray) or weight.shape != (24, 24):
            raise Mismatch(f"the weight of {name} is {describe(weight)}, expected an array of shape [24, 24]")
        if (found is None) != (bias is False):
            given = "by default" if bias is None else f"with bias={bias}"
            raise Mismatch(f"{given} the bias of {name} is {describe(found)}")


@criterion("moves-with-the-model")
def test_the_layer_works_on_another_device(candidate: Candidate, rng: np.random.Generator) -> None:
    layer = built(candidate, 24, 4)
    x = rng.normal(size=(2, 5, 24)).astype("float32")
    call(layer, x)  # what is kept from a first call has to move as well
    candidate.moved(layer, x)


@criterion("input-unchanged")
def test_the_layers_input_stays_as_it_was(candidate: Candidate, rng: np.random.Generator) -> None:
    x = rng.normal(size=(2, 5, 24)).astype("float32")
    if not works(lambda: call(built(candidate, 24, 4), x)):
        return
    layer = built(candidate, 24, 4)
    if not candidate.observe(layer, x).arguments_unchanged:
        raise Mismatch("forward changed x, expected it as it was")


@criterion("odd-width-refused")
def test_widths_that_make_no_even_heads_are_refused(candidate: Candidate) -> None:
    if not works(lambda: built(candidate, 24, 4)):
        return
    for d_model, n_head in ((15, 3), (9, 1), (16, 6)):
        try:
            candidate.RotaryAttention(d_model, n_head)
        except Raised:
            continue
        raise Mismatch(f"RotaryAttention takes d_model {d_model} with {n_head} heads, expected an error")
