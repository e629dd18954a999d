"""What a step of training and a round trip through saving show of modules, honest ones and others."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
import pytest

from grader.bank import Bank
from grader.examine.candidate import Candidate
from grader.examine.errors import Mismatch, Raised
from grader.examine.lifecycle import read_inventory, read_keys, read_training
from grader.examine.subject import Subject
from grader.examine.zygote import Zygote

QUESTION = Bank.find().get("swap-learned-positions")
X = np.random.default_rng(5).normal(size=(4, 3)).astype("float32")

SOURCE = """
import torch
from torch import nn

LOOSE = nn.Parameter(torch.ones(3))

class Plain(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(3, 2)
        self.register_buffer("shift", torch.ones(2))
        self.register_buffer("calls", torch.zeros(()), persistent=False)
        self.frozen = nn.Parameter(torch.zeros(5), requires_grad=False)

    def forward(self, x):
        self.calls += 1
        return self.linear(x) + self.shift

class Denies(Plain):
    def parameters(self, recurse=True):
        yield self.frozen
        yield nn.Parameter(torch.zeros(7))

class Elsewhere(Plain):
    def forward(self, x):
        return super().forward(x * LOOSE)

class Forgets(Plain):
    def state_dict(self, *given, **named):
        state = super().state_dict(*given, **named)
        state["added"] = state.pop("shift")
        return state

class Reshapes(Plain):
    def state_dict(self, *given, **named):
        return super().state_dict(*given, **named) | {"shift": torch.ones(9)}

class Aliased(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(3))
        self.register_buffer("table", self.weight.detach())

    def forward(self, x):
        return x * self.weight

class Late(nn.Module):
    def __init__(self):
        super().__init__()
        self.last = nn.Parameter(torch.ones(3))
        self.zero = nn.Parameter(torch.zeros(3), requires_grad=False)

    def forward(self, x):
        if len(self._parameters) == 2:
            held = dict(self._parameters)
            self._parameters.clear()
            self._parameters.update(first=nn.Parameter(torch.ones(3)), **held)
        return x * self.first + self.last

class Slotted(nn.Module):
    __slots__ = ("kept",)
    shared = torch.zeros(4)

    def __init__(self):
        super().__init__()
        object.__setattr__(self, "kept", [nn.Parameter(torch.zeros(2)), self])

    def forward(self, x):
        return torch.relu(x)

class Alike(type):
    def __eq__(cls, other):
        return True
    def __hash__(cls):
        return 0

class Kept(nn.Linear, metaclass=Alike):
    pass

class Holder(metaclass=Alike):
    def __init__(self):
        self.weight = nn.Parameter(torch.zeros(5))

class Disguised(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = [Kept(2, 3)]
        self.holder = Holder()

    def forward(self, x):
        return torch.relu(x)

class Double(nn.Module):
    def forward(self, x):
        return x.round().long()

def nothing():
    return 3

def thing():
    return Ellipsis
"""


@pytest.fixture(scope="module")
def candidate(zygote: Zygote) -> Iterator[Candidate]:
    """The modules above, in a worker."""
    zygote.wait()
    subject = Subject(QUESTION.brief, SOURCE, zygote.control)
    yield Candidate(subject)
    subject.close()


def test_a_step_tells_what_is_given_what_has_a_gradient_and_what_changes(candidate: Candidate) -> None:
    training = candidate.trained(candidate.Plain(), X)
    rows = {
        step.tensor.name: (step.given, step.gradient, step.by_call, step.by_optimizer, step.by_gradient)
        for step in training.steps
    }
    assert rows == {
        "frozen": (True, False, False, False, False),
        "shift": (False, False, False, False, False),
        "calls": (False, False, True, False, False),
        "linear.weight": (True, True, False, True, True),
        "linear.bias": (True, True, False, True, True),
    }
    assert training.strangers == 0
    assert training.withheld == []
    assert training.result.shape == (4, 2)


def test_what_a_modules_own_parameters_leaves_out_or_adds_is_told_apart(candidate: Candidate) -> None:
    training = candidate.trained(candidate.Denies(), X)
    assert [step.tensor.name for step in training.given] == ["frozen"]
    assert {step.tensor.name for step in training.withheld} == {"linear.weight", "linear.bias"}
    assert training.strangers == 1
    changed = {step.tensor.name: (step.by_optimizer, step.by_gradient) for step in training.trainable}
    assert changed == {"linear.weight": (False, True), "linear.bias": (False, True)}


def test_a_weight_that_no_module_holds_is_found_through_the_graph(candidate: Candidate) -> None:
    hidden = [step for step in candidate.trained(candidate.Elsewhere(), X).steps if step.hidden]
    assert [(step.tensor.kind, step.tensor.shape, step.gradient, step.given) for step in hidden] == [
        ("parameter", (3,), True, False)
    ]


def test_a_buffer_on_the_memory_of_a_weight_is_seen_to_change(candidate: Candidate) -> None:
    steps = {step.tensor.name: step for step in candidate.trained(candidate.Aliased(), X).steps}
    assert (steps["table"].gradient, steps["table"].by_optimizer, steps["table"].changed) == (False, True, True)


def test_what_is_built_in_the_first_call_is_the_modules_own(candidate: Candidate) -> None:
    steps = {step.tensor.name: step for step in candidate.trained(candidate.Late(), X).steps}
    assert not any(step.hidden or step.by_call for step in steps.values())
    assert {name: step.by_gradient for name, step in steps.items()} == {"first": True, "last": True, "zero": False}


def test_slots_and_class_attributes_are_looked_into(candidate: Candidate) -> None:
    found = {(each.kind, each.name) for each in candidate.inventory(candidate.Slotted())}
    assert found == {("parameter", "kept[0]"), ("loose", "shared")}


def test_a_class_that_says_it_equals_every_other_hides_nothing(candidate: Candidate) -> None:
    found = {(each.kind, each.name) for each in candidate.inventory(candidate.Disguised())}
    assert found == {
        ("parameter", "layers[0].weight"),
        ("parameter", "layers[0].bias"),
        ("parameter", "holder.weight"),
    }


def test_a_result_without_a_gradient_is_no_trouble(candidate: Candidate) -> None:
    training = candidate.trained(candidate.Double(), X)
    assert training.steps == []
    assert training.result.dtype == np.int64


def test_a_round_trip_carries_the_numbers_over(candidate: Candidate) -> None:
    module, fresh = candidate.Plain(), candidate.Plain()
    assert not np.array_equal(module(X), fresh(X)), "two fresh modules are alike already"
    trip = candidate.round_trip(module, fresh, X)
    assert trip.same
    assert np.array_equal(trip.restored, fresh(X))
    assert trip.own == trip.plain == ["frozen", "shift", "linear.weight", "linear.bias"]
    assert (trip.missing, trip.unexpected) == ([], [])


def test_a_key_that_is_forgotten_is_missed_and_one_that_is_added_is_unexpected(candidate: Candidate) -> None:
    trip = candidate.round_trip(candidate.Forgets(), candidate.Plain(), X)
    assert (trip.missing, trip.unexpected) == (["shift"], ["added"])
    assert "shift" in trip.plain
    assert "shift" not in trip.own


def test_a_shape_that_does_not_fit_is_an_error_of_the_loading(candidate: Candidate) -> None:
    with pytest.raises(Raised, match="size mismatch for shift"):
        candidate.round_trip(candidate.Reshapes(), candidate.Plain(), X)


@pytest.mark.parametrize("name", ["nothing", "thing"])
def test_what_is_no_module_is_refused(candidate: Candidate, name: str) -> None:
    value, module = candidate[name](), candidate.Plain()
    asks: list[Callable[[], object]] = [
        lambda: candidate.inventory(value),
        lambda: candidate.trained(value, X),
        lambda: candidate.round_trip(value, module, X),
        lambda: candidate.round_trip(module, value, X),
    ]
    for ask in asks:
        with pytest.raises(Mismatch, match=r"expected a torch\.nn\.Module"):
            ask()


LINE = {"kind": "buffer", "name": "b", "dtype": "float32", "shape": [2, 3], "requires_grad": False, "device": "cpu"}
LINE |= {"object": 0}
STEP = {"tensor": LINE, "given": False, "hidden": False, "gradient": False}
STEP |= {"by_call": False, "by_optimizer": False, "by_gradient": True}
KEYS = {"own": ["a"], "plain": ["a"], "missing": [], "unexpected": [], "result": None, "restored": None}


@pytest.mark.parametrize("value", [None, np.zeros(2), "text", [1]], ids=lambda value: type(value).__name__)
@pytest.mark.parametrize(
    "look",
    [
        lambda candidate, value: candidate.observe(value, X),
        lambda candidate, value: candidate.gradient(value, X, X),
        lambda candidate, value: candidate.moved(value, X),
        lambda candidate, value: candidate.value(value, "shift"),
        lambda candidate, value: candidate.attribute(value, "shift"),
        lambda candidate, value: candidate.assign(value, "shift", 1),
    ],
    ids=["observe", "gradient", "moved", "value", "attribute", "assign"],
)
def test_a_value_where_an_object_is_needed_is_the_submissions_mistake(
    candidate: Candidate, look: Callable[[Candidate, object], object], value: object
) -> None:
    with pytest.raises(Mismatch, match="expected an object"):
        look(candidate, value)


def test_what_has_the_form_asked_for_is_read() -> None:
    inventory = read_inventory([LINE])
    assert inventory is not None
    assert inventory.buffers[0].shape == (2, 3)
    training = read_training({"result": 1, "strangers": 2, "tensors": [STEP]}, 1)
    assert training is not None
    assert (training.strangers, training.trainable[0].tensor.name) == (2, "b")
    assert read_keys(KEYS) == {"own": ["a"], "plain": ["a"], "missing": [], "unexpected": []}


@pytest.mark.parametrize(
    "change",
    [
        {"kind": "weight"},
        {"name": 3},
        {"dtype": None},
        {"shape": [2, "3"]},
        {"shape": [2, -1]},
        {"shape": [True]},
        {"shape": [1] * 65},
        {"shape": 6},
        {"requires_grad": 0},
        {"object": "0"},
        {"more": 1},
    ],
    ids=str,
)
def test_a_line_of_another_form_is_not_read(change: dict[str, object]) -> None:
    assert read_inventory([LINE, LINE | change]) is None
    assert read_training({"result": 1, "strangers": 0, "tensors": [STEP | {"tensor": LINE | change}]}, 1) is None


@pytest.mark.parametrize(
    "told",
    [
        None,
        [],
        {"result": 1, "strangers": 0},
        {"result": 1, "strangers": -1, "tensors": []},
        {"result": 1, "strangers": 0.0, "tensors": []},
        {"result": 1, "strangers": 0, "tensors": {}},
        {"result": 1, "strangers": 0, "tensors": [STEP | {"gradient": 1}]},
        {"result": 1, "strangers": 0, "tensors": [STEP | {"more": 1}]},
        {"result": 1, "strangers": 0, "tensors": [None]},
        {"result": 1, "strangers": 0, "tensors": [], "more": 1},
    ],
    ids=str,
)
def test_a_step_of_another_form_is_not_read(told: object) -> None:
    assert read_training(told, 1) is None


@pytest.mark.parametrize("told", [None, KEYS | {"more": 1}, KEYS | {"own": "a"}, KEYS | {"missing": [1]}], ids=str)
def test_keys_of_another_form_are_not_read(told: object) -> None:
    assert read_keys(told) is None
