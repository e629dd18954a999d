"""A small experiment on watched bags of tokens: what each was trained on and evaluated on, and what was said of it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from bags import Call, Window, adamw, calls, items, number, place, small_table, streams, watched
from bigrams import Floats, Ids
from numpy.typing import NDArray

from grader.checks import Candidate, Handle, Mismatch, describe

CONTEXTS = (4, 12, 3)  # in no order, and no two of them differ by what a third one is
TARGETS, COUNT, STEPS, EVERY = 12, 7, 5, 2
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
        evaluated: the windows that it was evaluated on, oldest first.
        run: what cross_evaluate says of it.
    """

    context: int
    table: NDArray[np.float32]
    trained: Floats
    training: list[Call]
    evaluated: list[Window]
    evaluations: list[Call]
    run: dict[str, Any]

    def updates(self, data: dict[str, list[int]]) -> list[list[Window]]:
        """The windows of each update, or a Mismatch if they are not as many as its targets."""
        windows = [place(row, data) for call in self.training for row in call.ids.tolist()]
        found: list[list[Window]] = [[]]
        for window in windows:
            if sum(each.length for each in found[-1]) >= TARGETS:
                found.append([])
            found[-1].append(window)
        if any(sum(each.length for each in update) != TARGETS for update in found):
            raise Mismatch(f"an update at context {self.context} was not on {TARGETS} targets")
        return found

    def places(self, split: str, length: int) -> set[int]:
        """The places of a split that were targets at a length."""
        return {each.start + length for each in self.evaluated if (each.split, each.length) == (split, length)}

    def cells(self) -> dict[tuple[str, int], float]:
        """The loss of each cell."""
        found = {}
        for cell in items(self.run.get("cells"), None, "cells"):
            if not isinstance(cell, dict) or not {"split", "length", "loss"} <= set(cell):
                raise Mismatch(f"a cell is {describe(cell)}, expected a dict with split, length and loss")
            found[cell["split"], int(number(cell["length"], "a length"))] = number(cell["loss"], "the loss of a cell")
        return found

    def history(self) -> list[tuple[int, float]]:
        """Step and loss of each entry of the history."""
        found = []
        for entry in items(self.run.get("history"), None, "history"):
            if not isinstance(entry, dict) or not {"step", "validation_loss"} <= set(entry):
                raise Mismatch(f"an entry is {describe(entry)}, expected a dict with step and validation_loss")
            found.append((int(number(entry["step"], "a step")), number(entry["validation_loss"], "a validation loss")))
        return found

    def expected(self, data: dict[str, list[int]]) -> list[Floats]:
        """The table after each update on what the model was shown, as AdamW makes it."""
        return adamw(self.table, [batch(update, data) for update in self.updates(data)])


def batch(update: list[Window], data: dict[str, list[int]]) -> tuple[Ids, Ids]:
    """The inputs and targets (B, T) of some windows of one length."""
    if len({window.length for window in update}) > 1:
        raise Mismatch("an update has sequences of several lengths")
    rows = [data[each.split][each.start : each.start + each.length + 1] for each in update]
    if any(len(row) <= window.length for row, window in zip(rows, update, strict=True)):
        raise Mismatch("an update has a sequence without a last target")
    return np.array(rows)[:, :-1], np.array(rows)[:, 1:]


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
    """What one model was shown. Until it has seen all its targets, what comes of the training stream trains it."""
    training, evaluations = [], []
    left = steps * TARGETS
    for call in calls(candidate, name):
        of_training = place(call.ids[0].tolist(), data).split == "train"
        (training if of_training and left > 0 else evaluations).append(call)
        left -= call.ids.size if of_training else 0
    evaluated = [place(row, data) for call in evaluations for row in call.ids.tolist()]
    trained = np.asarray(candidate.value(model, "model.table"), dtype="float64")
    return Arm(context, table, trained, training, evaluated, evaluations, run)
