"""What a stack is made of: as many blocks as asked for, of the right sizes, independent, and part of the model."""

import builtins

import block_oracle
import numpy as np
import pytest
from stacks import SIZES, Sizes, blocks_of, built, embeddings, load, shapes_in, weights_of

from grader.checks import Candidate, Mismatch, Raised, criterion

SHAPES = block_oracle.shapes(*SIZES)
MATRICES = tuple(name for name, shape in SHAPES.items() if len(shape) == 2)


@criterion("depth-refused")
@pytest.mark.parametrize("depth", [0, -1, -3])
def test_a_depth_below_one_is_refused(candidate: Candidate, depth: int) -> None:
    built(candidate, 1)  # one that refuses everything refuses nothing in particular
    try:
        built(candidate, depth)
    except Raised as error:
        # A type that is not built in is one of the candidate's own, and may well be a kind of ValueError.
        if error.type == "ValueError" or not hasattr(builtins, error.type):
            return
        raise Mismatch(f"n_layers={depth} raised {error.type}, expected a ValueError") from None
    raise Mismatch(f"n_layers={depth} was accepted, expected a ValueError")


@criterion("depth-refused")
def test_one_block_is_deep_enough(candidate: Candidate, rng: np.random.Generator) -> None:
    x = embeddings(rng, 2, 5, SIZES.d_model)
    try:
        built(candidate, 2)(x)
    except Raised:
        return  # what no stack can do has criteria of its own
    built(candidate, 1)(x)


@criterion("block-sizes")
@pytest.mark.parametrize("sizes", [SIZES, Sizes(6, 3, 2, 5, 7)], ids=["wide", "narrow"])
def test_the_blocks_have_the_sizes_asked_for(candidate: Candidate, sizes: Sizes) -> None:
    stack = built(candidate, 2, sizes)
    for place, block in enumerate(blocks_of(candidate, stack, 2)):
        found = shapes_in(candidate, block)
        for name, shape in block_oracle.shapes(*sizes).items():
            if found.get(name) != shape:
                there = list(found[name]) if name in found else "nothing"
                raise Mismatch(f"block {place} has {there} as its {name}, expected {list(shape)}")


@criterion("independent-parameters")
def test_every_block_has_parameter_objects_of_its_own(candidate: Candidate) -> None:
    held = candidate.inventory(built(candidate, 3)).parameters
    for name in SHAPES:
        count = sum(each.name.endswith(f".{name}") for each in held)
        if count < 3:
            raise Mismatch(f"found {count} parameters {name} in a stack of three blocks, expected one for each")


@criterion("independent-parameters")
def test_a_change_in_one_block_leaves_the_others_alone(candidate: Candidate) -> None:
    blocks = blocks_of(candidate, built(candidate, 3), 3)
    before = [weights_of(candidate, block) for block in blocks[:2]]
    shapes = shapes_in(candidate, blocks[2])
    load(candidate, blocks[2], {name: np.full(shape, 7, "float32") for name, shape in shapes.items()})
    for place, kept in enumerate(before):
        for name, value in weights_of(candidate, blocks[place]).items():
            if not np.array_equal(value, kept[name]):
                raise Mismatch(f"a change to blocks[2] changed {name} of blocks[{place}], expected it to stay")


@criterion("independent-start")
def test_no_two_blocks_start_alike(candidate: Candidate) -> None:
    blocks = blocks_of(candidate, built(candidate, 3), 3)
    values = [weights_of(candidate, block, MATRICES) for block in blocks]
    for name in MATRICES:
        for one, other in ((0, 1), (0, 2), (1, 2)):
            # A part of one matrix in another would be no chance either: floats drawn at random hardly ever repeat.
            pair = values[one][name], values[other][name]
            if pair[0].shape == pair[1].shape and np.mean(pair[0] == pair[1]) > 0.1:
                raise Mismatch(f"{name} starts with the same values in blocks {one} and {other}")


@criterion("part-of-the-model")
def test_an_optimizer_gets_the_parameters_of_every_block(candidate: Candidate, rng: np.random.Generator) -> None:
    stack = built(candidate, 3)
    held = candidate.inventory(stack).parameters
    for step in candidate.trained(stack, embeddings(rng, 2, 5, SIZES.d_model)).withheld:
        raise Mismatch(f"parameters() leaves out {step.tensor.name}, expected all of {len(held)}")


@criterion("part-of-the-model")
def test_the_blocks_move_with_the_stack(candidate: Candidate, rng: np.random.Generator) -> None:
    candidate.moved(built(candidate, 3), embeddings(rng, 2, 5, SIZES.d_model))


@criterion("every-block-learns")
def test_gradients_reach_every_parameter_of_every_block(candidate: Candidate, rng: np.random.Generator) -> None:
    model = candidate.support("readout").Readout(built(candidate, 3), SIZES.d_model, 2)
    steps = candidate.trained(model, embeddings(rng, 3, 6, SIZES.d_model)).steps
    reached = [step for step in steps if step.tensor.kind == "parameter" and step.gradient]
    for step in steps:
        if step.tensor.kind == "parameter" and step not in reached:
            raise Mismatch(f"no gradient arrives at {step.tensor.name.removeprefix('stack.')}, expected one")


@criterion("checkpoint-keys")
@pytest.mark.parametrize("depth", [2, 3])
def test_a_checkpoint_with_the_agreed_keys_fits(candidate: Candidate, rng: np.random.Generator, depth: int) -> None:
    stack = built(candidate, depth)
    held = shapes_in(candidate, stack)
    names = {f"blocks.{place}.{name}": shape for place in range(depth) for name, shape in SHAPES.items()}
    wanted = {name: held.get(name, shape) for name, shape in names.items()}
    try:
        load(candidate, stack, block_oracle.drawn(rng, wanted))
    except Raised as error:
        raise Mismatch(f"a checkpoint with the keys of {depth} blocks does not fit: {error.message}") from None
