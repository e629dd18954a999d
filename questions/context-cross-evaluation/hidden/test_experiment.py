"""The whole experiment in miniature: what each model is trained on and evaluated on, and what is said of it."""

import itertools
from typing import Any

import numpy as np
import pytest
from bags import SAME_LOSS, VOCABULARY, array, integer, loss, place, small_table, stream, streams, watched
from experiments import (
    CONTEXTS,
    COUNT,
    EVERY,
    LEARNING_RATE,
    RIGHT,
    SAME_WEIGHT,
    STEPS,
    TARGETS,
    experiment,
)

from grader.checks import Candidate, Mismatch, criterion, describe, largest_difference, tensor


@criterion("run-batches")
def test_every_model_has_the_same_targets_in_the_same_updates(candidate: Candidate, rng: np.random.Generator) -> None:
    data = streams(rng)
    seen = []
    for arm in experiment(candidate, rng, data=data):
        updates = arm.updates()
        if len(updates) != STEPS:
            raise Mismatch(f"the model of context {arm.context} had {len(updates)} updates, expected {STEPS}")
        if {len(row) for rows in updates for row in rows} != {arm.context}:
            raise Mismatch(f"the model of context {arm.context} was trained on sequences of another length")
        places = [sorted(data["train"].index(token) for row in rows for token in row) for rows in updates]
        windows = [place(row, data) for rows in updates for row in rows]
        if None in windows or any(update != list(range(update[0], update[0] + TARGETS)) for update in places):
            raise Mismatch(
                f"an update at context {arm.context} was not on {TARGETS} tokens in a row, cut into sequences"
            )
        if seen and places != seen[0]:
            raise Mismatch(f"the model of context {arm.context} had other targets than that of {CONTEXTS[0]}")
        seen.append(places)


@criterion("run-batches")
def test_another_seed_trains_on_other_targets(candidate: Candidate, rng: np.random.Generator) -> None:
    data = streams(rng)
    one, again, other = (
        experiment(candidate, rng, data=data, contexts=[4], seed=seed)[0].updates() for seed in (3, 3, 4)
    )
    if one != again:
        raise Mismatch("two experiments with one seed had different batches, expected the same ones")
    if one == other:
        raise Mismatch("two seeds had the same batches, expected others")


@criterion("run-updates")
def test_weights_are_those_of_as_many_adamw_steps(candidate: Candidate, rng: np.random.Generator) -> None:
    """On the batches that each model was shown, whichever they are; a dozen, so that weight decay shows."""
    for arm in experiment(candidate, rng, steps=12):
        if np.abs(arm.trained - arm.table).max() == 0:
            raise Mismatch(f"the model of context {arm.context} has the weights that it came with")
        tables = arm.expected()
        off = np.abs(arm.trained - tables[-1]).max() if tables else np.inf
        if not off < SAME_WEIGHT:
            raise Mismatch(
                f"after {len(tables)} updates at context {arm.context} a weight is {off / LEARNING_RATE:.3g} learning "
                "rates away from where AdamW takes it"
            )


@criterion("training-mode")
@pytest.mark.parametrize("arrives", [True, False], ids=["arrives-in-training", "arrives-in-evaluation"])
def test_updates_happen_in_training_mode(candidate: Candidate, rng: np.random.Generator, arrives: bool) -> None:
    for arm in experiment(candidate, rng, arrives_in_training=arrives, eval_every=1):
        if not all(call.training for call in arm.training):
            raise Mismatch(f"the model of context {arm.context} had an update in evaluation mode")


@criterion("run-windows")
def test_every_evaluation_is_on_the_same_places(candidate: Candidate, rng: np.random.Generator) -> None:
    """Of every model, at every length, on the way and at the end, whatever the seed of the training."""
    data, seen = streams(rng), {}
    for seed in (3, 4):
        for arm in experiment(candidate, rng, data=data, seed=seed, eval_every=1):
            for window in arm.evaluated:
                if window is None:
                    raise Mismatch("a model was evaluated on tokens that do not stand in a row in a stream")
                if window.length not in CONTEXTS:
                    raise Mismatch(f"a model was evaluated on {window.length} tokens, which is none of the contexts")
            for split in data:
                for length in CONTEXTS:
                    if not (places := arm.places(split, length)):
                        continue  # whether there should be some has its own criterion
                    # Whether the places of one draw differ has its own criterion.
                    if not COUNT // 2 < len(places) <= COUNT:
                        raise Mismatch(
                            f"the model of context {arm.context} was evaluated at {len(places)} places of the {split} "
                            f"split, over all evaluations at length {length}, expected the same {COUNT} each time"
                        )
                    if min(places) < max(CONTEXTS):
                        raise Mismatch(f"a place has {min(places)} tokens before it, expected {max(CONTEXTS)} or more")
                    if places != seen.setdefault(split, places):
                        raise Mismatch(
                            f"the model of context {arm.context} was evaluated at other {split} places at length "
                            f"{length} than another model, length or seed"
                        )


@criterion("run-windows")
def test_the_evaluation_seed_decides_about_the_places(candidate: Candidate, rng: np.random.Generator) -> None:
    data, seen = streams(rng), []
    for seed in (8, 9):
        arm = experiment(candidate, rng, data=data, contexts=[4], evaluation_seed=seed)[0]
        seen.append([arm.places(split, 4) for split in data])
    if seen[0] == seen[1]:
        raise Mismatch("two evaluation seeds gave the same places, expected others")


@criterion("run-history")
@pytest.mark.parametrize(("steps", "every"), [(STEPS, EVERY), (6, 3), (3, 50)])
def test_the_history_has_the_loss_after_the_right_updates(
    candidate: Candidate, rng: np.random.Generator, steps: int, every: int
) -> None:
    """On text of which every update learns every transition, and half of the validation targets follow one of them."""
    tokens = stream(rng, TARGETS + 1)
    data = {"train": tokens, "validation": halves(rng, tokens[:TARGETS])}
    wanted = sorted({1, steps, *range(every, steps, every)})
    for arm in experiment(candidate, rng, data=data, contexts=[4, 3], count=TARGETS - 4, steps=steps, eval_every=every):
        history = arm.history()
        if [step for step, _ in history] != wanted:
            raise Mismatch(f"the history has entries for {[step for step, _ in history]}, expected {wanted}")
        positions = arm.targets("validation", arm.context)
        if not arm.is_as_expected or len(tables := arm.expected()) != steps or len(positions) != TARGETS - 4:
            continue  # other updates have their own criterion, and so have other places
        for step, found in history:
            expected = loss(tables[step - 1], data["validation"], positions, arm.context)
            if not abs(found - expected) < SAME_LOSS:
                raise Mismatch(
                    f"the validation loss after update {step} at context {arm.context} is {found:.6g}, "
                    f"expected {expected:.6g}"
                )


def halves(rng: np.random.Generator, tokens: list[int]) -> list[int]:
    """The pairs of a stream in another order, such that no two of them follow each other as they did."""
    pairs = [tokens[at : at + 2] for at in range(0, len(tokens), 2)]
    while True:
        order = rng.permutation(len(pairs))
        if all(after != before + 1 for before, after in itertools.pairwise(order)):
            return [token for each in order for token in pairs[each]]


@criterion("run-cells")
def test_every_supported_length_has_its_loss(candidate: Candidate, rng: np.random.Generator) -> None:
    data = streams(rng)
    for arm in experiment(candidate, rng, data=data):
        cells = arm.cells()
        wanted = {(split, length) for split in data for length in CONTEXTS if length <= arm.context}
        if set(cells) != wanted:
            odd = sorted(set(cells) ^ wanted)[0]
            raise Mismatch(f"the model of context {arm.context} has {len(cells)} cells, and not the right ones: {odd}")
        for (split, length), found in cells.items():
            positions = arm.targets(split, length)
            if not positions:
                raise Mismatch(f"the model of context {arm.context} was not evaluated at length {length}")
            if len(positions) != COUNT or np.array_equal(arm.trained, arm.table):
                continue  # places that are not as many, and a model that was not trained, have their own criteria
            expected = loss(arm.trained.astype("float32"), data[split], positions, length)
            if not abs(found - expected) < SAME_LOSS:
                raise Mismatch(
                    f"the {split} loss of context {arm.context} at length {length} is {found:.6g}, "
                    f"expected that of the trained model, {expected:.6g}"
                )


@criterion("run-cells")
def test_a_run_says_whose_it_is(candidate: Candidate, rng: np.random.Generator) -> None:
    for arm in experiment(candidate, rng, seed=11):
        said = {name: integer(arm.run.get(name), f"the {name} of a run") for name in ("context", "seed")}
        if said != {"context": arm.context, "seed": 11}:
            raise Mismatch(
                f"the run of context {arm.context} and seed 11 says context {said['context']} and seed {said['seed']}"
            )


@criterion("quiet-evaluation")
def test_how_often_one_looks_changes_nothing(candidate: Candidate, rng: np.random.Generator) -> None:
    """With a dropout layer, whose masks come from torch's global stream."""
    data, width = streams(rng), 6
    weights = [rng.normal(size=(VOCABULARY, width)).astype("float32") for _ in range(2)]
    found = []
    for every in (1, 1000):
        nn = candidate.torch.nn
        parts = [nn.Embedding(VOCABULARY, width), nn.Linear(width, VOCABULARY, bias=False)]
        for part, weight in zip(parts, weights, strict=True):
            candidate.attribute(part, "weight").data.copy_(tensor(weight))
        model = nn.Sequential(parts[0], nn.Dropout(0.5), parts[1])
        candidate.torch.manual_seed(7)
        candidate.support("random").seed(7)
        candidate.support("numpy.random").seed(7)
        candidate.cross_evaluate([model], [4], data, **{**RIGHT, "steps": 6, "eval_every": every})
        found.append([array(candidate.value(part, "weight"), (VOCABULARY, width), "a weight") for part in parts])
    off = max(largest_difference(one, other) for one, other in zip(*found, strict=True))
    if off > 1e-5:
        raise Mismatch(
            f"with an evaluation after every update a weight is {off:.2g} away from where it is with two, "
            "expected the same training"
        )


def loose(value: Any) -> Any:
    """A part of a result that JSON has no form for; None if there is none."""
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list | tuple):
        return next((found for each in value if (found := loose(each)) is not None), None)
    return None if value is None or type(value) in (int, float, str) else value


@criterion("arguments-kept")
def test_an_experiment_leaves_contexts_and_streams_as_they_were(candidate: Candidate, rng: np.random.Generator) -> None:
    data = streams(rng)
    given = {"contexts": list(CONTEXTS), "data": data}
    holder = candidate.torch.nn.Module()
    for name, value in given.items():
        candidate.assign(holder, name, value)
    models = [watched(candidate, f"context-{context}", small_table(rng)) for context in CONTEXTS]
    candidate.cross_evaluate(models, *(candidate.attribute(holder, name) for name in given), **RIGHT)
    for name, value in given.items():
        if repr(candidate.value(holder, name)) != repr(value):
            raise Mismatch(f"cross_evaluate changed its {name}, expected them as they were")


@criterion("plain-numbers")
def test_results_hold_plain_numbers(candidate: Candidate, rng: np.random.Generator) -> None:
    data = streams(rng)
    results = {
        "evaluation_positions": candidate.evaluation_positions(40, longest=5, count=4, seed=1),
        "cross_evaluate": [arm.run for arm in experiment(candidate, rng, data=data, contexts=[4, 3])],
    }
    for name, value in results.items():
        if (found := loose(value)) is not None:
            raise Mismatch(f"the result of {name} holds {describe(found)}, expected plain numbers")
