"""The public tests: a first look at your solution, beside which they run with `python -m pytest`.

They cover less than prompt.md asks for. When they pass, read that page once more.
"""

import json
import math

import pytest
import torch
from interruption import BrokenOff, StopAfter
from noisy import NoisyBigram, noise
from protocol import ARMS, Protocol
from solution import (
    Training,
    build_models,
    draw_evaluation_windows,
    evaluate,
    render_tables,
    run_experiment,
    summarize,
)
from tiny_models import Bigram

TOKENS = 12
SPLITS = {"train": torch.arange(60) * 5 % TOKENS, "validation": torch.arange(40) * 7 % TOKENS}
SMALL = Protocol(
    width=4, context=6, blocks=1, sequences=3, steps=4, evaluate_at=(0, 2, 4), evaluation_windows=5, seeds=(1, 2)
)


def test_the_arms_map_ids_to_logits_and_start_alike():
    models = build_models(TOKENS, SMALL, seed=1)
    assert set(models) == set(ARMS)
    for model in models.values():
        assert model(SPLITS["train"][:12].view(2, 6)).shape == (2, 6, TOKENS)
        assert torch.equal(model.head.weight, models["bigram"].head.weight)


def test_what_comes_later_changes_nothing():
    model = build_models(TOKENS, SMALL, seed=1)["sinusoidal"]
    one, other = model(torch.tensor([[3, 1, 4, 1]])), model(torch.tensor([[3, 1, 5, 9]]))
    assert torch.allclose(one[:, :2], other[:, :2], atol=1e-5)


def test_a_model_that_knows_nothing_has_the_logarithm_of_the_vocabulary_as_loss():
    windows = draw_evaluation_windows(SPLITS, SMALL)
    assert {split: inputs.shape for split, (inputs, _) in windows.items()} == dict.fromkeys(SPLITS, (5, 6))
    losses = evaluate(Bigram(torch.zeros(TOKENS, TOKENS)), windows)
    assert losses == pytest.approx(dict.fromkeys(SPLITS, math.log(TOKENS)), abs=1e-5)


def test_the_history_has_the_steps_of_the_protocol():
    training = Training(Bigram(torch.zeros(TOKENS, TOKENS)), SPLITS, SMALL, seed=1)
    training.advance(1)
    training.advance(3)
    assert training.step == 4
    assert [entry["step"] for entry in training.history] == [0, 2, 4]


def test_a_run_goes_on_from_its_checkpoint(tmp_path):
    def start(name):
        return Training(NoisyBigram(torch.zeros(TOKENS, TOKENS), name), SPLITS, SMALL, seed=1)

    whole, half, other = start("whole"), start("half"), start("other")
    whole.advance(4)
    half.advance(2)
    half.save(tmp_path / "checkpoint")
    other.load(tmp_path / "checkpoint")
    other.advance(2)
    assert other.history == whole.history
    assert noise("other") == noise("whole")[2:]


def test_an_experiment_is_broken_off_and_goes_on(tmp_path):
    stop, go = StopAfter(4), StopAfter(0)
    with pytest.raises(BrokenOff):
        run_experiment(SPLITS, TOKENS, SMALL, tmp_path / "runs", stop)
    results = run_experiment(SPLITS, TOKENS, SMALL, tmp_path / "runs", go)
    assert len(stop.noted()) + len(go.noted()) == 18
    written = json.loads((tmp_path / "runs" / "results.json").read_text())
    assert len(written["runs"]) == len(results["runs"]) == 6


def test_tables_are_made_of_results():
    losses = {"bigram": 3.0, "blocks": 2.5, "sinusoidal": 2.25}
    runs = [
        {"arm": arm, "seed": seed, "parameters": 7, "history": [{"step": 4, "train": loss, "validation": loss + seed}]}
        for arm, loss in losses.items()
        for seed in (1, 2)
    ]
    summary = summarize({"unit": "nats per token", "protocol": {"steps": 4}, "runs": runs})
    assert summary["arms"]["blocks"]["validation"] == pytest.approx({"mean": 4.0, "lowest": 3.5, "highest": 4.5})
    assert summary["contrasts"]["blocks - bigram"]["differences"] == pytest.approx({"1": -0.5, "2": -0.5})
    assert "-0.2500" in render_tables(summary)
