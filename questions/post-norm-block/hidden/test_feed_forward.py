"""`PositionWiseFeedForward` by itself, and what both modules hold."""

import numpy as np
from oracle import FEED_FORWARD, SIZES, as_array, drawn, known, put, wanted

from grader.checks import Candidate, Handle, Mismatch, criterion, describe, expect_close

D_MODEL, D_FF = 6, 11
POINTS = np.array([-2.0, -0.7, -0.1, 0.3, 1.0, 2.5])  # one for each feature of d_model


def network(candidate: Candidate) -> Handle:
    """The candidate's feed-forward network in evaluation mode."""
    module = candidate.PositionWiseFeedForward(D_MODEL, D_FF)
    if not isinstance(module, Handle):
        raise Mismatch("PositionWiseFeedForward(...) gives no module")
    return module.train(False)  # type: ignore[no-any-return]


@criterion("feed-forward")
def test_it_is_w_2_after_w_1_where_the_relu_is_open(candidate: Candidate, rng: np.random.Generator) -> None:
    module = network(candidate)
    shapes = known(candidate, module, FEED_FORWARD)
    numbers = {name: np.zeros(shape) for name, shape in shapes.items()}
    numbers |= {name: drawn(rng, name, shape).astype("float64") for name, shape in shapes.items()}
    # So far above zero that any activation of this family passes on what it gets.
    numbers["w_1.weight"] = np.abs(numbers["w_1.weight"]) + (0 if "w_1.bias" in shapes else 10)
    if "w_1.bias" in shapes:
        numbers["w_1.bias"] = numbers["w_1.bias"] + 20
    x = np.abs(rng.normal(size=(2, 5, D_MODEL))).astype("float32") + 0.5
    for name, values in numbers.items():
        put(module, name, values)
    found = module(x)
    first, second = numbers["w_1.weight"], numbers["w_2.weight"]
    if (first.shape[1:], second.shape) != ((D_MODEL,), (D_MODEL, len(first))):
        shapes = f"{list(first.shape)} and {list(second.shape)}"
        raise Mismatch(f"w_1 and w_2 have weights of {shapes}, expected a layer to d_ff and one back")
    wide = x @ first.T + numbers.get("w_1.bias", 0)
    expect_close(found, wide @ second.T + numbers.get("w_2.bias", 0), atol=2e-3, of="ff(x)")


@criterion("relu")
def test_what_is_below_zero_becomes_zero_and_the_rest_stays(candidate: Candidate) -> None:
    module = network(candidate)
    shapes = known(candidate, module, FEED_FORWARD)
    biased = "w_1.bias" in shapes
    for name, shape in shapes.items():
        put(module, name, np.zeros(shape) if name.endswith("bias") else np.eye(*shape))
    x = np.zeros((1, 2, D_MODEL), "float32")
    if biased:  # the input stays zero, so that only the activation is seen
        put(module, "w_1.bias", np.resize(POINTS, shapes["w_1.bias"]))
    else:
        x = x + POINTS.astype("float32")
    seen = as_array(module(x), x.shape, "ff")[0, 0]
    if not np.abs(seen - np.maximum(POINTS, 0)).max() < 1e-4:
        worst = int(np.abs(seen - np.maximum(POINTS, 0)).argmax())
        raise Mismatch(f"{POINTS[worst]} becomes {seen[worst]:.4g} between the two layers, expected a ReLU")


@criterion("parameter-count")
def test_every_parameter_is_there_and_no_other(candidate: Candidate) -> None:
    expected = wanted(*SIZES)
    module = candidate.TransformerBlock(*SIZES)
    inventory = candidate.inventory(module)
    for name, shape in expected.items():
        found = candidate.value(module, name)
        if not isinstance(found, np.ndarray) or found.shape != shape:
            raise Mismatch(f"{name} is {describe(found)}, expected an array of shape {list(shape)}")
    right = sum(int(np.prod(shape)) for shape in expected.values())
    if inventory.parameter_count != right:
        held = ", ".join(each.name for each in inventory.parameters[:16])
        raise Mismatch(f"found {inventory.parameter_count} parameters in {held}, expected {right}")
