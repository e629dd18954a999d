"""A run that is saved, and goes on elsewhere as if nothing had happened."""

import builtins
from typing import Any

import numpy as np
import pytest
from miniature import SPLITS, TRAIN, rows
from runs import STEPS, Run, start, table_for

from grader.checks import Candidate, Mismatch, Raised, criterion, tensor

HALF = 3
CONSTANT = {split: tensor(np.full(TRAIN, 5)) for split in SPLITS}


def resumed(candidate: Candidate, rng: np.random.Generator, **how: Any) -> tuple[Run, Run]:
    """A run of `STEPS` updates, and one that was saved after `HALF` of them and went on in another object."""
    table = table_for(rng)
    whole = start(candidate, table, name="whole", **how)
    for part in (HALF, STEPS - HALF):
        whole.training.advance(part)
    one = start(candidate, table, name="one", **how)
    one.training.advance(HALF)
    path = saved(candidate, one)
    one.training.advance(1)  # what comes later is not in the file
    other = start(candidate, table_for(rng), name="other", **how)
    candidate.torch.rand(5)
    other.training.load(path)
    other.training.advance(STEPS - HALF)
    return whole, other


def saved(candidate: Candidate, run: Run) -> str:
    """The path of a run's checkpoint."""
    path = f"{candidate.support('tempfile').mkdtemp(dir='.')}/checkpoint"
    run.training.save(path)
    return path


@criterion("resume-weights")
def test_weights_and_optimizer_come_back(candidate: Candidate, rng: np.random.Generator) -> None:
    # The corpus repeats one token, so that every batch is the same.
    whole, other = resumed(candidate, rng, given=CONSTANT)
    away = np.abs(whole.table - other.table).max()
    if away:
        raise Mismatch(f"the weights of a run that was resumed are up to {away:.2g} away, expected the same to the bit")


@criterion("resume-streams")
def test_batches_and_noise_go_on(candidate: Candidate, rng: np.random.Generator) -> None:
    whole, other = resumed(candidate, rng, noisy=True)
    if rows(whole.batches(STEPS)[HALF:]) != rows(other.batches(STEPS - HALF)):
        raise Mismatch("a run that was resumed is shown other batches than one that was not broken off")
    if not other.noise or whole.noise[-len(other.noise) :] != other.noise:
        raise Mismatch("in a run that was resumed, the model draws other random numbers")


@criterion("resume-history")
@pytest.mark.parametrize("noisy", [False, True])
def test_step_and_history_come_back(candidate: Candidate, rng: np.random.Generator, noisy: bool) -> None:
    whole, other = resumed(candidate, rng, noisy=noisy)
    if other.steps != whole.steps:
        raise Mismatch(f"the history of a run that was resumed has the steps {other.steps}, expected {whole.steps}")
    if other.history[:HALF] != whole.history[:HALF]:
        raise Mismatch("entries from before a checkpoint are others when it was loaded")
    steps = [candidate.value(run.training, "step") for run in (whole, other)]
    if steps != [STEPS, STEPS]:
        raise Mismatch(f"step is {steps[1]} in a run that was resumed, expected {STEPS}")


@criterion("foreign-checkpoint")
@pytest.mark.parametrize("foreign", [{"seed": 5}, {"learning_rate": 0.5}, {"sequences": 3}], ids=str)
def test_a_checkpoint_of_another_run_is_refused(
    candidate: Candidate, rng: np.random.Generator, foreign: dict[str, Any]
) -> None:
    table = table_for(rng)
    other = start(candidate, table, name="other", **foreign)
    other.training.advance(2)
    path = saved(candidate, other)
    whole = start(candidate, table, name="whole")
    for part in (1, STEPS - 1):
        whole.training.advance(part)
    run = start(candidate, table, name="run")
    run.training.advance(1)
    changed = ", ".join(f"{name}={value}" for name, value in foreign.items())
    try:
        run.training.load(path)
    except Raised as error:
        if error.type != "ValueError" and hasattr(builtins, error.type):
            raise Mismatch(f"a checkpoint with {changed} raised {error.type}, expected a ValueError") from None
    else:
        raise Mismatch(f"a checkpoint with {changed} was taken, expected a ValueError")
    run.training.advance(STEPS - 1)
    if np.abs(run.table - whole.table).max() > 1e-6 or run.steps != whole.steps:
        raise Mismatch(f"after a checkpoint with {changed} was refused, the run is not as it was")
