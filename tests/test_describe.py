"""What of a candidate's values crosses the wire: what they are made of, whatever they say of themselves."""

from __future__ import annotations

import enum
from collections import Counter, OrderedDict, UserDict, defaultdict, deque
from typing import Any, NamedTuple

import pytest
import torch

from grader.wire import Ref
from grader.worker.describe import Describer
from grader.worker.load import SOLUTION


class Pair(NamedTuple):
    output: int
    weights: list[float]


class Kind(enum.IntEnum):
    BIGRAM = 3


class Name(enum.StrEnum):
    LEARNED = "learned"


class Endless(list[int]):
    def __len__(self) -> int:
        return 99

    def __iter__(self) -> Any:
        return iter(int, 1)


class Shy(dict[str, int]):
    def items(self) -> Any:
        return ()

    def __len__(self) -> int:
        return 0


class Rounded(float):
    def __float__(self) -> float:
        return 0.0


@pytest.mark.parametrize(
    ("value", "crosses"),
    [
        (Pair(1, [2.0]), (1, [2.0])),
        (torch.Size([2, 3]), (2, 3)),
        (Endless([1, 2]), [1, 2]),
        (OrderedDict(b=2, a=1), {"b": 2, "a": 1}),
        (defaultdict(list, {"losses": [0.5]}), {"losses": [0.5]}),
        (Counter("aab"), {"a": 2, "b": 1}),
        (Shy(hidden=1), {"hidden": 1}),
        (Kind.BIGRAM, 3),
        (Name.LEARNED, "learned"),
        (Rounded(2.5), 2.5),
    ],
    ids=lambda value: type(value).__name__,
)
def test_a_subclass_crosses_as_what_it_is_made_of(value: object, crosses: object) -> None:
    told = Describer(1 << 20).to_wire(value)
    assert told == crosses
    assert type(told) is type(crosses)
    if isinstance(told, dict):
        assert isinstance(crosses, dict) and list(told) == list(crosses)


def test_a_container_of_the_submissions_own_class_stays_what_it_is_beside_a_result() -> None:
    """A cache that is a named tuple is asked for its fields when it is handed back."""
    own = type("Cache", (Pair,), {"__module__": SOLUTION})
    describer, cache = Describer(1 << 20), own(1, [2.0])
    told = describer.to_wire((0.5, cache))
    assert isinstance(told, tuple)
    assert told[0] == 0.5
    assert describer.from_wire(told[1]) is cache
    assert describer.to_wire(cache) == (1, [2.0])


def test_what_a_module_saves_itself_as_stays_behind_a_number() -> None:
    assert isinstance(Describer(1 << 20).to_wire(torch.nn.Linear(2, 3).state_dict()), Ref)


@pytest.mark.parametrize("value", [UserDict(a=1), deque([1]), {1: 2}, {"a"}, 1 << 70, range(2)], ids=repr)
def test_what_is_no_plain_value_stays_behind_a_number(value: object) -> None:
    assert isinstance(Describer(1 << 20).to_wire(value), Ref)
