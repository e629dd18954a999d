"""`storage_bytes`: memory is counted by the storage, whoever looks at it, and wherever it is."""

from collections.abc import Callable

import numpy as np
import pytest
from recipes import (
    Recipe,
    decoder_count,
    many_dtypes,
    slice_of_one,
    tied,
    unshared,
    whole_and_tail,
    whole_views,
    with_snapshot,
)

from grader.checks import Candidate, criterion, expect_integer

Maker = Callable[[np.random.Generator], Recipe]


@criterion("storage-counted-once")
@pytest.mark.parametrize("device", ["cpu", "meta"])
@pytest.mark.parametrize("make", [whole_views, whole_and_tail, with_snapshot])
def test_tensors_over_one_storage_need_it_once(
    candidate: Candidate, rng: np.random.Generator, make: Maker, device: str
) -> None:
    recipe = make(rng)
    found = candidate.storage_bytes(recipe.build(candidate, device))
    expect_integer(found, recipe.nbytes(), of="the bytes of a model whose tensors look at one storage")


@criterion("storage-counted-once")
def test_a_tied_tensor_needs_its_storage_once(candidate: Candidate, rng: np.random.Generator) -> None:
    for recipe in (tied(rng), tied(rng)):
        found = candidate.storage_bytes(recipe.build(candidate))
        expect_integer(found, recipe.nbytes(), of="the bytes of a model that ties parameters")


@criterion("storage-in-full")
def test_a_part_keeps_the_whole(candidate: Candidate, rng: np.random.Generator) -> None:
    for recipe in (slice_of_one(rng), slice_of_one(rng)):
        found = candidate.storage_bytes(recipe.build(candidate))
        expect_integer(found, recipe.nbytes(), of="the bytes of a model that looks at a part of a storage")


@criterion("bytes-of-everything")
def test_parameters_and_buffers_count_with_the_size_of_their_dtype(
    candidate: Candidate, rng: np.random.Generator
) -> None:
    for recipe in (many_dtypes(rng), many_dtypes(rng)):
        found = candidate.storage_bytes(recipe.build(candidate))
        expect_integer(found, recipe.nbytes(), of="the bytes of a model of several dtypes")


@criterion("storage-on-meta")
def test_storages_on_meta_are_told_apart(candidate: Candidate, rng: np.random.Generator) -> None:
    for recipe in (unshared(rng, "parameter"), unshared(rng, "parameter")):
        found = candidate.storage_bytes(recipe.build(candidate, "meta"))
        expect_integer(found, recipe.nbytes(), of="the bytes of a model on meta")


@criterion("storage-on-meta")
def test_the_full_size_model_on_meta_takes_what_it_would_take(candidate: Candidate) -> None:
    model = candidate.support("models").Decoder(tied=False, device="meta")
    expected = 4 * decoder_count((50257, 1024, 768, 12), tied=False)
    expect_integer(candidate.storage_bytes(model), expected, of="the bytes of the full-size untied Decoder on meta")
