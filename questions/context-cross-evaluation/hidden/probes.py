"""What a submission does in a few fixed situations, so that the mistake behind a failure can be named.

Where a stream has room for a single run, and an evaluation for a single choice of places, nothing is left to chance.
"""

from typing import Any

import block_oracle
import numpy as np
from bags import SAME_LOSS, VOCABULARY, calls, items, number, place, small_table, stream, streams, watched
from contexts import SIZES, built, family, logits_of, shapes, token_ids, values
from experiments import CONTEXTS, LEARNING_RATE, RIGHT, TARGETS, experiment
from test_draws import RIGHT as BATCHES
from test_draws import batches, positions, starts, state
from test_loss import UNKNOWN
from test_tables import CONTEXTS as ROWS
from test_tables import SEEDS, runs

from grader.checks import Candidate, Mismatch, Raised, Undefined, probe, tensor

LIBRARIES = ("random", "numpy", "torch")


def generator() -> np.random.Generator:
    """The same numbers for every submission."""
    return np.random.default_rng(12)


def outcome(call: Any) -> str:
    """How a call ended."""
    try:
        call()
    except Raised as error:
        return error.type
    return "returned"


# The model


@probe
def names(candidate: Candidate) -> list[str]:
    """The parameters that are not as agreed."""
    held = {each.name: each.shape for each in candidate.inventory(built(candidate)).parameters}
    return sorted(name for name in {*held, *shapes()} if held.get(name) != shapes().get(name))


@probe
def logits(candidate: Candidate) -> Any:
    """The logits of a full input."""
    rng = generator()
    weights = block_oracle.drawn(rng, shapes())
    model = built(candidate)
    model.load_state_dict({name: tensor(value) for name, value in weights.items()})
    return np.round(logits_of(model, token_ids(rng, 2, SIZES.context)), 2)


@probe
def cropped(candidate: Candidate) -> list[bool]:
    """Whether a short input, a second time, and the first half of a long one have the same logits."""
    model, ids = built(candidate), token_ids(generator(), 2, SIZES.context - 1)
    first, again, longer = logits_of(model, ids[:, :3]), logits_of(model, ids[:, :3]), logits_of(model, ids)[:, :3]
    return [bool(np.allclose(first, each, atol=1e-3)) for each in (again, longer)]


@probe
def lengths(candidate: Candidate) -> list[str]:
    """What becomes of an input as long as the context, and of longer ones."""
    ids = np.tile(token_ids(generator(), 1, SIZES.context), 3)
    return [outcome(lambda at=at: built(candidate)(ids[:, :at])) for at in (SIZES.context, SIZES.context + 1)]


# Pairs of models


@probe
def start(candidate: Candidate) -> list[tuple[str, bool]]:
    """Which parameters start alike at two contexts."""
    one, two = (values(candidate, model) for model in family(candidate, [3, 5], seed=1))
    return [(name, np.array_equal(value, two.get(name))) for name, value in sorted(one.items())]


@probe
def seeds(candidate: Candidate) -> list[bool]:
    """Whether a seed repeats its weights, and whether another has the same."""
    found = []
    for elsewhere, seed in ((1, 6), (2, 6), (2, 7)):
        candidate.torch.manual_seed(elsewhere)
        found.append(values(candidate, family(candidate, [3], seed=seed)[0]))
    return [
        all(np.array_equal(value, other[name]) for name, value in found[1].items()) for other in (found[0], found[2])
    ]


@probe
def sharing(candidate: Candidate) -> list[Any]:
    """Which parameters move with those of another model, and whether modules are the same object."""
    one, two = family(candidate, [3, 5], seed=1)
    before = values(candidate, two)
    for name in values(candidate, one):
        candidate.attribute(one, name).data.add_(1.0)
    moved = [name for name, value in values(candidate, two).items() if not np.array_equal(value, before[name])]
    candidate.assign(candidate.attribute(one, "norm"), "marked", 1)
    try:
        return [moved, candidate.value(two, "norm.marked")]
    except (Raised, Undefined):
        return [moved, None]


@probe
def streams_moved(candidate: Candidate) -> list[list[str]]:
    """Which global streams each function moves."""
    rng = generator()
    tokens, model = stream(rng), watched(candidate, "one", small_table(rng))
    found = []
    for call in (
        lambda: family(candidate, [3], seed=1),
        lambda: batches(candidate, tokens),
        lambda: positions(candidate, 40, longest=5, count=4, seed=1),
        lambda: candidate.loss_at(model, tokens, [9, 12], 4),
    ):
        candidate.support("random").seed(77)
        candidate.support("numpy.random").seed(77)
        candidate.torch.manual_seed(77)
        before = [state(candidate, library) for library in LIBRARIES]
        call()
        found.append([name for name, was in zip(LIBRARIES, before, strict=True) if state(candidate, name) != was])
    return found


# What is drawn


@probe
def only_run(candidate: Candidate) -> list[Any]:
    """The batch of a stream with room for one run, at three contexts."""
    tokens = list(range(TARGETS + 1))
    return [batches(candidate, tokens, steps=1, context=context) for context in (3, 12, 1)]


@probe
def runs_drawn(candidate: Candidate) -> list[Any]:
    """Which starts come up of four, and whether contexts and seeds draw alike."""
    tokens = stream(generator())
    short = tokens[: TARGETS + 4]
    drawn = sorted(set(starts(batches(candidate, short, steps=80), short)))
    one, other_context, other_seed, again = (
        [sorted(wanted.ravel().tolist()) for _, wanted in batches(candidate, tokens, context=context, seed=seed)]
        for context, seed in ((4, 5), (3, 5), (4, 6), (4, 5))
    )
    return [drawn, one == other_context, one == other_seed, one == again]


@probe
def refused(candidate: Candidate) -> list[str]:
    """What becomes of draws that can't be made."""
    tokens = stream(generator())
    return [
        outcome(lambda: candidate.training_batches(tokens, **{**BATCHES, "context": 5})),
        outcome(lambda: candidate.training_batches(tokens[:TARGETS], **BATCHES)),
        outcome(lambda: candidate.evaluation_positions(20, longest=13, count=8, seed=1)),
    ]


@probe
def places_drawn(candidate: Candidate) -> list[Any]:
    """All places of a short stream, how many of a long one differ, and whether the seed matters."""
    every = sorted(positions(candidate, 25, longest=11, count=14, seed=2))
    one, again, other = (sorted(positions(candidate, 60, longest=13, count=30, seed=seed)) for seed in (2, 2, 3))
    return [every[0], every[-1], len(set(every)) == 14, len(set(one)) == 30, one == again, one == other, one[-1] < 43]


# The loss


@probe
def window(candidate: Candidate) -> list[Any]:
    """How long the windows are, and where they start before their places."""
    tokens = stream(generator())
    found = []
    for length in (2, 5):
        candidate.loss_at(watched(candidate, "one", small_table(generator())), tokens, [20], length)
        row = calls(candidate, "one")[0].ids[0].tolist()
        shown = place(row, {"": tokens})
        found.append([len(row), 20 - shown.start if shown else None])
    return found


@probe
def loss_of_one_place(candidate: Candidate) -> float:
    """The loss at one place."""
    rng = generator()
    tokens, table = stream(rng), small_table(rng)
    return round(number(candidate.loss_at(watched(candidate, "one", table), tokens, [30], 4), "the loss"), 3)


@probe
def loss_of_many_places(candidate: Candidate) -> str:
    """Whether the loss at forty places is the mean of the losses at each, or their sum."""
    rng = generator()
    tokens, table = stream(rng), small_table(rng)
    model = watched(candidate, "one", table)
    many = list(range(6, 46))
    whole = number(candidate.loss_at(model, tokens, many, 4), "the loss")
    each = [number(candidate.loss_at(model, tokens, [at], 4), "the loss") for at in many]
    if abs(whole - float(np.mean(each))) < SAME_LOSS:
        return "mean"
    return "sum" if abs(whole - sum(each)) < 0.01 else "neither"


@probe
def kind_of_loss(candidate: Candidate) -> str:
    """What kind of number a loss is."""
    rng = generator()
    found = candidate.loss_at(watched(candidate, "one", small_table(rng)), stream(rng), [9], 4)
    return type(found).__name__


@probe
def modes(candidate: Candidate) -> list[Any]:
    """The modes of a model during a loss and after it, from either mode, and after an error."""
    rng = generator()
    tokens, found = stream(rng), []
    for given in (tokens, [UNKNOWN] * len(tokens)):
        for mode in (True, False):
            model = watched(candidate, "one", small_table(rng)).train(mode)
            outcome(lambda: candidate.loss_at(model, given, [9], 4))  # noqa: B023 - called at once
            during = [note.get("training") for note in candidate.support("tiny_models").calls("one")]
            found.append([during, candidate.value(model, "training")])
    return found


@probe
def recorded(candidate: Candidate) -> list[bool]:
    """Whether a loss records a graph."""
    rng = generator()
    candidate.loss_at(watched(candidate, "one", small_table(rng)), stream(rng), [9, 11], 4)
    return [call.recorded for call in calls(candidate, "one")]


# The experiment: streams with room for one run and one choice of places


def small(candidate: Candidate, **numbers: Any) -> list[dict[str, Any]]:
    """The runs of an experiment without chance, as the candidate tells them, and the trained tables."""
    rng = generator()
    contexts = numbers.pop("contexts", [4, 3])
    data = {"train": list(range(TARGETS + 1)), "validation": rng.permutation(TARGETS + 1).tolist()}
    count = TARGETS + 1 - max(contexts)
    settings = {**RIGHT, "count": count, **numbers}
    models = [watched(candidate, f"small-{context}", small_table(rng)) for context in contexts]
    tables = [np.asarray(candidate.value(model, "model.table")) for model in models]
    found = items(candidate.cross_evaluate(models, contexts, data, **settings), len(contexts), "the result")
    moved = [
        np.asarray(candidate.value(model, "model.table")) - table for model, table in zip(models, tables, strict=True)
    ]
    return [{**run, "moved": each} for run, each in zip(found, moved, strict=True)]


@probe
def weights(candidate: Candidate) -> list[Any]:
    """How far weights move in a few updates, in learning rates."""
    return [np.round(run["moved"][:8, :8] * 1000, 1) for run in small(candidate, steps=4)]


@probe
def whole_steps(candidate: Candidate) -> bool:
    """Whether every weight is whole learning rates away from its start, after updates on different runs."""
    rng = generator()
    arm = experiment(candidate, rng, data=streams(rng), contexts=[4], steps=6)[0]
    moved = (arm.trained - arm.table) / LEARNING_RATE
    return bool(np.abs(moved - moved.round()).max() < 0.2)  # weight decay comes to a tenth


@probe
def decay(candidate: Candidate) -> list[float]:
    """How far the weights of a token that is never shown move in many updates."""
    return [round(float(np.abs(run["moved"][-1]).max()) * 1000, 3) for run in small(candidate, steps=40)]


@probe
def last_updates(candidate: Candidate) -> list[Any]:
    """How much the second half of a run moves weights, beside the first."""
    half, whole = (small(candidate, steps=steps) for steps in (10, 20))
    return [
        [
            round(float(np.abs(two["moved"]).max() / max(1e-9, np.abs(one["moved"]).max())), 1)
            for one, two in zip(half, whole, strict=True)
        ]
    ]


@probe
def steps_of_the_history(candidate: Candidate) -> list[list[int]]:
    """The steps that have an entry, for two schedules."""
    return [
        [int(entry["step"]) for entry in small(candidate, steps=steps, eval_every=every)[0]["history"]]
        for steps, every in ((5, 2), (3, 7), (4, 2))
    ]


@probe
def losses_of_the_history(candidate: Candidate) -> list[float]:
    """The loss of each entry of one model, which starts at the first update."""
    run = small(candidate, steps=6, eval_every=1)[0]
    return [round(number(entry["validation_loss"], "a loss"), 4) for entry in run["history"]]


@probe
def cells(candidate: Candidate) -> list[Any]:
    """The cells of each run."""
    return [
        sorted(
            [str(cell["split"]), int(cell["length"]), round(number(cell["loss"], "a loss"), 3)] for cell in run["cells"]
        )
        for run in small(candidate)
    ]


@probe
def cells_named(candidate: Candidate) -> list[Any]:
    """Split and length of the cells of each run."""
    return [sorted([str(cell["split"]), int(cell["length"])] for cell in run["cells"]) for run in small(candidate)]


@probe
def trained_on(candidate: Candidate) -> list[Any]:
    """How many windows of which length each model is trained on, and whether models have the same targets."""
    rng = generator()
    arms = experiment(candidate, rng, data=(data := streams(rng)))
    seen, told = [], []
    for arm in arms:
        rows = [row for call in arm.training for row in call.ids.tolist()]
        in_a_row = all(place(row, data) for row in rows)
        told.append([len(rows), sorted({len(row) for row in rows}), in_a_row])
        seen.append(sorted(token for row in rows for token in row))
    return [told, [each == seen[0] for each in seen]]


@probe
def mode_of_updates(candidate: Candidate) -> list[Any]:
    """The modes of a model's updates, from either mode, with evaluations between them."""
    rng = generator()
    return [
        [
            call.training
            for call in experiment(candidate, rng, contexts=[4], arrives_in_training=mode, eval_every=1)[0].training
        ]
        for mode in (True, False)
    ]


@probe
def places_alike(candidate: Candidate) -> list[Any]:
    """Whether places are the same for two models, at two lengths, for two seeds and over time."""
    rng = generator()
    data = streams(rng)
    first = experiment(candidate, rng, data=data, eval_every=1)
    other = experiment(candidate, rng, data=data, eval_every=1, seed=4)
    at = {arm.context: arm for arm in first}
    shared = [at[each].places("train", 3) for each in CONTEXTS]
    return [
        shared[0] == shared[1] == shared[2],
        at[12].places("train", 3) == at[12].places("train", 4),
        at[4].places("train", 3) == next(arm for arm in other if arm.context == 4).places("train", 3),
        [len(arm.places("validation", arm.context)) for arm in first],
        [min(arm.places("train", 3), default=0) < max(CONTEXTS) for arm in first],
    ]


def dropped(candidate: Candidate, seed: int, every: int) -> Any:
    """The weights of a model with dropout after a few updates."""
    rng = generator()
    data, nn = streams(rng), candidate.torch.nn
    weight = rng.normal(size=(VOCABULARY, 6)).astype("float32")
    table = nn.Embedding(VOCABULARY, 6)
    candidate.attribute(table, "weight").data.copy_(tensor(weight))
    head = nn.Linear(6, VOCABULARY, bias=False)
    candidate.attribute(head, "weight").data.copy_(tensor(weight))
    candidate.torch.manual_seed(seed)
    candidate.cross_evaluate([nn.Sequential(table, nn.Dropout(0.5), head)], [4], data, **{**RIGHT, "eval_every": every})
    return np.asarray(candidate.value(table, "weight"))


@probe
def looked_at(candidate: Candidate) -> bool:
    """Whether a training with dropout is the same however often one looks."""
    return bool(np.allclose(dropped(candidate, 7, 1), dropped(candidate, 7, 1000), atol=1e-5))


@probe
def stream_afterwards(candidate: Candidate) -> bool:
    """Whether torch's global stream is at one place after an experiment, wherever it started."""
    found = []
    for seed in (7, 8):
        dropped(candidate, seed, 1)
        found.append(state(candidate, "torch"))
    return bool(found[0] == found[1])


# The tables


@probe
def table(candidate: Candidate) -> Any:
    """The table over all seeds."""
    return candidate.cross_table(runs(generator()), split="validation")


@probe
def table_of_one_seed(candidate: Candidate) -> Any:
    """The tables of two seeds, one of which is 0."""
    return [candidate.cross_table(runs(generator()), split="validation", seed=seed) for seed in SEEDS[:2]]


@probe
def table_in_order(candidate: Candidate) -> Any:
    """The table of runs that come from short to long and have one split, with equal losses over seeds."""
    given = [
        {
            "seed": seed,
            "context": context,
            "history": [],
            "cells": [
                {"split": "train", "length": length, "loss": float(context * 64 + length)}
                for length in ROWS
                if length <= context
            ],
        }
        for seed in SEEDS
        for context in ROWS
    ]
    return candidate.cross_table(given, split="train")


@probe
def summary(candidate: Candidate) -> Any:
    """The summary of one split."""
    rows = items(candidate.native_summary(runs(generator()), split="train"), None, "the summary")
    return [
        [row.get(name) for name in ("context", "mean", "lowest", "highest")] for row in rows if isinstance(row, dict)
    ]


@probe
def runs_kept(candidate: Candidate) -> list[bool]:
    """Whether runs and contexts stay as they were."""
    rng = generator()
    found = []
    holder = candidate.torch.nn.Module()
    for name in ("cross_table", "native_summary"):
        given = runs(rng)
        candidate.assign(holder, "runs", given)
        candidate[name](candidate.attribute(holder, "runs"), split="train")
        found.append(candidate.value(holder, "runs") == given)
    candidate.assign(holder, "contexts", [4, 3])
    models = [watched(candidate, f"kept-{each}", small_table(rng)) for each in (4, 3)]
    data = {"train": list(range(TARGETS + 1)), "validation": list(range(TARGETS + 1))}
    try:
        candidate.cross_evaluate(models, candidate.attribute(holder, "contexts"), data, **{**RIGHT, "count": 9})
    except (Raised, Mismatch):
        return [*found, False]
    return [*found, candidate.value(holder, "contexts") == [4, 3]]
