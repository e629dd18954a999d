"""The four projections, the widths, and how features are shared out among the heads."""

import numpy as np
from oracle import (
    CLASSIC,
    SAME,
    Array,
    Built,
    build,
    explains,
    output_of,
    plausible,
    tokens,
    wanted,
    weights_of,
)

from grader.checks import Candidate, Mismatch, criterion, describe, largest_difference

ODD = (3, 10, 4, 5)  # n_head, d_model, d_k, d_v: nothing fits anything else


@criterion("projections")
def test_there_are_four_weights_and_nothing_else_to_learn(candidate: Candidate) -> None:
    shapes = wanted(*CLASSIC)
    module = candidate.MultiHeadAttention(*CLASSIC)
    inventory = candidate.inventory(module)
    for name, shape in shapes.items():
        found = candidate.value(module, f"{name}.weight")
        if not isinstance(found, np.ndarray) or found.shape != shape:
            raise Mismatch(f"{name}.weight is {describe(found)}, expected an array of shape {list(shape)}")
        if candidate.value(module, f"{name}.bias") is not None:
            raise Mismatch(f"{name} has a bias, expected none")
    expected = sum(rows * columns for rows, columns in shapes.values())
    if inventory.parameter_count != expected:
        held = ", ".join(f"{each.name} {list(each.shape)}" for each in inventory.parameters[:6])
        raise Mismatch(f"found {inventory.parameter_count} parameters in {held}, expected {expected} in four weights")
    for parameter in inventory.parameters:
        if not parameter.requires_grad:
            raise Mismatch(f"the parameter {parameter.name} is frozen, expected all four to be trained")


@criterion("head-widths")
def test_no_width_follows_from_another(candidate: Candidate, rng: np.random.Generator) -> None:
    built = build(candidate, rng, ODD)
    for name, shape in wanted(*ODD).items():
        if name in built.weights and built.weights[name].shape != shape:
            found = list(built.weights[name].shape)
            raise Mismatch(
                f"with n_head 3, d_model 10, d_k 4 and d_v 5 {name}.weight is {found}, expected {list(shape)}"
            )
    x = tokens(rng, 2, 6, 10)
    if "w_o" in built.weights:  # without it the output has another width, for which there is another criterion
        output_of(built.module(x, x, x), x.shape)


@criterion("values-mixed")
def test_the_output_is_what_the_weights_make_of_the_values(candidate: Candidate, rng: np.random.Generator) -> None:
    built = build(candidate, rng)
    x = tokens(rng, 2, 5, 12)
    result = built.module(x, x, x)
    output = output_of(result, x.shape)
    if "w_o" not in built.weights:
        raise Mismatch("the heads do not go through w_o, which is not there")
    right, returned = built.right_weights(x, x), weights_of(result)
    if explains(built, output, returned, x) or explains(built, output, right, x):
        return
    # Rows of NaN are zero in the output; what makes them is for other criteria.
    if isinstance(returned, np.ndarray) and explains(built, output, np.nan_to_num(returned), x):
        return
    off = largest_difference(output, built.output(right, x))
    raise Mismatch(f"the output is up to {off:.3g} away from weights times values through w_o")


@criterion("heads-apart")
def test_scores_of_a_head_come_from_its_own_features(candidate: Candidate, rng: np.random.Generator) -> None:
    for name in ("w_q", "w_k"):
        built = build(candidate, rng)
        x, other = tokens(rng, 2, 5, 12), tokens(rng, 2, 5, 12)
        before = weights_of(built.module(x, x, x))
        if not plausible(before, (2, 3, 5, 5)):
            return  # which weights come back has its own criterion
        built = built.changed(name, without_rows(built, name))
        after, elsewhere = (weights_of(built.module(each, each, each)) for each in (x, other))
        if not plausible(after, before.shape) or not plausible(elsewhere, before.shape):
            raise Mismatch(f"without the features of head 1 in {name} there are no weights")
        if largest_difference(after[:, [0, 2]], before[:, [0, 2]]) > SAME:
            raise Mismatch(f"the features of head 1 in {name} changed the weights of another head")
        if largest_difference(after[:, 1], elsewhere[:, 1]) > SAME:
            raise Mismatch(f"head 1 has no features in {name}, but its weights still depend on the tokens")


@criterion("heads-apart")
def test_a_heads_values_meet_its_own_columns_of_the_output(candidate: Candidate, rng: np.random.Generator) -> None:
    built = build(candidate, rng)
    if "w_o" not in built.weights:
        return  # the projections have their own criterion
    x = tokens(rng, 2, 5, 12)
    whole = output_of(built.module(x, x, x), x.shape)
    columns = built.weights["w_o"].copy()
    columns[:, 4:8] = 0
    unread = output_of(built.changed("w_o", columns).module(x, x, x), x.shape)
    built = built.changed("w_o", built.weights["w_o"])
    unwritten = output_of(built.changed("w_v", without_rows(built, "w_v")).module(x, x, x), x.shape)
    if largest_difference(unread, unwritten) > SAME:
        raise Mismatch("the values of head 1 reach columns of w_o that belong to other heads")
    if largest_difference(unread, whole) < SAME:
        raise Mismatch("the columns of head 1 in w_o change nothing")


def without_rows(built: Built, name: str) -> Array:
    """A projection's weight with zeros for head 1 of three."""
    numbers = built.weights[name].copy()
    width = len(numbers) // 3
    numbers[width : 2 * width] = 0
    return numbers
