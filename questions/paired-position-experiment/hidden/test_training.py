"""Runs: their batches, their updates, their histories, and what has no say in them."""

import numpy as np
import pytest
from miniature import SMALL, SPLITS, TRAIN, hits, losses, number, rows, sent, splits, windows
from runs import DECAY, RATE, STEPS, adamw, start, table_for

from grader.checks import Candidate, Mismatch, criterion, expect_close

CONTEXT, SEQUENCES, ASKED = SMALL["context"], SMALL["sequences"], list(SMALL["evaluate_at"])
SAME_LOSS = 3e-5


@criterion("updates")
def test_each_update_is_a_step_of_adamw(candidate: Candidate, rng: np.random.Generator) -> None:
    table = table_for(rng)
    run = start(candidate, table)
    for part in (2, 1, STEPS - 3):
        run.training.advance(part)
    expected = adamw(table, run.batches(STEPS), RATE, DECAY)
    expect_close(run.table, expected, atol=3e-5, of=f"the table after {STEPS} updates")


@criterion("updates")
def test_updates_happen_in_training_mode(candidate: Candidate, rng: np.random.Generator) -> None:
    run = start(candidate, table_for(rng))
    run.model.eval()
    run.training.advance(STEPS)
    run.batches(STEPS)
    if candidate.value(run.training, "step") != STEPS:
        raise Mismatch(f"step is {candidate.value(run.training, 'step')!r} after {STEPS} updates")


@criterion("batches")
def test_a_batch_has_its_windows_of_the_training_split(candidate: Candidate, rng: np.random.Generator) -> None:
    run = start(candidate, table_for(rng))
    run.training.advance(3)
    for batch in run.batches(3):
        if batch.shape != (SEQUENCES, CONTEXT):
            raise Mismatch(f"a batch has the shape {list(batch.shape)}, expected {[SEQUENCES, CONTEXT]}")
        if (np.diff(batch) != 1).any() or batch.max() >= TRAIN - 1:
            raise Mismatch("a batch holds something else than windows of the training split")


@criterion("batches")
def test_every_start_is_as_likely_in_every_update(candidate: Candidate, rng: np.random.Generator) -> None:
    # 9 starts and 480 draws: none comes up less than 20 or more than 120 times.
    run = start(candidate, table_for(rng), given=splits(CONTEXT + 9), sequences=160, steps=3, evaluate_at=(3,))
    run.training.advance(3)
    batches = run.batches(3)
    counts = hits(np.concatenate([batch[:, 0] for batch in batches]), 0, 9)
    if counts.min() < 20 or counts.max() > 120:
        raise Mismatch(f"of the 9 starts, 480 windows hit one {counts.min()} times")
    if rows(batches[:1]) == rows(batches[1:2]):
        raise Mismatch("two updates in a row have the same batch")


@criterion("same-batches")
def test_batches_do_not_depend_on_the_model(candidate: Candidate, rng: np.random.Generator) -> None:
    plain = start(candidate, table_for(rng), name="plain")
    plain.training.advance(STEPS)
    candidate.torch.rand(7)
    noisy = start(candidate, table_for(rng), name="noisy", noisy=True)
    noisy.training.advance(STEPS)
    candidate.build_models(11, candidate.support("protocol").Protocol(width=8, blocks=1), 5)
    other = start(candidate, table_for(rng), seed=5, name="other")
    other.training.advance(STEPS)
    for place, (one, two) in enumerate(zip(plain.batches(STEPS), noisy.batches(STEPS), strict=True), 1):
        if sorted(rows([one])) != sorted(rows([two])):
            raise Mismatch(f"two models with the same seed are shown different batches in update {place}")
    if rows(plain.batches(STEPS)) == rows(other.batches(STEPS)):
        raise Mismatch("two seeds give the same batches")


@criterion("fixed-windows")
def test_every_run_is_evaluated_on_the_same_windows(candidate: Candidate, rng: np.random.Generator) -> None:
    fixed = windows(candidate, splits())
    wanted = [row for split in SPLITS for row in rows([fixed[split][0]])]
    for seed, noisy in ((4, False), (5, True)):
        run = start(candidate, table_for(rng), seed, name=f"seed-{seed}", noisy=noisy)
        shown = 0
        for step in range(STEPS + 1):
            run.training.advance(min(step, 1))
            calls = rows(run.calls(updates=False))
            fresh, shown = calls[shown:], len(calls)
            if sorted(fresh) != sorted(wanted * (len(fresh) // len(wanted))):
                raise Mismatch(f"with seed {seed}, the evaluation after {step} updates has other windows")


@criterion("history")
@pytest.mark.parametrize("parts", [[STEPS], [0, 1, 1, 2, 2], [3, 0, 3], [0, 0, STEPS]])
def test_an_entry_for_each_step_that_is_asked_for(
    candidate: Candidate, rng: np.random.Generator, parts: list[int]
) -> None:
    run = start(candidate, table_for(rng))
    done = 0
    for part in parts:
        run.training.advance(part)
        done += part
        if run.steps != [step for step in ASKED if step <= done]:
            raise Mismatch(f"after {done} updates the history has the steps {run.steps}, asked were {ASKED}")
    for entry in run.history:
        for split in SPLITS:
            number(entry[split], f"the {split} loss in the history")


@criterion("history")
def test_no_entry_for_steps_that_are_not_asked_for(candidate: Candidate, rng: np.random.Generator) -> None:
    run = start(candidate, table_for(rng), evaluate_at=(1, 6))
    run.training.advance(STEPS)
    if run.steps != [1, 6]:
        raise Mismatch(f"the history has the steps {run.steps}, asked were [1, 6]")


@criterion("history-losses")
def test_an_entry_holds_the_losses_after_its_updates(candidate: Candidate, rng: np.random.Generator) -> None:
    fixed = sent(windows(candidate, splits()))
    run = start(candidate, table_for(rng))
    judged = 0
    for step in range(STEPS + 1):
        run.training.advance(min(step, 1))
        right = losses(candidate, run.model, fixed)
        for entry in run.history:
            for split in SPLITS if entry["step"] == step else ():
                judged += 1
                if abs(number(entry[split], f"the {split} loss") - right[split]) > SAME_LOSS:
                    found = f"{entry[split]:.5f}, expected {right[split]:.5f}"
                    raise Mismatch(f"after {step} updates the {split} loss of the history is {found}")
    if not judged:
        raise Mismatch(f"there is no entry for any of the steps up to {STEPS}")


@criterion("own-noise")
def test_nobody_else_has_a_say_in_what_a_run_draws(candidate: Candidate, rng: np.random.Generator) -> None:
    table = table_for(rng)
    whole = start(candidate, table, noisy=True, name="whole")
    whole.training.advance(STEPS)
    candidate.torch.rand(7)
    parts = start(candidate, table, noisy=True, name="parts")
    parts.training.advance(2)
    candidate.torch.rand(7)
    parts.training.advance(STEPS - 2)
    other = start(candidate, table, seed=5, noisy=True, name="other")
    other.training.advance(STEPS)
    if whole.noise != parts.noise:
        raise Mismatch("what the model draws in training depends on what is drawn outside of the run")
    if whole.noise == other.noise:
        raise Mismatch("two seeds give a model the same random numbers in training")


@criterion("quiet-evaluation")
def test_evaluations_change_no_weight(candidate: Candidate, rng: np.random.Generator) -> None:
    table = table_for(rng)
    few = start(candidate, table, noisy=True, name="few", evaluate_at=(STEPS,))
    few.training.advance(STEPS)
    many = start(candidate, table, noisy=True, name="many", evaluate_at=tuple(range(STEPS + 1)))
    many.training.advance(STEPS)
    if few.noise != many.noise:
        raise Mismatch("with more evaluations a model draws other random numbers in training")
    if np.abs(few.table - many.table).max() > 1e-5:
        raise Mismatch("a run with more evaluations ends with other weights")
