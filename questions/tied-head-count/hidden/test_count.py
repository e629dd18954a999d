"""`count_parameters` and `tied_names`: objects decide, and each option changes one thing."""

import itertools
from collections.abc import Callable

import numpy as np
import pytest
from recipes import (
    Recipe,
    decoder_count,
    parts_of_one,
    same_module_twice,
    tied,
    unshared,
    whole_views,
    with_snapshot,
)

from grader.checks import Candidate, Mismatch, criterion, describe, expect_integer

Maker = Callable[[np.random.Generator], Recipe]


def equal_values(rng: np.random.Generator) -> Recipe:
    """Three parameters of one shape and two of another, all of them ones."""
    recipe, shapes = Recipe(), [(3, 4), (3, 4), (5,), (3, 4), (5,)]
    for index in rng.permutation(5):
        recipe.tensor("parameter", shapes[index], f"encoder.{index}.weight", value=1.0)
    return recipe


def tied_and_equal(rng: np.random.Generator) -> Recipe:
    """Tied parameters that all hold ones, some of them of one shape, and two more that nothing ties."""
    recipe = tied(rng, value=1.0)
    recipe.tensor("parameter", (3, 4), "equal.one", value=1.0)
    recipe.tensor("parameter", (3, 4), "equal.other", value=1.0)
    return recipe


def expect_groups(value: object, expected: list[list[str]]) -> None:
    """Raise a Mismatch unless `value` is these groups of names; tuples will do."""
    if not isinstance(value, list | tuple) or not all(isinstance(group, list | tuple) for group in value):
        raise Mismatch(f"tied_names gives {describe(value)}, expected a list of lists of names")
    found = [list(group) for group in value]
    for name in (each for group in found for each in group):
        if not isinstance(name, str):
            raise Mismatch(f"a group of tied_names holds {describe(name)}, expected names")
    if found != expected:
        raise Mismatch(f"tied_names gives {_words(found)}, expected {_words(expected)}")


def _words(groups: list[list[str]]) -> str:
    return f"{len(groups)} groups, the first {groups[0]}"[:160] if groups else "no group"


@criterion("tied-counts-once")
@pytest.mark.parametrize("make", [tied, same_module_twice], ids=["several names", "one module in several places"])
def test_one_object_counts_once(candidate: Candidate, rng: np.random.Generator, make: Maker) -> None:
    for recipe in (make(rng), make(rng), make(rng)):
        count = candidate.count_parameters(recipe.build(candidate))
        expect_integer(count, recipe.count("parameter"), of="the count of a model that ties parameters")


@criterion("only-objects-merge")
@pytest.mark.parametrize("make", [equal_values, whole_views, parts_of_one])
def test_other_likenesses_merge_nothing(candidate: Candidate, rng: np.random.Generator, make: Maker) -> None:
    for recipe in (make(rng), make(rng)):
        count = candidate.count_parameters(recipe.build(candidate))
        label = {"equal_values": "equal parameters", "whole_views": "parameters over one storage"}
        of = f"the count of {label.get(make.__name__, 'parameters that overlap in one storage')}"
        expect_integer(count, recipe.count("parameter"), of=of)


@criterion("only-objects-merge")
def test_a_model_on_meta_has_all_its_parameters(candidate: Candidate) -> None:
    model = candidate.support("models").Decoder(tied=False, device="meta")
    of = "the count of the full-size untied Decoder on meta"
    expect_integer(candidate.count_parameters(model), decoder_count((50257, 1024, 768, 12), tied=False), of=of)


@criterion("untied-by-name")
@pytest.mark.parametrize("make", [tied, same_module_twice], ids=["several names", "one module in several places"])
def test_untied_counts_each_name(candidate: Candidate, rng: np.random.Generator, make: Maker) -> None:
    for recipe in (make(rng), make(rng)):
        count = candidate.count_parameters(recipe.build(candidate), untied=True)
        expect_integer(count, recipe.count("parameter", by_name=True), of="the count with untied=True")


@criterion("frozen-option")
@pytest.mark.parametrize("untied", [False, True])
def test_frozen_parameters_count_unless_told_otherwise(
    candidate: Candidate, rng: np.random.Generator, untied: bool
) -> None:
    recipe = unshared(rng, "parameter", "frozen")
    model = recipe.build(candidate)
    every = candidate.count_parameters(model, untied=untied)
    expect_integer(every, recipe.count("parameter", "frozen"), of=f"the count with untied={untied}")
    trained = candidate.count_parameters(model, untied=untied, frozen=False)
    expect_integer(trained, recipe.count("parameter"), of=f"the count with untied={untied}, frozen=False")


@criterion("frozen-option")
def test_a_frozen_parameter_is_left_out_under_all_its_names(candidate: Candidate, rng: np.random.Generator) -> None:
    recipe = tied(rng, ("frozen",))
    recipe.tensor("parameter", (4, 3), "trained.weight")
    count = candidate.count_parameters(recipe.build(candidate), frozen=False)
    expect_integer(count, 12, of="the count with frozen=False of a model whose frozen parameters are tied")


@criterion("buffers-option")
def test_buffers_do_not_count_by_default(candidate: Candidate, rng: np.random.Generator) -> None:
    recipe = unshared(rng, "parameter", "buffer", "scratch")
    count = candidate.count_parameters(recipe.build(candidate))
    expect_integer(count, recipe.count("parameter"), of="the count of a model with buffers")


@criterion("buffers-option")
@pytest.mark.parametrize("make", [unshared, with_snapshot], ids=["of their own storage", "over a parameter's storage"])
def test_buffers_are_added_whatever_else_is_asked(
    candidate: Candidate, rng: np.random.Generator, make: Callable[..., Recipe]
) -> None:
    recipe = unshared(rng, "parameter", "buffer", "scratch") if make is unshared else make(rng)
    model, expected = recipe.build(candidate), recipe.count("parameter", "buffer", "scratch")
    for untied, frozen in itertools.product((False, True), repeat=2):
        count = candidate.count_parameters(model, untied=untied, frozen=frozen, buffers=True)
        expect_integer(count, expected, of=f"the count with untied={untied}, frozen={frozen}, buffers=True")


@criterion("buffers-option")
@pytest.mark.parametrize("untied", [False, True])
def test_shared_buffers_follow_the_same_rule(candidate: Candidate, rng: np.random.Generator, untied: bool) -> None:
    for recipe in (tied(rng, ("buffer", "scratch")), same_module_twice(rng, "buffer")):
        count = candidate.count_parameters(recipe.build(candidate), untied=untied, buffers=True)
        expected = recipe.count("buffer", "scratch", by_name=untied)
        expect_integer(count, expected, of=f"the count with untied={untied}, buffers=True of shared buffers")


@criterion("tied-names")
@pytest.mark.parametrize("make", [tied, same_module_twice, tied_and_equal])
def test_each_group_is_the_names_of_one_object(candidate: Candidate, rng: np.random.Generator, make: Maker) -> None:
    for recipe in (make(rng), make(rng)):
        expect_groups(candidate.tied_names(recipe.build(candidate)), recipe.groups())


@criterion("tied-names")
@pytest.mark.parametrize("make", [equal_values, whole_views, parts_of_one])
def test_nothing_else_is_tied(candidate: Candidate, rng: np.random.Generator, make: Maker) -> None:
    expect_groups(candidate.tied_names(make(rng).build(candidate)), [])


@criterion("tied-names")
def test_frozen_parameters_are_tied_too_and_buffers_are_not(candidate: Candidate, rng: np.random.Generator) -> None:
    recipe = tied(rng, ("frozen", "buffer"))
    expect_groups(candidate.tied_names(recipe.build(candidate)), recipe.groups())


@criterion("tied-names")
def test_names_are_told_apart_on_meta(candidate: Candidate, rng: np.random.Generator) -> None:
    recipe = tied_and_equal(rng)
    expect_groups(candidate.tied_names(recipe.build(candidate, "meta")), recipe.groups())
