"""The question `paired-position-experiment`: its reference at full size, and its checks of tables in text.

That its checks tell right submissions from wrong ones is proven by `grader validate`, as for every question.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import torch

from grader.bank import Bank
from grader.checks import Mismatch

QUESTION = Bank.find().get("paired-position-experiment")
TOKENS = 500


@pytest.fixture
def load() -> Iterator[Any]:
    """Imports modules of the question by name, and forgets them afterwards: other questions use the same names."""
    known, path = set(sys.modules), list(sys.path)
    folders = (QUESTION.solutions, QUESTION.folder, QUESTION.folder / "hidden")
    shared = (QUESTION.shared / "support", QUESTION.shared / "hidden")
    sys.path[:0] = [str(folder) for folder in (*folders, *shared)]
    yield importlib.import_module
    sys.path[:] = path
    own = {str(folder) for folder in (*folders, *shared)}
    for name in set(sys.modules) - known:
        if str(Path(getattr(sys.modules[name], "__file__", None) or "/").parent) in own:
            del sys.modules[name]


@pytest.fixture
def reference(load: Any) -> ModuleType:
    """The reference solution."""
    module = load("reference")
    assert isinstance(module, ModuleType)
    return module


def corpus() -> dict[str, torch.Tensor]:
    """Random token ids, enough for the planned contexts."""
    generator = torch.Generator().manual_seed(3)
    return {split: torch.randint(TOKENS, (200,), generator=generator) for split in ("train", "validation")}


def test_the_planned_models_are_pairs(load: Any, reference: ModuleType) -> None:
    models = reference.build_models(TOKENS, load("protocol").Protocol(), 42)
    counts = {arm: sum(each.numel() for each in model.parameters()) for arm, model in models.items()}
    # Two tables of 500 x 32 and a bias; six blocks of 12,576 and a norm.
    assert counts == {"bigram": 32_500, "blocks": 108_020, "sinusoidal": 108_020}
    assert torch.equal(models["bigram"].token_embedding.weight, models["blocks"].token_embedding.weight)
    for one, other in zip(models["blocks"].parameters(), models["sinusoidal"].parameters(), strict=True):
        assert torch.equal(one, other)
        assert one.data_ptr() != other.data_ptr()


def test_an_update_has_256_targets_and_an_evaluation_1024(load: Any, reference: ModuleType) -> None:
    protocol = load("protocol").Protocol()
    assert protocol.sequences * protocol.context == 256
    windows = reference.draw_evaluation_windows(corpus(), protocol)
    assert {split: targets.numel() for split, (_, targets) in windows.items()} == {"train": 1024, "validation": 1024}


def test_the_planned_experiment_runs_is_broken_off_and_goes_on(
    load: Any, reference: ModuleType, tmp_path: Path
) -> None:
    protocol = replace(load("protocol").Protocol(), blocks=1, steps=2, evaluate_at=(0, 2))
    interruption = load("interruption")
    whole = reference.run_experiment(corpus(), TOKENS, protocol, tmp_path / "whole")
    with pytest.raises(interruption.BrokenOff):
        reference.run_experiment(corpus(), TOKENS, protocol, tmp_path / "broken", interruption.StopAfter(7))
    assert not (tmp_path / "broken" / "results.json").exists()
    assert reference.run_experiment(corpus(), TOKENS, protocol, tmp_path / "broken") == whole
    assert [(run["arm"], run["seed"]) for run in whole["runs"]][:4] == [
        *((arm, 42) for arm in ("bigram", "blocks", "sinusoidal")),
        ("bigram", 43),
    ]
    assert "nats per token" in reference.render_tables(reference.summarize(whole))


def test_a_deeper_model_begins_as_the_shallower_one(load: Any, reference: ModuleType) -> None:
    protocol = load("protocol").Protocol(width=8, blocks=2)
    two, four = (reference.build_models(TOKENS, replace(protocol, blocks=n), 42)["blocks"] for n in (2, 4))
    state = four.state_dict()
    assert all(torch.equal(value, state[name]) for name, value in two.state_dict().items())


def test_a_plan_that_does_not_end_with_an_evaluation_is_refused(load: Any) -> None:
    protocol = load("protocol").Protocol
    assert protocol(steps=4, evaluate_at=(0, 4)).steps == 4
    for asked in ((), (0, 3), (4, 0), (0, 0, 4), (-1, 4), (0, 4, 5)):
        with pytest.raises(ValueError, match="evaluate_at"):
            protocol(steps=4, evaluate_at=asked)


ARM_ROWS = "\n| bigram | 1 |\n| blocks | 2 |\n| sinusoidal | 2 |\n\n"
CONTRAST_ROWS = "\n| blocks - bigram | -1 |\n| sinusoidal - blocks | 1 |\n"
RIGHT = [
    ("| arm | mean | range |", "| contrast | mean | range |", "in nats per token"),
    (
        "| Arm | Mean | Seed range (lowest to highest) |",
        "| Contrast | Mean | Range over 3 seeds |",
        "Nats  per\ntoken. Not a CI.",
    ),
    ("| arm | mean | range (not a confidence interval) |", "| contrast | mean | range, no CI |", "nats per token"),
    (
        "| **arm** | mean | min-max range |",
        "| `contrast` | mean | range |",
        "nats per token; ranges, not confidence intervals",
    ),
]
WRONG = [
    ("| arm | mean | 95 % confidence interval |", "| contrast | mean | range |", "nats per token"),
    ("| arm | mean | range |", "| contrast | mean | range (CI) |", "nats per token"),
    ("| arm | mean | range |", "| contrast | mean ± range |", "nats per token"),
    ("| arm | mean | seed range |", "| contrast | mean | error range |", "nats per token"),
    ("| arm | mean | lowest to highest |", "| contrast | mean | range |", "nats per token"),
    ("| arm | mean | range |", "| contrast | mean | range |", "bits per token"),
    ("| arm | range |", "| contrast | mean | range |", "nats per token"),
]


def judged(load: Any, header: str, other: str, words: str) -> None:
    """Raise a Mismatch unless tables with these headers and words are let through."""
    text = f"{words}\n\n{header}\n|---|---:|---:|{ARM_ROWS}{other}\n|---|---:|---:|{CONTRAST_ROWS}"
    load("markdown_tables").expect_words(text)


@pytest.mark.parametrize(
    ("cell", "numbers"),
    [
        ("3.1234", [3.1234]),
        ("107,636", [107_636]),
        ("107 636", [107_636]),
        ("107_636", [107_636]),
        ("3.1234 to 3.4567", [3.1234, 3.4567]),
        ("3.1234\N{EN DASH}3.4567", [3.1234, 3.4567]),
        ("3.1234-3.4567", [3.1234, 3.4567]),
        ("3.1234..3.4567", [3.1234, 3.4567]),
        ("-0.0500...-0.0400", [-0.05, -0.04]),
        ("[-0.0500, +0.0400]", [-0.05, 0.04]),
        ("\N{MINUS SIGN}0.0500 \N{EN DASH} \N{MINUS SIGN}0.0400", [-0.05, -0.04]),
        ("\N{EN DASH}0.0500", [-0.05]),
        ("-0.0500--0.0400", [-0.05, -0.04]),
        ("none", []),
    ],
)
def test_numbers_are_read_in_many_forms(load: Any, cell: str, numbers: list[float]) -> None:
    assert load("markdown_tables").numbers_of(["blocks", cell]) == pytest.approx(numbers)


@pytest.mark.parametrize(("header", "other", "words"), RIGHT)
def test_words_that_claim_no_more_than_a_range_pass(load: Any, header: str, other: str, words: str) -> None:
    judged(load, header, other, words)


@pytest.mark.parametrize(("header", "other", "words"), WRONG)
def test_words_that_claim_more_are_found(load: Any, header: str, other: str, words: str) -> None:
    with pytest.raises(Mismatch):
        judged(load, header, other, words)


RULED = "| arm | range |\n|---|---:|" + ARM_ROWS + "| contrast | range |\n|:--|--:|" + CONTRAST_ROWS


@pytest.mark.parametrize(
    "text", [RULED, f"Before.\n\n{RULED}\nAfter.", RULED.replace("\n| ", "\n").replace("|---|", "---|")]
)
def test_two_tables_with_rules_pass(load: Any, text: str) -> None:
    load("markdown_tables").expect_tables(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        RULED + "\n" + RULED,
        RULED.replace("|---|---:|\n", ""),
        RULED.replace("|---|---:|", "|---|---:|---:|"),
        RULED.replace("| blocks | 2 |", "| blocks | 2 | 3 |"),
        RULED.replace("\n\n", "\n"),
    ],
)
def test_what_is_not_two_tables_is_found(load: Any, text: str) -> None:
    with pytest.raises(Mismatch):
        load("markdown_tables").expect_tables(text)


def test_the_mistakes_that_spoil_such_an_experiment_are_known_by_name() -> None:
    assert {each.id for each in QUESTION.spec.misconceptions} >= {
        "batches-per-arm",
        "unpaired-initialisation",
        "blocks-share-parameters",
        "evaluation-moves-the-stream",
        "training-loss-as-validation",
        "mean-over-arms",
        "range-as-confidence-interval",
        "windows-per-arm",
    }
