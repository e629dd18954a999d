"""Evaluation windows, and what is measured on them."""

import numpy as np
import pytest
from bigrams import cross_entropy, random_table
from miniature import (
    SMALL,
    SPLITS,
    TRAIN,
    VALIDATION,
    VOCABULARY,
    as_windows,
    hits,
    losses,
    protocol,
    rows,
    splits,
    windows,
)

from grader.checks import Candidate, Mismatch, criterion, tensor

CONTEXT = SMALL["context"]
SAME_LOSS = 3e-5  # losses near 4 in float32, whatever the order of the sum


@criterion("windows")
def test_windows_are_tokens_in_a_row(candidate: Candidate) -> None:
    for split, (inputs, targets) in windows(candidate, splits()).items():
        first, tokens = (0, TRAIN) if split == "train" else (TRAIN, VALIDATION)
        if (np.diff(inputs) != 1).any() or inputs.min() < first or inputs.max() >= first + tokens:
            raise Mismatch(f"an input window of {split} is not a row of tokens of that split")
        if (targets != inputs + 1).any():
            raise Mismatch(f"the targets of {split} are not the inputs moved on by one token")


@criterion("windows")
def test_every_start_is_as_likely(candidate: Candidate) -> None:
    # 9 and 7 starts, 540 draws: that one of them comes up less than 25 or more than 130 times is out of the question.
    drawn = windows(candidate, splits(CONTEXT + 9, CONTEXT + 7), evaluation_windows=540)
    for split, starts, first in (("train", 9, 0), ("validation", 7, CONTEXT + 9)):
        counts = hits(drawn[split][0][:, 0], first, starts)
        if counts.min() < 25 or counts.max() > 130:
            raise Mismatch(f"of the {starts} starts in {split}, 540 windows hit one {counts.min()} times")


@criterion("fixed-windows")
def test_the_same_windows_every_time(candidate: Candidate) -> None:
    first = windows(candidate, splits())
    candidate.torch.rand(3)
    again, other = windows(candidate, splits(), seeds=(77,)), windows(candidate, splits(), evaluation_seed=10)
    for split in SPLITS:
        if rows([first[split][0]]) != rows([again[split][0]]):
            raise Mismatch(f"a second call gives other windows of {split}")
        if rows([first[split][0]]) == rows([other[split][0]]):
            raise Mismatch(f"another evaluation_seed gives the same windows of {split}")


@criterion("loss")
@pytest.mark.parametrize("count", [1, 6])
def test_the_mean_cross_entropy_of_each_split(candidate: Candidate, rng: np.random.Generator, count: int) -> None:
    table = random_table(rng, VOCABULARY, scale=1.5)
    starts = {
        "train": rng.integers(0, TRAIN - CONTEXT, size=count),
        "validation": TRAIN + rng.integers(0, VALIDATION - CONTEXT, size=count + 2),
    }
    model = candidate.support("tiny_models").Bigram(tensor(table))
    given = {split: as_windows(each, CONTEXT) for split, each in starts.items()}
    found = losses(candidate, model, given)
    for split, each in starts.items():
        places = each[:, None] + np.arange(CONTEXT)
        expected = cross_entropy(table, places, places + 1)
        if abs(found[split] - expected) > SAME_LOSS:
            raise Mismatch(f"the {split} loss is {found[split]:.5f}, expected {expected:.5f} nats per token")


@criterion("evaluation-mode")
@pytest.mark.parametrize("training", [True, False])
def test_the_mode_of_an_evaluation(candidate: Candidate, rng: np.random.Generator, training: bool) -> None:
    tiny = candidate.support("tiny_models")
    model = tiny.Watched(tiny.Bigram(tensor(random_table(rng, VOCABULARY))), "watched")
    model.train(training)
    candidate.evaluate(model, {split: as_windows(np.array([1, 4, 6]), CONTEXT) for split in SPLITS})
    for call in tiny.calls("watched"):
        if call["training"] or call["recorded"]:
            raise Mismatch("an evaluation calls the model in training mode, or records gradients")
    if candidate.value(model, "training") is not training:
        raise Mismatch(f"a model that came with training={training} left with training={not training}")


def streams(candidate: Candidate) -> list[object]:
    """Where the three global generators stand."""
    return [
        np.asarray(candidate.torch.get_rng_state()).tolist(),
        [np.asarray(part).tolist() for part in candidate.support("numpy").random.get_state()],
        candidate.support("random").getstate(),
    ]


@criterion("streams")
def test_no_call_moves_a_global_generator(candidate: Candidate, rng: np.random.Generator) -> None:
    plan = protocol(candidate, steps=2, evaluate_at=(0, 2), seeds=(5,), blocks=1)
    noisy = candidate.support("noisy").NoisyBigram(tensor(random_table(rng, VOCABULARY)), "noisy")
    given = {split: as_windows(np.array([1, 4]), CONTEXT) for split in SPLITS}
    training = candidate.Training(noisy, splits(), plan, 5)
    folder = candidate.support("tempfile").mkdtemp(dir=".")
    candidate.support("random").random()
    for what, call in {
        "build_models": lambda: candidate.build_models(VOCABULARY, plan, 5),
        "draw_evaluation_windows": lambda: candidate.draw_evaluation_windows(splits(), plan),
        "evaluate": lambda: candidate.evaluate(noisy, given),
        "Training": lambda: candidate.Training(noisy, splits(), plan, 6),
        "advance": lambda: training.advance(2),
        "save": lambda: training.save(f"{folder}/checkpoint"),
        "load": lambda: training.load(f"{folder}/checkpoint"),
        "run_experiment": lambda: candidate.run_experiment(splits(), VOCABULARY, plan, f"{folder}/runs"),
    }.items():
        before = streams(candidate)
        call()
        for name, one, other in zip(("torch", "NumPy", "random"), before, streams(candidate), strict=True):
            if one != other:
                raise Mismatch(f"{what} moves the global generator of {name}")
