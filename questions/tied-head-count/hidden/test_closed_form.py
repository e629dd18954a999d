"""`predicted_count`: the count of a Decoder that nobody built, and what each argument does to it."""

import itertools

import numpy as np
import pytest
from recipes import decoder_count

from grader.checks import Candidate, Mismatch, criterion, describe, expect_integer

OPTIONS = ("tied", "learned_positions", "qkv_bias")


def sizes(rng: np.random.Generator, count: int) -> list[tuple[int, ...]]:
    """Vocabulary, context, width and blocks of some models."""
    low, high = (30, 10, 4, 1), (900, 300, 130, 20)
    return [tuple(int(size) for size in rng.integers(low, high)) for _ in range(count)]


def integer(value: object, of: str) -> int:
    """The value, if it is an integer."""
    if type(value) is not int:
        raise Mismatch(f"{of} is {describe(value)}, expected an integer")
    return value


@criterion("closed-form")
def test_the_count_is_that_of_the_tied_decoder(candidate: Candidate, rng: np.random.Generator) -> None:
    cases = [(50257, 1024, 768, 12), *sizes(rng, 6)]
    for case, count in zip(cases, candidate.predicted_count.many(cases), strict=True):
        expect_integer(count, decoder_count(case), of=f"predicted_count{case}")


@criterion("closed-form")
def test_the_count_is_exact_at_any_size(candidate: Candidate, rng: np.random.Generator) -> None:
    odd = int(rng.integers(1, 1000)) * 2 + 1
    case = (200_000 + odd, 130_000 + odd, 1_000_000 + odd, 4_096 + odd)
    expect_integer(candidate.predicted_count(*case), decoder_count(case), of=f"predicted_count{case}")


@criterion("closed-form-options")
@pytest.mark.parametrize("option", OPTIONS)
def test_each_option_changes_what_it_says(candidate: Candidate, rng: np.random.Generator, option: str) -> None:
    """Counts with and without the option are compared: what they have in common has its own criterion."""
    others = [name for name in OPTIONS if name != option]
    for case, values in zip(sizes(rng, 4), itertools.product((True, False), repeat=2), strict=True):
        given = dict(zip(others, values, strict=True))
        counts = [candidate.predicted_count(*case, **given, **{option: flag}) for flag in (True, False)]
        with_it, without = (integer(count, of=f"predicted_count with other values of {option}") for count in counts)
        due = decoder_count(case, **given, **{option: True}) - decoder_count(case, **given, **{option: False})
        expect_integer(with_it - without, due, of=f"what {option} adds at sizes {case}")
