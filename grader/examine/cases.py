"""The cases of a property, drawn once for a question: every submission then meets the same ones, as plain calls.

Hypothesis spends most of a property's time on drawing. It draws by the text of the test alone (`derandomize`), so what
it draws can be kept; and what a submission answers can't lead it to other cases.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from copy import deepcopy
from functools import wraps
from typing import Any, Final

import pytest
from hypothesis.strategies import DataObject

Case = dict[str, Any]
CONVERSES: Final = {"assume", "reject", "note", "event", "target"}


def fix(items: list[pytest.Item]) -> None:
    """Have each property among the collected tests run the cases that are drawn for it here.

    One that speaks with Hypothesis while it runs (`st.data()`, `assume()`) is left to it.
    """
    fixed: dict[Any, Callable[..., None] | None] = {}
    for item in items:
        if isinstance(item, pytest.Function) and hasattr(item.function, "hypothesis"):
            property = item.function
            if property not in fixed:
                fixed[property] = plain(property)
            if (test := fixed[property]) is not None:
                item.obj = test if item.instance is None else test.__get__(item.instance)


def plain(property: Any) -> Callable[..., None] | None:
    """The test below `@given` as a function of its fixtures alone; None if its cases can't be kept."""
    inner = property.hypothesis.inner_test
    if CONVERSES & {*inner.__code__.co_names}:
        return None
    fixtures = inspect.signature(property).parameters
    cases = [{name: value for name, value in case.items() if name not in fixtures} for case in drawn(property)]
    if any(isinstance(value, DataObject) for case in cases for value in case.values()):
        return None

    @wraps(inner)
    def test(*args: Any, **given: Any) -> None:
        for case in deepcopy(cases):
            inner(*args, **given, **case)

    return test


def drawn(property: Any) -> list[Case]:
    """The arguments of each call that Hypothesis makes, when nothing ever fails."""
    inner, cases = property.hypothesis.inner_test, list[Case]()

    @wraps(inner)
    def record(*_: Any, **arguments: Any) -> None:
        cases.append(arguments)

    property.hypothesis.inner_test = record
    try:
        property(**dict.fromkeys(inspect.signature(property).parameters))
    finally:
        property.hypothesis.inner_test = inner
    return cases
