"""Promises of properties in hidden tests: their cases are drawn once, and every submission meets the same."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import Phase, assume, given, settings
from hypothesis import strategies as st

from grader.examine import cases

quietly = settings(derandomize=True, database=None, max_examples=4, phases=[Phase.generate])
numbers = st.lists(st.integers(0, 99), min_size=3, max_size=3)


def met(test: Callable[..., None] | None) -> list[list[int]]:
    """The cases that a plain test hands to a submission."""
    seen: list[list[int]] = []
    assert test is not None
    test(candidate=lambda case: seen.append([*case]))
    return seen


@quietly
@given(numbers)
def hands_over(candidate: Any, case: list[int]) -> None:
    candidate(case)
    case.clear()  # as a careless check may


def test_a_submission_meets_the_cases_that_hypothesis_draws_and_so_does_the_next() -> None:
    drawn: list[list[int]] = []
    hands_over(candidate=lambda case: drawn.append([*case]))
    assert len(drawn) == 4 and all(len(case) == 3 for case in drawn)
    plain = cases.plain(hands_over)
    assert met(plain) == drawn == met(plain)


def test_a_failing_case_fails_the_check_by_its_own_error() -> None:
    plain = cases.plain(hands_over)
    assert plain is not None
    calls: list[list[int]] = []

    def candidate(case: list[int]) -> None:
        calls.append(case)
        if len(calls) == 3:
            raise AssertionError("the third")

    with pytest.raises(AssertionError, match="the third"):
        plain(candidate=candidate)
    assert len(calls) == 3  # nothing is asked again


def test_what_speaks_with_hypothesis_while_it_runs_stays_with_it() -> None:
    @quietly
    @given(st.data())
    def asks(candidate: Any, data: st.DataObject) -> None:
        candidate([data.draw(st.integers(0, 3))])

    @quietly
    @given(numbers)
    def even(candidate: Any, case: list[int]) -> None:
        assume(sum(case) % 2 == 0)
        candidate(case)

    assert cases.plain(asks) is None
    assert cases.plain(even) is None


def test_a_submission_is_no_part_of_the_drawing() -> None:
    """What is kept is only what @given gave; fixtures are those of each run."""
    plain = cases.plain(hands_over)
    assert plain is not None
    first, second = SimpleNamespace(seen=0), SimpleNamespace(seen=0)
    for each in (first, second):
        plain(candidate=lambda _, each=each: setattr(each, "seen", each.seen + 1))
    assert first.seen == second.seen == 4
