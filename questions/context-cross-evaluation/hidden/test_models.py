"""One model: its parts, its logits, its positions. Several: how they start, and what they share."""

import block_oracle
import numpy as np
import pytest
from contexts import (
    SIZES,
    Sizes,
    built,
    expect_refusal,
    expected_logits,
    family,
    logits_of,
    shapes,
    token_ids,
    values,
)

from grader.checks import Candidate, Handle, Mismatch, criterion, expect_close, tensor

ATOL = 2e-3  # rounding comes to some 1e-5; the smallest mistake moves the logits by a tenth and more
CONTEXTS = [5, 11, 3]


@criterion("names")
def test_parameters_have_the_agreed_names_and_shapes(candidate: Candidate) -> None:
    expect_agreed(candidate, built(candidate), SIZES)


def expect_agreed(candidate: Candidate, model: Handle, sizes: Sizes, where: str = "") -> None:
    """A Mismatch unless a model has the parameters of the prompt, and no others."""
    found = {each.name: each.shape for each in candidate.inventory(model).parameters}
    for name, shape in shapes(sizes).items():
        if found.get(name) != shape:
            raise Mismatch(f"{where}the parameter {name} has the shape {found.get(name)}, expected {shape}")
    if extra := sorted(set(found) - set(shapes(sizes))):
        raise Mismatch(f"{where}there is another parameter, {extra[0]}, expected those of the prompt alone")


@criterion("model-logits")
@pytest.mark.parametrize("sizes", [SIZES, Sizes(13, 6, 8, 1, 2)], ids=["two-blocks", "one-block"])
def test_at_the_full_context_logits_are_those_of_the_parts(
    candidate: Candidate, rng: np.random.Generator, sizes: Sizes
) -> None:
    weights = block_oracle.drawn(rng, shapes(sizes))
    model, ids = built(candidate, sizes), token_ids(rng, 3, sizes.context, sizes)
    model.load_state_dict({name: tensor(value) for name, value in weights.items()})
    expect_close(logits_of(model, ids, sizes), expected_logits(ids, weights, sizes), atol=ATOL, of="the logits")


@criterion("positions-from-zero")
@pytest.mark.parametrize("length", [1, 4, 8])
def test_a_shorter_input_has_the_positions_that_it_has_in_a_longer_one(
    candidate: Candidate, rng: np.random.Generator, length: int
) -> None:
    """A token sees none after it, so the first logits of a full input are those of its first tokens alone."""
    model, ids = built(candidate), token_ids(rng, 2, SIZES.context)
    whole, cropped = logits_of(model, ids)[:, :length], logits_of(model, ids[:, :length])
    expect_close(cropped, whole, atol=ATOL, of=f"the logits of the first {length} tokens alone")


@criterion("positions-from-zero")
def test_a_call_remembers_nothing_of_the_one_before(candidate: Candidate, rng: np.random.Generator) -> None:
    model, ids = built(candidate), token_ids(rng, 2, 4)
    first = logits_of(model, ids)
    logits_of(model, token_ids(rng, 3, 3))
    expect_close(logits_of(model, ids), first, atol=ATOL, of="the logits of the same ids, later")


@criterion("too-long")
def test_more_tokens_than_the_context_are_refused(candidate: Candidate, rng: np.random.Generator) -> None:
    model = built(candidate)
    logits_of(model, token_ids(rng, 2, SIZES.context))
    for length in (SIZES.context + 1, 2 * SIZES.context):
        ids = token_ids(rng, 2, length)
        expect_refusal(f"an input of {length} tokens at context {SIZES.context}", lambda ids=ids: model(ids))


@criterion("paired-weights")
def test_models_start_alike_but_for_their_position_tables(candidate: Candidate) -> None:
    first, *others = [values(candidate, model) for model in family(candidate, CONTEXTS, seed=4)]
    for context, other in zip(CONTEXTS[1:], others, strict=True):
        for name, value in first.items():
            if value.shape == (CONTEXTS[0], SIZES.d_model):
                continue  # the position table, whatever it is called
            if name not in other or other[name].shape != value.shape or not np.array_equal(other[name], value):
                raise Mismatch(f"{name} starts with other values at context {context} than at {CONTEXTS[0]}")


@criterion("independent")
def test_training_one_model_leaves_the_others_as_they_are(candidate: Candidate) -> None:
    """Moves every parameter of one model, and looks at the others."""
    models = family(candidate, CONTEXTS, seed=4)
    before = [values(candidate, model) for model in models[1:]]
    for name in values(candidate, models[0]):
        candidate.attribute(models[0], name).data.add_(1.0)
    for context, model, held in zip(CONTEXTS[1:], models[1:], before, strict=True):
        for name, value in values(candidate, model).items():
            if not np.array_equal(value, held.get(name)):
                raise Mismatch(f"{name} of the model of context {context} changed with that of context {CONTEXTS[0]}")


@criterion("seeded")
def test_the_seed_alone_decides_about_the_weights(candidate: Candidate) -> None:
    found = []
    for elsewhere, seed in ((1, 6), (2, 6), (2, 7)):
        candidate.torch.manual_seed(elsewhere)
        candidate.support("random").seed(elsewhere)
        candidate.support("numpy.random").seed(elsewhere)
        found.append([values(candidate, model) for model in family(candidate, CONTEXTS, seed=seed)])
    one, again, other = found
    for place, context in enumerate(CONTEXTS):
        for name, value in one[place].items():
            if not np.array_equal(value, again[place].get(name)):
                raise Mismatch(f"a seed gives {name} other values a second time, at context {context}")
        drawn = [name for name, value in one[place].items() if name.endswith("weight") and np.ptp(value) > 0]
        if alike := [name for name in drawn if np.array_equal(one[place][name], other[place].get(name))]:
            raise Mismatch(f"two seeds give {alike[0]} the same values, at context {context}")


@criterion("names")
def test_build_models_gives_a_model_of_each_context(candidate: Candidate) -> None:
    for context, model in zip(CONTEXTS, family(candidate, CONTEXTS, seed=4), strict=True):
        expect_agreed(candidate, model, SIZES._replace(context=context), f"in the model of context {context} ")
