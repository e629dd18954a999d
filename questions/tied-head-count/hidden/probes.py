"""What a submission does in a few fixed situations, so that the mistake behind a failure can be named."""

import itertools
from typing import Any

import numpy as np
from recipes import (
    Recipe,
    many_dtypes,
    parts_of_one,
    same_module_twice,
    slice_of_one,
    tied,
    unshared,
    whole_and_tail,
    whole_views,
    with_snapshot,
)
from test_count import equal_values, tied_and_equal

from grader.checks import Candidate, probe

SIZES = [(50, 16, 8, 2), (70, 30, 12, 1), (91, 20, 10, 5)]


def generator() -> np.random.Generator:
    """The same random numbers for every submission."""
    return np.random.default_rng(11)


def counts(candidate: Candidate, *recipes: Recipe, device: str = "cpu", **options: bool) -> list[Any]:
    """What count_parameters makes of some recipes."""
    return [candidate.count_parameters(recipe.build(candidate, device), **options) for recipe in recipes]


@probe
def several_names(candidate: Candidate) -> Any:
    """Tied parameters, and a module in several places."""
    return counts(candidate, tied(generator()), same_module_twice(generator()))


@probe
def equal(candidate: Candidate) -> Any:
    """Parameters with equal values."""
    return counts(candidate, equal_values(generator()))


@probe
def views(candidate: Candidate) -> Any:
    """Parameters over one storage, whole and in parts."""
    return counts(candidate, whole_views(generator()), parts_of_one(generator()))


@probe
def on_meta(candidate: Candidate) -> Any:
    """Parameters without numbers."""
    return counts(candidate, unshared(generator(), "parameter"), device="meta")


@probe
def untied(candidate: Candidate) -> Any:
    """Each name for itself: of parameters, and of modules that stand in several places."""
    return counts(candidate, tied(generator()), same_module_twice(generator()), untied=True)


@probe
def frozen_by_default(candidate: Candidate) -> Any:
    """A frozen parameter in a plain count."""
    return counts(candidate, unshared(generator(), "parameter", "frozen"))


@probe
def without_frozen(candidate: Candidate) -> Any:
    """Frozen parameters left out, by object and by name."""
    recipe = unshared(generator(), "parameter", "frozen")
    return [counts(candidate, recipe, untied=flag, frozen=False) for flag in (False, True)]


@probe
def without_tied_frozen(candidate: Candidate) -> Any:
    """Frozen parameters left out that have several names."""
    return counts(candidate, tied(generator(), ("parameter", "frozen")), frozen=False)


@probe
def buffers_by_default(candidate: Candidate) -> Any:
    """Buffers in a plain count."""
    return counts(candidate, unshared(generator(), "parameter", "buffer", "scratch"))


@probe
def buffers_added(candidate: Candidate) -> Any:
    """Buffers asked for, whatever the other options are."""
    recipe = unshared(generator(), "parameter", "buffer", "scratch")
    return [
        counts(candidate, recipe, untied=untied, frozen=frozen, buffers=True)
        for untied, frozen in itertools.product((False, True), repeat=2)
    ]


@probe
def buffers_shared(candidate: Candidate) -> Any:
    """Buffers with several names, by object and by name."""
    recipe = tied(generator(), ("buffer",))
    return [counts(candidate, recipe, untied=flag, buffers=True) for flag in (False, True)]


@probe
def groups(candidate: Candidate) -> Any:
    """Which names are said to be tied."""
    return candidate.tied_names(tied(generator()).build(candidate))


@probe
def groups_of_modules(candidate: Candidate) -> Any:
    """Which names are said to be tied where a module stands in several places."""
    return candidate.tied_names(same_module_twice(generator()).build(candidate))


@probe
def groups_of_equals(candidate: Candidate) -> Any:
    """Whether equal values tie names."""
    return candidate.tied_names(tied_and_equal(generator()).build(candidate))


@probe
def groups_on_meta(candidate: Candidate) -> Any:
    """Which names are said to be tied where there are no numbers."""
    return candidate.tied_names(tied_and_equal(generator()).build(candidate, "meta"))


@probe
def groups_of_views(candidate: Candidate) -> Any:
    """Whether one storage ties names."""
    return [candidate.tied_names(make(generator()).build(candidate)) for make in (whole_views, parts_of_one)]


@probe
def groups_of_others(candidate: Candidate) -> Any:
    """Whether frozen parameters are tied, and buffers."""
    return candidate.tied_names(tied(generator(), ("frozen", "buffer")).build(candidate))


@probe
def bytes_shared(candidate: Candidate) -> Any:
    """Memory of tensors over one storage, and of a tied one."""
    makers = (whole_views, whole_and_tail, with_snapshot, tied)
    return [candidate.storage_bytes(make(generator()).build(candidate)) for make in makers]


@probe
def bytes_of_a_part(candidate: Candidate) -> Any:
    """Memory of a tensor that looks at a part of a storage."""
    return candidate.storage_bytes(slice_of_one(generator()).build(candidate))


@probe
def bytes_of_dtypes(candidate: Candidate) -> Any:
    """Memory of parameters and buffers of several dtypes."""
    return candidate.storage_bytes(many_dtypes(generator()).build(candidate))


@probe
def bytes_on_meta(candidate: Candidate) -> Any:
    """Memory of a model without numbers."""
    return candidate.storage_bytes(unshared(generator(), "parameter").build(candidate, "meta"))


@probe
def predictions(candidate: Candidate) -> Any:
    """The closed form, with the defaults."""
    return candidate.predicted_count.many(SIZES)


@probe
def large_prediction(candidate: Candidate) -> Any:
    """The last digits of a closed form beyond 2 ** 53."""
    found = candidate.predicted_count(200_001, 130_003, 1_000_003, 4_099)
    return [type(found).__name__, str(found)[-8:]]


@probe
def options(candidate: Candidate) -> Any:
    """What each option takes from the closed form."""
    names = ("tied", "learned_positions", "qkv_bias")
    base = candidate.predicted_count.many(SIZES)
    return [
        [candidate.predicted_count(*case, **{name: False}) - count for case, count in zip(SIZES, base, strict=True)]
        for name in names
    ]
