"""A small experiment on watched bags of tokens: what each was trained on and evaluated on, and what was said of it."""

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from bags import Call, Window, adamw, array, calls, integer, items, number, place, small_table, streams, watched
from bigrams import Floats
from numpy.typing import NDArray

from grader.checks import Candidate, Handle, Mismatch, describe

CONTEXTS = (4, 12, 3)  # in no order, and no two of them differ by what a third one is
TARGETS, COUNT, STEPS, EVERY = 12, 7, 5, 2
LEARNING_RATE = 1e-3
# Rounding comes to a hundredth of a learning rate; weights that do not decay are a tenth away after a dozen steps.
SAME_WEIGHT = 0.05 * LEARNING_RATE
RIGHT: dict[str, Any] = {
    "steps": STEPS,
    "targets": TARGETS,
    "count": COUNT,
    "eval_every": EVERY,
    "seed": 3,
    "evaluation_seed": 8,
}


@dataclass(frozen=True)
class Arm:
    """One model of an experiment.

    Attributes:
        context: that it was trained at.
        table: what it started with.
        trained: what it holds afterwards.
        training: the calls that trained it, oldest first.
        evaluated: the windows that it was evaluated on, oldest first; None for tokens that are none.
        data: the streams.
        run: what cross_evaluate says of it.
    """

    context: int
    table: NDArray[np.float32]
    trained: Floats
    training: list[Call]
    evaluated: list[Window | None]
    data: dict[str, list[int]]
    run: dict[str, Any]

    def updates(self) -> list[list[list[int]]]:
        """The rows of each update: one call, or several that come to its targets together."""
        found: list[list[list[int]]] = []
        gathered = TARGETS
        for call in self.training:
            if gathered >= TARGETS:
                found.append([])
                gathered = 0
            found[-1] += call.ids.tolist()
            gathered += call.ids.size
        return found

    def ends(self, split: str, length: int) -> set[int]:
        """The places right behind the windows of a split and a length."""
        windows = [each for each in self.evaluated if each and (each.split, each.length) == (split, length)]
        return {each.start + length for each in windows}

    def places(self, split: str, length: int) -> set[int]:
        """Those of them that have a token: the targets, where windows end right before theirs."""
        return {end for end in self.ends(split, length) if end < len(self.data[split])}

    def targets(self, split: str, length: int) -> list[int]:
        """The same, or a Mismatch where a window has no target behind it."""
        if self.ends(split, length) != self.places(split, length):
            raise Mismatch(f"the model of context {self.context} was evaluated on tokens that no target follows")
        return sorted(self.places(split, length))

    def cells(self) -> dict[tuple[str, int], float]:
        """The loss of each cell."""
        found = {}
        for cell in items(self.run.get("cells"), None, "cells"):
            if not isinstance(cell, dict) or not {"split", "length", "loss"} <= set(cell):
                raise Mismatch(f"a cell is {describe(cell)}, expected a dict with split, length and loss")
            if not isinstance(cell["split"], str):
                raise Mismatch(f"the split of a cell is {describe(cell['split'])}, expected its name")
            found[cell["split"], integer(cell["length"], "a length")] = number(cell["loss"], "the loss of a cell")
        return found

    def history(self) -> list[tuple[int, float]]:
        """Step and loss of each entry of the history."""
        found = []
        for entry in items(self.run.get("history"), None, "history"):
            if not isinstance(entry, dict) or not {"step", "validation_loss"} <= set(entry):
                raise Mismatch(f"an entry is {describe(entry)}, expected a dict with step and validation_loss")
            found.append((integer(entry["step"], "a step"), number(entry["validation_loss"], "a validation loss")))
        return found

    def expected(self) -> list[Floats]:
        """The table after each update on what the model was shown, as AdamW makes it."""
        after = dict(itertools.pairwise(self.data["train"]))
        batches = []
        for rows in self.updates():
            wanted = [[after.get(token) for token in row] for row in rows]
            if len({len(row) for row in rows}) != 1 or any(token is None for row in wanted for token in row):
                raise Mismatch(f"an update at context {self.context} has rows that no target belongs to")
            batches.append((np.array(rows), np.array(wanted)))
        return adamw(self.table, batches)

    @property
    def is_as_expected(self) -> bool:
        """Whether the weights are those of AdamW on what the model was shown."""
        try:
            tables = self.expected()
        except Mismatch:
            return False
        return bool(tables) and bool(np.abs(self.trained - tables[-1]).max() < SAME_WEIGHT)


def experiment(
    candidate: Candidate,
    rng: np.random.Generator,
    *,
    data: dict[str, list[int]] | None = None,
    contexts: Sequence[int] = CONTEXTS,
    arrives_in_training: bool = True,
    **numbers: Any,
) -> list[Arm]:
    """The candidate's experiment, with numbers not given as in RIGHT."""
    data = data or streams(rng)
    names = [f"context-{context}" for context in contexts]
    tables = [small_table(rng) for _ in contexts]
    models = [watched(candidate, name, table) for name, table in zip(names, tables, strict=True)]
    for model in models:
        model.train(arrives_in_training)
    settings = {**RIGHT, **numbers}
    runs = items(
        candidate.cross_evaluate(models, list(contexts), data, **settings), len(contexts), "cross_evaluate's result"
    )
    arms = []
    for name, model, table, context, run in zip(names, models, tables, contexts, runs, strict=True):
        if not isinstance(run, dict):
            raise Mismatch(f"what cross_evaluate says of a model is {describe(run)}, expected a dict")
        arms.append(arm(candidate, name, model, table, context, run, data, settings["steps"]))
    return arms


def arm(
    candidate: Candidate,
    name: str,
    model: Handle,
    table: NDArray[np.float32],
    context: int,
    run: dict[str, Any],
    data: dict[str, list[int]],
    steps: int,
) -> Arm:
    """What one model was shown.

    A call that records gradients trains, unless it is in evaluation mode and shows validation tokens, or comes when the
    model has had all its targets: whether evaluations record gradients has its own criterion.
    """
    training, evaluated = [], []
    left = steps * TARGETS
    for call in calls(candidate, name):
        if call.ids.ndim != 2 or not call.ids.size:
            raise Mismatch(f"the model of context {context} was shown ids of {list(call.ids.shape)}, expected rows")
        windows = [place(row, data) for row in call.ids.tolist()]
        validates = windows[0] is not None and windows[0].split == "validation"
        if call.recorded and (call.training or (left > 0 and not validates)):
            training.append(call)
            left -= call.ids.size
        else:
            evaluated += windows
    trained = array(candidate.value(model, "model.table"), table.shape, "the table of a trained model")
    return Arm(context, table, trained, training, evaluated, data, run)
